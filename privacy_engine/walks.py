"""Walks: what must be known of a mechanism to repeat it many times over one series, and the state of doing so.

:meth:`privacy_engine.registry.Mechanism.walk` gives one; :mod:`privacy_engine.simulation` takes it through time, all
repetitions of a tile at each event. A new sort of mechanism is a new class here and its kernel beside the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.geo import EARTH_RADIUS_M

Key: TypeAlias = NDArray[np.uint64]
"""What a stream of noise is drawn by, (2,)."""


@dataclass(frozen=True, eq=False)
class Tile:
    """Repetitions that walk together: ``lanes`` of them from the ``first`` on, by the noise of ``key``."""

    key: Key
    first: int
    lanes: int


@dataclass(frozen=True, eq=False)
class Stretch:
    """Events ``first`` to ``last`` (left out) of a series ``lon``, ``lat`` (n,), and the noise of a tile there.

    ``frame`` says where the stretch's events are, ``units`` holds their noise in unit scale, ``safe`` up to which
    scale it stands (:mod:`privacy_engine.kernels.lanes`).
    """

    lon: Floats
    lat: Floats
    first: int
    last: int
    frame: Floats
    units: Floats
    safe: Floats


class Walk(Protocol):
    """A mechanism over one landmark set, ready to be repeated."""

    @property
    def published(self) -> Mask:
        """Which events are published, (n,)."""

    def bearings(self, events: slice) -> Mask:
        """Of which events it needs to know where the noise points, not only how far."""

    def start(self, tile: Tile) -> Floats:
        """The state before the first event; its size depends on neither events nor repetitions."""

    def go(self, tile: Tile, stretch: Stretch, state: Floats, sums: Floats, by_event: Floats) -> None:
        """Take ``state`` over a stretch and add the errors, metres, to ``sums`` (lanes,) and ``by_event``.

        ``by_event`` is as long as the stretch, or empty where nobody asks.
        """


@dataclass(frozen=True, eq=False)
class FixedWalk:
    """Draws and repeats that do not depend on the run.

    Parameters
    ----------
    scale_m : (n,) float
        The scale of each event's own planar Laplace noise, 1/epsilon in metres. 0 where it makes no draw, or one that
        is a position of the joint draw.
    shown : (n,) int
        The event whose draw each event shows, its own if it makes one; -1 if it is not published.
    joint_epsilon_per_m : float
        Of the joint draw, which all events with a draw but without a scale share; 0 where there are none.
    """

    scale_m: Floats
    shown: Ints
    joint_epsilon_per_m: float = 0.0

    @property
    def published(self) -> Mask:
        return np.asarray(self.shown >= 0)

    @cached_property
    def _own(self) -> Mask:
        return np.asarray(self.shown == np.arange(len(self.shown)))

    @cached_property
    def _repeated(self) -> Mask:
        found = np.zeros(len(self.shown), dtype=np.bool_)
        found[self.shown[~self._own & self.published]] = True
        return found

    def bearings(self, events: slice) -> Mask:
        return self._repeated[events]

    def start(self, tile: Tile) -> Floats:
        from privacy_engine.kernels.joint import half_reach_sines
        from privacy_engine.kernels.walks import FIXED_STATE, HALF_SINE, SOURCE

        state = np.zeros(FIXED_STATE)
        state[SOURCE] = -1
        if self.joint_epsilon_per_m:
            count = int(np.count_nonzero(self._own & (self.scale_m == 0)))
            rate = self.joint_epsilon_per_m * EARTH_RADIUS_M
            sines = half_reach_sines(tile.key, tile.first, tile.lanes, count, rate)
            state[HALF_SINE : HALF_SINE + tile.lanes] = sines
        return state

    def go(self, tile: Tile, stretch: Stretch, state: Floats, sums: Floats, by_event: Floats) -> None:
        from privacy_engine.kernels.walks import fixed

        fixed(
            tile.key,
            stretch.first,
            tile.first,
            tile.lanes,
            stretch.lon,
            stretch.lat,
            stretch.frame,
            stretch.units,
            stretch.safe,
            self.scale_m,
            self.shown,
            state,
            sums,
            by_event,
        )


@dataclass(frozen=True, eq=False)
class AdaptiveWalk:
    """Landmarks drawn at a rate that follows the releases; what is left of the budget is shared by those to come.

    Parameters
    ----------
    is_landmark : (n,) bool
    epsilon, radius_m : float
        The level kept, within this radius.
    threshold : float
        Releases farther apart than this many scales of the last draw's noise count as moved.
    absorption : bool
        A drawn landmark takes the shares of those skipped before it, and nobody else does.
    """

    is_landmark: Mask
    epsilon: float
    radius_m: float
    threshold: float
    absorption: bool

    @property
    def published(self) -> Mask:
        return np.broadcast_to(np.True_, len(self.is_landmark))  # all of them, in no memory

    @cached_property
    def _landmarks(self) -> int:
        return int(np.count_nonzero(self.is_landmark))

    @property
    def _reserved(self) -> int:
        return int(self._landmarks < len(self.is_landmark))

    def bearings(self, events: slice) -> Mask:
        return np.ones(len(self.is_landmark[events]), dtype=np.bool_)

    def start(self, tile: Tile) -> Floats:
        from privacy_engine.kernels.walks import start_adaptive

        slots = max(self._landmarks + self._reserved, 1)
        return np.asarray(
            start_adaptive(self.epsilon, self.radius_m, self.threshold, self._landmarks, slots, tile.lanes)
        )

    def go(self, tile: Tile, stretch: Stretch, state: Floats, sums: Floats, by_event: Floats) -> None:
        from privacy_engine.kernels.walks import adaptive

        adaptive(
            tile.key,
            stretch.first,
            tile.first,
            tile.lanes,
            stretch.frame,
            stretch.units,
            stretch.safe,
            self.is_landmark[stretch.first : stretch.last],
            self.epsilon,
            self.radius_m,
            self.threshold,
            self._reserved,
            self._landmarks,
            self.absorption,
            state,
            sums,
            by_event,
        )
