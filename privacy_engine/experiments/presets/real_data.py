"""The figure of the paper on real data: error by the share of landmarks."""

from typing import Annotated, Any, ClassVar, Literal

from privacy_engine.core.params import EventCount, Param
from privacy_engine.experiments.presets.base import SHARES, SeriesPreset, presets, random_landmarks, scheme
from privacy_engine.experiments.selection import GeneratedSeries, SeriesSelection
from privacy_engine.experiments.synthetic_series import TAXI_Q_M2, WALK_Q_M2
from privacy_engine.landmarks.staypoints import READING, Reading

MARKS = Param(
    label="Landmarks",
    help="A random share of the events, sampled again in each repetition, or the paper's stay points.",
    options=(("random", "Random shares"), ("stay-points", "Stay points")),
)


class RealData(SeriesPreset):
    """Base: what a mechanism costs in metres for 0 to 100 % landmarks, ε = 1 per metre [1]_.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy". CODASPY 2022.
    """

    metrics: ClassVar[tuple[str, ...]] = ("error",)
    stays: ClassVar[tuple[tuple[float, float], ...]]
    step_variance_m2: ClassVar[float]
    like: ClassVar[Literal["taxi", "walk"]]

    events: EventCount = 1000
    marks: Annotated[Literal["random", "stay-points"], MARKS] = "random"
    reading: Annotated[Reading, READING] = "seed"

    def selection(self) -> SeriesSelection:
        """The first ``events`` of each person, joined in the order of time; otherwise as many generated ones."""
        generated = GeneratedSeries(like=self.like, events=self.events, seed=self.seed)
        return SeriesSelection(join="person", first_events=self.events, generated=generated)

    def base(self) -> dict[str, Any]:
        return {"landmarks": random_landmarks(), "redraw": self.marks == "random"}

    def grid(self) -> dict[str, list[Any]]:
        q = {"step_variance_m2": self.step_variance_m2}
        smoother = {"name": "ou-smoother"}
        schemes = [
            scheme("uniform"),
            scheme("skip"),
            scheme("adaptive", reading="literal"),
            scheme("adaptive"),
            scheme("optimal"),
            scheme("planned", **q),
            scheme("joint", **q),
            scheme("planned", smoother, **q),
            scheme("joint", smoother, **q),
        ]
        if self.marks == "random":
            return {"release": schemes, "landmarks.share": list(SHARES)}
        stays = [
            {"name": "stay-points", "distance_m": distance_m, "duration_s": 60.0 * minutes, "reading": self.reading}
            for distance_m, minutes in self.stays
        ]
        return {"release": schemes, "landmarks": stays}


@presets.register
class GeolifeError(RealData):
    """Errors on dense data: Geolife, or a generated walk with a fix every 5 s [1]_.

    The paper's pairs of stay-point distance and duration give its shares on Geolife user 174, as Li et al. define stays
    to the letter; elsewhere read the measured ones.
    """

    title: ClassVar[str] = "Error by landmarks, dense data"
    summary: ClassVar[str] = "Mean absolute error for 0 to 100 % landmarks on Geolife or a synthetic walk."
    stays: ClassVar[tuple[tuple[float, float], ...]] = (
        (0, 100_000),
        (205, 30),
        (450, 30),
        (725, 30),
        (855, 30),
        (50_000, 30),
    )
    step_variance_m2: ClassVar[float] = WALK_Q_M2
    like: ClassVar[Literal["taxi", "walk"]] = "walk"

    name: Literal["error-geolife"] = "error-geolife"


@presets.register
class TDriveError(RealData):
    """Errors on sparse data: T-Drive, or generated taxis with a fix every three minutes [1]_.

    The paper's pairs of stay-point distance and duration give its shares on T-Drive taxi 2.
    """

    title: ClassVar[str] = "Error by landmarks, sparse data"
    summary: ClassVar[str] = "Mean absolute error for 0 to 100 % landmarks on T-Drive or a synthetic taxi."
    stays: ClassVar[tuple[tuple[float, float], ...]] = (
        (0, 1000),
        (2095, 30),
        (2790, 30),
        (3590, 30),
        (4825, 30),
        (10_350, 30),
    )
    step_variance_m2: ClassVar[float] = TAXI_Q_M2
    like: ClassVar[Literal["taxi", "walk"]] = "taxi"

    name: Literal["error-tdrive"] = "error-tdrive"
