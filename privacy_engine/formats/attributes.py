"""Tables whose positions are geometries: the times, series and landmarks beside them, row by row."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import advance
from privacy_engine.formats.arrow import listed, pa, pc
from privacy_engine.formats.columns import assign_beside, whose
from privacy_engine.formats.instants import END_ROLES, TIME_ROLES, ends
from privacy_engine.formats.landmark_column import marks_of
from privacy_engine.formats.line_times import BETWEEN, ENDS, by_time_or_place
from privacy_engine.formats.numbers import Reasons
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.points import Points, distinct, picked
from privacy_engine.formats.report import Report
from privacy_engine.formats.time_columns import zone_of
from privacy_engine.formats.times import Times, times
from privacy_engine.formats.wkb import Geometries

TIMED_ROLES = (*TIME_ROLES, *END_ROLES)


def coded(column: Any, *, verbatim: bool = True) -> tuple[Ints | None, list[str]]:
    """A code for each row of a column of names, None where all are alike, and the names that they stand for.

    The names come in order of first appearance, without blanks around them unless ``verbatim``.
    """
    advance()
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    names = [(name or "") if verbatim else (name or "").strip() for name in listed(column.dictionary)]
    codes = pc.fill_null(column.indices, len(names)).to_numpy(zero_copy_only=False).astype(np.int64)
    names += [""] * (column.null_count > 0 or not names)
    different, place = distinct(names)
    codes = place[codes]
    if column.null_count:  # rows without a name come where the first of them does
        used, first = np.unique(codes, return_index=True)
        order = used[np.argsort(first)]
        codes = np.argsort(order)[np.searchsorted(used, codes)]
        different = [different[i] for i in order]
    return (None if len(different) == 1 else codes), different


def points_of_columns(
    columns: Mapping[str, Any],
    names: Mapping[str, str],
    place: Callable[[str], tuple[Floats, Floats, Reasons]],
    rows: Callable[[NDArray[np.intp]], NDArray[Any]],
    options: ReadOptions,
    report: Report,
    *,
    e7: bool,
    verbatim: bool = True,
) -> Points:
    """The rows of a table with positions in two columns, given as Arrow arrays by role and by what they are called.

    ``place`` gives the positions of rows, of "" or of their ends, ``end_``; ``rows`` are the numbers of rows.
    """
    advance()
    lon, lat, reasons = place("")
    start, end = ends(columns, options, report)
    points = Points(lon, lat, start, reasons, rows=rows, e7=e7)
    _describe(points, columns, names, options, verbatim=verbatim)
    if end is not None:
        points.with_ends(end, *(place("end_") if "end_lon" in columns else ()))
    return points


def _describe(
    points: Points,
    columns: Mapping[str, Any],
    names: Mapping[str, str],
    options: ReadOptions,
    *,
    verbatim: bool = True,
    row: Ints | None = None,
) -> None:
    """Add to points what stands beside their positions, in the columns of which ``row`` is the row of each."""
    points.stated, points.whose = zone_of(names), whose(names, options)
    if "id" in columns and options.id != "#0":
        codes, points.names = coded(columns["id"], verbatim=verbatim)
        points.codes = picked(codes, row)
    if "person" in columns:
        codes, points.person_names = coded(columns["person"], verbatim=verbatim)
        points.person_codes = picked(codes, row)
    if "landmark" in columns:
        marks = marks_of(columns["landmark"], names["landmark"], options)
        points.marks = marks if row is None else marks.with_each(lambda mask: mask[row])


def beside(
    names: Sequence[str], sample: Sequence[Sequence[str]], options: ReadOptions, report: Report, geometry: str = ""
) -> dict[str, str]:
    """The names of the columns beside that of a ``geometry``, by role: also of the times of both ends of a line.

    A position that is no line has the time of the end, of segments, or of the start.
    """
    places = assign_beside(names, sample, options, report)
    roles = {role: names[place] for role, place in places.items() if names[place] != geometry}
    report.decide("ends", options.ends or "time")
    stated = _place(options.time, names)
    pairs = [pair for pair in ENDS if set(pair) <= set(names) and (options.time is None or stated in pair)]
    if not pairs:
        return roles
    start, end = pairs[0]
    time = stated or (end if pairs[0] == ENDS[0] else start)
    report.decide("time", f"#{list(names).index(time) + 1}")
    return {**roles, "time": time, "start": start, "end": end}


def _place(column: str | None, names: Sequence[str]) -> str | None:
    """The name of a column that an option names by its name or its place; None where there is none."""
    place = re.fullmatch(r"#([1-9][0-9]{0,3})", column or "")
    if place is not None and int(place[1]) <= len(names):
        return names[int(place[1]) - 1]
    return column if column in names else None


def _with_ends(
    geometries: Geometries, columns: Sequence[Any], series: Sequence[Ints], options: ReadOptions, report: Report
) -> tuple[Geometries, Times]:
    """The positions with the times of the ends of their lines, or of the row of a position alone.

    ``columns`` are the times of the starts, the ends and the rows. The start of a line is left out where another line
    of its series ends at that time, or at that time and place.
    """
    arrays = [column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column for column in columns]
    if len({array.type for array in arrays}) > 1:
        arrays = [array.cast(pa.string()) for array in arrays]
    read = times(pa.concat_arrays(arrays), options)
    row, changes, n = geometries.row, np.flatnonzero(np.diff(geometries.row)) + 1, len(arrays[0])
    firsts, lasts = np.r_[0, changes], np.r_[changes, len(row)] - 1
    alone = firsts == lasts
    between = np.ones(len(row), dtype=np.bool_)
    between[firsts] = between[lasts] = False
    which = np.ones(len(row), dtype=np.int64)
    which[firsts] = np.where(alone, 2, 0)
    at = row + n * which
    seconds, missing = np.where(between, np.nan, read.seconds[at]), read.missing[at] | between
    ends = np.r_[firsts, lasts]
    alike = [*(codes[row[ends]] for codes in series), seconds[ends]]
    at_time, at_place = (
        _joined(values, ~alone) for values in (alike, [*alike, geometries.lon[ends], geometries.lat[ends]])
    )
    by = by_time_or_place(int(at_time.sum()), int(at_place.sum()), options, report)
    joined = at_place if by == "place" else at_time
    keep = np.ones(len(row), dtype=np.bool_)
    keep[firsts[joined]] = False
    if between.any():
        report.note("line_ends", BETWEEN, count=int(between.sum()))
    kept = Geometries(geometries.lon[keep], geometries.lat[keep], geometries.reasons[keep], row[keep])
    return kept, replace(read, seconds=seconds[keep], naive=(read.naive[at] & ~between)[keep], missing=missing[keep])


def _joined(values: Sequence[Any], lines: Mask) -> Mask:
    """Which of the ``lines`` start where another ends; ``values`` are of all starts, then of all ends."""
    key = np.zeros(len(values[0]), dtype=np.int64)
    for column in values:
        code = np.unique(column, return_inverse=True, equal_nan=False)[1]
        key = np.unique(key * (int(code.max(initial=0)) + 1) + code, return_inverse=True)[1]
    start, end = np.split(key, 2)
    ending = np.bincount(end[lines], minlength=len(key) + 1)
    return np.asarray(lines & (ending[start] > (start == end)))


def points_of(
    geometries: Geometries,
    roles: Mapping[str, str],
    column: Callable[[str], Any],
    options: ReadOptions,
    report: Report,
) -> Points:
    """Positions with what stands beside them; ``column`` gives the Arrow array of a name.

    A geometry that is none, or no point or line, is a row that is dropped with its reason.
    """
    read = line_ends = last = None
    if "start" in roles and (np.bincount(geometries.row, minlength=1) > 1).any():
        named = (coded(column(roles[role]))[0] for role in ("id", "person") if role in roles)
        series = [codes for codes in named if codes is not None]
        columns = [column(roles[role]) for role in ("start", "end", "time")]
        geometries, read = _with_ends(geometries, columns, series, options, report)
        line_ends = read
        report.decided.pop("end", None)
        report.guesses = [guess for guess in report.guesses if guess["option"] != "end"]
    row = geometries.row
    points = Points(geometries.lon, geometries.lat, None, geometries.reasons, rows=lambda index: row[index] + 1)
    if read is None and "time" in roles:
        read, last = ends({role: column(roles[role]) for role in TIMED_ROLES if role in roles}, options, report)
    if read is not None and line_ends is None:
        read = read.part(row)
    points.times = read
    beside = {role: column(roles[role]) for role in ("id", "person", "landmark") if role in roles}
    _describe(points, beside, roles, options, row=row)
    if last is not None and len(row) == len(np.unique(row)):
        points.with_ends(last.part(row))
    if line_ends is None and (np.bincount(row, minlength=1) > 1).any() and points.times is not None:
        message = "Positions of one line share the time of their row."
        report.note("shared_times", message, count=int((np.bincount(row) > 1).sum()))
    return points
