"""Which two columns of a table are the longitude and the latitude: by their names, those that go together."""

from collections.abc import Sequence
from typing import NamedTuple

from privacy_engine.formats.column import Column
from privacy_engine.formats.time_columns import END, START
from privacy_engine.formats.vocabulary import names_of, terms_of

_KNOWN = {"lat": names_of("position", "latitude"), "lon": names_of("position", "longitude")}
"""Names whose terms do not state it, and before them those that come before all others."""
_TERMS = {"lat": terms_of("position", "latitude"), "lon": terms_of("position", "longitude")}
_UNITS = terms_of("position", "unit")


class Pair(NamedTuple):
    """The columns of a position: ``about`` is what their names state beside that they are coordinates."""

    lat: Column
    lon: Column
    about: frozenset[str]

    @property
    def rank(self) -> tuple[int, ...]:
        """For sorting: the likelier to be the position of the row, the less."""
        known = self.lat.plain in _KNOWN["lat"] and self.lon.plain in _KNOWN["lon"]
        order = _KNOWN["lat"].index(self.lat.plain) + _KNOWN["lon"].index(self.lon.plain) if known else 0
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
    return any(_about(axis, Column(0, name, ())) is not None for axis in _KNOWN)


def is_coordinate_of_row(axis: str, column: Column) -> bool:
    """Whether a column is called as the longitude (``lon``) or the latitude (``lat``) and nothing beside."""
    return _about(axis, column) == frozenset()
