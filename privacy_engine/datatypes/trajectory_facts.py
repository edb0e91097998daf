"""What trajectories hold: series, people, span, extent, length."""

import itertools
from collections.abc import Sequence

import numpy as np

from privacy_engine.analysis.data_scale import DataScale, data_scale
from privacy_engine.core.arrays import summed
from privacy_engine.core.instants import instant
from privacy_engine.core.params import Frozen
from privacy_engine.core.progress import blocks
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import leaving, picked
from privacy_engine.data.people import people
from privacy_engine.data.trajectories import Trajectories, has_times, in_blocks, in_pieces, labels_of

STRIPS = 360_000
"""Strips of the globe, from west to east, by whose first and last positions the widest gap is determined."""


class TrajectoryFacts(Frozen):
    """What trajectories hold.

    ``interleaved``: whether the series of any one person overlap in time. ``marked`` is how many events the file marks
    as landmarks, None where it has no landmark column. ``bounds`` is [west, south, east, north], ``length_m`` along
    great circles; ``start`` and ``end`` are ISO 8601 in UTC, None where a series has no times. ``own_scale`` is what
    errors are compared with.
    """

    series_count: int
    people: int
    interleaved: bool
    has_time: bool
    marked: int | None
    bounds: list[float] | None
    length_m: float | None
    own_scale: DataScale
    start: str | None
    end: str | None


def facts_of(series: Sequence[Trajectory]) -> TrajectoryFacts:
    """Facts of all series together and of each."""
    has_time, whose = has_times(series), labels_of(series)[1]
    start, end = _span(series, has_time)
    alone = len(set(whose)) == len(whose)
    return TrajectoryFacts(
        series_count=len(series),
        people=len(set(whose)),
        interleaved=not alone and any(person.order is not None for person in people(series)),
        has_time=has_time,
        marked=_marked(series),
        bounds=bounds(series),
        length_m=length_m(series),
        own_scale=data_scale(series),
        start=start,
        end=end,
    )


def _marked(series: Sequence[Trajectory]) -> int | None:
    parts = [series] if isinstance(series, Trajectories) else series
    columns = [part.marked for part in parts if part.marked is not None]
    blocks_of = ((column, some) for column in columns for some in leaving([column], blocks(len(column))))
    return sum(int(column[some].sum()) for column, some in blocks_of) if columns else None


def _span(series: Sequence[Trajectory], has_time: bool) -> tuple[str | None, str | None]:
    if isinstance(series, Trajectories):
        begun, ended = series.starts[:-1], series.starts[1:]
        held = begun < ended
        if series.time_s is None or not held.any():
            return None, None
        first, last = (picked(series.time_s, events[held]) for events in (begun, ended - 1))
        ends = [(first.min(), last.max())]
    else:
        ends = [(track.time_s[0], track.time_s[-1]) for track in series if track.time_s is not None and len(track)]
    if not has_time or not ends:
        return None, None
    return instant(min(first for first, _ in ends)), instant(max(last for _, last in ends))


def bounds(series: Sequence[Trajectory]) -> list[float] | None:
    """[west, south, east, north] of the smallest box; west > east where it crosses the antimeridian.

    The part of the globe that it leaves out has no position, and is at least 0.001 degrees wide.

    >>> bounds([Trajectory([179.5, -179.5], [0.0, 1.0])])
    [179.5, 0.0, -179.5, 1.0]
    """
    first, last = np.full(STRIPS + 1, np.inf), np.full(STRIPS + 1, -np.inf)
    south, north = np.inf, -np.inf
    for piece in in_pieces(series):
        south, north = min(south, piece.lat.min()), max(north, piece.lat.max())
        lon = np.sort(piece.lon)
        strip = ((lon + 180) * (STRIPS / 360)).astype(np.int64)
        starts = np.flatnonzero(np.diff(strip, prepend=-1))
        at = strip[starts]
        first[at] = np.minimum(first[at], lon[starts])
        last[at] = np.maximum(last[at], lon[np.append(starts[1:], len(lon)) - 1])
    occupied = np.flatnonzero(last >= first)
    if not len(occupied):
        return None
    first, last = first[occupied], last[occupied]
    gaps = first[1:] - last[:-1]
    west, east = first[0], last[-1]
    if len(gaps) and gaps.max() > west + 360 - east:  # the widest gap lies inside: leave that gap out instead
        widest = int(np.argmax(gaps))
        west, east = first[widest + 1], last[widest]
    return [float(west), float(south), float(east), float(north)]


def length_m(series: Sequence[Trajectory]) -> float | None:
    """Metres along great circles, series by series; None where no series has two points."""
    lengths = list(itertools.chain.from_iterable(map(_lengths_m, in_blocks(series))))
    return float(sum(lengths)) if lengths else None


def _lengths_m(some: Trajectories) -> list[float]:
    """The length of each series that has two points, in metres."""
    steps = len(some.lon) - 1
    if len(some) == 1:
        return summed(lambda part: [some.steps_m(part)], 0, steps).tolist() if steps > 0 else []
    steps_m, ends = some.steps_m(slice(0, steps)), itertools.pairwise(some.starts.tolist())
    return list(map(np.add.reduce, [steps_m[start : end - 1] for start, end in ends if end - start > 1]))
