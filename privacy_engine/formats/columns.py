"""Roles of columns (longitude, latitude, time, series), by name or by the owner's option; never by order."""

import re
from collections.abc import Mapping, Sequence

from privacy_engine.errors import ChoiceNeeded, FormatError, ParameterError
from privacy_engine.formats.column import Column, canonical, columns_of
from privacy_engine.formats.options import OPTIONS, ReadOptions
from privacy_engine.formats.people import COLUMN, EITHER, ONE, SERIES, Whose
from privacy_engine.formats.position_columns import end_of as end_position
from privacy_engine.formats.position_columns import is_coordinate_of_row, pairs
from privacy_engine.formats.report import Report
from privacy_engine.formats.time_columns import (
    PARTS,
    START,
    TimeColumns,
    candidates,
    clock_option,
    end_of,
    of_clock_option,
    time_of,
)
from privacy_engine.formats.vocabulary import names_of

Roles = dict[str, int]

PEOPLE = names_of("people", "people")
PERSON = (*PEOPLE, *names_of("people", "vehicles"))
EITHER_NAMES = ("id", "tid", "oid", "object_id", "entity_id")
ID = ("series", *PERSON, *names_of("people", "series"))
LANDMARK = names_of("rows", "landmark")
_BY_COLUMN = ("lon", "lat", "time", "id", "landmark")
HEMISPHERES = {"lat_sign": names_of("position", "north_south"), "lon_sign": names_of("position", "east_west")}
TITLES = {"lon": "longitude", "lat": "latitude", "time": "time", "id": "series", "landmark": "landmark"}
TITLES |= {"person": "person", "count": "count", "clock": "time of day", "place": "place", "geometry": "geometry"}


def assign(
    names: Sequence[str], sample: Sequence[Sequence[str]], options: ReadOptions, report: Report
) -> tuple[Roles, bool]:
    """The place (from 0) of each role's column, and whether the header gives degrees times ten million.

    Raises
    ------
    FormatError
        No column can be the longitude or the latitude.
    ChoiceNeeded
        Two columns bear the same name.
    """
    plain = [canonical(name) for name in names]
    roles = _assigned(("lat", "lon", "time", "id", "landmark"), names, sample, options, report)
    for role in ("lat", "lon"):
        if role not in roles:
            raise no_positions(names, role, report.hint)
    if roles["lat"] == roles["lon"]:
        message = f"Column {names[roles['lat']][:30]!r} cannot be both the longitude and the latitude."
        raise FormatError(message, code="same_column", field="lat", rule="two columns")
    for role, known_names in HEMISPHERES.items():
        if places := [i for i, name in enumerate(plain) if name in known_names]:
            roles[role] = places[0]
    return roles, plain[roles["lat"]].endswith("e7") and plain[roles["lon"]].endswith("e7")


def whose(names: Mapping[str, str], options: ReadOptions) -> Whose:
    """Whose the series of a table are, by the names of its columns by role."""
    if "person" in names:
        return Whose(COLUMN, names["person"].strip())
    if "id" not in names:
        return Whose()
    name = names["id"].strip()
    return Whose(SERIES if options.person_column is not None else kind_of(name), name)


def kind_of(name: str) -> str:
    """What a column of series' names names: people, perhaps people, or what does not identify people."""
    plain = canonical(name)
    return SERIES if plain in PERSON else EITHER if plain in EITHER_NAMES else ONE


def assign_beside(names: Sequence[str], sample: Sequence[Sequence[str]], options: ReadOptions, report: Report) -> Roles:
    """The roles of the columns beside a geometry, which holds the position."""
    return _assigned(("time", "id", "landmark"), names, sample, options, report)


def _assigned(
    wanted: Sequence[str],
    names: Sequence[str],
    sample: Sequence[Sequence[str]],
    options: ReadOptions,
    report: Report,
) -> Roles:
    columns = columns_of(names, sample)
    roles = named_roles(names, options, wanted)
    if report.layout is not None:
        report.layout.roles = roles
    if "lat" in wanted:
        _add_positions(columns, roles, report)
    _add_time(columns, roles, options, report)
    for role, known in (("id", ID), ("landmark", LANDMARK)):
        if getattr(options, role) is None and (column := _called(role, columns, known, roles)) is not None:
            if role == "landmark":  # the cells decide
                roles[role] = column.place
            elif not _numbers_the_rows(column):
                free = [other for other in columns if other.place not in _taken(role, roles)]
                people = people_of(free) if column.plain in PEOPLE else [column]
                roles[role] = people[0].place
                _report(role, people[0], report, others_of(people))
    roles |= _end_roles(columns, roles, options, report)
    for role in wanted:
        if role in roles or not OPTIONS[role].needed:
            report.decide(role, named_place(roles.get(role)))
    decide_clock(roles, report)
    place = _person(columns, roles, options)
    if place is not None and place != roles.get("id"):
        roles["person"] = place
    return roles


def _add_positions(columns: Sequence[Column], roles: Roles, report: Report) -> None:
    """The columns of the position that the options do not name: those that go together."""
    if {"lat", "lon"} <= roles.keys():
        return
    named = pairs(columns, roles.get("lat"), roles.get("lon"))
    if named and named[0].about - START and not roles.keys() & {"lat", "lon"}:
        choices = [(f"#{pair.lat.place + 1}", f"{pair.lat.name[:30]}, with {pair.lon.name[:30]}") for pair in named]
        message = f"Column {named[0].lat.name[:40]!r} may be the latitude of the rows or of something else."
        if len(choices) == 1:
            raise no_positions([column.name for column in columns], "lat", message)
        raise ChoiceNeeded(f"{message} Specify it.", parameter="lat", choices=choices, default=choices[0][0])
    free = [column for column in columns if column.place not in roles.values()]
    for role in ("lat", "lon"):
        if role in roles:
            continue
        best = (
            getattr(named[0], role)
            if named
            else next((column for column in (*free, *columns) if is_coordinate_of_row(role, column)), None)
        )
        if best is None:
            continue
        require_one(role, best, free)
        roles[role] = best.place
        _report(role, best, report)


def decide_clock(roles: Roles, report: Report) -> None:
    """Record the columns that make an instant together with that of the time, if there are any."""
    if clock := {unit: roles[unit] for unit in PARTS if unit in roles}:
        report.decide("clock", clock_option(clock))


def require_one(role: str, column: Column, columns: Sequence[Column]) -> None:
    """Request a choice where others of the columns have the same name."""
    alike = [other for other in columns if other.plain == column.plain]
    if len(alike) > 1:
        raise which_column(role, alike)


def _add_time(columns: Sequence[Column], roles: Roles, options: ReadOptions, report: Report) -> None:
    """The column of the time where the options name none, and those that make an instant with it."""
    stated = roles.get("time")
    free = [column for column in columns if column.place not in _taken("time", roles) or column.place == stated]
    others, time = clock_places(options, [column.name for column in columns]), None
    if stated is None and options.time is None:
        time = time_of(free, set(others.values()), strict=options.clock is None)
        if time is not None:
            require_one("time", time.time, free)
            roles["time"] = time.time.place
            _report_time(time, report)
    elif stated is not None and options.clock is None and not options.applied:
        time = next((candidate for candidate in candidates(free) if candidate.time.place == stated), None)
    if time is not None and options.clock is None:
        others = {unit: column.place for unit, column in time.others}
    if "time" in roles:
        roles |= others


def _end_roles(columns: Sequence[Column], roles: Roles, options: ReadOptions, report: Report) -> Roles:
    """The columns of the end of a stay or trip, as roles that begin with ``end_``.

    Raises
    ------
    ParameterError
        The option for them names no time, or a column that is not there.
    """
    if "time" not in roles or options.end == "none" or (options.end is None and options.applied):
        return {}
    if options.end is not None:
        places = of_clock_option(options.end, len(columns), "end")
        if places is None or "time" not in places:
            raise ParameterError.must_be("end", "none, or columns such as time #4, lon #6, lat #5", options.end)
    else:
        start = TimeColumns(
            columns[roles["time"]], tuple((unit, columns[roles[unit]]) for unit in PARTS if unit in roles)
        )
        end = end_of(start, [column for column in columns if column.place not in roles.values()])
        if end is None:
            return {}
        places = {"time": end.time.place} | {unit: column.place for unit, column in end.others}
        own = pairs(columns, roles["lat"], roles["lon"]) if {"lat", "lon"} <= roles.keys() else []
        if own and (place := end_position(own[0], pairs(columns))):
            places |= {"lat": place.lat.place, "lon": place.lon.place}
        names = [columns[place].name.strip()[:40] for place in places.values()]
        message = f"Each row is two events, of its start and of its end: {', '.join(map(repr, names))}."
        report.guess("ends", clock_option(places), message, "end")
    report.decide("end", clock_option(places))
    return {f"end_{unit}": place for unit, place in places.items()}


def _report_time(time: TimeColumns, report: Report) -> None:
    """Name the columns that were taken for the time, unless there is a single column and it is called so."""
    if not time.others:
        _report("time", time.time, report)
        return
    named = [repr(column.name.strip()[:40]) for column in time.all]
    message = f"Columns {', '.join(named[:-1])} and {named[-1]} were read as one time."
    report.guess("time column", time.time.name.strip(), message, "time")


def clock_places(options: ReadOptions, names: Sequence[str]) -> Roles:
    """The places of the columns that the option ``clock`` names, by their unit."""
    if options.clock in (None, "#0"):
        return {}
    places = of_clock_option(options.clock, len(names))
    return {"clock": place_of("clock", names, options.clock)} if places is None else places


def named_place(place: int | None) -> str:
    """A place (from 0) as reading options name it: ``#1`` is the first, ``#0`` none.

    >>> named_place(0), named_place(None)
    ('#1', '#0')
    """
    return "#0" if place is None else f"#{place + 1}"


def people_of(columns: Sequence[Column], known: Sequence[str] = PEOPLE) -> list[Column]:
    """The columns that are called as people, that with the fewest names first: two names of one would count as two."""
    alike = [column for column in columns if column.plain in known]
    return sorted(alike, key=lambda column: (not column.cells, len({*column.cells}), known.index(column.plain)))


def others_of(people: Sequence[Column]) -> str:
    """Why the first of such columns was chosen, as a sentence; "" where it is the only one."""
    others = " and ".join(repr(column.name.strip()[:40]) for column in people[1:])
    reason = "that with the fewest names was chosen, since a person of two names would count as two"
    return f" People are named in {others} too: {reason}." if others else ""


def _person(columns: Sequence[Column], roles: Roles, options: ReadOptions) -> int | None:
    """The place of the column that names the person."""
    if options.person is not None:
        return named_roles([column.name for column in columns], options, ("person",)).get("person")
    if options.id == "#0":  # the whole file is a single series, so a single person's
        return None
    if "id" in roles and columns[roles["id"]].plain in PERSON:
        return roles["id"]
    free = [column for column in columns if column.place not in _taken("person", roles)]
    called = (column.place for name in PERSON for column in free if column.plain == name)
    return next((column.place for column in people_of(free)), next(called, None))


def named_roles(names: Sequence[str], options: ReadOptions, among: Sequence[str] = _BY_COLUMN) -> Roles:
    """The roles that the owner gave to columns."""
    stated = {role: options.person_column if role == "person" else getattr(options, role) for role in among}
    return {
        role: place_of(role, names, wanted)
        for role, wanted in stated.items()
        if wanted is not None and (wanted != "#0" or OPTIONS[role].needed)
    }


def _taken(role: str, roles: Roles) -> set[int]:
    """The places where a role is not looked for. A coordinate may be a series too, so it only avoids the other."""
    return {place for other, place in roles.items() if role not in ("lat", "lon") or (other == "lat" and role == "lon")}


def no_positions(names: Sequence[str], role: str = "lat", hint: str = "") -> FormatError:
    """The error for a table in which a coordinate's column is missing; lists the columns."""
    shown = ", ".join(name.strip()[:30] for name in names[:12]) + (" …" if len(names) > 12 else "")
    return FormatError(
        f"No {TITLES[role]} column was found. The columns are: {shown}. "
        "Name the columns of the positions with the reading options lon and lat." + (hint and f" {hint}"),
        code="no_position_columns",
        rule=f"a {TITLES[role]} column",
    )


def place_of(role: str, names: Sequence[str], wanted: str) -> int:
    """The place of the column that the owner named for ``role``; an error where there is none, or more than 1."""
    if re.fullmatch(r"#[0-9]{1,4}", wanted) and 1 <= int(wanted[1:]) <= len(names):
        return int(wanted[1:]) - 1
    exact = [i for i, name in enumerate(names) if name.strip() == wanted.strip()]
    places = exact or [i for i, name in enumerate(names) if canonical(name) == canonical(wanted)]
    if len(places) > 1:
        raise which_column(role, [Column(i, names[i], ()) for i in places])
    if not places:
        shown = ", ".join(name[:30] for name in names[:12])
        message = f"There is no column {wanted[:40]!r}. The columns are: {shown}."
        raise FormatError(message, code="unknown_column", field=role, rule="a column of the file", value=wanted)
    return places[0]


def _called(role: str, columns: Sequence[Column], known: Sequence[str], roles: Roles) -> Column | None:
    """The column with the first of the known names, of those that have no other role."""
    free = [column for column in columns if column.place not in _taken(role, roles)]
    first = next((column for name in known for column in free if column.plain == name), None)
    if first is not None:
        require_one(role, first, free)
    return first


def which_column(role: str, columns: Sequence[Column]) -> ChoiceNeeded:
    """The question which of the columns of the same name has a role."""

    def label(column: Column) -> str:
        cells = ", ".join(cell[:20] for cell in column.cells[:2])
        return f"column {column.place + 1}: {column.name[:30]}" + (f" ({cells} …)" if cells else "")

    return ChoiceNeeded(
        f"{len(columns)} columns are called {columns[0].name[:30]!r}. Specify which one is the {TITLES[role]}.",
        parameter=role,
        choices=[(f"#{column.place + 1}", label(column)) for column in columns],
        default=f"#{columns[0].place + 1}",
    )


def _numbers_the_rows(column: Column) -> bool:
    """A column called id that counts the rows up or down, or name that names each row, does not identify persons."""
    if column.plain not in ("id", "name"):
        return False
    differ = len(set(column.cells)) == len(column.cells)
    if column.plain == "name" or not differ:
        return differ
    steps = column.steps
    return all(step > 0 for step in steps or [0]) or all(step < 0 for step in steps or [0])


def _report(role: str, column: Column, report: Report, more: str = "") -> None:
    usual = {"lon": ("lon", "lng", "longitude"), "lat": ("lat", "latitude"), "time": ("time", "timestamp", "datetime")}
    if column.plain not in usual.get(role, ()):
        message = f"Column {column.name.strip()[:40]!r} was read as the {TITLES[role]}.{more}"
        report.guess(f"{role} column", column.name.strip(), message, role)
