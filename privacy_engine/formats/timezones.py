"""Times without a zone: required, guessed and reported, or read in the zone the owner named."""

import datetime as dt

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.plurals import quantity
from privacy_engine.errors import ChoiceNeeded
from privacy_engine.formats.option_choices import DATE_ORDERS, TIME_UNITS, ZONES
from privacy_engine.formats.options import ReadOptions, zone
from privacy_engine.formats.report import Report
from privacy_engine.formats.times import Times

_QUARTER = 900  # zones change on quarters of an hour
_EPOCH = dt.datetime(1970, 1, 1)


def settle(
    times: Times,
    codes: Ints | None,
    options: ReadOptions,
    report: Report,
    *,
    documented: str = "",
    hint: str = "",
    stated: str = "",
    lon: Floats | None = None,
) -> Floats:
    """Seconds since 1970 UTC of all times.

    ``documented`` is the sentence of a format whose own documentation states its times are UTC; ``hint`` is
    added to the message of a guess. ``stated`` is the zone that the names of columns state, ``local`` for that of the
    place, whose longitudes are ``lon``. Units and orders that were detected are reported here too. Raises
    ChoiceNeeded where only some times name a zone, or they are local to a place.
    """
    _report_decided(times, options, report)
    report.decide("time_zone", options.time_zone or "UTC")  # also of records that are not there yet
    naive = times.naive
    count = int(naive.sum())
    if not count:
        return times.seconds
    name = options.time_zone or (stated if stated != "local" else None)
    if name:
        if options.time_zone is None:
            report.decide("time_zone", name)
            message = f"The name of the column of times states its zone, {name}."
            report.guess("time zone", name, message, "time_zone")
        seconds = times.seconds.copy()
        seconds[naive] = local(seconds[naive], None if codes is None else codes[naive], name, report)
        return seconds
    if stated == "local":
        raise ChoiceNeeded(
            "The times are local by the name of their column. Specify their zone.",
            parameter="time_zone",
            choices=ZONES,
            default=_nearest(lon),
        )
    timed = int(np.isfinite(times.seconds).sum())
    if count < timed:
        raise ChoiceNeeded(
            f"{count} of {timed} times name no time zone while the others do. Specify the zone of those.",
            parameter="time_zone",
            choices=ZONES,
            default="UTC",
        )
    if documented:
        report.note("time_zone", documented, level="info")
    else:
        message = " ".join(filter(None, ("The times name no zone and were read as UTC.", hint)))
        report.guess("time zone", "UTC", message, "time_zone")
    return times.seconds


def _nearest(lon: Floats | None) -> str:
    """The zone of the choices whose standard time is nearest to that of the sun at the middle of longitudes."""
    known = np.empty(0) if lon is None else lon[np.isfinite(lon)]
    hours = (float(np.median(known)) if len(known) else 0.0) / 15
    halves = 50 * 35_064 + np.array([0, 182 * 96])  # quarters of an hour: a winter and a summer of 2020
    standard = {name: float(_offsets(halves, zone(name))[0].min()) / 3600 for name, _ in ZONES}
    return min(standard, key=lambda name: abs(standard[name] - hours))


def _report_decided(times: Times, options: ReadOptions, report: Report) -> None:
    """Record the unit and the order as decided, as guesses where they were detected, as warnings where in doubt."""
    titles = dict(TIME_UNITS)
    report.decide("time_unit", times.unit or options.time_unit or "size")
    report.decide("date_order", times.order or options.date_order or "dmy")
    if len(times.units) > 1:
        parts = [f"{count:,} in {titles[unit]}" for unit, count in times.units.items()]
        message = f"The times mix units: {' and '.join(parts)}. Each was read in the unit that its size implies."
        report.note("mixed_units", message, count=sum(times.units.values()) - max(times.units.values()))
        report.guess("unit of times", "mixed", message, "time_unit")
    elif times.units:
        unit = next(iter(times.units))
        report.guess("unit of times", unit, f"The times are numbers: {titles[unit]}.", "time_unit")
    if times.unplaced:
        message = (
            f"{quantity(times.unplaced, 'number')} in place of times that no usual unit since 1970 explains, left out. "
            "State the unit with the option time_unit."
        )
        report.note("unknown_unit", message, count=times.unplaced)
    if times.order and options.date_order is None:
        message = f"Dates were read in this order: {dict(DATE_ORDERS)[times.order]}."
        report.guess("order of dates", times.order, message, "date_order")


def local(seconds: Floats, codes: Ints | None, name: str, report: Report) -> Floats:
    """Clock readings in the zone ``name`` as UTC.

    An hour that comes twice in autumn is read in file order: summer time until the clock goes back. An hour
    that does not exist in spring is shifted forward by the length of the gap.
    """
    quarters, inverse = np.unique(np.floor(seconds / _QUARTER).astype(np.int64), return_inverse=True)
    early, late = _offsets(quarters, zone(name))
    before, after = early[inverse], late[inverse]
    twice, never = before > after, before < after
    second = _second_pass(seconds, twice, codes) if twice.any() else twice
    if twice.any():
        message = "Times in the hour that came twice were read in file order: summer time first."
        report.note("dst_fold", message, count=int(twice.sum()))
    if never.any():
        message = "Times in the hour that was skipped in spring were moved forward by its length."
        report.note("dst_gap", message, count=int(never.sum()))
    return np.asarray(seconds - np.where(second, after, before))


def _offsets(quarters: NDArray[np.int64], tz: dt.tzinfo) -> tuple[Floats, Floats]:
    """The offsets from UTC at clock readings, for the first and the second time they come."""
    pairs = np.zeros((len(quarters), 2))
    for i, quarter in enumerate(quarters.tolist()):
        try:
            clock = (_EPOCH + dt.timedelta(seconds=quarter * _QUARTER)).replace(tzinfo=tz)
            for fold in (0, 1):
                offset = clock.replace(fold=fold).utcoffset()
                pairs[i, fold] = offset.total_seconds() if offset else 0.0
        except OverflowError:
            continue  # before year 1 or after year 9999 no zone is known
    return pairs[:, 0], pairs[:, 1]


def _second_pass(seconds: Floats, twice: Mask, codes: Ints | None) -> Mask:
    """Which of the ambiguous readings come after the clock went back, by series and in file order."""
    second = np.zeros(len(seconds), dtype=np.bool_)
    rows = np.flatnonzero(twice)
    if codes is not None:
        rows = rows[np.argsort(codes[rows], kind="stable")]
    days = np.floor(seconds[rows] / 86400)
    cut = np.diff(days) != 0
    if codes is not None:
        cut |= np.diff(codes[rows]) != 0
    for run in np.split(rows, np.flatnonzero(cut) + 1):
        steps = np.diff(seconds[run])
        back = np.flatnonzero(steps < 0)
        if back.size:
            second[run[back[0] + 1 :]] = True
        elif len(run) > 1 and not steps.any():  # sampled once an hour: the same reading twice
            second[run[1:]] = True
    return second
