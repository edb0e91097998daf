"""Averaging: successive positions are near each other, so the mean of several noisy ones is nearer to the truth."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.attacks import Headline, Result, SeriesAttack
from privacy_engine.core import geo
from privacy_engine.core.params import Param

EVENTS = Param(label="Events", help="How many successive positions are averaged.", lowest=2, highest=1000, example=5)


@dataclass(frozen=True, eq=False)
class MovingAverageResult(Result):
    """Mean distances in metres: of the averages, and of the published positions, to the truth."""

    guess_m: float
    release_m: float

    @property
    def sentence(self) -> str:
        return f"Averages lie {self.guess_m:,.0f} m off, the published positions {self.release_m:,.0f} m."


class MovingAverage(SeriesAttack):
    """Each position is guessed as the mean of ``events`` successive published ones [1]_.

    References
    ----------
    .. [1] Own work, 2026: an example.
    """

    title: ClassVar[str] = "Moving average"
    summary: ClassVar[str] = "The mean of successive published positions."
    assumes: ClassVar[tuple[str, ...]] = ("Successive events are near each other.",)
    headlines: ClassVar[tuple[Headline, ...]] = (
        Headline("average-distance", "Distance of averages", "m", "How far they lie off.", lambda found: found.guess_m),
    )

    name: Literal["moving-average"] = "moving-average"
    events: Annotated[int, EVENTS] = 5

    def seconds_once(self, lengths):
        return 1e-3 * len(lengths) + 1e-7 * sum(lengths)

    def _run(self, truth, release):
        lon, lat, wide = release.series.lon, release.series.lat, min(self.events, len(release.series))
        at, mean = release.event, np.ones(wide) / max(wide, 1)
        east, north = (np.convolve(axis - axis[0], mean, "same") / np.convolve(np.ones(len(lon)), mean, "same")
                       for axis in (lon, lat))  # fmt: skip
        guess = geo.distance_m(truth.lon[at], truth.lat[at], lon[0] + east, lat[0] + north)
        return MovingAverageResult(
            float(guess.mean()), float(geo.distance_m(truth.lon[at], truth.lat[at], lon, lat).mean())
        )
