"""Adaptive: landmarks are sampled; what a skipped landmark saves goes to those still to come."""

import math
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import MARGIN, Ledger, spend_each
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints, Mask, counts_over
from privacy_engine.core.params import Param
from privacy_engine.core.progress import BLOCK
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import empty, leave
from privacy_engine.data.releases import Releases
from privacy_engine.data.trajectories import Trajectories, unchecked
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.simulation_plan import AdaptivePlan, SimulationPlan
from privacy_engine.mechanisms.base.trajectory import same_law_as
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism
from privacy_engine.noise.planar import PROPOSAL, decided
from privacy_engine.noise.validation import exact_rates

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
"""Events that are drawn ahead; unused draws are thrown away unseen."""
MOST_WORDS = 1 << 16
_PLAIN = (PlanarLaplaceMechanism.perturb, PlanarLaplaceMechanism.rates, PlanarLaplaceMechanism.epsilon_per_m)


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

    @same_law_as(PlanarLaplaceMechanism.draw)
    def draw_each(self, people: Trajectories, is_landmark: Mask, *, rng: noise.RandomSource) -> Releases:
        return self._released(people, is_landmark, rng, ahead=not rng.private)

    @same_law_as(draw_each)
    def draw_many(self, series: Trajectory, is_landmark: Mask, times: int, *, rng: noise.RandomSource) -> Floats:
        n = len(series)
        lon, lat = np.tile(series.lon, times), np.tile(series.lat, times)
        alike = unchecked(lon=lon, lat=lat, starts=np.arange(times + 1) * n, names=[""] * times, persons=[""] * times)
        releases = self._released(alike, np.tile(is_landmark, times), rng, ahead=False)
        return np.stack([releases.lon, releases.lat], axis=1).reshape(times, n, 2)

    def _released(self, people: Trajectories, is_landmark: Mask, rng: noise.RandomSource, *, ahead: bool) -> Releases:
        """One release of each person; ``ahead`` draws by :meth:`perturb`, some events at once, else event by event."""
        from privacy_engine.kernels import adaptive as kernel

        own, n = type(self), len(people.lon)
        plain = (own.perturb, own.rates, own.epsilon_per_m) == _PLAIN
        if plain and not ahead:
            most = counts_over(is_landmark, people.starts).max(initial=0)
            exact_rates(self.rates(self.epsilon / np.array([1, 1 + most])))
        how = np.array([self.epsilon, self.radius_m, MARGIN, geo.EARTH_RADIUS_M, self._threshold])
        given = (people.starts, people.lon, people.lat, is_landmark, how, self.redistribution == "absorption")
        words, (lon, lat, budgets), passed = np.empty(0, dtype=np.uint64), (empty(n) for _ in range(3)), 0
        chunk, points = np.empty((2, LARGEST_CHUNK)), np.empty((LARGEST_CHUNK, 3))
        state, numbers = np.zeros(kernel.STATE, dtype=np.int64), np.zeros(kernel.NUMBERS)
        state[[kernel.SMALLEST, kernel.LARGEST]] = FIRST_CHUNK, LARGEST_CHUNK
        arrays = (*chunk, points, state, numbers, lon, lat, budgets)
        while todo := kernel.released(*given, plain and not ahead, words, *arrays):
            event, share = int(state[kernel.EVENT]), float(numbers[kernel.SHARE])
            rng.reached(event, n)
            if event - passed > BLOCK:
                leave([people.lon, people.lat, is_landmark, lon, lat, budgets])
                passed = event
            if todo == kernel.WORDS:
                words, state[kernel.WORD] = rng.words(min(PROPOSAL * 2 * (n - event), MOST_WORDS)), 0
            elif todo == kernel.PROPOSAL:
                rate, at = float(self.rates(np.array([share]))[0]), state[kernel.WORD]
                cell = decided(people.lon[event], people.lat[event], rate, words[at - PROPOSAL : at], rng)
                if cell is not None:
                    chunk[:, 0], state[kernel.DECIDED] = cell, 2
            else:
                end = min(event + state[kernel.SIZE], people.starts[state[kernel.PERSON] + 1])
                some, held = slice(event, end), int(end - event)
                drawn = self.perturb(people.lon[some], people.lat[some], np.array(share), rng=rng)
                chunk[:, :held], points[:held] = drawn, np.column_stack(geo.unit_vectors(*drawn))
                state[kernel.HELD], numbers[kernel.LIMIT] = held, _chord_squared_of(self.threshold_m(share))
        spend_each(self.epsilon, budgets, is_landmark, people.starts)
        return self.released(people, lon, lat, budgets, None)

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


def _chord_squared_of(distance_m: float) -> float:
    half = distance_m / (2 * geo.EARTH_RADIUS_M)
    return 4.0 if half >= math.pi / 2 else 4 * math.sin(half) ** 2
