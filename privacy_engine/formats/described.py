"""What each column of a table was read as, in sentences, and its first rows raw and as read: for the owner of the file.

Written after the values were used; a column that looks like a time, a position or a person and is not used is named.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from privacy_engine.formats.column import CLOCK, DATE, INSTANT, Column, columns_of
from privacy_engine.formats.columns import PERSON
from privacy_engine.formats.first_rows import ROWS
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.option_choices import DATE_ORDERS, TIME_UNITS
from privacy_engine.formats.position_columns import is_coordinate
from privacy_engine.formats.report import Report
from privacy_engine.formats.table_kind import table_kinds
from privacy_engine.formats.time_columns import TIME, of_clock_option

MOST = 200
"""Columns, at most, that are described."""
_PARTS = {"hour": "hour", "minute": "minute", "second": "second", "month": "month", "day": "day", "hhmm": "time of day"}
_PARTS |= {"clock": "time of day", "zone": "zone"}
_SENTENCES = {
    "lon": "The longitude",
    "lat": "The latitude",
    "time": "The time",
    "id": "The name of the series.",
    "person": "The person.",
    "landmark": "Whether an event is a landmark.",
    "count": "The count.",
    "place": "The place.",
    "counts": "Counts of one stream.",
    "names": "A part of the names of the streams.",
    "geometry": "The position, as a geometry.",
    "lon_sign": "The side of the longitude, east or west.",
    "lat_sign": "The side of the latitude, north or south.",
}

_SYSTEMS = {
    "EPSG:4326": "in degrees",
    "E7": "in ten millionths of a degree",
    "SEMICIRCLES": "in semicircles",
    "DDMM": "in degrees and minutes",
}


def describe(report: Report) -> None:
    """Write ``report.columns``: for each column its name, role, whether it was used, and a sentence.

    ``resembles`` is what an unused column looks like: "coordinate", "time", "person" or "".
    """
    layout = report.layout
    if layout is None:
        return
    roles = _roles(layout, report)
    parts = [layout.names[place].strip()[:80] for place, role in sorted(roles.items()) if role in _PARTS]
    report.columns = [
        {
            "name": column.name.strip()[:80],
            "role": role,
            "used": bool(role),
            "resembles": alike,
            "sentence": _sentence(role, parts, report) or (f"Resembles a {alike}; not used." if alike else ""),
        }
        for column in columns_of(layout.names[:MOST], layout.sample)
        for role in [roles.get(column.place, "")]
        for alike in ["" if role else _resembles(column)]
    ]
    numbers = layout.rows or dict.fromkeys(row["row"] for row in report.first)
    raw = dict(zip(numbers, _raw(layout), strict=False))
    for row in report.first:  # a row may be two events
        row["raw"] = raw.get(row["row"], [])


def _roles(layout: Layout, report: Report) -> dict[int, str]:
    """The role of each column, if any."""
    if table_kinds[layout.kind].by_format:
        return {place: role for role, place in reversed(layout.roles.items())}
    roles = table_kinds[layout.kind].used_columns(layout, report.decided)
    clock = of_clock_option(str(report.decided.get("clock")), len(layout.names)) or {}
    return roles | {place: unit for unit, place in clock.items()}


def _sentence(role: str, parts: list[str], report: Report) -> str:
    if not role:
        return ""
    end = role.startswith("end_")
    role = role.removeprefix("end_")
    if role in _PARTS:
        return f"The {_PARTS[role]}{' of the end' if end else ''}, one time together with the column of the time."
    sentence = _SENTENCES.get(role, f"{role}.") + (" of the end" if end else "")
    if role in ("lon", "lat"):
        return f"{sentence}, {_degrees(report.decided)}."
    beside = f", one instant with {' and '.join(map(repr, parts))}" if parts and not end else ""
    return f"{sentence}{beside}{_times(report.decided)}." if role == "time" else sentence


def _degrees(decided: Mapping[str, Any]) -> str:
    system = decided.get("crs", "EPSG:4326")
    what = _SYSTEMS.get(system, f"in {system}")
    comma = ", with a decimal comma" if decided.get("decimal") == "," else ""
    return f"{what}{comma}{', which changed places with the other' if decided.get('swap') == 'yes' else ''}"


def _times(decided: Mapping[str, Any]) -> str:
    unit = dict(TIME_UNITS).get(str(decided.get("time_unit")), "")
    parts = [unit] if decided.get("time_unit") in ("s", "ms", "us", "ns", "days", "date") else []
    parts += [dict(DATE_ORDERS)[decided["date_order"]]] if decided.get("date_order") in ("mdy", "ymd") else []
    parts += [f"in {decided['time_zone']} where a cell names no zone"] if decided.get("time_zone") else []
    return ", " + ", ".join(parts) if parts else ""


def _resembles(column: Column) -> str:
    if is_coordinate(column.name):
        return "coordinate"
    if column.kind in (INSTANT, DATE, CLOCK) or (column.plain in TIME and column.cells):
        return "time"
    return "person" if column.plain in PERSON else ""


def _raw(layout: Layout) -> list[list[str]]:
    """The rows of the sample, or the first ones that have all the cells that are used."""
    needed = max(layout.roles.values(), default=0)
    rows = (list(row[:MOST]) for row in layout.sample if layout.rows or len(row) > needed)
    return [*rows] if layout.rows else [*islice(rows, ROWS)]
