"""Losses of a mechanism whose budgets depend on the run: those of simulated runs, and what no run exceeds.

A run is simulated on a generated walk, so no position is read. Every real run has budgets of its own; whatever they
are, none is larger than the mechanism's ``most_budgets``, and losses grow with the budgets.
"""

import functools
import threading
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privacy_engine.accounting.runtime_estimate import loss_seconds
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.analysis.forecast import STEP_M, simulated_budgets
from privacy_engine.analysis.losses import MAX_SECONDS, BoundOrBest, LandmarkLoss, highest, landmark_loss, levels
from privacy_engine.analysis.results import Result
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

MOST_RUNS = 20
MOST_EVENTS = 10_000
"""So many events of all runs together are simulated: such a mechanism takes about 7 µs for each."""
_ONE_AT_A_TIME = threading.Lock()
NOTE = (
    "Its budgets depend on the run: the median of {runs} simulated on synthetic trajectories whose steps have a "
    "standard deviation of {step:g} m along each axis, seeds 0 to {last}; shaded from the minimum to the maximum."
)
TOO_LONG = "Its budgets depend on the run, and the series is too long to try it out: this is what no run exceeds."


class Parts(Result):
    """All landmarks and the worst event; the worst event alone."""

    joint: float
    own: float


class Overall(Result):
    """The largest values of one mechanism by one bound."""

    joint: float
    """All landmarks and the worst event."""
    own: float
    """The worst event alone."""
    landmarks_only: float
    least: Parts | None = None
    """The least of simulated runs, where runs differ; the values above are medians."""
    greatest: Parts | None = None
    """The greatest of simulated runs, where runs differ."""
    most: Parts | None = None
    """What no run exceeds, whatever it draws, by this formula."""


@dataclass(frozen=True, eq=False)
class Spread:
    """Losses of simulated runs by the same bound, and of budgets that no run exceeds; ``runs`` may be none.

    ``epsilon`` is the mechanism's level at the distance of the states.
    """

    runs: list[LandmarkLoss]
    most: LandmarkLoss
    epsilon: float

    @property
    def note(self) -> str:
        """What the numbers are, as text."""
        runs = len(self.runs)
        return NOTE.format(runs=runs, step=STEP_M, last=runs - 1) if runs else TOO_LONG

    def middle(self) -> LandmarkLoss:
        """The runs' median at every event; of no runs what none exceeds. Without correlation the guarantee's ε."""
        if not self.runs:
            return replace(self.most, level=self.epsilon)
        own, joint = (np.median(self._of(part), axis=0) for part in ("own", "joint"))
        alone, top = (float(np.median(self._of(part))) for part in ("landmarks_only", "highest_budget"))
        return replace(self.most, own=own, joint=joint, landmarks_only=alone, level=self.epsilon, highest_budget=top)

    def overall(self) -> Overall:
        """The largest loss of a run: the median, the least and the greatest of them, and what none exceeds."""
        middle, most = self.middle(), Parts(joint=highest(self.most.joint), own=highest(self.most.own))
        alone = middle.landmarks_only
        if not self.runs:
            return Overall(joint=most.joint, own=most.own, landmarks_only=alone, most=most)
        own, joint = (self._of(part).max(axis=1, initial=0.0) for part in ("own", "joint"))
        return Overall(
            joint=float(np.median(joint)),
            own=float(np.median(own)),
            landmarks_only=alone,
            least=Parts(joint=float(joint.min()), own=float(own.min())),
            greatest=Parts(joint=float(joint.max()), own=float(own.max())),
            most=most,
        )

    def band(self, part: str) -> tuple[Floats, Floats] | None:
        """The least and the greatest of the runs at every event, two arrays (n,)."""
        values = self._of(part)
        return (values.min(axis=0), values.max(axis=0)) if self.runs else None

    def _of(self, part: str) -> Floats:
        values = np.array([getattr(run, part) for run in self.runs])
        return values if self.runs else np.empty((0, len(self.most.own)))


def spread(mechanism: Any, is_landmark: Mask, correlation: Correlation, bound: BoundOrBest = "") -> Spread:
    """The losses of as many runs as there is time for.

    Raises
    ------
    ParameterError
        The requested bound cannot be computed.
    """
    budgets = mechanism.most_budgets(is_landmark)
    most = _loss(mechanism, budgets, is_landmark, correlation, bound)
    sides = [side for side in (correlation.backward, correlation.forward) if side is not None]
    seconds = sum(loss_seconds(budgets, is_landmark, side, most.bound) for side in sides)
    runs = runs_of(mechanism, is_landmark)[: max(1, int(MAX_SECONDS / max(seconds, 1e-6)))]
    losses = [_loss(mechanism, run, is_landmark, correlation, most.bound) for run in runs]
    return Spread(losses, most, mechanism.epsilon * correlation.scale(mechanism.radius_m))


def runs_of(mechanism: TrajectoryMechanism, is_landmark: Mask, runs: int = MOST_RUNS) -> Floats:
    """Budgets of at most so many simulated runs, (runs, n); of a series that is too long none."""
    runs = min(runs, MOST_EVENTS // max(len(is_landmark), 1))
    return _simulated(mechanism, is_landmark.tobytes(), runs)


def _simulated(mechanism: TrajectoryMechanism, mask: bytes, runs: int) -> Floats:
    with _ONE_AT_A_TIME:  # a page requests several correlations at once: the runs are the same
        return _remembered(mechanism, mask, runs)


@functools.lru_cache(maxsize=16)
def _remembered(mechanism: TrajectoryMechanism, mask: bytes, runs: int) -> Floats:
    return simulated_budgets(mechanism, np.frombuffer(mask, dtype=np.bool_), runs)


def _loss(
    mechanism: Any, budgets: Floats, is_landmark: Mask, correlation: Correlation, bound: BoundOrBest
) -> LandmarkLoss:
    own, shared = levels(mechanism, budgets, is_landmark, correlation)
    return landmark_loss(own, is_landmark, correlation, bound, shared=shared)
