"""Tables whose positions are geometries: the times, series and landmarks beside them, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from privacy_engine.data import Ints
from privacy_engine.formats.arrow import listed, pa
from privacy_engine.formats.columns import whose
from privacy_engine.formats.landmark_column import marks_of
from privacy_engine.formats.line_times import BETWEEN, ENDS
from privacy_engine.formats.numbers import GOOD
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import Points
from privacy_engine.formats.times import Times, times
from privacy_engine.formats.wkb import Geometries
from privacy_engine.progress import advance


def coded(column: Any) -> tuple[Ints, list[str]]:
    """A code for each row of a column of text or whole numbers, and the texts that they stand for."""
    advance()
    found = column.cast("string").fill_null("").dictionary_encode()
    return found.indices.to_numpy(zero_copy_only=False).astype(np.int64), listed(found.dictionary)


def with_ends(roles: Mapping[str, str], names: Sequence[str], options: ReadOptions) -> dict[str, str]:
    """The roles, and those of the columns with the times of both ends of a line where there are any."""
    pairs = [pair for pair in ENDS if set(pair) <= set(names)]
    return (
        {**roles, **dict(zip(("start", "end"), pairs[0], strict=True))} if pairs and options.time is None else {**roles}
    )


def _are_lines(found: Geometries) -> bool:
    lengths = np.bincount(found.row, minlength=1)[found.row[found.reasons == GOOD]]
    return bool(lengths.size and (lengths > 1).all())


def _with_ends(
    found: Geometries, columns: Sequence[Any], series: Sequence[Ints], options: ReadOptions, report: Report
) -> tuple[Geometries, Times]:
    """The positions with the times of the ends of their lines; an end that the next line of a series repeats, once."""
    start, end = (column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column for column in columns)
    if start.type != end.type:
        start, end = start.cast(pa.string()), end.cast(pa.string())
    read = times(pa.concat_arrays([start, end]), options)
    row, changes = found.row, np.flatnonzero(np.diff(found.row)) + 1
    firsts, lasts = np.r_[0, changes], np.r_[changes, len(row)] - 1
    between = np.ones(len(row), dtype=np.bool_)
    between[firsts] = between[lasts] = False
    at = row + len(start) * ~np.isin(np.arange(len(row)), firsts)
    seconds, missing = np.where(between, np.nan, read.seconds[at]), read.missing[at] | between
    lines = row[firsts]
    order = np.lexsort((np.arange(len(lines)), *(codes[lines] for codes in series)))
    before, after = order[:-1], order[1:]
    repeats = np.ones(len(after), dtype=np.bool_)
    for values in (found.lon, found.lat, seconds):
        repeats &= values[lasts[before]] == values[firsts[after]]
    for codes in series:
        repeats &= codes[lines[before]] == codes[lines[after]]
    keep = np.ones(len(row), dtype=np.bool_)
    keep[firsts[after[repeats]]] = False
    if between.any():
        report.note("line_ends", BETWEEN, count=int(between.sum()))
    kept = Geometries(found.lon[keep], found.lat[keep], found.reasons[keep], row[keep])
    return kept, replace(read, seconds=seconds[keep], naive=read.naive[at][keep], missing=missing[keep])


def points_of(
    found: Geometries,
    roles: Mapping[str, str],
    column: Callable[[str], Any],
    options: ReadOptions,
    report: Report,
) -> Points:
    """Positions with what stands beside them; ``column`` gives the Arrow array of a name.

    A geometry that is none, or no point or line, is one row that is dropped with its reason.
    """
    read = ends = None
    if "start" in roles and _are_lines(found):
        series = [coded(column(roles[role]))[0] for role in ("id", "person") if role in roles]
        found, read = _with_ends(found, [column(roles[role]) for role in ("start", "end")], series, options, report)
        ends = read
    row = found.row
    points = Points(found.lon, found.lat, None, found.reasons, rows=lambda index: row[index] + 1)
    if read is None and "time" in roles:
        read = times(column(roles["time"]), options)
        read = replace(read, seconds=read.seconds[row], naive=read.naive[row], missing=read.missing[row])
    points.times = read
    if "id" in roles:
        codes, points.names = coded(column(roles["id"]))
        points.codes = codes[row]
    if "person" in roles:
        codes, points.person_names = coded(column(roles["person"]))
        points.person_codes = codes[row]
    points.whose = whose(list(roles.values()), {role: i for i, role in enumerate(roles)}, options)
    if "landmark" in roles:
        marks = marks_of(column(roles["landmark"]), roles["landmark"], options)
        marks.yes, marks.filled, marks.bad = marks.yes[row], marks.filled[row], marks.bad[row]
        points.marks = marks
    if ends is None and (np.bincount(row, minlength=1) > 1).any() and points.times is not None:
        message = "Positions of one line share the time of their row."
        report.note("shared_times", message, count=int((np.bincount(row) > 1).sum()))
    return points
