"""Count streams: wide tables (timestamps down, streams across) and long ones (one count on each row)."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import reported
from privacy_engine.data import LARGEST_COUNT, CountStream
from privacy_engine.data.counted import Counted
from privacy_engine.data.hierarchy import SEPARATORS
from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats.arrow import pa, pc
from privacy_engine.formats.column import canonical
from privacy_engine.formats.columnar import as_texts
from privacy_engine.formats.columns import place_of
from privacy_engine.formats.count_cells import is_withheld, without_marks
from privacy_engine.formats.count_tables import named, turned, without_totals
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.formats.first_rows import TextOf, first_rows, instant
from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.numbers import GOOD, NOT_A_NUMBER, REASON_NAMES, numbers, typed
from privacy_engine.formats.option_choices import WITHHELD
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.periods import dates_across
from privacy_engine.formats.report import Report
from privacy_engine.formats.stream_layout import (
    VALUES,
    WIDE,
    Long,
    certain_long,
    choice_of_count,
    long_places,
    time_place,
)
from privacy_engine.formats.stream_times import DAY_S, Timeline, codes, dated, timeline

_BAD_TIME = len(REASON_NAMES) + 1
MAX_CELLS = 50_000_000
MOST = 200  # counts of a first row
NEGATIVE = "negative"
COUNTED = b"counted"
"""The key of :class:`~privacy_engine.data.counted.Counted` as JSON in the metadata of a Parquet file."""


def stream_of(table: Table, options: ReadOptions, report: Report) -> CountStream:
    """The counts of a table.

    Raises
    ------
    FormatError
        No row is left, or no column holds numbers.
    """
    table = named(_without_label(table), report)
    if across := dates_across(table.names):
        table = turned(table, across, report)
    options = _by_name(table, options)
    table = without_totals(table, _label(table, options), options, report)
    places = long_places(table.names, table.sample, options)
    if places is None and options.count is None:
        places = _repeated(table, options)
    report.decide("count", table.place(places.value) if places else WIDE)
    if places:
        report.decide("time", table.place(places.time))
        title = table.names[places.value].strip()
        if options.count is None and canonical(title) not in VALUES:
            message = f"Column {title[:40]!r} was read as the count; the others name the stream."
            report.guess("count column", title, message, "count")
        return _long(table, places, options, report)
    stream = _wide(table, options, report)
    report.first = [] if across else report.first  # the rows are not those of the file
    return _with_counted(stream, table.metadata.get(COUNTED, b""), report)


def _with_counted(stream: CountStream, description: bytes, report: Report) -> CountStream:
    """The stream with how its counts were made, if its file describes it and its names are those of the cells."""
    if not description:
        return stream
    try:
        counted = Counted.from_dict(json.loads(description))
        if tuple(counted.grid.names()) == stream.names:
            report.note(COUNTED.decode(), f"The file states: {counted.sensitivity_text}", level="info")
            return replace(stream, counted=counted)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    report.note(COUNTED.decode(), "How the counts were made is described for other counts; it was left out.")
    return stream


def _without_label(table: Table) -> Table:
    """The table without the label of an export, which is in its last columns."""
    if OUR_COLUMN not in table.names[1:]:
        return table
    end = table.names.index(OUR_COLUMN, 1)
    return replace(table, names=table.names[:end], columns=table.columns[:end], sample=[r[:end] for r in table.sample])


def _named(columns: list[Any], titles: list[str], stated: str | None, report: Report) -> Any:
    """The names of the streams: a column, or the parts of a path, with a separator that no part has."""
    texts = [pc.fill_null(column.cast(pa.string()), "") for column in columns]
    if len(texts) == 1:
        return texts[0]
    free = (mark for mark in SEPARATORS if not any(pc.any(pc.match_substring(text, mark)).as_py() for text in texts))
    separator = stated or next(free, None)
    report.decide("separator", separator)
    if separator is None:
        rule = f"names without one of {' '.join(SEPARATORS)}"
        raise FormatError(f"The columns {', '.join(titles)} must have {rule}.", code="separator", rule=rule)
    report.note("paths", f"The streams are named by paths: {separator.join(titles)}.", level="info")
    return pc.binary_join_element_wise(*texts, separator)


def _numbers(column: Any, options: ReadOptions, report: Report) -> tuple[Floats, Any]:
    """The counts of a column, and why a cell holds none; errors are those of :func:`_of_texts`."""
    values, reasons = _of_texts(column, options, report) if pa.types.is_string(column.type) else typed(column)
    return values, np.where(values < 0, len(REASON_NAMES), reasons)


def _of_texts(column: Any, options: ReadOptions, report: Report) -> tuple[Floats, Any]:
    """The numbers of a column of texts, and why a cell holds none.

    Raises
    ------
    ChoiceNeeded
        A count is withheld, and no option states how it is read; or 1.234 may be a thousand.
    """
    values, reasons = numbers(column)
    if (reasons == NOT_A_NUMBER).any() or pc.any(pc.match_substring(column, ".")).as_py():
        column = without_marks(column, options, report)
        values, reasons = numbers(column)
    for at in np.flatnonzero(reasons == NOT_A_NUMBER):
        cell = column[int(at)].as_py() or ""
        if not is_withheld(cell):
            continue
        if options.withheld is None and not options.applied:
            message = f"Cells such as {cell.strip()[:10]!r} do not give their count. Specify how they are read."
            raise ChoiceNeeded(message, parameter="withheld", choices=WITHHELD, default="leave_out")
        if options.withheld == "0":
            values[at], reasons[at] = 0.0, GOOD
    return values, reasons


def _drop(reasons: Any, cell: Callable[[int], tuple[str, str]], table: Table, report: Report) -> Mask:
    """Drop the rows that have a reason to be dropped; which are kept.

    ``cell`` returns the column and the text of the cell for which a row is dropped.
    """
    keep = table.drop(reasons, (*REASON_NAMES, NEGATIVE, "bad_time"), report)
    if not keep.any():
        raise _no_counts(reasons, cell, table, report)
    return keep


def _no_counts(reasons: Any, cell: Callable[[int], tuple[str, str]], table: Table, report: Report) -> FormatError:
    if not len(reasons):
        return FormatError("No row of the table holds counts only.", code="no_points", rule="numbers of at least 0")
    (column, value), line = cell(0), int(table.rows(np.array([0]))[0])
    wrong = f"{value[:40]!r} is not a number of at least 0" if value else "a count is missing"
    message = (
        f"No row of the table holds counts only: in {report.unit} {line}, column {column[:40]!r}, {wrong}. "
        "If each row holds one count, name its column with the reading option count."
    )
    rule = "numbers of at least 0"
    return FormatError(message, code="no_points", rule=rule, value=value, row=line, column=column)


def _wide(table: Table, options: ReadOptions, report: Report) -> CountStream:
    label = _label(table, options)
    report.decide("time", table.place(label))
    places = [i for i in range(len(table.names)) if i != label]
    columns = [table.columns[i] for i in places]
    if not columns or len(columns) * len(columns[0]) > MAX_CELLS:
        raise FormatError(f"The table has no counts, or more than {MAX_CELLS}.", code="too_large", rule="counts")
    counts = np.empty((len(columns[0]), len(columns)))
    reasons = np.zeros(len(columns[0]), dtype=np.int64)
    wrong = np.zeros(len(columns[0]), dtype=np.intp)
    for j, column in enumerate(reported(columns)):
        counts[:, j], why = _numbers(column, options, report)
        wrong[(reasons == GOOD) & (why != GOOD)] = places[j]
        reasons = np.where(reasons == GOOD, why, reasons)
    if label is not None:
        reasons = np.where(dated(table.columns[label], options) | (reasons != GOOD), reasons, _BAD_TIME)
    keep = _drop(reasons, lambda row: _cell(table, int(wrong[row]), row), table, report)
    names, lines = [table.names[i] for i in places], table.rows(np.flatnonzero(keep))
    counts = counts[keep]
    _report_odd(counts, names, lines, report)
    if label is None:
        if options.time is None:
            report.guess("labels", "none", "No column names the timestamps; they are numbered.", "time")
        report.note("numbered_rows", "The timestamps are numbered in the order of the file.", level="info")
        return CountStream(counts, names, [str(i + 1) for i in range(len(counts))])
    times = timeline(table.columns[label].filter(pa.array(keep)), options, report)
    listed = ", ".join
    _keep_first(table, keep, times, times.number, lambda i: listed(map(_text, counts[i, :MOST])), "counts", report)
    if len(times.first) < len(counts):
        counts = _added(counts, times, lines, table, options, report)
    else:
        counts = counts[times.first]
    return CountStream(counts, names, times.labels, times.time_s, table.names[label] if table.headed else "time")


def _by_name(table: Table, options: ReadOptions) -> ReadOptions:
    """The options with the names of columns in place of their places, which change where columns are left out."""

    def name(stated: str | None) -> str | None:
        at = int(stated[1:]) - 1 if stated and re.fullmatch("#[1-9][0-9]{0,4}", stated) else -1
        return table.names[at] if 0 <= at < len(table.names) else stated

    return replace(options, time=name(options.time), count=name(options.count))


def _label(table: Table, options: ReadOptions) -> int | None:
    """The place of the column of the times of a wide table."""
    if options.time is not None:
        return None if options.time == "#0" else place_of("time", table.names, options.time)
    return time_place(table.names, table.sample, headed=table.headed)


def _cell(table: Table, place: int, row: int) -> tuple[str, str]:
    return table.names[place], as_texts(table.columns[place].slice(row, 1))[0]


def _added(counts: Floats, times: Timeline, lines: Any, table: Table, options: ReadOptions, report: Report) -> Floats:
    """The counts with the rows of the same time added, where the owner stated that every column holds counts."""
    order = np.argsort(times.number, kind="stable")
    again = order[1:][np.diff(times.number[order]) == 0]
    repeats = np.sort(again)
    where = int(repeats[0])
    earlier = int(np.flatnonzero(times.number == times.number[where])[0])
    if options.count == WIDE:
        message = "Rows of the same time were added."
        report.note("added_rows", message, count=len(repeats), rows=lines[repeats[:20]])
        return np.add.reduceat(counts[order], np.flatnonzero(np.diff(times.number[order], prepend=-1)), axis=0)
    later = " If summer time ends between them, specify their time zone." if _may_be_local(times, options) else ""
    message = (
        f"{quantity(len(repeats), 'row')} of the table {'repeats' if len(repeats) == 1 else 'repeat'} the time of an "
        f"earlier row, the first {times.labels[times.number[where]][:40]!r} in {report.unit}s {lines[earlier]} and "
        f"{lines[where]}. If each row holds one count, specify its column; the others then name the stream.{later}"
    )
    default = WIDE if len(times.first) * 2 > len(counts) else None
    raise choice_of_count(message, table.names, table.sample, default)


def _may_be_local(times: Timeline, options: ReadOptions) -> bool:
    return options.time_zone is None and times.time_s is not None and bool((times.time_s % DAY_S).any())


def _repeated(table: Table, options: ReadOptions) -> Long | None:
    """The places of a table of numbers whose times repeat, and of which every time has each name once."""
    places = certain_long(table.names, table.sample, repeated=True)
    if places is None or not len(table.columns[0]):
        return None
    times = timeline(table.columns[places.time], options, Report())
    names = [codes(table.columns[i]) for i in places.names]
    pairs = times.number
    for name in names:
        pairs = np.unique(pairs * (name.max() + 1) + name, return_inverse=True)[1]
    if len(times.first) == len(pairs) or len(np.unique(pairs)) < len(pairs):
        return None
    return places


def _long(table: Table, places: Long, options: ReadOptions, report: Report) -> CountStream:
    time, value = table.columns[places.time], table.columns[places.value]
    columns, titles = ([of[i] for i in places.names] for of in (table.columns, table.names))
    name = _named(columns, titles, options.separator, report)
    values, reasons = _numbers(value, options, report)
    reasons = np.where(dated(time, options) | (reasons != GOOD), reasons, _BAD_TIME)
    kept = _drop(reasons, lambda row: _cell(table, places.value, row), table, report)
    _report_odd(values[kept, None], [table.names[places.value]], table.rows(np.flatnonzero(kept)), report)
    keep = pa.array(kept)
    when, which = (
        pc.fill_null(column.cast(pa.string()), "").filter(keep).dictionary_encode() for column in (time, name)
    )
    row, column = (coded.indices.to_numpy(zero_copy_only=False).astype(np.int64) for coded in (when, which))
    times = timeline(when.dictionary, options, report)
    if same := len(times.number) - len(times.first):
        report.note(
            "same_instant", "Times that are one instant, written in several ways, were read as one.", count=same
        )
    row = times.number[row]
    values = values[kept]
    _keep_first(table, kept, times, row, lambda i: _text(values[i]), "count", report)
    shape = (len(times.first), len(which.dictionary))
    if shape[0] * shape[1] > MAX_CELLS:
        raise FormatError(f"The table would have more than {MAX_CELLS} cells.", code="too_large", rule="times x names")
    counts: Floats = np.bincount(row * shape[1] + column, values, shape[0] * shape[1]).astype(np.float64)
    _report_holes(row * shape[1] + column, shape[0] * shape[1], report)
    names, header = which.dictionary.to_pylist(), table.names[places.time]
    return CountStream(counts.reshape(shape), names, times.labels, times.time_s, header)


def _keep_first(
    table: Table, kept: Mask, times: Timeline, number: Ints, text: TextOf, role: str, report: Report
) -> None:
    """Record the first rows as read: the time, by its ``number`` of each kept row, and the text of its counts."""
    at, labels = np.cumsum(kept) - 1, times.labels
    of_time = instant(times.time_s) if times.time_s is not None else labels.__getitem__
    texts = {"time": lambda i: of_time(int(number[at[i]])), role: lambda i: text(int(at[i]))}
    report.first = first_rows(table.rows, texts, kept, report.most_first)


def _text(count: float) -> str:
    return f"{count:.15g}"


def _report_holes(cells: Ints, size: int, report: Report) -> None:
    filled = len(np.unique(cells))
    if filled < len(cells):
        message = "Counts of the same time and name were added."
        report.note("added", message, count=len(cells) - filled)
    if filled < size:
        message = "Times at which a name has no row were counted as 0."
        report.note("zeros", message, level="info", count=size - filled)


def _report_odd(counts: Floats, names: list[str], lines: Any, report: Report) -> None:
    """Note the counts that no mechanism of count streams takes: fractions, and those that are too large."""
    for code, single, several, is_odd in _ODD:
        total, first = 0, (len(counts), 0)
        for place in reported(range(counts.shape[1])):  # a column at a time: a table may fill much of the memory
            rows = np.flatnonzero(is_odd(counts[:, place]))
            total += len(rows)
            first = min(first, (int(rows[0]), place)) if len(rows) else first
        if total:
            row, place = first
            where = f"{report.unit} {lines[row]}, column {names[place][:40]!r}: {counts[row, place]:g}"
            what = f"{quantity(total, 'count')} {f'is {single}' if total == 1 else f'are {several}'}"
            report.note(code, f"{what}, the first in {where}. Mechanisms for count streams refuse such counts.")


def _is_fraction(column: Floats) -> Mask:
    return np.asarray((column != np.floor(column)) & (column <= LARGEST_COUNT))


_ODD: tuple[tuple[str, str, str, Callable[[Floats], Mask]], ...] = (
    ("fractions", "not a whole number", "not whole numbers", _is_fraction),
    ("large_counts", "above 2**52", "above 2**52", lambda column: np.asarray(column > LARGEST_COUNT)),
)
