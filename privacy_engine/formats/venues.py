"""Lists of venues as tables: places with positions and names, which check-ins of these places are joined with."""

import numpy as np

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data.venues import Venues
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa, pc
from privacy_engine.formats.checkin_columns import venue_roles_of
from privacy_engine.formats.crs import eastward
from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.numbers import GOOD, numbers
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report

NAME_CHARS = 200


def venues_of(table: Table, options: ReadOptions, report: Report) -> Venues:
    """The venues of a table; rows without an identifier or a position on the globe are left out and noted.

    Raises
    ------
    FormatError
        The table is no list of venues, or none of them can be used.
    """
    roles = venue_roles_of(table.names, table.sample, table.headed)
    if roles is None:
        rule = "columns of the place, the longitude and the latitude"
        raise FormatError(f"A list of venues needs {rule}.", code="no_venue_columns", rule=rule)
    columns = {role: table.columns[place].cast(pa.string()) for role, place in roles.items()}
    (lon, why_lon), (lat, why_lat) = (numbers(columns[axis], axis) for axis in ("lon", "lat"))
    lon = eastward(lon, why_lon == GOOD, options, report)
    good = (why_lon == GOOD) & (why_lat == GOOD) & (np.abs(lon) <= 180) & (np.abs(lat) <= 90)
    places = _texts(columns["place"])
    names = _texts(columns["name"]) if "name" in columns else [""] * len(places)
    place: dict[str, int] = {}
    for row in reported(np.flatnonzero(good).tolist(), ROWS):
        if places[row]:
            place.setdefault(places[row], row)
    if not place:
        raise FormatError("No venue of the list can be used.", code="no_venues", rule="a place with a position")
    if unused := len(places) - len(place):
        message = "Rows of the list of venues have no position, no identifier or one that came before."
        report.note("venues_left_out", message, level="info", count=unused)
    rows = np.fromiter(place.values(), dtype=np.int64)
    return Venues(list(place), lon[rows], lat[rows], [names[row][:NAME_CHARS] for row in rows.tolist()])


def _texts(column: object) -> list[str]:
    texts: list[str] = pc.fill_null(pc.utf8_trim_whitespace(column), "").to_pylist()
    return texts
