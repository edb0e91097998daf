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
        n, after = len(series), 0
        run = _Run(self, series, is_landmark, rng)
        for t in reported([*np.flatnonzero(is_landmark).tolist(), n], ROWS // 16):
            run.draw(after, t)  # events that are no landmarks
            run.draw(t, min(t + 1, n))
            after = t + 1
        released = series.moved(run.lon, run.lat)
        return Release(released, np.arange(n, dtype=np.int64), run.budgets, run.budgets > 0, self.sd_m(run.budgets))

    @same_law_as(draw)
    def draw_many(self, series: Trajectory, is_landmark: Mask, times: int, *, rng: noise.RandomSource) -> Floats:
        """All runs side by side: each decides by its own releases, the draws of an event are made together."""
        runs = [_Run(self, series, is_landmark, rng) for _ in range(times)]
        for t in reported(range(len(series))):
            drawn = [(run, share) for run in runs if (share := run.decide(t, t + 1)) is not None]
            shares = np.array([share for _, share in drawn])
            lon, lat = (np.full(len(drawn), degrees[t]) for degrees in (series.lon, series.lat))
            lon, lat = self.perturb(lon, lat, shares, rng=rng)
            vectors = np.column_stack(geo.unit_vectors(lon, lat))
            for i, (run, share) in enumerate(drawn):
                run.accept(t, share, lon[i : i + 1], lat[i : i + 1], vectors[i : i + 1])
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
        self.budgets, self.lon, self.lat = np.zeros((3, len(series)))
        self.last = np.full(3, np.nan)  # the last draw as a unit vector
        self.ahead = _Ahead()

    def draw(self, start: int, end: int) -> None:
        """Draw or repeat a landmark, or draw successive regular events: they have one share."""
        share = self.decide(start, end) if start < end else None
        while share is not None and start < end:
            if not self.ahead.holds(start, share):
                self.ahead.draw(self, start, share)
            columns = self.ahead.take(start, end)
            self.accept(start, share, *columns)
            start += len(columns[0])

    def decide(self, start: int, end: int) -> float | None:
        """The budget that a landmark, or each of some regular events, is to be drawn with.

        None where a landmark repeats the last draw, which is done then.
        """
        landmark = self.is_landmark[start]
        self.waited += landmark
        share = self._share(landmark)
        self.landmarks_to_come -= landmark
        self.regulars_to_come -= 0 if landmark else end - start
        if landmark and start and self.waited < self.interval:
            self.lon[start], self.lat[start] = self.lon[start - 1], self.lat[start - 1]
            return None
        self.ledger.spend(share, is_landmark=landmark)
        self.budgets[start:end] = share
        if landmark:
            self.waited = 0
        return share

    def accept(self, t: int, share: float, lon: Floats, lat: Floats, vectors: Floats) -> None:
        """Take the draws of the events from ``t`` on, and compare each with the last one."""
        from privacy_engine.kernels.sampling import interval_after

        self.lon[t : t + len(lon)], self.lat[t : t + len(lat)] = lon, lat
        limit = _chord_squared_of(self.how.threshold_m(share))
        self.interval = interval_after(self.last, vectors, limit, self.interval)
        self.last = vectors[-1]

    def _share(self, landmark: bool) -> float:
        if self.how.redistribution == "absorption":
            return self.first_share * (self.waited if landmark else 1)
        return self.ledger.share(self.landmarks_to_come, self.regulars_to_come > 0)


class _Ahead:
    """Draws for the next events at the present share, made together; unused ones are thrown away unseen."""

    def __init__(self) -> None:
        self.start, self.share, self.size = 0, -1.0, FIRST_CHUNK
        self.lon, self.lat, self.vectors = np.empty(0), np.empty(0), np.empty((0, 3))

    def holds(self, t: int, share: float) -> bool:
        return share == self.share and self.start <= t < self.start + len(self.lon)

    def draw(self, run: _Run, t: int, share: float) -> None:
        used_up = share == self.share and t == self.start + len(self.lon)
        self.size = min(2 * self.size, LARGEST_CHUNK) if used_up else FIRST_CHUNK
        ahead = slice(t, t + self.size)
        run.rng.reached(t, len(run.series))
        lon, lat = run.series.lon[ahead], run.series.lat[ahead]
        self.lon, self.lat = run.how.perturb(lon, lat, np.array(share), rng=run.rng)
        self.start, self.share = t, share
        self.vectors = np.column_stack(geo.unit_vectors(self.lon, self.lat))

    def take(self, start: int, end: int) -> tuple[Floats, Floats, Floats]:
        some = slice(start - self.start, end - self.start)
        return self.lon[some], self.lat[some], self.vectors[some]


def _chord_squared_of(distance_m: float) -> float:
    half = distance_m / (2 * geo.EARTH_RADIUS_M)
    return 4.0 if half >= math.pi / 2 else 4 * math.sin(half) ** 2
