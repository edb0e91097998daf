"""Walks: what must be known of a mechanism to repeat it many times over one series, and the state of doing so.

:meth:`privacy_engine.registry.Mechanism.walk` gives one; :mod:`privacy_engine.analysis.simulation` takes those of a
sort through time side by side, all repetitions of a tile at each event. A new sort of mechanism is a new walk here,
what takes several of them along, and its kernel beside the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privacy_engine import noise
from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.geo import EARTH_RADIUS_M

Key: TypeAlias = NDArray[np.uint64]
"""What a stream of noise is drawn by, (2,)."""


Needs: TypeAlias = NDArray[np.uint8]
"""How much of each event's noise is needed, (n,)."""


@dataclass(frozen=True, eq=False)
class Tile:
    """Repetitions that walk together: ``lanes`` of them from the ``first`` on, by the noise of ``key``.

    Every walk is repeated in all lanes; where they are ``apart`` there are as many walks, each in a lane of its own.
    """

    key: Key
    first: int
    lanes: int
    apart: bool = False


@dataclass(frozen=True, eq=False)
class Stretch:
    """Events of a series ``lon``, ``lat`` (n,) from the ``first`` on, and the noise of a tile there.

    ``frame`` says where the stretch's events are, ``units`` holds their noise in unit scale, ``safe`` up to which
    scale it stands (:mod:`privacy_engine.kernels.lanes`). No two events of the series are more than ``extent_rad``
    apart.
    """

    lon: Floats
    lat: Floats
    extent_rad: float
    first: int
    frame: Floats
    units: Floats
    safe: Floats


class Walk(Protocol):
    """A mechanism over one landmark set, ready to be repeated."""

    @property
    def published(self) -> Mask:
        """Which events are published, (n,)."""

    @classmethod
    def abreast(cls, walks: Sequence[Any]) -> Abreast:
        """Walks of one sort over one series, at least one."""


class Abreast(Protocol):
    """Walks side by side, by the same noise; ``published`` (walks,) says how many events each publishes."""

    published: Ints

    def needs(self, events: slice) -> Needs:
        """How much any of them needs to know of the noise of these (:mod:`privacy_engine.kernels.lanes`)."""

    def start(self, tile: Tile) -> Floats:
        """The states before the first event, a row each; their size depends on neither events nor repetitions."""

    def go(self, tile: Tile, stretch: Stretch, state: Floats, by_event: Floats) -> None:
        """Take the states over a stretch; errors, metres, go to their SUM and to ``by_event`` (walks, n or 0)."""


@dataclass(frozen=True, eq=False)
class FixedWalk:
    """Draws and repeats that do not depend on the run.

    Parameters
    ----------
    epsilon_per_m : (n,) float
        The rate of each event's own planar Laplace noise. 0 where it makes no draw, or one that is a position of the
        joint draw.
    shown : (n,) int
        The event whose draw each event shows, its own if it makes one; -1 if it is not published.
    joint_epsilon_per_m : float
        Of the joint draw, which all events with a draw but without a rate share; 0 where there are none.
    """

    epsilon_per_m: Floats
    shown: Ints
    joint_epsilon_per_m: float = 0.0

    @property
    def published(self) -> Mask:
        return np.asarray(self.shown >= 0)

    @classmethod
    def abreast(cls, walks: Sequence[Self]) -> Abreast:
        return FixedAbreast(walks)

    def half_sines(self, key: Key, first: int, lanes: int) -> Floats:
        """Of half the joint draw's reach in the repetitions from ``first`` on, (lanes,)."""
        from privacy_engine.kernels.joint import half_reach_sines

        count = int(np.count_nonzero((self.shown == np.arange(len(self.shown))) & (self.epsilon_per_m == 0)))
        return np.asarray(half_reach_sines(key, first, lanes, count, self.joint_epsilon_per_m * EARTH_RADIUS_M))


class FixedAbreast:
    """Several :class:`FixedWalk`."""

    def __init__(self, walks: Sequence[FixedWalk]) -> None:
        from privacy_engine.kernels.dispatch import needs_fixed

        rates = _rows([walk.epsilon_per_m for walk in walks])
        own = rates != 0
        scale_m = noise.scales_m(np.where(own, rates, 1.0).ravel()).reshape(rates.shape)
        self._scale_m = np.where(own, scale_m, 0.0)
        self._shown = _rows([walk.shown for walk in walks])
        self._needs, self.published = needs_fixed(self._shown)
        self._joint = [(i, walk) for i, walk in enumerate(walks) if walk.joint_epsilon_per_m]

    def needs(self, events: slice) -> Needs:
        return self._needs[events]

    def start(self, tile: Tile) -> Floats:
        from privacy_engine.kernels.simulation import FIXED_STATE, HALF_SINE, SOURCE

        state = np.zeros((len(self._shown), FIXED_STATE))
        state[:, SOURCE] = -1
        for i, walk in self._joint:
            first, lanes = (tile.first + i, 1) if tile.apart else (tile.first, tile.lanes)
            state[i, HALF_SINE : HALF_SINE + lanes] = walk.half_sines(tile.key, first, lanes)
        return state

    def go(self, tile: Tile, stretch: Stretch, state: Floats, by_event: Floats) -> None:
        from privacy_engine.kernels.dispatch import fixed_each

        fixed_each(
            tile.key,
            stretch.first,
            tile.first,
            tile.lanes,
            tile.apart,
            stretch.lon,
            stretch.lat,
            stretch.frame,
            stretch.units,
            stretch.safe,
            self._scale_m,
            self._shown,
            state,
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

    @classmethod
    def abreast(cls, walks: Sequence[Self]) -> Abreast:
        return AdaptiveAbreast(walks)


class AdaptiveAbreast:
    """Several :class:`AdaptiveWalk`."""

    def __init__(self, walks: Sequence[AdaptiveWalk]) -> None:
        from privacy_engine.kernels.dispatch import last_landmark

        self._is_landmark = _rows([walk.is_landmark for walk in walks])
        self._is_landmark.setflags(write=False)  # as a single one may be: kernels are compiled for either
        self._landmarks = np.count_nonzero(self._is_landmark, axis=1)
        self._reserved = (self._landmarks < self._is_landmark.shape[1]).astype(np.int64)
        self._epsilon, self._radius_m, self._threshold, absorption = np.array(
            [(walk.epsilon, walk.radius_m, walk.threshold, walk.absorption) for walk in walks], dtype=np.float64
        ).T.copy()
        self._absorption = absorption > 0
        self._until = last_landmark(self._is_landmark) + 1
        self.published = np.full(len(walks), self._is_landmark.shape[1])

    def needs(self, events: slice) -> Needs:
        """Directions up to the last landmark, which is the last event that depends on where others were drawn."""
        from privacy_engine.kernels.lanes import DIRECTION, LENGTH

        found = np.full(len(range(self._is_landmark.shape[1])[events]), LENGTH, dtype=np.uint8)
        found[: max(self._until - events.start, 0)] = DIRECTION
        return found

    def start(self, tile: Tile) -> Floats:
        from privacy_engine.kernels.dispatch import start_adaptive_each

        slots = np.maximum(self._landmarks + self._reserved, 1)
        return np.asarray(start_adaptive_each(self._epsilon, self._radius_m, self._threshold, self._landmarks, slots))

    def go(self, tile: Tile, stretch: Stretch, state: Floats, by_event: Floats) -> None:
        from privacy_engine.kernels.dispatch import adaptive_each

        adaptive_each(
            tile.key,
            stretch.first,
            tile.first,
            tile.lanes,
            tile.apart,
            stretch.frame,
            stretch.units,
            stretch.safe,
            self._is_landmark,
            self._epsilon,
            self._radius_m,
            self._threshold,
            self._reserved,
            self._landmarks,
            self._absorption,
            stretch.extent_rad,
            state,
            by_event,
        )


def _rows(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Columns of several walks, (walks, n), without a copy of what may be long if it is but one."""
    return columns[0][np.newaxis] if len(columns) == 1 else np.array(columns)
