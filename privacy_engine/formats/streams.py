"""Count streams: wide tables (timestamps down, streams across) and long ones (one count on each row)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from privacy_engine.counted import Counted
from privacy_engine.data import CountStream, Floats, Ints, Mask
from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats import timezones
from privacy_engine.formats.arrow import pa, pc
from privacy_engine.formats.columns import TIME, canonical, has_positions
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.numbers import GOOD, REASON_NAMES, number, numbers, typed
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.times import times
from privacy_engine.hierarchy import SEPARATORS

LABELS = (
    *TIME,
    "day",
    "week",
    "epiweek",
    "month",
    "year",
    "quarter",
    "hour",
    "period",
    "index",
    "step",
    "timestep",
    "",
)
VALUES = ("count", "counts", "value", "values", "n", "number", "total", "cases", "quantity", "amount", "frequency")
MANY = 8
LONGEST_PATH = 6
"""The most columns that name a stream together."""
MAX_CELLS = 50_000_000
NEGATIVE = "negative"
COUNTED = b"counted"
"""The key of the description in the metadata of a Parquet file, :class:`~privacy_engine.counted.Counted` as JSON."""


def looks_like(names: list[str], sample: list[list[str]]) -> bool:
    """Whether a table without positions is one of counts: a label first and numbers after it, or a long table."""
    plain = [canonical(name) for name in names]
    if has_positions(names) or not sample:
        return False
    if _long_places(plain, sample) is not None:
        return True
    labelled = plain[0] in LABELS or number(sample[0][0])[1] != GOOD
    numeric = [all(number(cell)[1] == GOOD for cell in row[labelled : len(names)]) for row in sample[:20]]
    return len(names) > labelled and sum(numeric) * 2 > len(numeric)


def is_certain(names: list[str], sample: list[list[str]], headed: bool) -> bool:
    """Whether a table can be nothing but counts: whole numbers beside timestamps, or in :data:`MANY` columns."""
    plain = [canonical(name) for name in names]
    if _long_places(plain, sample) is not None:
        return True
    labelled = headed and plain[0] != "" and plain[0] in LABELS
    cells = [cell for row in sample[:20] for cell in row[labelled : len(names)]]
    return (labelled or len(names) >= MANY) and all(_whole(cell) for cell in cells)


def _whole(cell: str) -> bool:
    value, why = number(cell)
    return why == GOOD and value >= 0 and value == int(value)


def stream_of(table: Table, options: ReadOptions, report: Report) -> CountStream:
    """The counts of a table.

    Raises
    ------
    FormatError
        No row is left, or no column holds numbers.
    """
    table = _without_label(table)
    places = _long_places([canonical(name) for name in table.names], table.sample)
    if places:
        return _long(table, places, options, report)
    return _with_counted(_wide(table, options, report), table.metadata.get(COUNTED, b""), report)


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


class _Long(NamedTuple):
    """Where a long table has its times, names and values."""

    time: int
    names: tuple[int, ...]
    value: int


def _long_places(plain: list[str], sample: list[list[str]]) -> _Long | None:
    """The places of a long table: one column is a time, one a value, and the others, of text if several, are names."""
    time = next((i for i, name in enumerate(plain) if name in LABELS and name), None)
    value = next((i for i, name in enumerate(plain) if name in VALUES), None)
    if time is None or value is None or len(plain) < 3:
        return None
    names = tuple(i for i in range(len(plain)) if i not in (time, value))
    texts = len(plain) <= LONGEST_PATH + 2 and all(
        number(row[i])[1] != GOOD for i in names for row in sample[:20] if i < len(row)
    )
    return _Long(time, names, value) if len(names) == 1 or texts else None


def _named(columns: list[Any], titles: list[str], report: Report) -> Any:
    """The names of the streams: one column, or the parts of a path, with a separator that no part has."""
    texts = [pc.fill_null(column.cast(pa.string()), "") for column in columns]
    if len(texts) == 1:
        return texts[0]
    free = (mark for mark in SEPARATORS if not any(pc.any(pc.match_substring(one, mark)).as_py() for one in texts))
    separator = next(free, None)
    if separator is None:
        rule = f"names without one of {' '.join(SEPARATORS)}"
        raise FormatError(f"The columns {', '.join(titles)} must have {rule}.", code="separator", rule=rule)
    report.note("paths", f"The streams are named by paths: {separator.join(titles)}.", level="info")
    return pc.binary_join_element_wise(*texts, separator)


def _numbers(column: Any) -> tuple[Floats, Any]:
    values, reasons = numbers(column) if pa.types.is_string(column.type) else typed(column)
    return values, np.where(values < 0, len(REASON_NAMES), reasons)


def _reason(code: int) -> str:
    return NEGATIVE if code == len(REASON_NAMES) else REASON_NAMES[code]


def _drop(reasons: Any, table: Table, report: Report) -> Mask:
    """Drop the rows that have a reason to be dropped; which are kept."""
    for code in np.unique(reasons[reasons != GOOD]).tolist():
        index = np.flatnonzero(reasons == code)
        report.drop(_reason(code), len(index), table.rows(index[:20]).tolist())
    keep = np.asarray(reasons == GOOD)
    report.rows_read += len(keep)
    if not keep.any():
        raise FormatError("No row of the table holds counts only.", code="no_points", rule="numbers of at least 0")
    return keep


def _wide(table: Table, options: ReadOptions, report: Report) -> CountStream:
    plain = [canonical(name) for name in table.names]
    first = table.sample[0][0] if table.sample and table.sample[0] else ""
    labelled = len(plain) > 1 and ((table.headed and plain[0] in LABELS) or number(first)[1] != GOOD)
    columns = table.columns[labelled:]
    if not columns or len(columns) * len(columns[0]) > MAX_CELLS:
        raise FormatError(f"The table has no counts, or more than {MAX_CELLS}.", code="too_large", rule="counts")
    counts = np.empty((len(columns[0]), len(columns)))
    reasons = np.zeros(len(columns[0]), dtype=np.int64)
    for j, column in enumerate(columns):
        counts[:, j], why = _numbers(column)
        reasons = np.where(reasons == GOOD, why, reasons)
    keep = _drop(reasons, table, report)
    names = table.names[labelled:]
    if not labelled:
        report.guess("labels", "none", "No column names the timestamps; they are numbered.", "time")
        return CountStream(counts[keep], names, [str(i + 1) for i in range(int(keep.sum()))])
    header = table.names[0] if table.headed else "time"
    return _in_order(counts[keep], names, header, table.columns[0].filter(pa.array(keep)), options, report)


def _long(table: Table, places: _Long, options: ReadOptions, report: Report) -> CountStream:
    time, value = table.columns[places.time], table.columns[places.value]
    name = _named([table.columns[i] for i in places.names], [table.names[i] for i in places.names], report)
    values, reasons = _numbers(value)
    keep = pa.array(_drop(reasons, table, report))
    when, which = (
        pc.fill_null(column.cast(pa.string()), "").filter(keep).dictionary_encode() for column in (time, name)
    )
    row, column = (coded.indices.to_numpy(zero_copy_only=False).astype(np.int64) for coded in (when, which))
    shape = (len(when.dictionary), len(which.dictionary))
    if shape[0] * shape[1] > MAX_CELLS:
        raise FormatError(f"The table would have more than {MAX_CELLS} cells.", code="too_large", rule="times x names")
    kept = values[keep.to_numpy(zero_copy_only=False)]
    counts: Floats = np.bincount(row * shape[1] + column, kept, shape[0] * shape[1]).astype(np.float64)
    _report_holes(row * shape[1] + column, shape[0] * shape[1], report)
    names, header = which.dictionary.to_pylist(), table.names[places.time]
    return _in_order(counts.reshape(shape), names, header, when.dictionary, options, report)


def _report_holes(cells: Ints, size: int, report: Report) -> None:
    filled = len(np.unique(cells))
    if filled < len(cells):
        message = "Counts of the same time and name were added."
        report.note("added", message, count=len(cells) - filled)
    if filled < size:
        message = "Times at which a name has no row were counted as 0."
        report.note("zeros", message, level="info", count=size - filled)


def _in_order(
    counts: Floats, names: list[str], header: str, labels: Any, options: ReadOptions, report: Report
) -> CountStream:
    """The stream sorted by time where its labels are instants, else as it stands."""
    texts = pc.fill_null(labels.cast(pa.string()), "").to_pylist()
    seconds = _seconds(labels, options, report)
    if seconds is None:
        report.note("labels", "The labels of the rows are no instants; their order is that of the file.", level="info")
        return CountStream(counts, names, texts, None, header)
    order = np.argsort(seconds, kind="stable")
    if late := int((np.diff(seconds) < 0).sum()):
        report.note("out_of_order", "The rows are out of order in time; they were sorted.", count=late)
    return CountStream(counts[order], names, [texts[i] for i in order.tolist()], seconds[order], header)


def _seconds(labels: Any, options: ReadOptions, report: Report) -> Floats | None:
    try:
        found = times(labels.cast(pa.string()) if pa.types.is_date(labels.type) else labels, options)
    except ChoiceNeeded as choice:
        if choice.parameter == "time_unit":  # weeks and numbers
            return None
        raise
    if not len(found.seconds) or not np.isfinite(found.seconds).all() or (np.abs(found.seconds) > 1e12).any():
        return None
    return timezones.settle(found, None, options, report, documented="The days of the table were read as days of UTC.")
