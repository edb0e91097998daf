"""The timestamps of a table of counts: sorted, each once, with notes on what is missing."""

from typing import Any, NamedTuple

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.errors import ChoiceNeeded
from privacy_engine.formats import timezones
from privacy_engine.formats.arrow import listed, pa, pc
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.periods import first_days
from privacy_engine.formats.report import Report
from privacy_engine.formats.times import times

DAY_S = 86400
NONE = "none"
"""The value of the option time_unit for labels that are no instants."""
_UNITS = ((DAY_S, "d"), (3600, "h"), (60, "min"), (1, "s"))


def codes(column: Any) -> Ints:
    """A number for each text of a column, by its first place."""
    coded = pc.fill_null(column.cast(pa.string()), "").dictionary_encode()
    return np.asarray(coded.indices.to_numpy(zero_copy_only=False).astype(np.int64))


class Timeline(NamedTuple):
    """The timestamps of labels, in order: ``first`` are the places of their first labels, ``number`` is by label."""

    labels: list[str]
    time_s: Floats | None
    first: Ints
    number: Ints


def timeline(labels: Any, options: ReadOptions, report: Report) -> Timeline:
    """The timestamps sorted by time where the labels are instants, else in the order of the file."""
    texts = listed(pc.fill_null(labels.cast(pa.string()), ""))
    seconds = _seconds(labels, options, report)
    if seconds is None:
        for option, value in (("date_order", "dmy"), ("time_zone", "UTC")):
            report.decide(option, getattr(options, option) or value)
        report.decide("time_unit", NONE)
        report.note("labels", "The labels of the rows are no instants; their order is that of the file.", level="info")
        number = codes(labels)
        first = np.unique(number, return_index=True)[1]
        return Timeline([texts[i] for i in first.tolist()], None, first, number)
    if late := int((np.diff(seconds) < 0).sum()):
        report.note("out_of_order", "The rows are out of order in time; they were sorted.", count=late)
    time_s, first, number = np.unique(seconds, return_index=True, return_inverse=True)
    _report_missing(time_s, report)
    return Timeline([texts[i] for i in first.tolist()], time_s, first, number)


def _report_missing(time_s: Floats, report: Report) -> None:
    """Note the times without a row between others at a regular step."""
    steps = np.diff(time_s)
    if len(steps) < 2:
        return
    step = steps.min()
    missing = steps / step - 1
    if missing.any() and (missing == np.round(missing)).all():
        first = time_s[:-1][missing > 0][0] + step
        message = (
            f"Times at a step of {_length(step)} have no row, the first at {_instant(first)}. They are left out, not "
            "counted as 0: that nothing is stated for these times is published."
        )
        report.note("missing_times", message, count=int(missing.sum()))


def _length(seconds: float) -> str:
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds % size == 0), _UNITS[-1])
    return f"{seconds / size:g} {unit}"


def _instant(time_s: float) -> str:
    text = str(np.datetime64(int(time_s), "s"))
    return text.removesuffix("T00:00:00") if time_s % DAY_S == 0 else f"{text}Z"


def dated(labels: Any, options: ReadOptions) -> Any:
    """Which labels are instants, where it was decided before that they are; else all."""
    if not options.applied or options.time_unit == NONE:
        return np.ones(len(labels), dtype=np.bool_)
    instants = times(_days(labels, Report()), options)
    return np.isfinite(instants.seconds) & (np.abs(instants.seconds) <= 1e12)


def _days(labels: Any, report: Report) -> Any:
    """Labels with the first days of weeks, months, quarters and years."""
    return first_days(labels.cast(pa.string()) if pa.types.is_date(labels.type) else labels, report)


def _seconds(labels: Any, options: ReadOptions, report: Report) -> Floats | None:
    if options.time_unit == NONE:
        return None
    own = Report()
    try:
        instants = times(_days(labels, own), options)
    except ChoiceNeeded as choice:
        if choice.parameter == "time_unit":  # weeks and numbers
            return None
        raise
    if not len(instants.seconds) or not np.isfinite(instants.seconds).all() or (np.abs(instants.seconds) > 1e12).any():
        return None
    report.notes += own.notes
    days = not (instants.seconds % DAY_S).any()
    documented = "The days of the table were read as days of UTC." if days else ""
    return timezones.settle(instants, None, options, report, documented=documented)
