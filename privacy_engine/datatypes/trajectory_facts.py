"""What trajectories hold: series, people, span, extent, length."""

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from privacy_engine.analysis.data_scale import NONE, DataScale, Distances, data_scale, distances_of, scale_of_parts
from privacy_engine.core.arrays import Floats, Ints, summed
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


class FactsPart(NamedTuple):
    """What the facts of a part of the series are made of, that holds all series of its people.

    ``counts`` are of series, people, people whose series interleave, marked events (-1 without marks), and 1 where all
    series have times. ``span`` is the first and last time, seconds, or empty; ``strips``, ``west`` and ``east`` (k,)
    are the occupied strips of the globe with their first and last longitude; ``latitudes`` the least and greatest, or
    empty; ``lengths_m`` of each series of two events; the rest as in
    :class:`~privacy_engine.analysis.data_scale.Distances`.
    """

    counts: Ints
    span: Floats
    strips: Ints
    west: Floats
    east: Floats
    latitudes: Floats
    lengths_m: Floats
    steps: Floats
    extents: Floats
    stays: Floats


def facts_of(series: Sequence[Trajectory]) -> TrajectoryFacts:
    """Facts of all series together."""
    return _joined([_part(series, NONE)], data_scale(series))


def facts_part(series: Sequence[Trajectory]) -> FactsPart:
    """Of a part of the series: all series of some people, which memory holds."""
    return _part(series, distances_of(series))


def facts_of_parts(parts: Iterable[FactsPart]) -> TrajectoryFacts:
    """Facts of all series, from those of parts in their order."""
    held = list(parts)
    return _joined(held, scale_of_parts(Distances(part.steps, part.extents, part.stays) for part in held))


def _part(series: Sequence[Trajectory], distances: Distances) -> FactsPart:
    timed, whose = has_times(series), labels_of(series)[1]
    alone = len(set(whose)) == len(whose)
    interleaved = 0 if alone else sum(person.order is not None for person in people(series))
    marked = _marked(series)
    counts = [len(series), len(set(whose)), interleaved, -1 if marked is None else marked, int(timed)]
    return FactsPart(np.array(counts), _span(series, timed), *_strips(series), _lengths_of(series), *distances)


def _joined(parts: Sequence[FactsPart], scale: DataScale) -> TrajectoryFacts:
    series, persons, interleaved, _, timed = np.sum([part.counts for part in parts], axis=0).tolist()
    marked = [part.counts[3] for part in parts if part.counts[3] >= 0]
    span = np.concatenate([part.span for part in parts])
    lengths = np.concatenate([part.lengths_m for part in parts]).tolist()
    return TrajectoryFacts(
        series_count=series,
        people=persons,
        interleaved=interleaved > 0,
        has_time=timed == len(parts),
        marked=int(sum(marked)) if marked else None,
        bounds=_bounds(parts),
        length_m=float(sum(lengths)) if lengths else None,
        own_scale=scale,
        start=instant(span.min()) if len(span) else None,
        end=instant(span.max()) if len(span) else None,
    )


def _marked(series: Sequence[Trajectory]) -> int | None:
    parts = [series] if isinstance(series, Trajectories) else series
    columns = [part.marked for part in parts if part.marked is not None]
    blocks_of = ((column, some) for column in columns for some in leaving([column], blocks(len(column))))
    return sum(int(column[some].sum()) for column, some in blocks_of) if columns else None


def _span(series: Sequence[Trajectory], has_time: bool) -> Floats:
    if isinstance(series, Trajectories):
        begun, ended = series.starts[:-1], series.starts[1:]
        held = begun < ended
        if series.time_s is None or not held.any():
            return np.empty(0)
        first, last = (picked(series.time_s, events[held]) for events in (begun, ended - 1))
        return np.array([first.min(), last.max()])
    ends = [(track.time_s[0], track.time_s[-1]) for track in series if track.time_s is not None and len(track)]
    return np.array([min(first for first, _ in ends), max(last for _, last in ends)] if has_time and ends else [])


def _strips(series: Sequence[Trajectory]) -> tuple[Ints, Floats, Floats, Floats]:
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
    return occupied, first[occupied], last[occupied], np.array([south, north] if len(occupied) else [])


def _bounds(parts: Sequence[FactsPart]) -> list[float] | None:
    """[west, south, east, north] of the smallest box; west > east where it crosses the antimeridian.

    The part of the globe that it leaves out has no position, and is at least 0.001 degrees wide.
    """
    first, last = np.full(STRIPS + 1, np.inf), np.full(STRIPS + 1, -np.inf)
    for part in parts:
        first[part.strips] = np.minimum(first[part.strips], part.west)
        last[part.strips] = np.maximum(last[part.strips], part.east)
    occupied = np.flatnonzero(last >= first)
    if not len(occupied):
        return None
    latitudes = np.concatenate([part.latitudes for part in parts])
    first, last = first[occupied], last[occupied]
    gaps = first[1:] - last[:-1]
    west, east = first[0], last[-1]
    if len(gaps) and gaps.max() > west + 360 - east:  # the widest gap lies inside: leave that gap out instead
        widest = int(np.argmax(gaps))
        west, east = first[widest + 1], last[widest]
    return [float(west), float(latitudes.min()), float(east), float(latitudes.max())]


def _lengths_of(series: Sequence[Trajectory]) -> Floats:
    """Metres along great circles of each series that has two points."""
    return np.array(list(itertools.chain.from_iterable(map(_lengths_m, in_blocks(series)))))


def _lengths_m(some: Trajectories) -> list[float]:
    """The length of each series that has two points, in metres."""
    steps = len(some.lon) - 1
    if len(some) == 1:
        return summed(lambda part: [some.steps_m(part)], 0, steps).tolist() if steps > 0 else []
    steps_m, ends = some.steps_m(slice(0, steps)), itertools.pairwise(some.starts.tolist())
    return list(map(np.add.reduce, [steps_m[start : end - 1] for start, end in ends if end - start > 1]))
