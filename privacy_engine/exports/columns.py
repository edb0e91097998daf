"""Columns of published series as files of trajectories have them: degrees with 7 decimals, times in milliseconds."""

from collections.abc import Iterator, Sequence

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.instants import instants
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import leaving
from privacy_engine.data.trajectories import Trajectories, in_pieces

DECIMALS = 7
CHUNK = 50_000


def several_people(series: Sequence[Trajectory]) -> bool:
    """Whether the file must name the person of each series; without that all are read back as one person's."""
    persons = series.persons if isinstance(series, Trajectories) else (track.person for track in reported(series))
    return len(set(persons)) > 1


def rounded(degrees: Floats) -> Floats:
    return np.asarray(np.round(degrees, DECIMALS) + 0.0)  # + 0.0: no negative zero


def pieces(track: Trajectory) -> Iterator[tuple[Floats, Floats, Floats | None]]:
    """Longitudes and latitudes as they are written, and times in s, of at most ``CHUNK`` events of a series at once."""
    for at in leaving(track, blocks(len(track), CHUNK)):
        yield rounded(track.lon[at]), rounded(track.lat[at]), None if track.time_s is None else track.time_s[at]


def chunks(track: Trajectory) -> Iterator[tuple[list[float], list[float], list[str] | None]]:
    """The positions and times of a series in pieces, so that a long series is never a single string."""
    for lon, lat, time_s in pieces(track):
        yield lon.tolist(), lat.tolist(), None if time_s is None else instants(time_s)


def bounds(series: Sequence[Trajectory]) -> list[float] | None:
    """West, south, east and north of all positions as they are written; None without a position."""
    boxes = [(run.lon.min(), run.lat.min(), run.lon.max(), run.lat.max()) for run in in_pieces(series) if len(run.lon)]
    if not boxes:
        return None
    columns = np.array(boxes)
    least, most = columns[:, :2].min(axis=0), columns[:, 2:].max(axis=0)
    return [float(edge) for edge in rounded(np.array([*least, *most]))]
