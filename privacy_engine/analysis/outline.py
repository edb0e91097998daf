"""Small drawings of data: lines in the unit square, x to the east or in time, y upwards."""

from collections.abc import Sequence

import numpy as np

from privacy_engine.analysis.downsampling import decimated
from privacy_engine.core.arrays import Floats
from privacy_engine.core.geo import LocalPlane
from privacy_engine.data import CheckIns, CountStream, Trajectory
from privacy_engine.data.grid import Grid
from privacy_engine.data.mapped_series import picked
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.data.trajectories import lengths_of

POINTS = 96
"""Points of all lines of a drawing."""
TRACKS = 8
SIDE = 14
"""Cells per side in which check-ins are drawn."""


def of_tracks(series: Sequence[Trajectory]) -> list[Floats]:
    """Return the longest tracks in the plane, each (n, 2) with n >= 1, of evenly chosen events."""
    lengths = lengths_of(series)
    order = np.argsort(-np.array(lengths), kind="stable")[:TRACKS].tolist()
    longest = [series[i] for i in order if lengths[i]]
    if not longest:
        return []
    share = POINTS // len(longest)
    chosen = [np.unique(np.linspace(0, len(track) - 1, share).astype(np.int64)) for track in longest]
    lon = np.concatenate([picked(track.lon, at) for track, at in zip(longest, chosen, strict=True)])
    lat = np.concatenate([picked(track.lat, at) for track, at in zip(longest, chosen, strict=True)])
    plane = _fitted(LocalPlane.around(lon, lat).project(lon, lat))
    return np.split(plane, np.cumsum([len(at) for at in chosen])[:-1])


def of_counts(stream: CountStream | StreamRelease) -> list[Floats]:
    """Return the total over all streams in time, (n, 2), with its extremes."""
    total = stream.counts.sum(axis=1).astype(np.float64)
    at = decimated([total], POINTS)
    most = total.max(initial=1e-300)
    return [np.column_stack([at / max(len(total) - 1, 1), total[at] / most])]


def of_checkins(checkins: CheckIns) -> list[Floats]:
    """Return the outline of every cell with check-ins, (5, 2) each; none without positions."""
    if checkins.lon is None or checkins.lat is None or not len(checkins):
        return []
    plane = _fitted(LocalPlane.around(checkins.lon, checkins.lat).project(checkins.lon, checkins.lat))
    grid = Grid.square(0.0, 0.0, 1.0, 1.0, SIDE)
    occupied = np.unique(grid.cells(plane[:, 0], plane[:, 1]))
    corners = grid.boxes(occupied)[:, [[0, 1], [2, 1], [2, 3], [0, 3], [0, 1]]]
    return list(corners)


def _fitted(plane: Floats) -> Floats:
    """The same shape, its longer side 1 and its middle in the middle of the unit square."""
    low, high = plane.min(axis=0), plane.max(axis=0)
    size = float((high - low).max())
    scaled: Floats = (plane - (low + high) / 2) / (size or 1.0) + 0.5
    return np.clip(scaled, 0.0, 1.0)
