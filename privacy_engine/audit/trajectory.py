"""The audit of mechanisms that publish positions: neighbouring series, draws, statistics of published positions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privacy_engine import geo, noise
from privacy_engine.audit.kinds import Observed, Pair, Statistics, residues_of
from privacy_engine.data import Floats, Ints, LandmarkSet, Mask, Trajectory
from privacy_engine.mechanisms.landmark.base import GRID_DEG

LANDMARK_EVENTS, FEWEST_EVENTS, MOST_EVENTS = 4, 2, 12
"""Events of a series, every other one a landmark: few, because a budget spread over many events shows less of itself.

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

    name = Trajectory.kind

    def pairs(self, mechanism: Any) -> list[Pair]:
        """Four pairs over short series that stand still, so that a mechanism that repeats releases does.

        One event moved by the radius; everything that the level protects together moved by the radius; the same over
        the antimeridian, from the equator; the same over the pole, as far as halved noise shows best.
        """
        window = getattr(mechanism, "window", FEWEST_EVENTS)
        n = LANDMARK_EVENTS if mechanism.level == "landmark" else min(max(window, FEWEST_EVENTS), MOST_EVENTS)
        mask = np.arange(n) % 2 == 0
        alone = np.arange(n) == np.flatnonzero(~mask)[-1]
        together, words = _protected(mechanism.level, mask, alone, window)
        radius = float(mechanism.radius_m)
        far = min(max(FAR / mechanism.epsilon * radius, NEAREST_M), FARTHEST_M)
        here = _still(ORDINARY, mask)
        half = math.degrees(radius / geo.EARTH_RADIUS_M) / 4
        equator = _still((180.0 - min(half, 90.0), 0.0), mask)
        pole = _still((0.0, 90.0 - math.degrees(far / 2 / geo.EARTH_RADIUS_M)), mask)
        return [
            _moved("one event", mechanism, here, alone, radius, NORTH_EAST),
            _moved(words, mechanism, here, together, radius, NORTH_EAST),
            _moved(f"{words}, across the antimeridian", mechanism, equator, together, radius, NORTH_EAST),
            _moved(f"{words}, across the pole", mechanism, pole, together, far, 0.0),
        ]

    def draw(self, mechanism: Any, given: MarkedSeries, times: int, rng: noise.RandomSource) -> Observed:
        """Published positions of ``times`` releases in degrees, (times, n, 2); not a number where none is published.

        By ``mechanism.repeat``: the code of ``release``, or where a mechanism declares one its form for many at once.
        """
        return np.asarray(mechanism.repeat(given.series, given.landmarks, times, rng=rng))

    def statistics(self, pair: Pair, observed: Observed) -> Statistics:
        """Where published positions lie relative to the two places between which events moved."""
        moved = (pair.first.series.lon != pair.second.series.lon) | (pair.first.series.lat != pair.second.series.lat)
        t = int(np.flatnonzero(moved)[0])
        start, end = ((one.series.lon[t], one.series.lat[t]) for one in (pair.first, pair.second))
        near = _Near.of(observed, start, end)
        names, values = near.columns()
        residue_names, residues = _residues(observed)
        return Statistics(
            tuple(names),
            np.column_stack(values),
            tuple(residue_names),
            np.column_stack(residues),
            near.features(moved, pair.first.landmarks.mask),
        )


@dataclass(frozen=True, eq=False)
class _Near:
    """Distances of published positions from the two places, (draws, n), in units of the distance between these."""

    here: Floats
    there: Floats
    along: Floats
    missing: Mask
    repeated: Mask

    @classmethod
    def of(cls, observed: Observed, start: tuple[float, float], end: tuple[float, float]) -> _Near:
        missing = np.isnan(observed[:, :, 0])
        lon, lat = (np.where(missing, place, observed[:, :, axis]) for axis, place in enumerate(start))
        metres = float(geo.distance_m(*start, *end))
        plane = geo.LocalPlane(*start)
        direction = plane.project(*end)[0] / metres
        along = (plane.project(lon.ravel(), lat.ravel()) @ direction).reshape(lon.shape)
        here, there = (geo.distance_m(lon, lat, *place) for place in (start, end))
        repeated = np.zeros_like(missing)
        repeated[:, 1:] = (lon[:, 1:] == lon[:, :-1]) & (lat[:, 1:] == lat[:, :-1])
        return cls(here / metres, there / metres, along / metres, missing, repeated)

    def columns(self) -> tuple[list[str], list[Floats]]:
        """Columns to compare with thresholds; positions that are missing count as at the first place."""
        names, columns = [], []
        for i in range(self.here.shape[1]):
            for name, column in (
                ("position along the move", self.along),
                ("distance to the first place", self.here),
                ("distance to the second place", self.there),
                ("difference of the distances", self.there - self.here),
            ):
                names.append(f"event {i}: {name}")
                columns.append(column[:, i])
        repeats = self.repeated.sum(axis=1) + 100.0 * self.missing.sum(axis=1)
        return [*names, "repeated positions (+ 100 for each missing)"], [*columns, repeats]

    def features(self, moved: Mask, landmarks: Mask) -> Floats:
        """What a score is learned from: how much nearer each draw is to which place, alone and together, (draws, f)."""
        nearer = np.where(self.missing, 0.0, self.there - self.here)
        found = [nearer, self.repeated, self.repeated * nearer, self.missing]
        found += [np.log1p(self.here), np.log1p(self.there)]
        for group in {moved.tobytes(): moved, landmarks.tobytes(): landmarks}.values():
            if group.any():
                found.append((self.there[:, group].max(axis=1) - self.here[:, group].max(axis=1))[:, None])
        return np.concatenate([np.asarray(one, dtype=np.float64) for one in found], axis=1)


def _residues(observed: Observed) -> tuple[list[str], list[Ints]]:
    names: list[str] = []
    columns: list[Ints] = []
    for i in range(observed.shape[1]):
        for axis, degrees in enumerate(("longitude", "latitude")):
            of_one, found = residues_of(observed[:, i, axis], GRID_DEG, MODULES)
            names += [f"event {i}, {degrees}: {name}" for name in of_one]
            columns += found
    return names, columns


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


def _moved(words: str, mechanism: Any, given: MarkedSeries, moved: Mask, metres: float, bearing_rad: float) -> Pair:
    """``given`` and the same series with the ``moved`` events moved by ``metres``."""
    series = given.series
    lon, lat = geo.destination(series.lon, series.lat, metres, bearing_rad)
    other = Trajectory(np.where(moved, lon, series.lon), np.where(moved, lat, series.lat))
    apart = float(geo.distance_m(series.lon, series.lat, other.lon, other.lat).max())
    scale = max(apart, metres) / float(mechanism.radius_m)
    name = f"{words}, moved by {metres:,.6g} m"
    return Pair(name, given, MarkedSeries(other, given.landmarks), scale, float(mechanism.epsilon) * scale)
