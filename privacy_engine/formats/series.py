"""Rows to series: positions settled, unusable rows dropped by reason, grouped by id, sorted by time."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import advance, blocks, reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import leaving
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.errors import FormatError
from privacy_engine.formats import crs, people, timezones
from privacy_engine.formats.first_rows import degrees, first_rows, instant
from privacy_engine.formats.landmark_column import settle
from privacy_engine.formats.numbers import REASON_NAMES
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.points import Points, picked
from privacy_engine.formats.report import SHOWN_ROWS, WHY, Report
from privacy_engine.formats.times import Times

MAX_SERIES = 100_000
_WITHOUT_TIMES = "stay points and releases that need time are not available."
_YEAR_2100_S = 4_102_444_800


def build(points: Points, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of ``points`` and whose they are, with everything dropped or noticed written to ``report``.

    ``points`` has no columns afterwards. Errors are those of :func:`split`.
    """
    return list(people.settle(split(points, options, report), points.whose, options, report))


def split(points: Points, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of ``points`` before :func:`people.settle`, of which the options may take the first n events."""
    return cut(laid_out(points, options, report), options)


def laid_out(
    points: Points,
    options: ReadOptions,
    report: Report,
    latest: Callable[[list[tuple[str, str]]], Floats] | None = None,
) -> Trajectories:
    """The whole series of ``points``, of which only a person of a column of its own is set.

    ``latest`` gives the latest time before ``points`` of series of these names and persons, NaN where there is none.

    Raises
    ------
    FormatError
        No point survives.
    ChoiceNeeded
        The order of coordinates, their system or the time zone must be named by the owner.
    """
    advance()
    report.rows_read += len(points.lon)
    lon, lat = crs.placed(points.lon, points.lat, options, report, labelled=points.labelled, e7=points.e7)
    keep = _keep_positions(points, lon, lat, options, report)
    advance()
    seconds = _instants(points, keep, options, report)
    advance()
    if seconds is not None:
        keep = _keep_timed(points, keep, seconds, report)
    marked = settle(points.marks, keep, points.rows, report)
    if marked is not None and points.marks is not None:
        _drop(points, keep & points.marks.bad, "bad_mark", report)
        keep = keep & ~points.marks.bad
    if options.person_column is not None:
        keep = _keep_persons(points, keep, options.person_column, report)
    _keep_first(points, lon, lat, seconds, keep, report)
    if not keep.any():
        raise nothing_left(report)
    advance()
    kept = None if keep.all() else np.flatnonzero(keep)
    advance()
    codes, owners = _of_persons(points, kept)
    given = [points.lon, points.lat, points.marks and points.marks.yes]
    columns = [picked(column, kept) for column in (lon, lat, seconds, marked)]
    for i, column in enumerate(reported(columns)):
        if column is not None and any(column is other for other in given):
            columns[i] = column.copy()  # it may be a column of a caller's table, which is not to be frozen
    points.forget()
    del lon, lat, seconds, marked, keep, given  # or a large file would lie in memory twice

    def rows(index: NDArray[np.intp]) -> NDArray[Any]:
        return points.rows(index if kept is None else kept[index])

    return _split(columns, codes, owners, rows, report, latest and latest(owners))


def _keep_persons(points: Points, keep: Mask, column: str, report: Report) -> Mask:
    """Without the rows for which the column that the owner named is empty."""
    names, codes = points.names, points.codes
    if points.whose.kind == people.COLUMN:
        names, codes = points.person_names, points.person_codes
    empty = np.array([not name for name in names] or [True])
    unknown = np.full(len(keep), empty[0]) if codes is None else empty[codes]
    if keep.any() and unknown[keep].all():
        raise people.no_person(column)
    _drop(points, keep & unknown, "no_person", report)
    return np.asarray(keep & ~unknown)


def _of_persons(points: Points, kept: NDArray[np.intp] | None) -> tuple[Ints | None, list[tuple[str, str]]]:
    """A code for each kept row, and the name and the person of the series that the codes stand for."""
    codes, owners = picked(points.codes, kept), picked(points.person_codes, kept)
    if points.whose.kind != people.COLUMN:
        return codes, [(name, "") for name in points.names]
    if owners is None:
        return codes, [(name, points.person_names[0]) for name in points.names]
    if codes is None:
        return owners, [(points.names[0], person) for person in points.person_names]
    both, first, inverse = np.unique(codes * len(points.person_names) + owners, return_index=True, return_inverse=True)
    order = np.argsort(first)
    pairs = [divmod(int(both[i]), len(points.person_names)) for i in order]
    return np.argsort(order)[inverse.ravel()], [(points.names[i], points.person_names[j]) for i, j in pairs]


def cut(series: Sequence[Trajectory], options: ReadOptions) -> list[Trajectory]:
    """The first n points of each series, where the options limit them."""
    n = options.first_n
    return list(series) if n is None else [track.first(n) for track in series]


def nothing_left(report: Report) -> FormatError:
    """The error for a file of which no point survives; it names the commonest reason and its first row."""
    if not report.drops:
        return FormatError("The file holds no positions.", code="no_points")
    reason, drops = max(report.drops.items(), key=lambda item: item[1].count)
    first = drops.rows[0] if drops.rows else None
    where = "" if first is None else f" (first on {report.unit} {first}{drops.cells and f': {drops.cells}'})"
    return FormatError(
        f"None of the {sum(report.dropped.values())} rows can be used. {WHY.get(reason, reason)}{where}",
        code="no_points",
        row=first,
        rule=reason,
    )


def _drop(points: Points, bad: Mask, reason: str, report: Report) -> None:
    index = np.flatnonzero(bad)
    if index.size:
        cells = points.cells.get(int(index[0]), "")
        report.drop(reason, len(index), points.rows(index[:20]).tolist(), cells=cells)


def _keep_positions(points: Points, lon: Floats, lat: Floats, options: ReadOptions, report: Report) -> Mask:
    reasons = points.reasons
    if reasons is None:
        reasons = np.where(np.isfinite(lon) & np.isfinite(lat), 0, REASON_NAMES.index("not_finite")).astype(np.uint8)
    for code in np.unique(reasons[reasons > 0]).tolist():
        _drop(points, reasons == code, REASON_NAMES[code], report)
    keep = reasons == 0
    advance()
    inside = (np.abs(lon) <= 180) & (np.abs(lat) <= 90)
    _drop(points, keep & ~inside, "out_of_range", report)
    keep = keep & inside
    zeros = options.zeros or ("position" if options.applied else "none")
    report.decide("zeros", zeros)
    if zeros == "none":
        zero = (lon == 0) & (lat == 0)
        _drop(points, keep & zero, "no_position", report)
        keep = keep & ~zero
    return np.asarray(keep)


def _instants(points: Points, keep: Mask, options: ReadOptions, report: Report) -> Floats | None:
    """Seconds of all rows, or None (and a warning) where no usable row has a time."""
    times = points.times
    if times is None or not keep.any() or (times.missing[keep].all() and not options.applied):
        report.decide("time", "#0")
        report.note("untimed", f"{_why_untimed(times, options, report)}: {_WITHOUT_TIMES}")
        return None
    if times.bad[keep].all():
        at = np.flatnonzero(keep)[:1]
        first, cells = int(points.rows(at)[0]), points.cells.get(int(at[0]), "")
        where = f"first on {report.unit} {first}{cells and f': {cells}'}"
        raise FormatError(
            f"None of the times can be read ({where}). Write them as 2024-12-31T23:59:00Z, "
            "or set the time option to #0 to read the file without times.",
            code="bad_times",
            row=first,
        )
    seconds = timezones.settle(
        times,
        points.codes,
        options,
        report,
        documented=points.documented,
        hint=points.hint,
        stated=points.stated,
        lon=points.lon,
    )
    advance()
    seconds = np.where(np.abs(seconds) <= 1e12, seconds, np.nan)
    _report_far(points, keep, seconds, report)
    return seconds


def _why_untimed(times: Times | None, options: ReadOptions, report: Report) -> str:
    """Why a file has no times, as a clause with the column that is empty; option time ``#0``: stated to be none."""
    layout = report.layout
    if layout is None or options.time == "#0":
        return "The file has no times"
    if times is not None and "time" in layout.roles:
        return f"The time column {layout.names[layout.roles['time']].strip()[:40]!r} is empty"
    return "No column of times was found; if there is one, name it with the option time"


def _report_far(points: Points, keep: Mask, seconds: Floats, report: Report) -> None:
    """Warn of times outside 1970 to 2100, which are kept."""
    with np.errstate(invalid="ignore"):
        far = np.flatnonzero(keep & ((seconds < 0) | (seconds >= _YEAR_2100_S)))
    if far.size:
        rows = points.rows(far[:20]).tolist()
        first = np.datetime64(int(seconds[far[0]]), "s")
        message = (
            f"{quantity(len(far), 'time')} outside the years 1970 to 2100 (first {str(first)[:19]} UTC on "
            f"{report.unit} {rows[0]}); kept as written. Is the clock of the device right, and the unit of the times?"
        )
        report.note("far_times", message, count=len(far), rows=rows)


def _keep_timed(points: Points, keep: Mask, seconds: Floats, report: Report) -> Mask:
    timed = np.isfinite(seconds)
    missing = points.times.missing if points.times is not None else ~timed
    _drop(points, keep & ~timed & ~missing, "bad_time", report)
    untimed = keep & ~timed & missing
    _drop(points, untimed, "no_time", report)
    if all(note["code"] != "line_ends" for note in report.notes):
        report.lost("untimed_rows", int(untimed.sum()), int(keep.sum()), "they have no time, the others do")
    return np.asarray(keep & timed)


def _split(
    columns: list[NDArray[Any] | None],
    codes: Ints | None,
    owners: list[tuple[str, str]],
    rows: Callable[[NDArray[np.intp]], NDArray[Any]],
    report: Report,
    latest: Floats | None,
) -> Trajectories:
    advance()
    order = _order(codes, columns[2], rows, report, latest)
    if order is not None:
        for i in reported(range(len(columns))):
            columns[i] = picked(columns[i], order)
        codes = picked(codes, order)
        del order
    lon, lat, seconds, marked = columns
    columns.clear()
    assert lon is not None
    assert lat is not None
    starts = np.array([0]) if codes is None else np.concatenate(([0], np.flatnonzero(np.diff(codes)) + 1))
    if len(starts) > MAX_SERIES:
        raise FormatError(
            f"The file splits into {len(starts)} series. Name the column that identifies the person, "
            "or set the id option to #0 for one series.",
            code="too_many_series",
            rule=f"at most {MAX_SERIES} series",
        )
    advance()
    report_repeats(repeats(lon, lat, seconds, starts), report)
    labels = [0] if codes is None else codes[starts].tolist()
    for column in (lon, lat, seconds, marked):
        if column is not None:
            column.setflags(write=False)
    names, persons = zip(*(owners[code] for code in labels), strict=True)
    return Trajectories(lon, lat, np.append(starts, len(lon)), names, persons, seconds, marked)


def _order(
    codes: Ints | None,
    seconds: Floats | None,
    rows: Callable[[NDArray[np.intp]], NDArray[Any]],
    report: Report,
    latest: Floats | None,
) -> NDArray[np.intp] | None:
    """The stable order by series, then time; None where the file has it already."""
    grouped = None if codes is None or not (np.diff(codes) < 0).any() else np.argsort(codes, kind="stable")
    if seconds is None:
        return grouped
    advance()
    late = np.zeros(len(seconds), dtype=np.bool_) if latest is None else seconds < latest[0 if codes is None else codes]
    by_series = seconds if grouped is None else seconds[grouped]
    later = np.diff(by_series) < 0
    if codes is not None:
        later &= np.diff(codes if grouped is None else codes[grouped]) == 0
    order = grouped
    if later.any():
        advance()
        order = np.lexsort((seconds,) if codes is None else (seconds, codes))
        advance()
        late |= _late(order, grouped)
    if late.any():
        report_late(int(late.sum()), rows(np.flatnonzero(late)[:SHOWN_ROWS]).tolist(), report)
    return order


def _keep_first(points: Points, lon: Floats, lat: Floats, seconds: Floats | None, keep: Mask, report: Report) -> None:
    """Record the first rows as read, unless those of an earlier part are."""
    names, codes = points.names, points.codes
    texts = {"lon": degrees(lon), "lat": degrees(lat), "time": instant(seconds)}
    texts["id"] = lambda i: names[0 if codes is None else codes[i]][:80]
    report.first = report.first or first_rows(points.rows, texts, keep, report.most_first)


def _late(order: NDArray[np.intp], grouped: NDArray[np.intp] | None) -> Mask:
    """Which rows come after a later row of their series; ``grouped`` is their order by series alone."""
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    if grouped is None:
        return np.asarray(ranks < np.maximum.accumulate(ranks))
    late = np.empty(len(order), dtype=np.bool_)
    ranks = ranks[grouped]
    late[grouped] = ranks < np.maximum.accumulate(ranks)
    return late


def report_late(count: int, rows: list[int], report: Report) -> None:
    """Record how many rows come after a later row of their series, and the first of them."""
    message = f"{count} rows are out of order in time; each series was sorted."
    report.note("out_of_order", message, count=count, rows=rows)


def repeats(lon: Floats, lat: Floats, seconds: Floats | None, starts: Ints) -> int:
    """How many records repeat their predecessor; series begin at ``starts`` (m,)."""
    count, columns = 0, [column for column in (lon, lat, seconds) if column is not None]
    for some in leaving(columns, blocks(len(lon))):
        first = max(some.start - 1, 0)
        same = np.logical_and.reduce([np.diff(column[first : some.stop]) == 0 for column in columns])
        begun = starts[slice(*starts.searchsorted((first + 1, some.stop)))]
        same[begun - first - 1] = False
        count += int(same.sum())
    return count


def report_repeats(count: int, report: Report) -> None:
    """Record how many records repeat their predecessor."""
    if count:
        message = f"{quantity(count, 'record')} equal to the record before; not removed."
        report.note("repeated", message, level="info", count=count)
