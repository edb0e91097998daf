"""How far regular events lie from landmarks, by the distribution of these."""

from typing import Any, ClassVar, Literal

from privacy_engine.experiments.presets.base import DISTRIBUTIONS, SHARES, SeriesPreset, presets


@presets.register
class TemporalDistance(SeriesPreset):
    """Average temporal distance from regular events to landmarks, for five distributions and 0 to 100 % [1]_.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy". CODASPY 2022.
    """

    title: ClassVar[str] = "Temporal distance by distribution"
    summary: ClassVar[str] = "How many timestamps lie between regular events and landmarks, for five distributions."
    metrics: ClassVar[tuple[str, ...]] = ("temporal-distance",)

    name: Literal["temporal-distance"] = "temporal-distance"

    def grid(self) -> dict[str, list[Any]]:
        return {"landmarks.distribution": list(DISTRIBUTIONS), "landmarks.share": list(SHARES)}
