"""Which column of a table of check-ins, or of a list of venues, is which: by its header or by a published layout."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privacy_engine.formats.column import Column, canonical, columns_of
from privacy_engine.formats.columns import PEOPLE, clock_places, named_place, people_of
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.periods import PERIOD
from privacy_engine.formats.position_columns import pairs
from privacy_engine.formats.time_columns import time_of
from privacy_engine.formats.vocabulary import names_of

USERS = (*PEOPLE, *names_of("people", "users"))
_KNOWN = {"user": USERS, "place": names_of("places", "places"), "name": names_of("places", "names")}
_KNOWN |= {"offset": names_of("time", "minutes_of_offsets")}
_VENUE = {"place": (*_KNOWN["place"], "id"), "name": (*_KNOWN["name"], "name", "title")}
_PERIODS = names_of("time", "periods")
_ISO = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}Z?"
_MAIL = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9:]{8} [+-][0-9]{4} [0-9]{4}"
_DEGREES = r"-?[0-9]{1,3}\.[0-9]+"
_MINUTES = r"-?[0-9]{1,4}"
_ID = r"[0-9A-Za-z]+"
_ALIKE = 0.9
"""The share of the first rows that follow a layout: published data sets have a few damaged rows."""
Roles = dict[str, int]


@dataclass(frozen=True)
class Layout:
    """A table without a header: the pattern of each column, and which column has which role.

    ``zeros`` is True where a position of 0, 0 stands for none.
    """

    patterns: Sequence[str]
    roles: Mapping[str, int]
    zeros: bool = False

    def fits(self, rows: Sequence[Sequence[str]]) -> bool:
        """Whether most of ``rows`` have this layout; rows of a single cell count for nothing."""
        rows = [row for row in rows if sum(bool(cell.strip()) for cell in row) > 1]
        if not rows or len(self.patterns) not in {len(row) for row in rows}:
            return False
        return sum(map(self._fits_row, rows)) >= _ALIKE * len(rows)

    def _fits_row(self, row: Sequence[str]) -> bool:
        pairs = zip(self.patterns, row, strict=False)
        return len(row) == len(self.patterns) and all(re.fullmatch(pattern, cell.strip()) for pattern, cell in pairs)


SNAP = Layout(
    (r"[0-9]+", _ISO, rf"{_DEGREES}|0", rf"{_DEGREES}|0", r"\S+"),
    {"user": 0, "time": 1, "lat": 2, "lon": 3, "place": 4},
    zeros=True,
)
"""Gowalla and Brightkite of SNAP (Cho, Myers, Leskovec. "Friendship and Mobility". KDD 2011)."""
TSMC = Layout(
    (r"[0-9]+", _ID, _ID, ".*", _DEGREES, _DEGREES, _MINUTES, _MAIL),
    {"user": 0, "place": 1, "lat": 4, "lon": 5, "offset": 6, "time": 7},
)
"""New York and Tokyo of Foursquare (Yang, Zhang, Zheng, Yu. "Modeling User Activity Preference". TSMC 2014)."""
GLOBAL = Layout((r"[0-9]+", _ID, _MAIL, _MINUTES), {"user": 0, "place": 1, "time": 2, "offset": 3})
"""The check-ins of the whole world (Yang et al. TIST 2016, WWW 2019); positions are in a list of venues."""
CHECKINS = (SNAP, TSMC, GLOBAL)
VENUES = (
    Layout((_ID, _DEGREES, _DEGREES, ".*", "[A-Za-z]{2}|"), {"place": 0, "lat": 1, "lon": 2}),
    Layout((_ID, ".*", _DEGREES, _DEGREES), {"place": 0, "name": 1, "lat": 2, "lon": 3}),
)
"""Of Foursquare's check-ins of the whole world (the fourth column is a category); and id, name, latitude, longitude."""


def layout_of(rows: Sequence[Sequence[str]], layouts: Sequence[Layout]) -> Layout | None:
    """The layout that the first rows of a table without a header have; None where they have none of ``layouts``."""
    return next((layout for layout in layouts if layout.fits(rows)), None)


def looks_like(names: Sequence[str], sample: Sequence[Sequence[str]], headed: bool) -> bool:
    """Whether a table names users, times and places, or has the columns of a published data set.

    Positions of users are places where their times name days, months or years and no time of day.

    These are Gowalla and Brightkite (SNAP), and Foursquare's New York and Tokyo (TSMC 2014) or whole world (TIST 2015,
    WWW 2019).
    """
    if headed and not _names_users(names):
        return False
    roles = roles_of(names, sample, headed, ReadOptions())
    if {"user", "time", "lon", "lat"} <= roles.keys() and sample:
        days = _has_periods(columns_of(names, sample)[roles["time"]])
        return "place" in roles or (days and not any(":" in cell for row in sample for cell in row))
    return {"user", "time", "place"} <= roles.keys()


def lacks_times(names: Sequence[str], sample: Sequence[Sequence[str]], headed: bool) -> bool:
    """Whether a table names users and places, and has neither times nor positions."""
    if headed and not _names_users(names):
        return False
    roles = roles_of(names, sample, headed, ReadOptions()).keys()
    return {"user", "place"} <= roles and not {"time", "lon", "lat"} & roles


def _names_users(names: Sequence[str]) -> bool:
    """Whether a header names users, without which a table is none of check-ins; quickly known of a wide table."""
    return not {*USERS}.isdisjoint(map(canonical, names))


def roles_of(
    names: Sequence[str], sample: Sequence[Sequence[str]], headed: bool, options: ReadOptions, *, strict: bool = False
) -> Roles:
    """The column (from 0) of each role: user, time and what goes with it, place, lon, lat, offset, name.

    With ``strict`` a column that may be the time of day of a date is required to be stated, as ChoiceNeeded.
    """
    if not headed and not (options.id and options.time) and (layout := layout_of(sample, CHECKINS)):
        return dict(layout.roles)
    people = people_of(columns_of(names, sample), USERS) if headed else []
    user = options.id or (named_place(people[0].place) if people else None)
    stated = {"user": user, "time": options.time, "lon": options.lon, "lat": options.lat, "place": options.place}
    roles = _named(names, headed, stated, _KNOWN)
    columns = [column for column in columns_of(names, sample) if headed and column.place not in roles.values()]
    roles |= _named(names, headed, stated, {role: () for role in ("time", "lon", "lat") if stated[role]})
    if "#0" not in (options.lat, options.lon) and (likely := pairs(columns, roles.get("lat"), roles.get("lon"))):
        roles |= {"lat": likely[0].lat.place, "lon": likely[0].lon.place}
    if options.time is None and headed:
        if (time := time_of(columns, {*roles.values()}, strict=strict and options.clock is None)) is not None:
            roles |= {"time": time.time.place} | {unit: column.place for unit, column in time.others}
        elif periods := [column.place for column in columns if column.plain in _PERIODS and _has_periods(column)]:
            roles["time"] = periods[0]
    return roles | clock_places(options, names)


def venue_roles_of(names: Sequence[str], sample: Sequence[Sequence[str]], headed: bool) -> Roles | None:
    """The column of each role in a list of venues: place, lon and lat, and perhaps name; None where it is none."""
    if not headed:
        layout = layout_of(sample, VENUES)
        return dict(layout.roles) if layout else None
    roles = _named(names, headed, {}, _VENUE)
    if likely := pairs(columns_of(names, ())):
        roles |= {"lat": likely[0].lat.place, "lon": likely[0].lon.place}
    others = {"user", "time"} & roles_of(names, sample, headed, ReadOptions()).keys()
    return roles if {"place", "lon", "lat"} <= roles.keys() and not others else None


def _has_periods(column: Column) -> bool:
    return bool(column.cells) and all(map(PERIOD.fullmatch, column.cells))


def _named(
    names: Sequence[str], headed: bool, given: Mapping[str, str | None], known: Mapping[str, Sequence[str]]
) -> Roles:
    """The columns by the owner's names, or by ``known`` ones of each role; no column has two roles."""
    plain = [canonical(name) for name in names] if headed else [f"#{i + 1}" for i in range(len(names))]
    columns: Roles = {}
    for role, usual in known.items():
        column = given.get(role)
        if column == "#0":
            continue
        if column and re.fullmatch(r"#[1-9][0-9]{0,3}", column) and int(column[1:]) <= len(names):
            columns[role] = int(column[1:]) - 1
        else:
            free = [None if i in columns.values() else name for i, name in enumerate(plain)]
            wanted = (canonical(column),) if column else usual
            columns |= next(({role: free.index(name)} for name in wanted if name in free), {})
    return columns
