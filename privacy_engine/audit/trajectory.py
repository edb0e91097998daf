"""The audit of mechanisms that publish positions: neighbouring series, draws, statistics of published positions."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from privacy_engine import noise
from privacy_engine.audit.kinds import Column, Observed, Pair, residue_columns
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms.landmark.base import GRID_DEG

LANDMARK_EVENTS, FEWEST_EVENTS, MOST_EVENTS = 4, 2, 12
"""Events of a series, every other a landmark: few, because a budget spread over many events shows less of itself.

At landmark level two landmarks, each followed by another event: what the second saves if it is skipped, the last gets.
"""
FAR = 3.0
"""The log-odds at which halved noise shows best within 10⁵ draws: some pairs lie so far apart that this is claimed."""
NEAREST_M, FARTHEST_M = 1e-3, 5e6
MODULES = (2, 3, 5, 10, 16)
ORDINARY = (116.4, 39.9)
NORTH_EAST = math.pi / 4


@dataclass(frozen=True, eq=False)
class MarkedSeries:
    """The input of a mechanism: a series of n events and which of them are landmarks."""

    series: Trajectory
    landmarks: LandmarkSet


class TrajectoryKind:
    """Series of positions; distances are great circles, the guarantee is per ``radius_m``."""

    kind = Trajectory.kind

    def per(self, mechanism: Any) -> str:
        """A radius: a distance of s of them may lose s·ε."""
        return "radius"

    def pairs(self, mechanism: Any) -> list[Pair]:
        """Four pairs over short series that stand still, so that a mechanism that repeats releases does.

        One event moved by the radius; everything that the level protects together moved by the radius; the same over
        the antimeridian, from the equator; the same over the pole, as far as halved noise shows best.
        """
        window = mechanism.parameter("window", FEWEST_EVENTS)
        n = LANDMARK_EVENTS if mechanism.level == "landmark" else min(max(window, FEWEST_EVENTS), MOST_EVENTS)
        mask = np.arange(n) % 2 == 0
        alone = np.arange(n) == np.flatnonzero(~mask)[-1]
        together, description = _protected(mechanism.level, mask, alone, window)
        radius = float(mechanism.radius_m)
        far = min(max(FAR / mechanism.epsilon * radius, NEAREST_M), FARTHEST_M)
        here = _still(ORDINARY, mask)
        half = math.degrees(radius / geo.EARTH_RADIUS_M) / 4
        equator = _still((180.0 - min(half, 90.0), 0.0), mask)
        pole = _still((0.0, 90.0 - math.degrees(far / 2 / geo.EARTH_RADIUS_M)), mask)
        return [
            _moved("one event", mechanism, here, alone, radius, NORTH_EAST),
            _moved(description, mechanism, here, together, radius, NORTH_EAST),
            _moved(f"{description}, across the antimeridian", mechanism, equator, together, radius, NORTH_EAST),
            _moved(f"{description}, across the pole", mechanism, pole, together, far, 0.0),
        ]

    def draw(self, mechanism: Any, given: MarkedSeries, times: int, rng: noise.RandomSource) -> Observed:
        """Published positions of ``times`` releases in degrees, (times, n, 2); not a number where none is published.

        By ``mechanism.repeat``: the code of ``release``, or, where a mechanism has it, its form for many at once.
        """
        return np.asarray(mechanism.repeat(given.series, given.landmarks, times, rng=rng))

    def values(self, pair: Pair) -> list[Column]:
        """Of every event its published position along the move, its distances to both places and their difference."""
        places = _places(pair)
        columns = [Column("repeated positions (+ 100 for each missing)", _repeats)]
        for i in range(len(pair.first.series)):
            for name, of in _POSITIONS.items():
                columns.append(Column(f"event {i}: {name}", partial(_of_event, of=of, event=i, places=places)))
        return columns

    def residues(self, pair: Pair) -> list[Column]:
        """Low bits of every published longitude and latitude, and where they lie on the grid."""
        return [
            column
            for i in range(len(pair.first.series))
            for axis, name in enumerate(("longitude", "latitude"))
            for column in residue_columns(
                f"event {i}, {name}", partial(_degrees, event=i, axis=axis), GRID_DEG, MODULES
            )
        ]

    def features(self, pair: Pair, observed: Observed) -> Floats:
        """How much nearer each published position is to which place, alone and together, and what is repeated."""
        places = _places(pair)
        here, there = (_of_all(observed, of, places) for of in (_here, _there))
        missing, repeated = np.isnan(observed[:, :, 0]), _repeated(observed)
        nearer = np.where(missing, 0.0, there - here)
        columns = [nearer, repeated, repeated * nearer, missing, np.log1p(here), np.log1p(there)]
        for group in {mask.tobytes(): mask for mask in (places.moved, pair.first.landmarks.mask)}.values():
            if group.any():
                columns.append((there[:, group].max(axis=1) - here[:, group].max(axis=1))[:, None])
        return np.concatenate([np.asarray(column, dtype=np.float64) for column in columns], axis=1)


class _Places(NamedTuple):
    """The two places between which events are moved, (lon, lat) in degrees, how far apart, and which events are."""

    start: tuple[float, float]
    end: tuple[float, float]
    metres: float
    moved: Mask


def _places(pair: Pair) -> _Places:
    here, there = pair.first.series, pair.second.series
    moved = (here.lon != there.lon) | (here.lat != there.lat)
    t = int(np.flatnonzero(moved)[0])
    start, end = ((float(track.lon[t]), float(track.lat[t])) for track in (here, there))
    return _Places(start, end, float(geo.distance_m(*start, *end)), moved)


def _here(lon: Floats, lat: Floats, places: _Places) -> Floats:
    return geo.distance_m(lon, lat, *places.start) / places.metres


def _there(lon: Floats, lat: Floats, places: _Places) -> Floats:
    return geo.distance_m(lon, lat, *places.end) / places.metres


def _nearer(lon: Floats, lat: Floats, places: _Places) -> Floats:
    return np.asarray(_there(lon, lat, places) - _here(lon, lat, places))


def _along(lon: Floats, lat: Floats, places: _Places) -> Floats:
    plane = geo.LocalPlane(*places.start)
    direction = plane.project(*places.end)[0] / places.metres
    return np.asarray(plane.project(lon, lat) @ direction / places.metres)


_Position = Callable[[Floats, Floats, _Places], Floats]
_POSITIONS: dict[str, _Position] = {
    "position along the move": _along,
    "distance to the first place": _here,
    "distance to the second place": _there,
    "difference of the distances": _nearer,
}


def _of_event(observed: Observed, *, of: _Position, event: int, places: _Places) -> Floats:
    """A number of the position published for an event, (draws,); a missing position counts as at the first place."""
    return _of_all(observed[:, event : event + 1], of, places)[:, 0]


def _of_all(observed: Observed, of: _Position, places: _Places) -> Floats:
    missing = np.isnan(observed[:, :, 0])
    lon, lat = (np.where(missing, place, observed[:, :, axis]) for axis, place in enumerate(places.start))
    return of(lon.ravel(), lat.ravel(), places).reshape(lon.shape)


def _degrees(observed: Observed, *, event: int, axis: int) -> Floats:
    return observed[:, event, axis]


def _repeated(observed: Observed) -> Mask:
    """Whether an event shows the position of the event before it, (draws, n)."""
    mask = np.zeros(observed.shape[:2], dtype=np.bool_)
    mask[:, 1:] = (observed[:, 1:] == observed[:, :-1]).all(axis=2)
    return mask


def _repeats(observed: Observed) -> Floats:
    missing = np.isnan(observed[:, :, 0]).sum(axis=1)
    return np.asarray(_repeated(observed).sum(axis=1) + 100.0 * missing)


def _still(place: tuple[float, float], mask: Mask) -> MarkedSeries:
    lon, lat = (np.full(len(mask), degrees) for degrees in place)
    return MarkedSeries(Trajectory(lon, lat), LandmarkSet(mask))


def _protected(level: str, mask: Mask, alone: Mask, window: int) -> tuple[Mask, str]:
    """The events that the level protects together, (n,), and what to call them."""
    event, n = np.arange(len(mask)), len(mask)
    if level == "landmark":
        return mask | alone, "all landmarks and one event"
    if level == "user":
        return event >= 0, "all events"
    if level == "w-event":
        return event < window, "a window of events" if window <= n else f"{n} of the {window:,} events of a window"
    return event == 0, "one landmark"


def _moved(
    description: str, mechanism: Any, given: MarkedSeries, moved: Mask, metres: float, bearing_rad: float
) -> Pair:
    """``given`` and the same series with the ``moved`` events moved by ``metres``."""
    series = given.series
    lon, lat = geo.destination(series.lon, series.lat, metres, bearing_rad)
    other = Trajectory(np.where(moved, lon, series.lon), np.where(moved, lat, series.lat))
    apart = float(geo.distance_m(series.lon, series.lat, other.lon, other.lat).max())
    scale = max(apart, metres) / float(mechanism.radius_m)
    name = f"{description}, moved by {metres:,.6g} m"
    return Pair(name, given, MarkedSeries(other, given.landmarks), scale, float(mechanism.epsilon) * scale)


ADAPTER = TrajectoryKind()
