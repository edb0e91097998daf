"""Whose release is it? A few known points of a series against the releases of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.attacks.base import Headline, PopulationAttack, Result, Watch, attacks, must_match
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import Param, Seed
from privacy_engine.core.progress import reported
from privacy_engine.data import Release, Trajectory
from privacy_engine.errors import DataError, ParameterError

MOST_DISTANCES = 2 * 10**8
"""Series times series times tries times points, at most: about half a minute."""

POINTS = Param(
    label="Known points",
    symbol="k",
    help="How many events of one person the adversary knows, place and time. Four were enough in the source.",
    lowest=1,
    highest=20,
    example=4,
)
TRIES = Param(
    label="Trials",
    help="How many times each series is searched for, each time by other points of it.",
    lowest=1,
    highest=10_000,
    example=10,
)
WITHIN = Param(
    label="Time tolerance",
    unit="s",
    help="A release with no event so near in time to a known point is ruled out.",
    lowest=0.0,
    highest=1e9,
    example=3600.0,
)


@dataclass(frozen=True, eq=False)
class ReidentificationResult(Result):
    """``rank`` (series, tries): the place of the true release among all, 1 the best; ties count against the adversary.

    ``population`` releases were ranked; ``unique_share`` of all tries put the true one alone on top, ``chance`` of them
    would by guessing; ``mean_rank`` is 1 for a perfect attack and (population + 1)/2 for guesses.
    """

    rank: Ints
    points: int
    population: int
    unique_share: float
    chance: float
    mean_rank: float

    @property
    def sentence(self) -> str:
        known = "1 known point singles" if self.points == 1 else f"{self.points} known points single"
        return (
            f"{known} out the right release of {self.population:,} in {100 * self.unique_share:.0f} % of tries; "
            f"guessing would in {100 * self.chance:.1f} %."
        )


@attacks.register
class Reidentification(PopulationAttack):
    """How often k known points of a series single out its release among those of a population [1]_.

    The adversary knows place and time of k events, drawn at random from one series, and takes the release whose
    positions nearest in time lie nearest in sum: the most likely one where all noise is planar Laplace of one size. A
    release without an event within ``tolerance_s`` of a known time is ruled out; series without times are compared
    event by event. Memory does not grow with the population; beyond 200 million distances it is refused.

    References
    ----------
    .. [1] de Montjoye, Hidalgo, Verleysen, Blondel. "Unique in the Crowd: The privacy bounds of human mobility".
       Scientific Reports 2013.
    """

    title: ClassVar[str] = "Re-identification"
    summary: ClassVar[str] = "Whether a few known points identify one person's release."
    assumes: ClassVar[tuple[str, ...]] = (
        "The adversary knows k places and times of one person exactly, and that one of the releases is theirs.",
        "Times are released in clear, and help to distinguish people.",
    )
    headlines: ClassVar[tuple[Headline, ...]] = (
        Headline(
            "re-identification-share",
            "Re-identified by known points",
            "",
            "How often a few known points single out the right release among all, from 0 to 1.",
            lambda result: result.unique_share,
            share=True,
        ),
    )

    name: Literal["re-identification"] = "re-identification"
    points: Annotated[int, POINTS]
    tolerance_s: Annotated[float, WITHIN]
    tries: Annotated[int, TRIES] = 10
    seed: Seed = 1

    def seconds_once(self, lengths: Sequence[int]) -> float:
        series = len(lengths)
        return 1e-4 * series + series**2 * (2e-6 + 9e-8 * self.points * self.tries)

    def part(
        self, truths: Sequence[Trajectory], releases: Sequence[Release], some: range, *, watch: Watch | None = None
    ) -> Ints:
        """How many of ``some`` releases rank as high as the true one or are it, for every series and try.

        Raises
        ------
        DataError
            Fewer than two series, releases that are not theirs or empty, a series with fewer events than ``points``,
            times in some series only.
        ParameterError
            The distances to compute pass 200 million.
        """
        self._check(truths, releases)
        known = [self._known(truth, number) for number, truth in enumerate(reported(truths))]
        lon, lat, when = (np.array(column) for column in zip(*known, strict=True))
        pairs = zip(reported(releases), known, strict=True)
        own = np.array([_score(release, *points, self.tolerance_s) for release, points in pairs])
        rank = np.zeros(own.shape, dtype=np.int64)
        for done, number in enumerate(reported(some)):
            if watch is not None:
                watch(done / len(some))
            beats = _score(releases[number], lon, lat, when, self.tolerance_s) <= own
            beats[number] = True  # whatever rounding may do to the same sum
            rank += beats
        return rank

    def joined(self, parts: Sequence[Ints]) -> ReidentificationResult:
        """Ranks of the true release for every series and try."""
        rank: Ints = np.sum(parts, axis=0)
        size = len(rank)
        return ReidentificationResult(rank, self.points, size, float((rank == 1).mean()), 1 / size, float(rank.mean()))

    def _check(self, truths: Sequence[Trajectory], releases: Sequence[Release]) -> None:
        if len(truths) < 2 or len(truths) != len(releases):
            rule = "at least 2 series and a release of each"
            raise DataError.must_be("series", rule, len(truths), got=f"{len(truths)} and {len(releases)}")
        for truth, release in zip(reported(truths), releases, strict=True):
            must_match(truth, release)
            if len(truth) < self.points or not len(release.event):
                rule = f"at least {self.points} events and a release that is not empty"
                raise DataError(f"every series must have {rule}", field="series", rule=rule, value=len(truth))
            if (truth.time_s is None) != (truths[0].time_s is None):
                raise DataError("all series must have times, or none", field="time_s", rule="all or none")
        work = len(truths) ** 2 * self.tries * self.points
        if work > MOST_DISTANCES:
            rule = f"such that at most {MOST_DISTANCES:,} distances are computed"
            raise ParameterError.must_be("tries", rule, work, got=f"{work:,}")

    def _known(self, truth: Trajectory, number: int) -> tuple[Floats, Floats, Floats]:
        """Places and times (or event numbers) of distinct events at random, (tries, points) each."""
        rng = noise.source(self.seed, stream=noise.Stream.KNOWN_POINTS, part=number)
        events = _distinct(rng.uniform(self.tries * self.points).reshape(self.tries, self.points), len(truth))
        when = events.astype(np.float64) if truth.time_s is None else truth.time_s[events]
        return truth.lon[events], truth.lat[events], when


def _distinct(uniform: Floats, n: int) -> Ints:
    """``k`` distinct numbers below ``n``, every set alike, in each row of uniform values (rows, k)."""
    chosen = np.empty(uniform.shape, dtype=np.int64)
    for j in range(uniform.shape[1]):
        pick = (uniform[:, j] * (n - j)).astype(np.int64)
        for taken in np.sort(chosen[:, :j], axis=1).T:
            pick += pick >= taken
        chosen[:, j] = pick
    return chosen


def _score(release: Release, lon: Floats, lat: Floats, when: Floats, tolerance_s: float) -> Floats:
    """Sum of distances, metres, from known points (..., k) to the release nearest in time, (...); inf if ruled out.

    ``when`` are seconds, or without times numbers of events, which must agree.
    """
    times = release.event.astype(np.float64) if release.series.time_s is None else release.series.time_s
    after = np.searchsorted(times, when).clip(max=len(times) - 1)
    before = np.maximum(after - 1, 0)
    at = np.where(np.abs(times[before] - when) <= np.abs(times[after] - when), before, after)
    is_missed = np.abs(times[at] - when) > (0.0 if release.series.time_s is None else tolerance_s)
    distances_m = geo.distance_m(lon, lat, release.series.lon[at], release.series.lat[at])
    return np.asarray(np.where(is_missed, np.inf, distances_m).sum(axis=-1))
