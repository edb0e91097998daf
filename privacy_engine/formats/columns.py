"""Roles of columns (longitude, latitude, time, series), by name or by the owner's option; never by order."""

import itertools
import re
from collections.abc import Sequence

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats.options import OPTIONS, ReadOptions
from privacy_engine.formats.people import COLUMN, EITHER, ONE, SERIES, Whose
from privacy_engine.formats.report import Report
from privacy_engine.formats.time_cells import are_dated, are_times

Roles = dict[str, int]


def listed(text: str) -> tuple[str, ...]:
    """The names of a text, which white space separates."""
    return tuple(text.split())


LAT = listed(
    "lat latitude latitude_n_s gps_lat gps_latitude location_lat location_latitude lat_deg latitude_deg "
    "latitude_degrees latitude_decimal decimal_latitude decimallatitude lat_dd latdd wgs84_lat lat_wgs84 geo_lat "
    "position_lat pos_lat latitudee7 latitude_e7 late7 lat_e7 latitud breitengrad point_y y coord_y y_coord ycoord "
    "northing"
)
LON = listed(
    "lon lng long longitude longitude_e_w gps_lon gps_lng gps_long gps_longitude location_long location_lon "
    "location_lng location_longitude lon_deg lng_deg long_deg longitude_deg longitude_degrees longitude_decimal "
    "decimal_longitude decimallongitude lon_dd lng_dd londd wgs84_lon lon_wgs84 geo_lon geo_lng position_long "
    "position_lon pos_lon longitudee7 longitude_e7 lone7 lon_e7 lng_e7 longitud laengengrad längengrad point_x x "
    "coord_x x_coord xcoord easting"
)
TIME = listed(
    "timestamp time datetime date_time t ts time_s time_utc timestamp_utc datetime_utc utc_time utc_datetime utc "
    "tracked_at timestampms timestamp_ms time_ms timestamps time_stamp gps_time gpstime gps_timestamp gps_datetime "
    "recorded_at recordedat fix_time fixtime created_at createdat logged_at measured_at sampled_at occurred_at "
    "event_time eventtime local_time localtime local_datetime local_timestamp epoch epoch_s epoch_ms unix unixtime "
    "unix_time unix_timestamp basedatetime tst start_time starttime started_at begin begin_time when dt date"
)
PERSON = listed(
    "user_id userid user_no uid user username user_name individual_local_identifier individual_id animal_id "
    "tag_local_identifier mmsi vehicle_id vehicleid vehicle vehicle_ref taxi_id taxiid taxi cab_id device_id "
    "deviceid device tracker_id imei person_id person participant_id participant subject_id subject driver_id"
)
EITHER_NAMES = ("id", "tid", "oid", "object_id", "entity_id")
ID = (
    "series",
    *PERSON,
    *listed(
        "object_id oid entity_id track_id trackid track track_fid track_name trajectory_id traj_id trajectory tid "
        "trip_id tripid trip journey_id ride_id segment_id segment id name"
    ),
)
LANDMARK = listed("landmark is_landmark islandmark landmarks marked poi sensitive")
_BY_COLUMN = ("lon", "lat", "time", "id", "landmark")
CLOCKS = {"date": "time", "lcl_date": "lcl_time", "local_date": "local_time", "utc_date": "utc_time"}
CLOCKS |= {"gps_date": "gps_time", "start_date": "start_time", "datum": "zeit"}
OFFSETS = ("utcofst", "utc_offset", "utcoffset")
HEMISPHERES = {"lat_sign": ("n_s", "ns", "lat_dir", "lat_ref", "lat_hemisphere", "northsouth")}
HEMISPHERES |= {"lon_sign": ("e_w", "ew", "lon_dir", "lon_ref", "lon_hemisphere", "eastwest")}
TITLES = {"lon": "longitude", "lat": "latitude", "time": "time", "id": "series", "landmark": "landmark"}
TITLES |= {"person": "person", "count": "count", "clock": "time of day", "place": "place", "geometry": "geometry"}
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}.*|[0-9]{6}(\.[0-9]+)?")
_TIME_LIKE = re.compile(r"time|date|stamp|epoch|utc|zeit|datum|fecha|hora|heure|(^|_)(ts|dt|when)(_|$)")


def canonical(name: str) -> str:
    """A column's name for comparing: lower case, parts joined by ``_``, without a leading comment sign.

    >>> canonical("# Latitude (deg)")
    'latitude_deg'
    """
    return re.sub(r"[^\w]+", "_", name.replace("\ufeff", "").casefold()).strip("_")


def has_positions(names: Sequence[str]) -> bool:
    """Whether both a longitude and a latitude are among the names."""
    known = {canonical(name) for name in names}
    return bool(known & set(LON)) and bool(known & set(LAT))


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
    roles = _assigned(_KNOWN, names, sample, options, report)
    for role in ("lat", "lon"):
        if role not in roles:
            raise no_positions(names, role, report.hint)
    if roles["lat"] == roles["lon"]:
        message = f"Column {names[roles['lat']][:30]!r} cannot be both the longitude and the latitude."
        raise FormatError(message, code="same_column", field="lat", rule="two columns")
    _add_clock(names, plain, sample, roles, options)
    for role in ("time", "clock"):
        report.decide(role, named_place(roles.get(role)))
    for role, known_names in HEMISPHERES.items():
        if found := [i for i, name in enumerate(plain) if name in known_names]:
            roles[role] = found[0]
    return roles, plain[roles["lat"]].endswith("e7") and plain[roles["lon"]].endswith("e7")


_KNOWN = (("lat", LAT), ("lon", LON), ("time", TIME), ("id", ID), ("landmark", LANDMARK))


def whose(names: Sequence[str], roles: Roles, options: ReadOptions) -> Whose:
    """Whose the series of a table with these roles are."""
    if "person" in roles:
        return Whose(COLUMN, names[roles["person"]].strip())
    if "id" not in roles:
        return Whose()
    name = names[roles["id"]].strip()
    return Whose(SERIES if options.person_column is not None else kind_of(name), name)


def kind_of(name: str) -> str:
    """What a column of series' names names: people, perhaps people, or what does not identify people."""
    plain = canonical(name)
    return SERIES if plain in PERSON else EITHER if plain in EITHER_NAMES else ONE


def assign_beside(names: Sequence[str], sample: Sequence[Sequence[str]], options: ReadOptions, report: Report) -> Roles:
    """The roles of the columns beside a geometry, which holds the position."""
    return _assigned(_KNOWN[2:], names, sample, options, report)


def _assigned(
    known: Sequence[tuple[str, Sequence[str]]],
    names: Sequence[str],
    sample: Sequence[Sequence[str]],
    options: ReadOptions,
    report: Report,
) -> Roles:
    plain = [canonical(name) for name in names]
    roles = named_roles(names, options, [role for role, _ in known])
    if report.layout is not None:
        report.layout.roles = roles
    for role, candidates in known:
        if getattr(options, role) is None:
            taken = _taken(role, roles)
            place = _known(role, names, plain, candidates, sample, taken)
            if role == "time" and place is None:
                place = _by_values(plain, sample, taken)
                place = _begins_as_time(plain, taken) if place is None else place
            if role == "id" and place is not None and _numbers_the_rows(plain[place], sample, place):
                place = None
            if place is not None and role != "landmark":  # of that, the cells decide
                _report(role, names[place], plain[place], report)
            if place is not None:
                roles[role] = place
    for role, _ in known:
        if role in roles or not OPTIONS[role].needed:
            report.decide(role, named_place(roles.get(role)))
    place = _person(names, plain, roles, options)
    if place is not None and place != roles.get("id"):
        roles["person"] = place
    return roles


def named_place(place: int | None) -> str:
    """A place (from 0) as reading options name it: ``#1`` is the first, ``#0`` none.

    >>> named_place(0), named_place(None)
    ('#1', '#0')
    """
    return "#0" if place is None else f"#{place + 1}"


def _person(names: Sequence[str], plain: Sequence[str], roles: Roles, options: ReadOptions) -> int | None:
    """The place of the column that names the person."""
    if options.person is not None:
        return _named("person", names, options.person_column)
    if options.id == "#0":  # the whole file is one series, so one person's
        return None
    if "id" in roles and plain[roles["id"]] in PERSON:
        return roles["id"]
    free = [name if i not in _taken("person", roles) else "" for i, name in enumerate(plain)]
    return next((free.index(name) for name in PERSON if name in free), None)


def named_roles(names: Sequence[str], options: ReadOptions, among: Sequence[str] = _BY_COLUMN) -> Roles:
    """The roles that the owner gave to columns."""
    places = {role: _named(role, names, getattr(options, role)) for role in among}
    return {role: place for role, place in places.items() if place is not None}


def _taken(role: str, roles: Roles) -> set[int]:
    """The places where a role is not looked for. A coordinate may be a series too, so it only avoids the other one."""
    return {place for one, place in roles.items() if role not in ("lat", "lon") or (one == "lat" and role == "lon")}


def no_positions(names: Sequence[str], role: str = "lat", hint: str = "") -> FormatError:
    """The error for a table in which a coordinate's column cannot be found; lists what was found."""
    shown = ", ".join(name.strip()[:30] for name in names[:12]) + (" …" if len(names) > 12 else "")
    return FormatError(
        f"No {TITLES[role]} column was found. The columns are: {shown}. "
        "Name the columns of the positions with the reading options lon and lat." + (hint and f" {hint}"),
        code="no_position_columns",
        rule=f"a {TITLES[role]} column",
    )


def place_of(role: str, names: Sequence[str], wanted: str) -> int:
    """The place of the column that the owner named for ``role``; an error where there is none, or more than one."""
    place = _named(role, names, wanted)
    if place is None:
        raise no_column(role, names, wanted)
    return place


def _named(role: str, names: Sequence[str], wanted: str | None) -> int | None:
    """The place of the column the owner named; ``#0`` is none."""
    if wanted is None or (wanted == "#0" and not OPTIONS[role].needed):
        return None
    if re.fullmatch(r"#[0-9]{1,4}", wanted) and 1 <= int(wanted[1:]) <= len(names):
        return int(wanted[1:]) - 1
    exact = [i for i, name in enumerate(names) if name.strip() == wanted.strip()]
    places = exact or [i for i, name in enumerate(names) if canonical(name) == canonical(wanted)]
    if len(places) == 1:
        return places[0]
    if len(places) > 1:
        raise which_column(role, names, places, ())
    raise no_column(role, names, wanted)


def no_column(role: str, names: Sequence[str], wanted: str) -> FormatError:
    """The error for a column that the owner named and that is not there."""
    return FormatError(
        f"There is no column {wanted[:40]!r}. The columns are: {', '.join(name[:30] for name in names[:12])}.",
        code="unknown_column",
        field=role,
        rule="a column of the file",
        value=wanted,
    )


def _known(
    role: str,
    names: Sequence[str],
    plain: Sequence[str],
    known: Sequence[str],
    sample: Sequence[Sequence[str]],
    taken: set[int],
) -> int | None:
    for name in known:
        places = [i for i, one in enumerate(plain) if one == name and i not in taken]
        if len(places) > 1:
            raise which_column(role, names, places, sample)
        if places:
            return places[0]
    return None


def which_column(
    role: str, names: Sequence[str], places: Sequence[int], sample: Sequence[Sequence[str]]
) -> ChoiceNeeded:
    """The question which of the columns of one name, at ``places``, has a role."""

    def label(place: int) -> str:
        cells = ", ".join(row[place][:20] for row in sample[:2] if place < len(row))
        return f"column {place + 1}: {names[place][:30]}" + (f" ({cells} …)" if cells else "")

    return ChoiceNeeded(
        f"{len(places)} columns are called {names[places[0]][:30]!r}. Specify which one is the {TITLES[role]}.",
        parameter=role,
        choices=[(f"#{place + 1}", label(place)) for place in places],
        default=f"#{places[0] + 1}",
    )


def _cells(sample: Sequence[Sequence[str]], place: int) -> list[str]:
    return [row[place].strip() for row in sample if place < len(row) and row[place].strip()]


def _by_values(plain: Sequence[str], sample: Sequence[Sequence[str]], taken: set[int]) -> int | None:
    """The first column whose cells are times: dates with a time of day, or also others where its name is time-like."""
    free = [(place, _cells(sample, place)) for place in range(len(plain)) if place not in taken]
    hinted = [(place, cells) for place, cells in free if _TIME_LIKE.search(plain[place])]
    for places, judge in ((hinted, are_dated), (free, are_dated), (hinted, are_times)):
        for place, cells in places:
            if cells and judge(cells):
                return place
    return None


def _begins_as_time(plain: Sequence[str], taken: set[int]) -> int | None:
    """The first column whose name promises instants, of which no values are plain times: such as days since 1899."""
    begins = ("timestamp", "datetime")
    return next((i for i, name in enumerate(plain) if name.startswith(begins) and i not in taken), None)


def _numbers_the_rows(name: str, sample: Sequence[Sequence[str]], place: int) -> bool:
    """A column called id that counts the rows, or name that names each row, does not identify persons."""
    cells = _cells(sample, place)
    if name == "name":
        return len(set(cells)) == len(cells)
    if (
        name != "id"
        or len(cells) < 2
        or not all(cell.isascii() and cell.isdigit() and len(cell) < 19 for cell in cells)
    ):
        return False
    return all(int(a) < int(b) for a, b in itertools.pairwise(cells))


def _report(role: str, name: str, plain: str, report: Report) -> None:
    usual = {"lon": ("lon", "lng", "longitude"), "lat": ("lat", "latitude"), "time": ("time", "timestamp", "datetime")}
    if plain not in usual.get(role, ()):
        message = f"Column {name.strip()[:40]!r} was read as the {TITLES[role]}."
        report.guess(f"{role} column", name.strip(), message, role)


def _add_clock(
    names: Sequence[str], plain: Sequence[str], sample: Sequence[Sequence[str]], roles: Roles, options: ReadOptions
) -> None:
    """Date and time of day in two columns are one time."""
    if options.clock is not None:
        place = _named("clock", names, options.clock)
        roles |= {} if place is None or "time" not in roles else {"clock": place}
    elif options.time is not None and options.time != "#0" and "time" in roles:
        date = plain[roles["time"]]
        if date in CLOCKS and CLOCKS[date] in plain:
            roles["clock"] = plain.index(CLOCKS[date])
    elif options.time is None:
        for date, clock in CLOCKS.items():
            if date in plain and clock in plain:
                cells = _cells(sample, plain.index(clock))
                if cells and all(_CLOCK.fullmatch(cell) for cell in cells):
                    roles["time"], roles["clock"] = plain.index(date), plain.index(clock)
                    break
    if "clock" in roles and (offsets := [i for i, name in enumerate(plain) if name in OFFSETS]):
        roles["offset"] = offsets[0]
