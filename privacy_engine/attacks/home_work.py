"""Where does a person live and work? The places of long stays, by night and in working hours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.attacks.base import Headline, Place, Result, SeriesAttack, attacks
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import DistanceM, DurationS, Param
from privacy_engine.core.progress import reported
from privacy_engine.data import Release, Trajectory
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.staypoints import stay_points

NIGHT = (22, 6)
WORK = (10, 16)
WIDER = 5.0
"""A stay of noisy positions reaches so many standard deviations of their noise further: two draws of a place are
that far apart once in a hundred."""

MOST_STAYS = 20_000
"""Stays gathered into places, at most: every place looks at all of them."""

WITHIN = Param(
    label="Found within",
    unit="m",
    help="A place counts as found if the guess is at most so far from it.",
    lowest=0.0,
    highest=2e7,
    example=200.0,
)


@dataclass(frozen=True, eq=False)
class HomeWorkResult(Result):
    """Home and workplace. ``within_m`` is what counts as found; ``reach_m`` how wide stays were on the release."""

    home: Place
    work: Place
    within_m: float
    reach_m: float

    @property
    def sentence(self) -> str:
        return f"{self._sentence('home', self.home)} {self._sentence('workplace', self.work)}"

    @property
    def places(self) -> dict[str, Place]:
        return {"Home": self.home, "Workplace": self.work}

    def _sentence(self, what: str, place: Place) -> str:
        if not place.exists:
            return f"The original shows no {what}."
        if math.isnan(place.distance_m):
            return f"The release shows no {what}."
        verdict = "found" if place.within else "not found"
        return f"The {what} is guessed {place.distance_m:,.0f} m off: {verdict} within {self.within_m:,.0f} m."


@attacks.register
class HomeWork(SeriesAttack):
    """Home is the place of the longest stays by night, the workplace another one of the longest by working day [1]_.

    Stays are those of Li et al. [2]_; on the release their distance is widened by five standard deviations of the
    noise, which is public. Stays, the longest first, are gathered into places as wide as a stay [3]_, and a place is
    the median of its events by axis. Night is 22 to 6 and the working day 10 to 16, Monday to Friday, by the sun: times
    are UTC and 15 degrees of longitude an hour. The true places are those that the same rule finds on the original.
    More than 20,000 stays are refused.

    References
    ----------
    .. [1] Krumm. "Inference Attacks on Location Tracks". Pervasive 2007.
    .. [2] Li, Zheng, Xie, Chen, Liu, Ma. "Mining User Similarity Based on Location History". ACM GIS 2008.
    .. [3] Gambs, Killijian, Núñez del Prado Cortez. "Show Me How You Move and I Will Tell You Who You Are".
       Transactions on Data Privacy 2011.
    """

    title: ClassVar[str] = "Home and work"
    summary: ClassVar[str] = "Home and work places, from long stays by night and by working day."
    needs_time: ClassVar[bool] = True
    assumes: ClassVar[tuple[str, ...]] = (
        "People sleep at home and work by day, from Monday to Friday.",
        "The size of the noise is public; the adversary makes no other use of the mechanism.",
        "The true home and workplace are what the same rule finds on the original.",
    )
    headlines: ClassVar[tuple[Headline, ...]] = (
        Headline(
            "home-found",
            "Home found",
            "",
            "How often the home is found, from 0 to 1; series that show no home are left out.",
            lambda result: result.home.found,
            share=True,
        ),
        Headline(
            "home-distance",
            "Distance of the guessed home",
            "m",
            "How far from the home the guess lies, where the release shows one.",
            lambda result: result.home.distance_m,
        ),
        Headline(
            "work-found",
            "Workplace found",
            "",
            "How often the workplace is found, from 0 to 1; series that show no workplace are left out.",
            lambda result: result.work.found,
            share=True,
        ),
        Headline(
            "work-distance",
            "Distance of the guessed workplace",
            "m",
            "How far from the workplace the guess lies, where the release shows one.",
            lambda result: result.work.distance_m,
        ),
    )

    name: Literal["home-work"] = "home-work"
    distance_m: DistanceM
    duration_s: DurationS
    within_m: Annotated[float, WITHIN]

    def seconds_once(self, lengths: Sequence[int]) -> float:
        return sum(1e-3 + 2e-6 * events for events in lengths)

    def home_visits(self, series: Trajectory) -> Ints:
        """Indices of the events at home, (k,), ascending; none where the rule finds no home or there are no times."""
        if series.time_s is None:
            return np.zeros(0, dtype=np.int64)
        xy_m = geo.LocalPlane.around(series.lon, series.lat).project(series.lon, series.lat)
        return self._visits(series, xy_m, self.distance_m)[0]

    def _run(self, truth: Trajectory, release: Release) -> HomeWorkResult:
        drawn = release.sd_m[release.fresh]
        reach_m = min(self.distance_m + WIDER * float(np.median(drawn)) if drawn.size else self.distance_m, 2e7)
        true, guess = self._infer(truth, self.distance_m), self._infer(release.series, reach_m)
        home, work = (self._place(*pair) for pair in zip(true, guess, strict=True))
        return HomeWorkResult(home, work, self.within_m, reach_m)

    def _place(self, true: tuple[float, float], guess: tuple[float, float]) -> Place:
        apart = float(geo.distance_m(*true, *guess))
        return Place(*true, *guess, apart, apart <= self.within_m)

    def _infer(self, series: Trajectory, reach_m: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Home and workplace, degrees; not a number for none."""
        plane = geo.LocalPlane.around(series.lon, series.lat)
        xy_m = plane.project(series.lon, series.lat)

        def where(events: Ints) -> tuple[float, float]:
            if not events.size:
                return math.nan, math.nan
            lon, lat = plane.unproject(np.median(xy_m[events], axis=0)[None])
            return float(lon[0]), float(lat[0])

        home, work = self._visits(series, xy_m, reach_m)
        return where(home), where(work)

    def _visits(self, series: Trajectory, xy_m: Floats, reach_m: float) -> tuple[Ints, Ints]:
        """Events at home and at the workplace, ascending; empty for none."""
        nowhere = np.zeros(0, dtype=np.int64)
        assert series.time_s is not None
        groups = stay_points(
            series.lon, series.lat, series.time_s, distance_m=reach_m, duration_s=self.duration_s, reading="li08_def"
        )
        if not len(groups):
            return nowhere, nowhere
        if len(groups) > MOST_STAYS:
            rule = f"so long that there are at most {MOST_STAYS:,} stays"
            message = f"duration_s must be {rule}, got {self.duration_s:g} ({len(groups):,})"
            raise ParameterError(message, field="duration_s", rule=rule, value=self.duration_s)
        sun_s = 240.0 * series.lon[groups[:, 0]]  # 4 minutes a degree
        start_s, end_s = series.time_s[groups[:, 0]] + sun_s, series.time_s[groups[:, 1] - 1] + sun_s
        place = _places(xy_m, groups, end_s - start_s, reach_m)
        by_night, by_day = (
            np.bincount(place, weights=_overlap_s(start_s, end_s, upto))
            for upto in (_weekly(*NIGHT, 7), _weekly(*WORK, 5))
        )
        home = int(by_night.argmax()) if by_night.any() else -1
        if home >= 0:
            by_day[home] = 0.0
        work = int(by_day.argmax()) if by_day.any() else -1

        def events_at(chosen: int) -> Ints:
            if chosen < 0:
                return nowhere
            return np.concatenate([np.arange(i, j) for i, j in reported(groups[place == chosen])])

        return events_at(home), events_at(work)


def _places(xy_m: Floats, groups: Ints, lasts_s: Floats, reach_m: float) -> Ints:
    """Which place each stay belongs to, (k,): that of the longest earlier stay within reach, or a new place."""
    centres = np.array([np.median(xy_m[i:j], axis=0) for i, j in reported(groups)])
    place = np.full(len(groups), -1, dtype=np.int64)
    for stay in reported(np.argsort(-lasts_s, kind="stable")):
        if place[stay] < 0:
            near = np.hypot(*(centres - centres[stay]).T) <= reach_m
            place[near & (place < 0)] = place.max() + 1
    return place


def _weekly(first: int, last: int, days: int) -> Floats:
    """Seconds between these hours, on Monday and the days after, from 1970 on to each minute of its first week."""
    minute = np.arange(7 * 24 * 60)
    weekday = (minute // (24 * 60) + 3) % 7  # 1970 began on a Thursday
    hour = minute // 60 % 24
    inside = (first <= hour) & (hour < last) if first < last else (hour >= first) | (hour < last)
    return np.concatenate([[0.0], np.cumsum(60.0 * (inside & (weekday < days)))])


def _overlap_s(start_s: Floats, end_s: Floats, upto: Floats) -> Floats:
    """Seconds of each interval inside the weekly hours that ``upto`` counts, (k,)."""

    def counted(time_s: Floats) -> Floats:
        weeks, minute = np.divmod(time_s / 60, len(upto) - 1)
        return np.asarray(weeks * upto[-1] + np.interp(minute, np.arange(len(upto)), upto))

    return counted(end_s) - counted(start_s)
