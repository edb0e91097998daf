"""Privacy against utility: error by level."""

from typing import Any, ClassVar, Literal

from privacy_engine.experiments.presets.base import SeriesPreset, presets, scheme
from privacy_engine.experiments.synthetic_series import TAXI_Q_M2


@presets.register
class PrivacyUtility(SeriesPreset):
    """Mean absolute error of every mechanism for levels from 0.01 to 10 per metre, 20 % random landmarks [1]_.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy". CODASPY 2022. (The measure; the sweep is Cairn's.)
    """

    title: ClassVar[str] = "Privacy against utility"
    summary: ClassVar[str] = "Mean absolute error of the landmark mechanisms over the level ε."
    metrics: ClassVar[tuple[str, ...]] = ("error",)

    name: Literal["privacy-utility"] = "privacy-utility"

    def grid(self) -> dict[str, list[Any]]:
        q = {"step_variance_m2": TAXI_Q_M2}
        named: list[tuple[str, dict[str, Any]]] = [
            ("uniform", {}),
            ("skip", {}),
            ("adaptive", {}),
            ("optimal", {}),
            ("planned", q),
            ("joint", q),
        ]
        return {
            "release": [scheme(name, **parameters) for name, parameters in named],
            "release.mechanism.epsilon": [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
        }
