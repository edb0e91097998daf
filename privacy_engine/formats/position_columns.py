"""Which two columns of a table are the longitude and the latitude: by their names, those that go together."""

from collections.abc import Sequence
from typing import NamedTuple

from privacy_engine.formats.column import Column
from privacy_engine.formats.time_columns import END, START, listed

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
_KNOWN = {"lat": LAT, "lon": LON}
_TERMS = {
    "lat": frozenset(
        listed(
            "lat latitude latitud latitudine latitudes breite breitengrad breddegrad breddgrad enlem latitudee7"
            " szerokość szerokosc širina sirka šířka широта 纬度 緯度 위도 leveysaste breedtegraad"
        )
    ),
    "lon": frozenset(
        listed(
            "lon lng long longitude longitud longitudine longitudes länge laenge längengrad laengengrad lengdegrad "
            "längdgrad boylam longitudee7 długość dlugosc dužina delka délka долгота 经度 經度 経度 경도 pituusaste "
            "lengtegraad"
        )
    ),
}
_UNITS = frozenset(
    listed(
        "deg degs degree degrees decimal dd dms dezimal grad wgs wgs84 84 gps geo position pos location coord coords "
        "coordinate e 7 e7 n s w point geografische geographische geografica geo°"
    )
)


class Pair(NamedTuple):
    """The columns of a position: ``about`` is what their names state beside that they are coordinates."""

    lat: Column
    lon: Column
    about: frozenset[str]

    @property
    def rank(self) -> tuple[int, ...]:
        """For sorting: the likelier to be the position of the row, the less."""
        known = all(column.plain in names for column, names in ((self.lat, LAT), (self.lon, LON)))
        order = LAT.index(self.lat.plain) + LON.index(self.lon.plain) if known else 0
        ends = bool(self.about & END) and not self.about & START
        named = bool(self.lat.terms & _TERMS["lat"]), bool(self.lon.terms & _TERMS["lon"])
        plane = {(True, True): 0, (False, False): 1}.get(named, 2)  # y and x, or northing and easting
        return (ends, len(self.about - START), len(self.about), plane, not known, order, self.lat.place)


def _about(axis: str, column: Column) -> frozenset[str] | None:
    """What a name states beside that it is a coordinate of that axis; None where it is none."""
    if column.plain in _KNOWN[axis]:
        return frozenset()
    return column.terms - _TERMS[axis] - _UNITS if column.terms & _TERMS[axis] else None


def pairs(columns: Sequence[Column], lat: int | None = None, lon: int | None = None) -> list[Pair]:
    """The columns that may be a position, the likeliest first; only of that latitude or longitude where it is given.

    Two columns of a position have names that differ in the coordinate alone.
    """
    of = {
        axis: [(column, about) for column in columns if (about := _about(axis, column)) is not None]
        for axis in ("lat", "lon")
    }
    likely = [Pair(a, b, about) for a, about in of["lat"] for b, other in of["lon"] if about == other and a is not b]
    likely = [pair for pair in likely if lat in (None, pair.lat.place) and lon in (None, pair.lon.place)]
    return sorted(likely, key=lambda pair: pair.rank)


def end_of(pair: Pair, others: Sequence[Pair]) -> Pair | None:
    """The position of the end of a trip that begins at ``pair``; None where there is none."""
    start = pair.about - START
    ends = (other for other in others if other.about & END and other.about - END == start and other.about != pair.about)
    return next(ends, None)


def has_positions(names: Sequence[str]) -> bool:
    """Whether both a longitude and a latitude are among the names."""
    named = [name for name in names if not name.isascii() or any(map(str.isalpha, name))]
    return len(named) > 1 and bool(pairs([Column(i, name, ()) for i, name in enumerate(named)]))


def is_coordinate(name: str) -> bool:
    """Whether a column is called as a longitude or a latitude, of whatever."""
    column = Column(0, name, ())
    return any(_about(axis, column) is not None for axis in _KNOWN)
