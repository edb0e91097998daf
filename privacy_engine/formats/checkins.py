"""Check-ins: who was at which place (or position) and when; with a header, or in the order of a published data set.

Places may be joined with a list of venues in the same archive, which gives them names, and positions to the check-ins
that have none.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import ROWS, advance, reported
from privacy_engine.data import CheckIns
from privacy_engine.data.venues import Venues
from privacy_engine.errors import FormatError
from privacy_engine.formats import timezones
from privacy_engine.formats.arrow import listed, pa, pc
from privacy_engine.formats.checkin_columns import CHECKINS, USERS, Roles, layout_of, roles_of
from privacy_engine.formats.column import canonical, columns_of
from privacy_engine.formats.columns import decide_clock, named_place, others_of, people_of, require_one
from privacy_engine.formats.crs import eastward
from privacy_engine.formats.dialect import decimal_of
from privacy_engine.formats.first_rows import TextOf, degrees, first_rows, instant
from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.instants import instants
from privacy_engine.formats.numbers import GOOD, MISSING, REASON_NAMES, of_column
from privacy_engine.formats.numbers import position as coordinates
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.periods import first_days
from privacy_engine.formats.report import WHY, Report
from privacy_engine.formats.time_columns import PARTS, zone_of

_NO_TIME, _BAD_TIME, _OUT_OF_RANGE, _NO_POSITION, _UNKNOWN_VENUE = range(len(REASON_NAMES), len(REASON_NAMES) + 5)
_REASONS = (*REASON_NAMES, "no_time", "bad_time", "out_of_range", "no_position", "unknown_venue")
_DAY_MINUTES = 24 * 60.0
MOST_LISTED = 100_000
"""Venues of a list, at most, that is stored with the check-ins."""


def checkins_of(table: Table, options: ReadOptions, report: Report, venues: Venues | None = None) -> CheckIns:
    """The check-ins of a table, sorted by user and time, their places joined with ``venues``.

    Raises
    ------
    FormatError
        There is no column of users, of times, or of places or positions; or no row is left.
    ChoiceNeeded
        Two columns of times, longitudes or latitudes bear the same name, or the times can be read in several ways.
    """
    roles = roles_of(table.names, table.sample, table.headed, options, strict=True)
    for role, option in (("user", "id"), ("time", "time"), ("lon", "lon"), ("lat", "lat"), ("place", "place")):
        report.decide(option, named_place(roles.get(role)))
    decide_clock(roles, report)
    people = people_of(columns_of(table.names, table.sample), USERS) if table.headed and options.id is None else []
    if more := others_of(people):
        name = people[0].name.strip()
        report.guess("user column", name, f"Column {name[:40]!r} was read as the user.{more}", "id")
    for role in ("user", "time"):
        if role not in roles:
            raise _no_column(role, table)
    if "place" not in roles and not {"lon", "lat"} <= roles.keys():
        raise _no_column("place, or of longitude and latitude", table)
    _refuse_twice(table, roles, options)
    columns = {role: table.columns[place] for role, place in roles.items()}
    reasons, position = _reasons(table, columns, options, report, venues)
    advance()
    seconds, reasons = _instants(table, roles, columns, reasons, options, report, position)
    advance()
    texts = {role: degrees(values) for role, values in position.items()} | {"time": instant(seconds)}
    texts |= {"id" if role == "user" else role: _cell(columns[role]) for role in ("user", "place") if role in columns}
    report.first = first_rows(table.rows, texts, reasons == GOOD, report.most_first)
    kept = _kept(reasons, table, report)
    user, users = _coded(columns["user"], kept)
    advance()
    order = np.lexsort((seconds[kept], user))
    _report_order(seconds[kept], user, report)
    place, places = _coded(columns["place"], kept) if "place" in columns else (None, [])
    lon, lat = (position[axis][kept][order] if axis in position else None for axis in ("lon", "lat"))
    names = _names(columns.get("name"), kept, place, places, venues, report)
    place = None if place is None else place[order]
    listed = _listed(venues, place, report)
    return CheckIns(user[order], users, seconds[kept][order], place, places, lon, lat, names, listed)


def _cell(column: Any) -> TextOf:
    return lambda i: str(column[i].as_py() or "").strip()[:80]


def _listed(venues: Venues | None, place: Ints | None, report: Report) -> Venues | None:
    """The list of venues where check-ins name their places and it is short enough to be stored with them."""
    if venues is None or place is None or len(venues) <= MOST_LISTED:
        return None if place is None else venues
    message = f"The list of venues is not stored, as it has more than {MOST_LISTED:,}: releases cannot count venues."
    report.note("venues_not_listed", message, level="info", count=len(venues))
    return None


def _no_column(title: str, table: Table) -> FormatError:
    shown = ", ".join(name[:30] for name in table.names[:12])
    message = f"Check-ins need a column of the {title}; the columns are: {shown}."
    return FormatError(message, code="no_checkin_columns", rule=f"a column of the {title}")


def _refuse_twice(table: Table, roles: Roles, options: ReadOptions) -> None:
    """Request a choice where two columns have the name of the time, the longitude or the latitude."""
    columns = columns_of(table.names, table.sample)
    for role in {"time", "lon", "lat"} & roles.keys() if table.headed else ():
        if getattr(options, role) is None:
            require_one(role, columns[roles[role]], columns)


def _reasons(
    table: Table, columns: dict[str, Any], options: ReadOptions, report: Report, venues: Venues | None
) -> tuple[Any, dict[str, Floats]]:
    """Why each row cannot be used, and its position; both empty where the table has none and no venues are given."""
    reasons = np.zeros(len(columns["user"]), dtype=np.int64)
    position: dict[str, Floats] = {}
    if {"lon", "lat"} <= columns.keys():
        reasons, position = _own_positions(table, columns, options, report)
    if venues is not None and "place" in columns:
        reasons, position = _joined(reasons, position, columns["place"], venues, report)
    for role in {"user", "place"} & columns.keys():
        advance()
        empty = pc.equal(pc.fill_null(pc.utf8_trim_whitespace(columns[role].cast(pa.string())), ""), "")
        unusable = reasons == GOOD if role == "user" else (reasons == GOOD) | (reasons == _UNKNOWN_VENUE)
        reasons = np.where(empty.to_numpy(zero_copy_only=False) & unusable, MISSING, reasons)
    return reasons, position


def _own_positions(
    table: Table, columns: dict[str, Any], options: ReadOptions, report: Report
) -> tuple[Any, dict[str, Floats]]:
    position: dict[str, Floats] = {}
    cells = (cell or "" for axis in ("lon", "lat") for cell in columns[axis].slice(0, 60).cast(pa.string()).to_pylist())
    decimal = decimal_of(cells, options, report)
    report.decide("lon_range", options.lon_range or "360")
    position["lon"], position["lat"], reasons = coordinates(columns, "", decimal, e7=False)
    position["lon"] = eastward(position["lon"], reasons == GOOD, options, report)
    off = (np.abs(position["lon"]) > 180) | (np.abs(position["lat"]) > 90)
    reasons = np.where((reasons == GOOD) & off, _OUT_OF_RANGE, reasons)
    if _zeros(table, options, report) == "none":
        zero = (position["lon"] == 0) & (position["lat"] == 0)
        reasons = np.where((reasons == GOOD) & zero, _NO_POSITION, reasons)
    return reasons, position


def _zeros(table: Table, options: ReadOptions, report: Report) -> str:
    """What the position 0, 0 stands for: as the owner stated it, or as in the published data set of these columns."""
    layout = None if table.headed or options.applied else layout_of(table.sample, CHECKINS)
    meaning = "none" if layout is not None and layout.zeros else "position"
    if options.zeros is None and meaning == "none":
        message = "Rows at 0, 0 have no position, as in the published data set with these columns."
        report.guess("position 0, 0", "none", message, "zeros")
    report.decide("zeros", options.zeros or meaning)
    return options.zeros or meaning


def _joined(
    reasons: Any, position: dict[str, Floats], place: Any, venues: Venues, report: Report
) -> tuple[Any, dict[str, Floats]]:
    """The positions of the venues where rows have none of their own."""
    coded = pc.utf8_trim_whitespace(pc.fill_null(place.cast(pa.string()), "")).dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False)
    lon, lat = (axis[codes] for axis in venues.positions(coded.dictionary.to_pylist()))
    without = np.isin(reasons, (MISSING, _NO_POSITION)) if position else np.ones(len(codes), dtype=np.bool_)
    known = without & np.isfinite(lon)
    joined = position or {"lon": lon, "lat": lat}
    joined = {"lon": np.where(known, lon, joined["lon"]), "lat": np.where(known, lat, joined["lat"])}
    if known.any():
        message = "Positions were taken from the list of venues."
        report.note("venue_positions", message, level="info", count=int(known.sum()))
    return np.where(known, GOOD, np.where(without, _UNKNOWN_VENUE, reasons)), joined


def _names(
    own: Any, kept: Ints, place: Ints | None, places: Sequence[str], venues: Venues | None, report: Report
) -> list[str]:
    """The name of each place: that of the venue, else the first in the table; empty where no place is named."""
    if place is None:
        return []
    texts = venues.names_of(places) if venues is not None else [""] * len(places)
    if own is not None:
        names = listed(pc.fill_null(pc.utf8_trim_whitespace(own.cast(pa.string())), "").take(pa.array(kept)))
        for code, name in zip(place.tolist(), reported(names, ROWS), strict=True):
            texts[code] = texts[code] or name
    named = sum(map(bool, texts))
    if not named:
        return []
    message = "Places have names; places of one name are different places where their identifiers are."
    report.note("place_names", message, level="info", count=named)
    return texts


def _instants(
    table: Table,
    roles: Roles,
    columns: dict[str, Any],
    reasons: Any,
    options: ReadOptions,
    report: Report,
    position: dict[str, Floats],
) -> tuple[Floats, Any]:
    """Seconds since 1970 UTC of each row, and the reasons with those of rows without a time."""
    more = "; check-ins of one day keep the order of the rows"
    if columns.keys().isdisjoint(PARTS):
        columns = {**columns, "time": first_days(columns["time"], report, more)}
    times = instants(columns, options, report)
    assert times is not None
    local = table.headed and canonical(table.names[roles["time"]]).startswith("local")
    if "offset" in columns and local and options.time_zone is None:
        times.seconds, times.naive = _by_offset(times.seconds, times.naive, columns["offset"]), times.naive & False
        report.note("offset_used", "Local times were read with the offset from UTC in their rows.", level="info")
    elif "offset" in columns:
        message = "The column of offsets from UTC was not used: times are stored in UTC."
        report.note("offset_ignored", message, level="info")
    stated = zone_of({role: table.names[place] for role, place in roles.items()}) if table.headed else ""
    seconds = timezones.settle(times, None, options, report, stated=stated, lon=position.get("lon"))
    bad = ~(np.abs(seconds) <= 1e12)
    reasons = np.where((reasons == GOOD) & bad & times.missing, _NO_TIME, reasons)
    return seconds, np.where((reasons == GOOD) & bad, _BAD_TIME, reasons)


def _by_offset(seconds: Floats, naive: Any, offset: Any) -> Floats:
    """Clock readings less the minutes that their rows give; nan where a row gives none of a day at most."""
    minutes, _ = of_column(offset)
    minutes = np.where(np.abs(minutes) <= _DAY_MINUTES, minutes, np.nan)
    return np.where(naive, seconds - minutes * 60, seconds)


def _kept(reasons: Any, table: Table, report: Report) -> Ints:
    kept = np.flatnonzero(table.drop(reasons, _REASONS, report))
    if not len(kept):
        reason = max(report.dropped, key=lambda reason: report.dropped[reason], default="")
        raise FormatError(f"No check-in can be used. {WHY.get(reason, '')}".strip(), code="no_points", rule=reason)
    return kept


def _coded(column: Any, kept: Ints) -> tuple[Ints, list[str]]:
    advance()
    coded = pc.utf8_trim_whitespace(column.cast(pa.string())).take(pa.array(kept)).dictionary_encode()
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), listed(coded.dictionary)


def _report_order(seconds: Floats, user: Ints, report: Report) -> None:
    back = int(((np.diff(seconds) < 0) & (np.diff(user) == 0)).sum())
    if back:
        report.note("out_of_order", "Check-ins are out of order in time; each user's were sorted.", count=back)
