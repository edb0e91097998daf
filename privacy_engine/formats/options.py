"""Reading options, which the owner of a file may set. Forms and schemas derive from :data:`OPTIONS`."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from privacy_engine.errors import ParameterError, shown
from privacy_engine.formats.option_choices import (
    AUTOMATIC,
    DATE_ORDERS,
    DECIMALS,
    DELIMITERS,
    ENCODINGS,
    ENDS,
    FOURTH,
    LON_RANGES,
    NAMED_COLUMN,
    PARTS,
    PEOPLE,
    SERIES_NAMES,
    SWAP,
    SYSTEMS,
    THOUSANDS,
    TIME_UNITS,
    WITHHELD,
    ZEROS,
    ZONES,
    Choices,
)


@dataclass(frozen=True)
class Option:
    """One reading option: ``kind`` is choice, open-choice (other values are allowed), text, column or integer.

    A column that is ``needed`` cannot be set to #0, which reads the file without.
    """

    name: str
    kind: str
    label: str
    help: str
    choices: Choices = ()
    needed: bool = False


def _option(kind: str, label: str, help: str, choices: Choices = (), *, needed: bool = False) -> Any:
    about = {"kind": kind, "label": label, "help": help, "choices": choices, "needed": needed}
    return field(default=None, metadata=about)


_COLUMN = "A column's name, or #1, #2 … for its place."
_PERSON = (
    "What identifies a person, whose series share one budget. column:NAME is a column of a table, a property or an "
    "element (column:#1 its place); without a better answer everything is one person."
)


@dataclass(frozen=True)
class ReadOptions:
    """The reading options; None leaves a thing to be decided from the file.

    Text is accepted for every option, since forms send text; an empty text is None.
    """

    format: str | None = _option("choice", "Format", "Read the file as this format, whatever it looks like.")
    delimiter: str | None = _option("choice", "Separator", "What stands between two cells of a table.", DELIMITERS)
    decimal: str | None = _option("choice", "Decimal mark", "What stands before the decimals of a number.", DECIMALS)
    sheet: str | None = _option("text", "Sheet", "Which sheet of a workbook is read, by its name.")
    lon: str | None = _option("column", "Longitude column", _COLUMN, needed=True)
    lat: str | None = _option("column", "Latitude column", _COLUMN, needed=True)
    time: str | None = _option("column", "Time column", _COLUMN + " #0 reads the file without times.")
    id: str | None = _option("column", "Series column", _COLUMN + " #0 makes the whole file one series.")
    person: str | None = _option("open-choice", "Person", _PERSON, PEOPLE)
    landmark: str | None = _option(
        "column", "Landmark column", _COLUMN + " Yes or no for each row; #0 reads the file without."
    )
    count: str | None = _option(
        "text",
        "Count column",
        "The column of the counts, where each row of a table of counts holds one; the others then name the stream. "
        "A column's name, or #1, #2 … for its place. #0: every column but that of the times holds counts.",
    )
    swap: str | None = _option("choice", "Order of coordinates", "Whether longitude and latitude changed places.", SWAP)
    lon_range: str | None = _option(
        "choice", "Range of longitudes", "What a longitude above 180 means in this file.", LON_RANGES
    )
    date_order: str | None = _option("choice", "Order of dates", "What 01/04/2021 means in this file.", DATE_ORDERS)
    time_zone: str | None = _option(
        "open-choice", "Time zone", "The zone of times that name none, such as Europe/Berlin.", ZONES
    )
    time_unit: str | None = _option("choice", "Unit of times", "What one unit of a numeric time is.", TIME_UNITS)
    crs: str | None = _option(
        "open-choice",
        "Coordinate system",
        "What positions are written in, by any EPSG code; UTM zones are EPSG:326zz and 327zz.",
        SYSTEMS,
    )
    first_n: int | None = _option("integer", "First n points", "Keep only the first n points of each series, in time.")
    encoding: str | None = _option(
        "choice", "Encoding", "How a text is encoded that has no byte order mark.", ENCODINGS
    )
    header: str | None = _option(
        "text", "Header line", "Which line of a table of text names its columns; 0: none does."
    )
    columns: str | None = _option(
        "text", "Number of columns", "How many columns a table of text without a header line has."
    )
    clock: str | None = _option("text", "Column of times of day", _COLUMN + " #0: the time column holds date and time.")
    end: str | None = _option(
        "text",
        "Columns of the end",
        "Columns with the end of a stay or trip, which makes a row two events: time #4, lon #6, lat #5. none: a row is "
        "one event.",
    )
    place: str | None = _option("text", "Place column", _COLUMN + " Where each check-in was.")
    records: str | None = _option(
        "text",
        "List of records",
        "Which list of a JSON document holds the records, as a JSON pointer: #/data/0/points; # is the whole document. "
        "lines: each line is a record.",
    )
    geometry: str | None = _option("text", "Geometry column", _COLUMN)
    zeros: str | None = _option("choice", "Position 0, 0", "What the position 0, 0 stands for.", ZEROS)
    separator: str | None = _option(
        "text", "Separator of names", "What joins the names of a stream that several columns name."
    )
    thousands: str | None = _option(
        "choice", "Mark between thousands", "What stands between the thousands of a count.", THOUSANDS
    )
    withheld: str | None = _option(
        "choice", "Withheld counts", "How cells such as <5 and * are read, which do not give a count.", WITHHELD
    )
    leave_out: str | None = _option(
        "text",
        "Left out",
        "Rows and columns of a table of counts that are no part of it, by their names: row:Total, column:Total. "
        "none: nothing is.",
    )
    series_names: str | None = _option(
        "choice", "Names of series", "What a series of a person is called.", SERIES_NAMES
    )
    automatic: str | None = _option(
        "choice", "Automatic choices", "What is decided from the rows where no option states it.", AUTOMATIC
    )
    fourth: str | None = _option("choice", "Fourth coordinate", "What the fourth number of a position is.", FOURTH)
    ends: str | None = _option(
        "choice", "Ends of lines", "Which start of a line repeats the end of another of its series.", ENDS
    )
    parts: str | None = _option(
        "choice", "Kind of positions", "Which of several kinds of positions in the file are read.", PARTS
    )
    members: Mapping[str, Mapping[str, Any] | None] | None = None

    @property
    def applied(self) -> bool:
        """Whether the options are those that an earlier reading decided: nothing is decided again."""
        return self.automatic == "no"

    def of_member(self, name: str) -> ReadOptions:
        """The options for a member of an archive: those of all members, and its own before them."""
        own = (self.members or {}).get(name) or {}
        return replace(self, **own, members=None)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ReadOptions:
        """Options from names and values, checked.

        Raises
        ------
        ParameterError
            A name is not an option, or a value is not in its domain.
        """
        values = dict(values)
        members = values.pop("members", None)
        for name in values:
            if name not in OPTIONS:
                raise ParameterError(
                    f"{name!r:.60} is not a reading option; the options are {', '.join(OPTIONS)}",
                    field=str(name)[:60],
                    rule="known option",
                )
        return cls(
            **{name: _checked(OPTIONS[name], value) for name, value in values.items()}, members=_members(members)
        )

    @property
    def person_column(self) -> str | None:
        """The column that names the person by the owner's option; None where they name none."""
        named = self.person is not None and self.person.startswith(NAMED_COLUMN)
        return self.person.removeprefix(NAMED_COLUMN) if self.person is not None and named else None


OPTIONS: Mapping[str, Option] = {
    item.name: Option(item.name, **item.metadata) for item in fields(ReadOptions) if item.metadata
}

GROUPS: Mapping[str, Sequence[str]] = {
    "File": ("format", "delimiter", "decimal", "sheet", "first_n"),
    "Columns": ("lon", "lat", "time", "clock", "id", "person", "landmark", "place", "count"),
    "Times and positions": ("time_zone", "date_order", "time_unit", "swap", "lon_range", "crs"),
}
"""The options that people set, as forms group them; the others are for what a first reading decided."""

PLACED = ("person", "swap", "lon_range", "crs", "first_n", "zeros", "series_names")
"""The options that every format uses, beside ``format`` itself; a column of persons only where there are columns."""

TIMED = ("time", "date_order", "time_zone", "time_unit")
"""The options about times that are written in the file."""

TEXT = ("encoding", "header", "columns", "delimiter", "decimal")
"""The options about how a table of text is written."""

TABLE = (*TEXT, "lon", "lat", "clock", "end", "id", "landmark", *TIMED)
"""The options about tables of text."""

COLUMNS = ("lon", "lat", "time", "id", "person", "landmark")
"""The options that may name a column of a table."""


def _checked(option: Option, value: Any) -> Any:
    if value is None or value == "":
        return None
    if option.kind == "integer":
        return _whole(option, value)
    if option.name == "swap" and isinstance(value, bool):
        value = "yes" if value else "no"
    if not isinstance(value, str):
        raise _refused(option, value, "must be text")
    if option.name == "delimiter":
        value = {"\t": "tab", " ": "space"}.get(value, value)
    if option.kind == "choice" and option.choices and value not in dict(option.choices):
        raise _refused(option, value, f"must be one of {', '.join(dict(option.choices))}")
    if option.name == "time_zone":
        zone(value)
    if option.name == "header" and not re.fullmatch("[0-9]{1,2}", value):
        raise _refused(option, value, "must be the number of a line, or 0 for none")
    if option.name == "columns" and not re.fullmatch("[1-9][0-9]{0,4}", value):
        raise _refused(option, value, "must be a whole number of at least 1")
    if option.name == "records" and not re.fullmatch("lines|#(/[^/]*)*", value):
        raise _refused(option, value, "must be a JSON pointer such as #/data, or lines")
    return _person(option, value) if option.name == "person" else value


def _members(value: Any) -> dict[str, dict[str, Any] | None] | None:
    """The options of single members of an archive, checked; None for a member that is left out."""
    if value in (None, ""):
        return None
    rule = "an object of the reading options of members by their names"
    if not isinstance(value, Mapping) or not all(own is None or isinstance(own, Mapping) for own in value.values()):
        raise ParameterError.must_be("members", rule, value, got=False)
    members: dict[str, dict[str, Any] | None] = {}
    for name, own in value.items():
        options = None if own is None else vars(ReadOptions.of({**own, "members": None}))
        members[str(name)] = options and {key: setting for key, setting in options.items() if setting is not None}
    return members


def _person(option: Option, value: str) -> str:
    column = value.removeprefix(NAMED_COLUMN).strip() if value.startswith(NAMED_COLUMN) else ""
    if value not in dict(option.choices) and column in ("", "#0"):
        raise _refused(option, value, f"must be {', '.join(dict(option.choices))} or column:NAME")
    return value


def _whole(option: Option, value: Any) -> int:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**12 else value
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,12}", text.strip()) or int(text) < 1:
        raise _refused(option, value, "must be a whole number of at least 1")
    return int(text)


def _refused(option: Option, value: Any, rule: str) -> ParameterError:
    return ParameterError(f"{option.name} {rule}", field=option.name, rule=rule, value=value)


def unusable(title: str, used: Collection[str], columns: Collection[str], options: ReadOptions) -> list[ParameterError]:
    """The errors for the options that were given and cannot be used.

    Parameters
    ----------
    title : str
        What is read, for the errors.
    used : collection of str
        The names of the options that are used, beside ``format``.
    columns : collection of str
        Those of them that may name a column; the others take #0, which reads the file without.
    """
    errors = []
    for name, value in vars(options).items():
        if value is None or name in ("format", "members", "automatic"):
            continue
        usable = ", ".join(option for option in OPTIONS if option in used)
        if name not in used:
            rule = f"one of the options of {title}: {usable}"
            message = f"{title} cannot be read with the option {name}; it uses {usable}"
        elif name == "person" and name not in columns and options.person_column is not None:
            rule = "one, series, file or folder: there are no columns of persons"
            message = f"person of {title} must be {rule}"
        elif OPTIONS[name].kind == "column" and name not in columns and value != "#0":
            rule = "#0, which reads the file without: the format itself defines which column is which"
            message = f"{name} of {title} must be {rule}"
        else:
            continue
        errors.append(ParameterError(f"{message}, got {shown(value)!r}", field=name, rule=rule, value=value))
    return errors


def zone(name: str) -> dt.tzinfo:
    """The time zone called ``name``, or ``+08:00`` from UTC; ParameterError where there is none."""
    if match := re.fullmatch(r"([+-])([0-9]{2}):([0-5][0-9])", name):
        offset = dt.timedelta(hours=int(match[2]), minutes=int(match[3]))
        if offset <= dt.timedelta(hours=14):
            return dt.timezone(offset if match[1] == "+" else -offset)
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise _refused(
            OPTIONS["time_zone"],
            name,
            "must be the name of a time zone, such as Europe/Berlin, or a distance from UTC, such as +02:00",
        ) from error


def is_zone(name: str) -> bool:
    """Whether there is a time zone of that name."""
    try:
        return bool(zone(name))
    except ParameterError:
        return False
