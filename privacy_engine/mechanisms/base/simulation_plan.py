"""Simulation plans: the parameters for repeating a mechanism over a series, and batch simulators that run them.

``TrajectoryMechanism.simulation_plan`` returns a plan. :mod:`privacy_engine.analysis.simulation`
runs all plans of the same class in a batch, event by event, with all repetitions of a tile at each event. A mechanism
of another form needs a plan class here, its batch simulator and its kernel in :mod:`privacy_engine.kernels.simulation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.geo import EARTH_RADIUS_M

Key: TypeAlias = NDArray[np.uint64]
"""The key of a stream of noise, (2,)."""

Needs: TypeAlias = NDArray[np.uint8]
"""How much of each event's noise is required, (n,): a constant of :mod:`privacy_engine.kernels.lanes` each."""


@dataclass(frozen=True, eq=False)
class Tile:
    """Repetitions that are simulated together: ``lanes`` of them from the ``first`` on, with the noise of ``key``.

    Every plan is repeated in all lanes, unless ``one_lane_each``: then plan i is simulated in lane i alone.
    """

    key: Key
    first: int
    lanes: int
    one_lane_each: bool = False


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive events of a series ``lon``, ``lat`` (n,) from the ``first`` on, and a tile's noise for them.

    ``frame`` holds the events' positions on the unit sphere with their tangents, ``units`` their noise in unit scale,
    ``safe`` the scale up to which no radius is resampled (:mod:`privacy_engine.kernels.lanes`). ``extent_rad`` is an
    upper bound of the distance between two events of the series.
    """

    lon: Floats
    lat: Floats
    extent_rad: float
    first: int
    frame: Floats
    units: Floats
    safe: Floats


class SimulationPlan(Protocol):
    """The parameters for repeating a mechanism over a landmark set."""

    @property
    def published(self) -> Mask:
        """Which events are published, (n,)."""

    @classmethod
    def batch(cls, plans: Sequence[Any]) -> BatchSimulator:
        """Return the simulator of at least 1 plan of this class over a series."""


class BatchSimulator(Protocol):
    """Simulator of plans of the same class with common noise.

    ``published`` (plans,) counts the events each publishes, NaN where there are none. ``needs`` (n,) is the most that
    a plan requires of each event's noise (:mod:`privacy_engine.kernels.lanes`).
    """

    published: Floats
    needs: Needs

    def start(self, tile: Tile) -> Floats:
        """Return the states before the first event, a row per plan; their size is independent of n and repetitions."""

    def advance(self, tile: Tile, chunk: Chunk, state: Floats, by_event: Floats) -> None:
        """Simulate a chunk from ``state`` on; add errors, metres, to its SUM and to ``by_event`` (plans, n or 0)."""


@dataclass(frozen=True, eq=False)
class FixedPlan:
    """Scales of noise, and which event's draw each event shows, that do not depend on the run.

    Parameters
    ----------
    epsilon_per_m : (n,) float
        The rate of each event's own planar Laplace noise. 0 where the event has no draw, or a position of the joint
        draw.
    shown : (n,) int
        The event whose draw each event shows, itself if it has a draw; -1 if it is not published.
    joint_epsilon_per_m : float
        The rate of the joint draw, which all events with a draw but no rate share; 0 if there are none.
    """

    epsilon_per_m: Floats
    shown: Ints
    joint_epsilon_per_m: float = 0.0

    @property
    def published(self) -> Mask:
        return np.asarray(self.shown >= 0)

    @classmethod
    def batch(cls, plans: Sequence[Self]) -> BatchSimulator:
        return FixedBatch(plans)

    def half_sines(self, key: Key, first: int, lanes: int) -> Floats:
        """Return the sine of half the joint draw's reach in the repetitions from ``first`` on, (lanes,)."""
        from privacy_engine.kernels.joint import half_reach_sines

        count = int(np.count_nonzero((self.shown == np.arange(len(self.shown))) & (self.epsilon_per_m == 0)))
        return np.asarray(half_reach_sines(key, first, lanes, count, self.joint_epsilon_per_m * EARTH_RADIUS_M))


class FixedBatch:
    """Simulator of several :class:`FixedPlan`."""

    def __init__(self, plans: Sequence[FixedPlan]) -> None:
        from privacy_engine.kernels.dispatch import prepare_fixed

        rates, self._shown = (rows([getattr(plan, name) for plan in plans]) for name in ("epsilon_per_m", "shown"))
        valid, self._scale_m, self._largest, self.needs, self.published = prepare_fixed(rates, self._shown)
        if not valid:
            noise.scales_m(rates[rates != 0])  # raises
        self._joint = [(i, plan) for i, plan in enumerate(plans) if plan.joint_epsilon_per_m]

    def start(self, tile: Tile) -> Floats:
        from privacy_engine.kernels.lanes import ROWS, SUM, aligned
        from privacy_engine.kernels.simulation import FIXED_STATE, HALF_SINE, SOURCE

        state = aligned(len(self._shown), FIXED_STATE)
        state[:, SUM:ROWS], state[:, SOURCE] = 0.0, -1.0
        for i, plan in self._joint:
            first, lanes = (tile.first + i, 1) if tile.one_lane_each else (tile.first, tile.lanes)
            state[i, HALF_SINE : HALF_SINE + lanes] = plan.half_sines(tile.key, first, lanes)
        return state

    def advance(self, tile: Tile, chunk: Chunk, state: Floats, by_event: Floats) -> None:
        from privacy_engine.kernels.dispatch import fixed_each

        fixed_each(
            tile.key,
            chunk.first,
            tile.first,
            tile.lanes,
            tile.one_lane_each,
            chunk.lon,
            chunk.lat,
            chunk.frame,
            chunk.units,
            chunk.safe,
            self._scale_m,
            self._shown,
            chunk.extent_rad,
            self._largest,
            state,
            by_event,
        )


@dataclass(frozen=True, eq=False)
class AdaptivePlan:
    """Landmarks sampled at a rate that follows the releases; those to come share the budget that is left.

    Parameters
    ----------
    is_landmark : (n,) bool
    epsilon, radius_m : float
        The level of the guarantee, within this radius.
    threshold : float
        Releases farther apart than this many scales of the last draw's noise count as moved.
    absorption : bool
        A sampled landmark takes the shares of those skipped directly before it; no other share changes.
    """

    is_landmark: Mask
    epsilon: float
    radius_m: float
    threshold: float
    absorption: bool

    @property
    def published(self) -> Mask:
        return np.broadcast_to(np.True_, len(self.is_landmark))  # takes no memory

    @classmethod
    def batch(cls, plans: Sequence[Self]) -> BatchSimulator:
        return AdaptiveBatch(plans)


class AdaptiveBatch:
    """Simulator of several :class:`AdaptivePlan`."""

    def __init__(self, plans: Sequence[AdaptivePlan]) -> None:
        from privacy_engine.kernels.dispatch import prepare_adaptive

        self._is_landmark = rows([plan.is_landmark for plan in plans])
        self._is_landmark.setflags(write=False)  # a single plan's may be: the same compiled version for both
        self._landmarks, self._reserved, self.needs, self.published = prepare_adaptive(self._is_landmark)
        self._epsilon, self._radius_m, self._threshold, absorption = np.array(
            [(plan.epsilon, plan.radius_m, plan.threshold, plan.absorption) for plan in plans], dtype=np.float64
        ).T.copy()
        self._absorption = absorption > 0

    def start(self, tile: Tile) -> Floats:
        from privacy_engine.kernels.dispatch import start_adaptive_each
        from privacy_engine.kernels.lanes import aligned
        from privacy_engine.kernels.simulation import ADAPTIVE_STATE

        state = aligned(len(self._epsilon), ADAPTIVE_STATE)
        state[:] = 0.0
        slots = np.maximum(self._landmarks + self._reserved, 1)
        start_adaptive_each(self._epsilon, self._radius_m, self._threshold, self._landmarks, slots, state)
        return state

    def advance(self, tile: Tile, chunk: Chunk, state: Floats, by_event: Floats) -> None:
        from privacy_engine.kernels.dispatch import adaptive_each

        adaptive_each(
            tile.key,
            chunk.first,
            tile.first,
            tile.lanes,
            tile.one_lane_each,
            chunk.frame,
            chunk.units,
            chunk.safe,
            self._is_landmark,
            self._epsilon,
            self._radius_m,
            self._threshold,
            self._reserved,
            self._landmarks,
            self._absorption,
            chunk.extent_rad,
            state,
            by_event,
        )


def rows(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Columns of several plans, (plans, n); a single plan's are not copied, as they may be long."""
    return np.ascontiguousarray(columns[0][np.newaxis] if len(columns) == 1 else np.array(columns))
