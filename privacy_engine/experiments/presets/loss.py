"""Privacy loss under temporal correlation, by the distribution of landmarks."""

from typing import Any, ClassVar, Literal

from privacy_engine.experiments.presets.base import DISTRIBUTIONS, SHARES, SeriesPreset, presets, scheme


@presets.register
class CorrelatedLoss(SeriesPreset):
    """Overall privacy loss without, under weak, moderate and strong correlation, for five distributions [1]_.

    Uniform at ε = 1; two places one radius apart (``diameter_m`` None: levels are plain numbers, as printed), smoothing
    1, 0.1 and 0.01; losses by the formula as printed, which is no upper bound.
    The paper's order of distributions, the skewed ones worst, holds for each event's own loss; that of the landmarks
    and one event together goes the other way. Both are measured.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy". CODASPY 2022.
    """

    title: ClassVar[str] = "Loss under correlation"
    summary: ClassVar[str] = "Privacy loss by distribution of the landmarks, for four strengths of correlation."
    metrics: ClassVar[tuple[str, ...]] = ("loss-own", "loss-summed")

    name: Literal["correlated-loss"] = "correlated-loss"

    def base(self) -> dict[str, Any]:
        return super().base() | {"release": scheme("uniform")}

    def grid(self) -> dict[str, list[Any]]:
        return {
            "correlation": [None, *({"smoothing": s, "diameter_m": None} for s in (1.0, 0.1, 0.01))],
            "landmarks.distribution": list(DISTRIBUTIONS),
            "landmarks.share": list(SHARES),
        }
