"""Check-ins: who was at which place (or position) and when; with a header, or in the order of the SNAP data sets."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from privacy_engine.data import CheckIns, Floats, Ints
from privacy_engine.errors import FormatError
from privacy_engine.formats import timezones
from privacy_engine.formats.arrow import pa, pc
from privacy_engine.formats.columns import LAT, LON, TIME, canonical
from privacy_engine.formats.crs import eastward
from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.numbers import GOOD, MISSING, REASON_NAMES, numbers, typed
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import WHY, Report
from privacy_engine.formats.times import times

USERS = ("user_id", "userid", "user", "user_no", "uid", "person_id", "member_id", "visitor_id", "customer_id")
PLACES: tuple[str, ...] = ("venue_id", "venueid", "venue", "place_id", "placeid", "place", "location_id", "locationid")
PLACES += ("poi_id", "poi", "business_id", "spot_id", "item_id", "location", "place_name", "venue_name")
_TIMES = ("checkin_time", "check_in_time", "check_in", "checkin", *TIME)
_SNAP = {"user": 0, "time": 1, "lat": 2, "lon": 3, "place": 4}
_SNAP_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}Z?")
_ROLES = ("user", "time", "place", "lon", "lat")
_NO_TIME, _BAD_TIME, _OUT_OF_RANGE = range(len(REASON_NAMES), len(REASON_NAMES) + 3)
_REASONS = {_NO_TIME: "no_time", _BAD_TIME: "bad_time", _OUT_OF_RANGE: "out_of_range"}


def looks_like(names: list[str], sample: list[list[str]], headed: bool) -> bool:
    """Whether a table names users, times and places."""
    return {"user", "time", "place"} <= _places(names, sample, headed, ReadOptions()).keys()


def _places(names: list[str], sample: list[list[str]], headed: bool, options: ReadOptions) -> dict[str, int]:
    """The place of each role's column."""
    if not headed and _in_snap_order(sample):
        return dict(_SNAP)
    plain = [canonical(name) for name in names] if headed else [f"#{i + 1}" for i in range(len(names))]
    known = {"user": USERS, "time": _TIMES, "place": PLACES, "lon": LON, "lat": LAT}
    named = {"user": options.id, "time": options.time, "lon": options.lon, "lat": options.lat, "place": None}
    places: dict[str, int] = {}
    for role in _ROLES:
        column = named[role]
        if column and re.fullmatch(r"#[1-9][0-9]{0,3}", column) and int(column[1:]) <= len(names):
            places[role] = int(column[1:]) - 1
        else:
            free = [name if i not in places.values() else "" for i, name in enumerate(plain)]
            wanted = (canonical(column),) if column else known[role]
            found = next((free.index(name) for name in wanted if name and name in free), None)
            if found is not None:
                places[role] = found
    return places


def _in_snap_order(sample: list[list[str]]) -> bool:
    """user, time, latitude, longitude, place, as Gowalla and Brightkite are published."""
    rows = sample[:10]
    return bool(rows) and all(
        len(row) == 5 and re.fullmatch(r"[0-9]+", row[0]) and _SNAP_TIME.fullmatch(row[1]) and "." in row[2] + row[3]
        for row in rows
    )


def checkins_of(table: Table, options: ReadOptions, report: Report) -> CheckIns:
    """The check-ins of a table, sorted by user and time.

    Raises
    ------
    FormatError
        There is no column of users, of times, or of places or positions; or no row is left.
    """
    places = _places(table.names, table.sample, table.headed, options)
    for role, title in (("user", "user"), ("time", "time")):
        if role not in places:
            raise _no_column(title, table)
    if "place" not in places and not {"lon", "lat"} <= places.keys():
        raise _no_column("place, nor of longitude and latitude,", table)
    columns = {role: table.columns[place] for role, place in places.items()}
    reasons, numbers_of = _reasons(columns, options, report)
    seconds, reasons = _instants(columns["time"], reasons, options, report)
    kept = _kept(reasons, table, report)
    user, users = _coded(columns["user"], kept)
    order = np.lexsort((seconds[kept], user))
    _report_order(seconds[kept], user, report)
    place, names = _coded(columns["place"], kept) if "place" in columns else (None, [])
    lon, lat = (numbers_of[axis][kept][order] if axis in numbers_of else None for axis in ("lon", "lat"))
    return CheckIns(user[order], users, seconds[kept][order], None if place is None else place[order], names, lon, lat)


def _no_column(title: str, table: Table) -> FormatError:
    shown = ", ".join(name[:30] for name in table.names[:12])
    message = f"Check-ins need a column of the {title}; the columns are: {shown}."
    return FormatError(message, code="no_checkin_columns", rule=f"a {title} column")


def _reasons(columns: dict[str, Any], options: ReadOptions, report: Report) -> tuple[Any, dict[str, Floats]]:
    n = len(columns["user"])
    reasons = np.zeros(n, dtype=np.int64)
    values: dict[str, Floats] = {}
    for axis in ("lon", "lat"):
        if not {"lon", "lat"} <= columns.keys():
            break
        column = columns[axis]
        values[axis], why = numbers(column, axis) if pa.types.is_string(column.type) else typed(column)
        reasons = np.where(reasons == GOOD, why, reasons)
    if values:
        values["lon"] = eastward(values["lon"], reasons == GOOD, options, report)
        off = (np.abs(values["lon"]) > 180) | (np.abs(values["lat"]) > 90)
        reasons = np.where((reasons == GOOD) & off, _OUT_OF_RANGE, reasons)
    for role in {"user", "place"} & columns.keys():
        empty = pc.equal(pc.fill_null(pc.utf8_trim_whitespace(columns[role].cast(pa.string())), ""), "")
        reasons = np.where(empty.to_numpy(zero_copy_only=False) & (reasons == GOOD), MISSING, reasons)
    return reasons, values


def _instants(column: Any, reasons: Any, options: ReadOptions, report: Report) -> tuple[Floats, Any]:
    found = times(column, options)
    seconds = timezones.settle(found, None, options, report)
    bad = ~(np.abs(seconds) <= 1e12)
    reasons = np.where((reasons == GOOD) & bad & found.missing, _NO_TIME, reasons)
    return seconds, np.where((reasons == GOOD) & bad, _BAD_TIME, reasons)


def _kept(reasons: Any, table: Table, report: Report) -> Ints:
    report.rows_read += len(reasons)
    for code in np.unique(reasons[reasons != GOOD]).tolist():
        index = np.flatnonzero(reasons == code)
        reason = _REASONS.get(code) or REASON_NAMES[code]
        report.drop(reason, len(index), table.rows(index[:20]).tolist())
    kept = np.flatnonzero(reasons == GOOD)
    if not len(kept):
        reason = max(report.dropped, key=lambda one: report.dropped[one], default="")
        raise FormatError(f"No check-in can be used. {WHY.get(reason, '')}".strip(), code="no_points", rule=reason)
    return kept


def _coded(column: Any, kept: Ints) -> tuple[Ints, list[str]]:
    coded = pc.utf8_trim_whitespace(column.cast(pa.string())).take(pa.array(kept)).dictionary_encode()
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), coded.dictionary.to_pylist()


def _report_order(seconds: Floats, user: Ints, report: Report) -> None:
    back = int(((np.diff(seconds) < 0) & (np.diff(user) == 0)).sum())
    if back:
        report.note("out_of_order", "Check-ins are out of order in time; each user's were sorted.", count=back)
