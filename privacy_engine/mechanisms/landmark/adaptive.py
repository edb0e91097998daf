"""Adaptive: landmarks are sampled; what a skipped landmark saves goes to those still to come."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import Ledger
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.params import Param
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Release, Trajectory
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.simulation_plan import AdaptivePlan, SimulationPlan
from privacy_engine.mechanisms.base.trajectory import same_law_as
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism

READING = Param(
    label="Change threshold",
    help="How far two successive releases must lie apart before landmarks are sampled more often.",
    options=(
        ("calibrated", "More than the median distance of two releases of one place (2.6/ε)"),
        ("literal", "More than the scale of the noise (1/ε), as printed"),
    ),
)
REDISTRIBUTION = Param(
    label="Budget of skipped landmarks",
    help="Which events get the share of a landmark that was not sampled.",
    options=(
        ("uniform", "All landmarks still to come and the other events, evenly"),
        ("absorption", "The next landmark drawn, wholly"),
    ),
)
MEDIAN_DISTANCE = 2.6017838101439437
"""Median distance of two planar Laplace releases of one place, times ε (landmark notes; 1/ε is the 11 % quantile)."""
FIRST_CHUNK, LARGEST_CHUNK = 8, 1024


@mechanisms.register
class Adaptive(PlanarLaplaceMechanism):
    r"""Landmarks are drawn at a sampling rate that follows the releases; a skipped landmark returns its share.

    A landmark or regular event gets the share :math:`(\epsilon - S)/(m + 1)`, with S spent on landmarks so far and
    m landmarks still to come; a landmark that is not sampled spends nothing and repeats the last release, which
    makes every later share larger [1]_. With ``redistribution="absorption"`` every share is the first one,
    :math:`e = \epsilon / (k + 1)`, and a landmark drawn after j skipped ones takes their shares too, (j + 1)e, as
    budget absorption does [2]_: landmarks passed have spent at most e each, so :math:`S + M \le (k + 1)e`.
    Regular events are always drawn: they share one slot, so skipping them saves nothing. After each draw the distance
    of the last two *releases* is compared with a threshold: farther, and every landmark is sampled again; nearer, and
    one more landmark is left out between samples. The choice reads releases and landmark positions in time only, so
    the budgets are adaptive composition: :math:`L \cup \{t\}` spends at most ``epsilon`` at every prefix and for every
    output (:mod:`privacy_engine.accounting.landmark_ledger`). The first event is always drawn. Assumes independent
    events.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022.
    .. [2] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       PVLDB 2014.
    """

    title: ClassVar[str] = "Adaptive"
    summary: ClassVar[str] = "Samples landmarks while releases do not move and gives the saved budget to later ones."
    caveats: ClassVar[tuple[str, ...]] = (
        "Repeats show some of the landmarks.",
        *PlanarLaplaceMechanism.caveats,
    )

    name: Literal["landmark-adaptive"] = "landmark-adaptive"
    reading: Annotated[Literal["calibrated", "literal"], READING] = "calibrated"
    redistribution: Annotated[Literal["uniform", "absorption"], REDISTRIBUTION] = "uniform"

    def draw(self, series: Trajectory, is_landmark: Mask, *, rng: noise.RandomSource) -> Release:
        n = len(series)
        run = _Run(self, series, is_landmark, rng)
        for t in reported(range(n), ROWS // 16):
            run.step(t)
        budgets = np.array(run.budgets)
        released = series.moved(np.array(run.lon), np.array(run.lat))
        return Release(released, np.arange(n, dtype=np.int64), budgets, budgets > 0, self.sd_m(budgets))

    @same_law_as(draw)
    def draw_many(self, series: Trajectory, is_landmark: Mask, times: int, *, rng: noise.RandomSource) -> Floats:
        """All runs side by side: each decides by its own releases, the draws of an event are made together."""
        runs = [_Run(self, series, is_landmark, rng) for _ in range(times)]
        for t in reported(range(len(series))):
            drawn = [(run, share) for run in runs if (share := run.decide(t)) is not None]
            shares = np.array([share for _, share in drawn])
            lon, lat = (np.full(len(drawn), degrees[t]) for degrees in (series.lon, series.lat))
            lon, lat = self.perturb(lon, lat, shares, rng=rng)
            placed = zip(drawn, lon.tolist(), lat.tolist(), _unit_vectors(lon, lat), strict=True)
            for (run, share), one_lon, one_lat, vector in placed:
                run.accept(share, one_lon, one_lat, vector)
        return np.stack([np.array([run.lon for run in runs]), np.array([run.lat for run in runs])], axis=2)

    def most_budgets(self, is_landmark: Mask) -> Floats:
        """As if every landmark before an event had been skipped, but for the first event, which is always drawn.

        A share only grows with what was saved before it. All together spend more than ``epsilon``: no run is like this.
        """
        landmarks = int(is_landmark.sum())
        spent = np.zeros(len(is_landmark))
        regulars = landmarks < len(is_landmark)
        first_share = Ledger(self.epsilon).share(landmarks, regulars)
        first_drawn = bool(len(is_landmark) and is_landmark[0])
        before: Ints = np.cumsum(is_landmark) - is_landmark
        if self.redistribution == "absorption":
            waited = np.maximum(before - first_drawn, 0) + 1
            return np.asarray(first_share * np.where(is_landmark, waited, 1))
        spent[1:] = first_share * first_drawn
        return np.asarray((self.epsilon - spent) / (landmarks - before + regulars))

    def simulation_plan(self, is_landmark: Mask) -> SimulationPlan:
        absorption = self.redistribution == "absorption"
        return AdaptivePlan(is_landmark, self.epsilon, self.radius_m, self._threshold, absorption)

    def threshold_m(self, budget: float) -> float:
        """The distance in metres above which two releases with this budget count as moved."""
        return float(self._threshold * self.radius_m / budget)

    @property
    def _threshold(self) -> float:
        """That distance times ε."""
        return MEDIAN_DISTANCE if self.reading == "calibrated" else 1.0


class _Run:
    """The state of one pass over time."""

    def __init__(self, how: Adaptive, series: Trajectory, is_landmark: Mask, rng: noise.RandomSource) -> None:
        self.how, self.series, self.rng = how, series, rng
        self.is_landmark = is_landmark.tolist()
        self.landmarks_to_come = sum(self.is_landmark)
        self.regulars_to_come = len(self.is_landmark) - self.landmarks_to_come
        self.ledger = Ledger(how.epsilon)
        self.first_share = self.ledger.share(self.landmarks_to_come, self.regulars_to_come > 0)
        self.interval, self.waited = 1, 0  # sample every interval-th landmark
        self.budgets: list[float] = []
        self.lon: list[float] = []
        self.lat: list[float] = []
        self.last: tuple[float, float, float] | None = None  # the last draw as a unit vector
        self.ahead = _Ahead()

    def step(self, t: int) -> None:
        share = self.decide(t)
        if share is not None:
            if not self.ahead.holds(t, share):
                self.ahead.draw(self, t, share)
            self.accept(share, *self.ahead.take(t))

    def decide(self, t: int) -> float | None:
        """The budget that event t is to be drawn with; None where it repeats the last draw, which is done then."""
        landmark = self.is_landmark[t]
        self.waited += landmark
        share = self._share(landmark)
        self.landmarks_to_come -= landmark
        self.regulars_to_come -= not landmark
        if self.last is not None and landmark and self.waited < self.interval:
            self.budgets.append(0.0)
            self.lon.append(self.lon[-1])
            self.lat.append(self.lat[-1])
            return None
        self.ledger.spend(share, is_landmark=landmark)
        self.budgets.append(share)
        if landmark:
            self.waited = 0
        return share

    def accept(self, share: float, lon: float, lat: float, vector: tuple[float, float, float]) -> None:
        """Take the draw of the event that was decided on, and compare it with the last one."""
        self.lon.append(lon)
        self.lat.append(lat)
        if self.last is not None:
            moved = _chord_squared(self.last, vector) > _chord_squared_of(self.how.threshold_m(share))
            self.interval = 1 if moved else self.interval + 1
        self.last = vector

    def _share(self, landmark: bool) -> float:
        if self.how.redistribution == "absorption":
            return self.first_share * (self.waited if landmark else 1)
        return self.ledger.share(self.landmarks_to_come, self.regulars_to_come > 0)


class _Ahead:
    """Draws for the next events at the present share, made together; unused ones are thrown away unseen."""

    def __init__(self) -> None:
        self.start, self.share, self.size = 0, -1.0, FIRST_CHUNK
        self.lon: list[float] = []
        self.lat: list[float] = []
        self.vectors: list[tuple[float, float, float]] = []

    def holds(self, t: int, share: float) -> bool:
        return share == self.share and self.start <= t < self.start + len(self.lon)

    def draw(self, run: _Run, t: int, share: float) -> None:
        used_up = share == self.share and t == self.start + len(self.lon)
        self.size = min(2 * self.size, LARGEST_CHUNK) if used_up else FIRST_CHUNK
        ahead = slice(t, t + self.size)
        run.rng.reached(t, len(run.series))
        lon, lat = run.series.lon[ahead], run.series.lat[ahead]
        lon, lat = run.how.perturb(lon, lat, np.full(len(lon), share), rng=run.rng)
        self.start, self.share = t, share
        self.lon, self.lat, self.vectors = lon.tolist(), lat.tolist(), _unit_vectors(lon, lat)

    def take(self, t: int) -> tuple[float, float, tuple[float, float, float]]:
        i = t - self.start
        return self.lon[i], self.lat[i], self.vectors[i]


def _unit_vectors(lon: Floats, lat: Floats) -> list[tuple[float, float, float]]:
    phi, lam = np.radians(lat), np.radians(lon)
    return list(
        zip(
            (np.cos(phi) * np.cos(lam)).tolist(),
            (np.cos(phi) * np.sin(lam)).tolist(),
            np.sin(phi).tolist(),
            strict=True,
        )
    )


def _chord_squared(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2


def _chord_squared_of(distance_m: float) -> float:
    half = distance_m / (2 * geo.EARTH_RADIUS_M)
    return 4.0 if half >= math.pi / 2 else 4 * math.sin(half) ** 2
