"""The instants of a table's rows: from a column, or from a date and its parts in several, with zones in the cells."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.errors import ChoiceNeeded
from privacy_engine.formats import timezones, vocabulary
from privacy_engine.formats.arrow import listed, pa, pc
from privacy_engine.formats.column import FIXED_ZONES, MIDNIGHT, WITH_ZONE
from privacy_engine.formats.option_choices import ZONES
from privacy_engine.formats.options import ReadOptions, is_zone
from privacy_engine.formats.report import Report
from privacy_engine.formats.time_columns import PARTS
from privacy_engine.formats.times import Times, times

TIME_ROLES = ("time", *PARTS)
"""The roles of the columns that make an instant together."""
END_ROLES = (*(f"end_{unit}" for unit in TIME_ROLES), "end_lon", "end_lat")
"""The roles of the columns with the end of a stay or trip."""


def instants(columns: Mapping[str, Any], options: ReadOptions, report: Report) -> Times | None:
    """The times of Arrow columns by role; None where there is no column of times, or the options leave it out.

    Raises
    ------
    ChoiceNeeded
        As :func:`privacy_engine.formats.times.times` does, and where an abbreviation in the cells names no zone for
        certain.
    """
    if "time" not in columns or options.time == "#0":
        return None
    column = columns["time"]
    if not columns.keys().isdisjoint(PARTS):
        column = _joined(columns)
    if pa.types.is_string(column.type) and (zoned := _zoned(column, options, report)) is not None:
        return zoned
    return times(column, options)


def ends(columns: Mapping[str, Any], options: ReadOptions, report: Report) -> tuple[Times | None, Times | None]:
    """The times of starts and of ends, decided together; columns of ends have roles that begin with ``end_``."""
    if "end_time" not in columns:
        return instants(columns, options, report), None
    both = {
        unit: _one_after_another(columns[unit], columns[f"end_{unit}"])
        for unit in TIME_ROLES
        if f"end_{unit}" in columns
    }
    joined, n = instants(both, options, report), len(columns["time"])
    return (None, None) if joined is None else (joined.part(slice(0, n)), joined.part(slice(n, 2 * n)))


def _one_after_another(first: Any, second: Any) -> Any:
    if first.type != second.type:
        first, second = first.cast(pa.string()), second.cast(pa.string())
    arrays = [
        piece for half in (first, second) for piece in (half.chunks if isinstance(half, pa.ChunkedArray) else [half])
    ]
    return pa.concat_arrays(arrays)


def _joined(columns: Mapping[str, Any]) -> Any:
    """The date and its parts as a single column."""
    date, clock = columns["time"], columns.get("clock")
    if pa.types.is_date32(date.type) and clock is not None and pa.types.is_time32(clock.type):
        days, seconds = (part.cast(pa.int32()).cast(pa.int64()) for part in (date, clock))
        return pc.add(pc.multiply(days, 86400), seconds).cast(pa.timestamp("s"))
    text = {unit: _text(columns[unit]) for unit in TIME_ROLES if unit in columns}
    if "month" in text:
        joined = pc.binary_join_element_wise(text["time"], text["month"], text["day"], "-")
    else:
        joined = pc.replace_substring_regex(text["time"], MIDNIGHT, "")
    if "hhmm" in text:
        text["clock"] = _of_digits(text["hhmm"])
    elif "hour" in text:
        parts = [text[unit] for unit in ("minute", "second") if unit in text] or ["00"]
        text["clock"] = pc.binary_join_element_wise(text["hour"], *parts, ":")
    if "clock" in text:
        text["clock"] = pc.replace_substring_regex(text["clock"], "^([0-9]{1,2})$", r"\1:00")
        joined = pc.binary_join_element_wise(joined, text["clock"], " ")
    if "zone" in text:
        zone = pc.replace_substring_regex(text["zone"], r"^(?:UTC|GMT)?([+-])([0-9])$", r"\1" "0" r"\2")
        zone = pc.replace_substring_regex(zone, r"^(?:UTC|GMT)([+-])", r"\1")
        joined = pc.binary_join_element_wise(joined, zone, "")
    return joined


def _text(column: Any) -> Any:
    """A column as text; of whole numbers without decimals."""
    text = pc.ascii_trim_whitespace(column.cast(pa.string()))
    return pc.replace_substring_regex(text, r"^([0-9]+)\.0+$", r"\1")


def _of_digits(text: Any) -> Any:
    """930 and 093000 as 09:30 and 09:30:00."""
    long = pc.greater(pc.utf8_length(text), 4)
    padded = pc.if_else(long, pc.utf8_lpad(text, 6, "0"), pc.utf8_lpad(text, 4, "0"))
    parts = [pc.utf8_slice_codeunits(padded, at, at + 2) for at in (0, 2, 4)]
    short = pc.binary_join_element_wise(*parts[:2], ":")
    return pc.if_else(long, pc.binary_join_element_wise(*parts, ":"), short)


def _zoned(column: Any, options: ReadOptions, report: Report) -> Times | None:
    """The times of a column whose cells end with the name of a zone; None where its first cells do not."""
    first = column.drop_null()[:20].to_pylist()
    if not any(WITH_ZONE.fullmatch(cell.strip()) for cell in first):
        return None
    cells = listed(pc.fill_null(column, ""))
    matches = [WITH_ZONE.fullmatch(cell.strip()) for cell in reported(cells, ROWS)]
    zones = np.array([match["z"] if match else "" for match in matches])
    bare = [match["t"] if match else cell for match, cell in zip(matches, cells, strict=True)]
    parsed = times(pa.array(bare, pa.string()), options)
    for zone in sorted({*zones.tolist()} - {""}):
        of_zone = (zones == zone) & parsed.naive
        if (name := _name_of(zone, options)) is not None:
            parsed.seconds[of_zone] = timezones.local(parsed.seconds[of_zone], None, name, report)
            parsed.naive[of_zone] = False
    return parsed


def _name_of(zone: str, options: ReadOptions) -> str | None:
    """The zone of a name in a cell; None where the options state what the times are in."""
    if "/" in zone and is_zone(zone):
        return zone
    if zone in FIXED_ZONES:
        return FIXED_ZONES[zone]
    if options.time_zone is not None:
        return None
    raise ChoiceNeeded(
        f"The times end with {zone}, which names no zone for certain. Specify the zone.",
        parameter="time_zone",
        choices=ZONES,
        default=vocabulary.ZONES.get(zone, "UTC"),
    )
