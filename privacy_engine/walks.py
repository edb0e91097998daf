"""Walks: what must be known of a mechanism to repeat it many times over one series, and the state of doing so.

:meth:`privacy_engine.registry.Mechanism.walk` gives one; :mod:`privacy_engine.simulation` takes it through time, all
repetitions of a tile at each event. A new sort of mechanism is a new class here and its kernel beside the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self, TypeAlias

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

    @classmethod
    def abreast(cls, walks: Sequence[Any]) -> Abreast:
        """Walks of one mechanism and series, at least one, each over landmarks of its own."""


class Abreast(Protocol):
    """Walks side by side, a lane each: they share the noise of the tile that they are, and give each its own bits."""

    @property
    def published(self) -> Ints:
        """How many events each publishes, (lanes,)."""

    def bearings(self, events: slice) -> Mask:
        """As :meth:`Walk.bearings`, for any of them."""

    def start(self, tile: Tile) -> Floats:
        """The states before the first event, a row each."""

    def go(self, tile: Tile, stretch: Stretch, state: Floats, sums: Floats) -> None:
        """Take the states over a stretch and add the errors, metres, to ``sums`` (lanes,)."""


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

    @classmethod
    def abreast(cls, walks: Sequence[Self]) -> Abreast:
        return FixedAbreast(walks)


class FixedAbreast:
    """Several :class:`FixedWalk`."""

    def __init__(self, walks: Sequence[FixedWalk]) -> None:
        self._walks = walks
        self._scale_m = np.concatenate([walk.scale_m for walk in walks]).reshape(len(walks), -1)
        self._shown = np.concatenate([walk.shown for walk in walks]).reshape(len(walks), -1)
        self._repeated = np.zeros(self._shown.shape[1], dtype=np.bool_)
        self._repeated[self._shown[(self._shown >= 0) & (self._shown != np.arange(len(self._repeated)))]] = True

    @property
    def published(self) -> Ints:
        return np.asarray(np.count_nonzero(self._shown >= 0, axis=1))

    def bearings(self, events: slice) -> Mask:
        return np.asarray(self._repeated[events])

    def start(self, tile: Tile) -> Floats:
        if any(walk.joint_epsilon_per_m for walk in self._walks):
            starts = (walk.start(Tile(tile.key, tile.first + i, 1)) for i, walk in enumerate(self._walks))
            return np.array(list(starts))
        return np.tile(self._walks[0].start(tile), (len(self._walks), 1))

    def go(self, tile: Tile, stretch: Stretch, state: Floats, sums: Floats) -> None:
        from privacy_engine.kernels.each import fixed_each

        fixed_each(
            tile.key,
            stretch.first,
            tile.first,
            stretch.lon,
            stretch.lat,
            stretch.frame,
            stretch.units,
            stretch.safe,
            self._scale_m,
            self._shown,
            state,
            sums,
            np.empty(0),
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

    @cached_property
    def until(self) -> int:
        """The events up to the last landmark, which is the last that depends on where others were drawn."""
        return len(self.is_landmark) - int(np.argmax(self.is_landmark[::-1])) if self._landmarks else 0

    def bearings(self, events: slice) -> Mask:
        return np.arange(events.start, events.stop) < self.until

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

    @classmethod
    def abreast(cls, walks: Sequence[Self]) -> Abreast:
        return AdaptiveAbreast(walks)


class AdaptiveAbreast:
    """Several :class:`AdaptiveWalk`."""

    def __init__(self, walks: Sequence[AdaptiveWalk]) -> None:
        self._walks = walks
        self._is_landmark = np.concatenate([walk.is_landmark for walk in walks]).reshape(len(walks), -1)
        self._landmarks = np.count_nonzero(self._is_landmark, axis=1).astype(np.int64)
        self._reserved = (self._landmarks < self._is_landmark.shape[1]).astype(np.int64)

    @property
    def published(self) -> Ints:
        return np.full(len(self._walks), self._is_landmark.shape[1])

    def bearings(self, events: slice) -> Mask:
        return max(self._walks, key=lambda walk: walk.until).bearings(events)

    def start(self, tile: Tile) -> Floats:
        _, first, which = np.unique(self._landmarks, return_index=True, return_inverse=True)
        return np.array([self._walks[i].start(Tile(tile.key, tile.first, 1)) for i in first])[which]

    def go(self, tile: Tile, stretch: Stretch, state: Floats, sums: Floats) -> None:
        from privacy_engine.kernels.each import adaptive_each

        one = self._walks[0]
        adaptive_each(
            tile.key,
            stretch.first,
            tile.first,
            stretch.frame,
            stretch.units,
            stretch.safe,
            self._is_landmark,
            one.epsilon,
            one.radius_m,
            one.threshold,
            self._reserved,
            self._landmarks,
            one.absorption,
            state,
            sums,
            np.empty(0),
        )
