"""What the landmark mechanisms share: planar Laplace noise under budgets of a ledger."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import MARGIN, Ledger, spend_each, surely_fits
from privacy_engine.accounting.promise import LandmarkChoice, Neighbours
from privacy_engine.core.arrays import Floats, Ints, Mask, concatenated, counts_over, of_parts, parts_of
from privacy_engine.core.params import Epsilon, RadiusM
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.data.mapped_series import column, empty, leaving, piecewise
from privacy_engine.data.releases import Releases
from privacy_engine.data.trajectories import Trajectories, only
from privacy_engine.mechanisms.base.simulation_plan import FixedPlan, SimulationPlan
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism, same_law_as
from privacy_engine.noise import GRID_DEG as GRID_DEG
from privacy_engine.noise.planar import CHUNK

ELSEWHERE = "; where they are not, see the temporal privacy loss."
INDEPENDENT = f"Events are independent of each other{ELSEWHERE}"
PUBLIC_LANDMARKS = "Which events are landmarks is public: the release shows it."
ONE_RECORD = (
    "Whichever uploaded record of {unit} an adversary targets, the events it decides (at most {stability}) together "
    "leak at most ε = {epsilon} per {radius} m, with the same times"
)
RECORD_NEIGHBOURS = Neighbours(
    "Two traces of one person with the same times that differ in the positions of the events that one uploaded record "
    "decides.",
    "x ~ x′ ⇔ there is a record r with x_i = x′_i for all i ∉ E(r), E(r) the events that r decides",
)
CLEAR_TIMES = "Timestamps are released as they are; only positions are protected."


class PlanarLaplaceMechanism(TrajectoryMechanism):
    """Base of mechanisms whose every draw is planar Laplace noise with an event's own budget.

    A subclass whose budgets do not depend on the run writes :meth:`shares`, :meth:`budgets_at_once` or :meth:`budgets`;
    the ledger then checks them against ``epsilon`` before anything is drawn. An event without a draw repeats the last
    one, before all the first, unless there is a :attr:`leading_gap` or :meth:`shown` is overridden; releases and
    simulations derive from these.
    """

    level: ClassVar[str] = "landmark"
    sentence: ClassVar[str] = (
        "Whichever event of {unit} an adversary targets, it and {landmarks} together leak at most "
        "ε = {epsilon} per {radius} m, with {same}"
    )
    sentence_without_landmarks: ClassVar[str] = (
        "Whichever event of {unit} an adversary targets, it leaks at most ε = {epsilon} per {radius} m, "
        "with no event a landmark and the same times"
    )
    sentence_of_records: ClassVar[str] = (
        "Whichever uploaded record of {unit} an adversary targets, the events it decides (at most {stability}) and "
        "{landmarks} together leak at most ε = {epsilon} per {radius} m, with {same}"
    )
    neighbours: ClassVar[Neighbours] = Neighbours(
        "Two traces of one person with the same times and the same landmarks, that differ in the positions of the "
        "landmarks and of one more event.",
        "x ~ x′ ⇔ L = L′ and there is t with x_i = x′_i for all i ∉ L ∪ {t}",
    )
    neighbours_one_sided: ClassVar[Neighbours] = Neighbours(
        "Two traces of one person with the same times, that differ in the positions of the marked events and of one "
        "more; the second has the landmarks of the first, or all of them but one. The probability of any release is "
        "bounded under the first by that under the second, not the other way round.",
        "x → x′ ⇔ L ∖ {s} ⊆ L′ ⊆ L for some s and there is t with x_i = x′_i for all i ∉ M ∪ {t}, M the marked events",
    )
    neighbours_of_records: ClassVar[Neighbours | None] = Neighbours(
        "Two traces of one person with the same times and the same landmarks, that differ in the positions of the "
        "landmarks and of the events that one uploaded record decides.",
        "x ~ x′ ⇔ L = L′ and there is a record r with x_i = x′_i for all i ∉ L ∪ E(r), E(r) the events that r decides",
    )
    assumptions: ClassVar[tuple[str, ...]] = (INDEPENDENT,)
    caveats: ClassVar[tuple[str, ...]] = (PUBLIC_LANDMARKS, CLEAR_TIMES)

    name: str
    epsilon: Epsilon
    radius_m: RadiusM

    def shares(self, n: Ints, k: Ints) -> tuple[ArrayLike, ArrayLike]:
        """What each landmark and each other event has, of m people with n (m,) events, k (m,) of them landmarks."""
        raise NotImplementedError

    def budgets(self, is_landmark: Mask) -> Floats:
        """The budget of every timestamp, (n,), for the landmarks in the mask (n,)."""
        mask = as_mask(is_landmark)
        return self.budgets_at_once(mask, np.array([0, len(mask)]))

    def budgets_at_once(self, is_landmark: Mask, starts: Ints) -> Floats:
        """Those of several people, whose events begin at ``starts`` (m + 1,): by :meth:`shares`, if not overridden."""
        shares, budgets = self.shares(np.diff(starts), counts_over(is_landmark, starts)), empty(len(is_landmark))
        for some in leaving([is_landmark, budgets], blocks(len(budgets))):
            budgets[some] = np.where(is_landmark[some], *(of_parts(share, some, starts) for share in shares))
        return budgets

    def budgets_each(self, is_landmark: Mask, starts: Ints) -> Floats:
        """:meth:`budgets` of each of several people, also where a class overrides that alone."""
        if type(self).budgets is PlanarLaplaceMechanism.budgets:
            return self.budgets_at_once(is_landmark, starts)
        return concatenated([self.budgets(mask) for mask in reported(parts_of(is_landmark, starts))])

    def most_budgets(self, is_landmark: Mask) -> Floats:
        """The most each timestamp may be given in any run, (n,): its budget, where that does not depend on the run.

        Losses grow with every budget, so those of these budgets bound the losses of every run.
        """
        return self.budgets(is_landmark)

    @property
    def leading_gap(self) -> bool:
        """Whether events before the first draw are not published, instead of repeating it."""
        return False

    def protected(self, is_landmark: Mask) -> Mask:
        """The events whose budgets add up (the landmarks, unless the level defines otherwise), (n,)."""
        return is_landmark

    def _neighbours(self, choice: LandmarkChoice) -> Neighbours:
        return self.neighbours_one_sided if choice.one_sided else self.neighbours

    def _spent(self, is_landmark: Mask, starts: Ints) -> Floats:
        """The budgets of several people, each within ``epsilon`` by a ledger of their own."""
        budgets, own = self.budgets_each(is_landmark, starts), type(self).protected
        if own is PlanarLaplaceMechanism.protected:
            return spend_each(self.epsilon, budgets, is_landmark, starts)
        protected = [self.protected(mask) for mask in parts_of(is_landmark, starts)]
        return spend_each(self.epsilon, budgets, concatenated(protected, np.bool_), starts)

    def draw(self, series: Trajectory, is_landmark: Mask, *, rng: noise.RandomSource) -> Release:
        return self.draw_each(only(series), is_landmark, rng=rng)[0]

    @same_law_as(draw)
    def draw_each(self, people: Trajectories, is_landmark: Mask, *, rng: noise.RandomSource) -> Releases:
        """All draws at once; where a seed decides them person after person, with the bits of each person's alone."""
        budgets = self._spent(is_landmark, people.starts)
        lon, lat = (column(np.float64, len(budgets)) for _ in range(2))
        cuts = people.starts[[0, -1]] if rng.private else people.starts
        for some in _with_budget([people.lon, people.lat, budgets], cuts):
            for axis, drawn in zip((lon, lat), self.perturb(*some, rng=rng), strict=True):
                axis.add(drawn)
        return self.assemble(people, lon.taken(), lat.taken(), budgets)

    @same_law_as(draw_each)
    def draw_many(self, series: Trajectory, is_landmark: Mask, times: int, *, rng: noise.RandomSource) -> Floats:
        budgets = self._spent(is_landmark, only(series).starts)
        fresh = budgets > 0
        lon, lat, budget = (np.tile(values[fresh], times) for values in (series.lon, series.lat, budgets))
        drawn = np.stack(self.perturb(lon, lat, budget, rng=rng), axis=1).reshape(times, -1, 2)
        return self.spread(drawn, fresh)

    def spread(self, drawn: Floats, fresh: Mask) -> Floats:
        """What each event shows of draws made at the ``fresh`` ones, (times, draws, 2) to (times, n, 2)."""
        shown = self.shown(fresh)
        keep = shown >= 0
        positions = np.full((len(drawn), len(fresh), 2), np.nan)
        positions[:, keep] = drawn[:, (np.cumsum(fresh) - 1)[shown[keep]]]
        return positions

    def perturb(self, lon: Floats, lat: Floats, budgets: Floats, *, rng: noise.RandomSource) -> tuple[Floats, Floats]:
        """Noisy positions on the grid, a position for each budget."""
        return noise.planar_laplace(lon, lat, self.rates(budgets), rng=rng)

    def rates(self, budgets: Floats) -> Floats:
        """The rates per metre that noise is drawn at, (n,): budgets over the radius, never rounded up.

        Smaller than :meth:`epsilon_per_m` by 2e-12 of it, so that those of what is protected together sum to no more
        than ``epsilon`` over ``radius_m`` in real arithmetic; the proof is in
        :mod:`privacy_engine.accounting.landmark_ledger`.
        """
        return np.asarray(self.epsilon_per_m(budgets) * MARGIN)

    def assemble(self, people: Trajectories, lon: Floats, lat: Floats, budgets: Floats) -> Releases:
        """Releases from the draws made at the events with a budget, each event with that which it has :meth:`shown`."""
        if len(lon) == len(budgets):
            return self.released(people, lon, lat, budgets, None)
        fresh, n = drawn_of(budgets), len(budgets)
        shown, published, hidden = (empty(n), empty(n)), empty(n, np.bool_), 0
        for some, numbers in leaving([lon, lat, fresh, *shown, published], self.draws_shown(fresh, people.starts)):
            published[some] = numbers >= 0
            hidden += int(np.count_nonzero(numbers < 0))
            for axis, drawn in zip(shown, (lon, lat), strict=True):
                axis[some] = np.where(published[some], drawn[numbers], np.nan)
        return self.released(people, *shown, budgets, published if hidden else None)

    def released(
        self, people: Trajectories, lon: Floats, lat: Floats, budgets: Floats, published: Mask | None
    ) -> Releases:
        """Releases of what each event shows, (n,); None: all are published."""
        columns: dict[str, Any] = {name: getattr(people, name) for name in ("starts", "names", "persons", "time_s")}
        columns |= {"lon": lon, "lat": lat, "budgets": budgets, "published": published}
        return Releases(**columns, fresh=drawn_of(budgets), sd_m=piecewise(self.sd_m, budgets))

    def shown(self, fresh: Mask) -> Ints:
        """The event whose draw each event shows, (n,), for the draws in the mask (n,); -1 where none is published."""
        return self._shown(fresh, np.array([0, len(fresh)]))

    def shown_each(self, fresh: Mask, starts: Ints) -> Ints:
        """:meth:`shown` of each of several people, whose events begin at ``starts`` (m + 1,), over all events."""
        if type(self).shown is PlanarLaplaceMechanism.shown:
            return self._shown(fresh, starts)
        each = [self.shown(part) for part in parts_of(fresh, starts)]
        placed = zip(each, starts.tolist(), strict=False)
        return concatenated([np.where(draw < 0, -1, draw + first) for draw, first in placed], np.int64)

    def _shown(self, fresh: Mask, starts: Ints) -> Ints:
        numbers = [some for _, some in self.draws_shown(fresh, starts)]
        shown: Ints = np.append(np.flatnonzero(fresh), -1)[concatenated(numbers, np.int64)]
        return shown

    def draws_shown(self, fresh: Mask, starts: Ints) -> Iterator[tuple[slice, Ints]]:
        """Pieces of the events of several people, and the number of the draw that each event shows; -1 for none."""
        if type(self).shown is not PlanarLaplaceMechanism.shown:
            shown = self.shown_each(fresh, starts)
            yield slice(0, len(fresh)), np.where(shown < 0, -1, (np.cumsum(fresh) - 1)[shown])
            return
        counts, done = counts_over(fresh, starts), 0
        first, gap = np.cumsum(counts) - counts, (counts == 0) | self.leading_gap
        for some in blocks(len(fresh)):
            passed: Ints = done + np.cumsum(fresh[some], dtype=np.int64)
            ahead = passed <= of_parts(first, some, starts)  # of the first draw
            done = passed[-1]
            yield some, np.where(ahead, of_parts(np.where(gap, -1, first), some, starts), passed - 1)

    def simulation_plan(self, is_landmark: Mask) -> SimulationPlan | None:
        budgets = self._spent(is_landmark, np.array([0, len(is_landmark)]))
        own, together = self.independent(budgets, is_landmark)
        return FixedPlan(self.epsilon_per_m(own), self.shown(budgets > 0), together / self.radius_m)

    def simulation_plans(self, is_landmark: Mask) -> Sequence[SimulationPlan | None]:
        cls, base = type(self), PlanarLaplaceMechanism
        if not len(is_landmark) or cls.simulation_plan is not base.simulation_plan or cls.shown is not base.shown:
            return super().simulation_plans(is_landmark)
        from privacy_engine.kernels.dispatch import shown_each

        sets, n = is_landmark.shape
        budgets = self.budgets_each(is_landmark.ravel(), np.arange(sets + 1) * n).reshape(sets, n)
        protected = np.array([self.protected(mask) for mask in is_landmark])
        shown, most = shown_each(budgets, protected, self.leading_gap)
        if not surely_fits(self.epsilon, most, budgets.shape[1]):
            for spent, its_protected in zip(budgets, reported(protected), strict=True):
                Ledger(self.epsilon).spend_all(spent, its_protected)
        parts = (self.independent(*pair) for pair in zip(budgets, is_landmark, strict=True))
        return [
            FixedPlan(self.epsilon_per_m(own), source, together / self.radius_m)
            for source, (own, together) in zip(shown, reported(parts), strict=True)
        ]

    def sd_m(self, budgets: Floats) -> Floats:
        """Standard deviation per axis of every draw's noise in metres, (n,), 0 where the budget is 0."""
        fresh = budgets > 0
        sd_m = np.zeros(len(budgets))
        sd_m[fresh] = noise.planar_sd_m(self.epsilon_per_m(budgets[fresh]))
        return sd_m


def drawn_of(budgets: Floats) -> Mask:
    """The events with a budget, (n,)."""
    return piecewise(lambda some: some > 0, budgets, dtype=np.bool_)


def _with_budget(columns: list[Floats], starts: Ints) -> Iterator[list[Floats]]:
    """The columns of the events with a budget, which is the last column, part by part.

    Those of a long part come in pieces that end where noise for all of them at once ends a chunk: with the same bits.
    """
    for first, last in pairwise(starts.tolist()):
        held = [np.empty(0)] * len(columns)
        for some in leaving(columns, blocks(last - first)):
            piece = [values[first + some.start : first + some.stop] for values in columns]
            if not (fresh := piece[-1] > 0).all():
                piece = [values[fresh] for values in piece]
            piece = [np.concatenate(both) for both in zip(held, piece, strict=True)] if len(held[0]) else piece
            whole = len(piece[0]) if some.stop == last - first else len(piece[0]) // CHUNK * CHUNK
            held = [values[whole:].copy() for values in piece]
            yield [values[:whole] for values in piece]


def last_draw(fresh: Mask) -> Ints:
    """Index of the draw each event shows, (n,): its own or the last before it; the first where none is before."""
    return np.asarray(np.maximum(np.cumsum(fresh, dtype=np.int64) - 1, 0))


def as_mask(is_landmark: object) -> Mask:
    """``is_landmark`` as a mask, (n,)."""
    if isinstance(is_landmark, np.ndarray) and is_landmark.ndim == 1 and is_landmark.dtype == np.bool_:
        return is_landmark
    return LandmarkSet(np.asarray(is_landmark)).mask
