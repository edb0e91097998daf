"""Generators of FIT, GeoPackage, shapefiles, FlatGeobuf and archives for :mod:`tests.engine.record_files`."""

import itertools
import sqlite3
import struct
from contextlib import closing

import numpy as np

from tests.engine import record_files as files
from tests.engine.format_samples import collection, feature, vector_file, zipped
from tests.engine.record_files import File, Record, Style, encoded, makes, records, text
from tests.engine.record_tables import csv_of

_NO_POSITION, _NO_TIME = 0x7FFFFFFF, 0xFFFFFFFF
_ODD = ("zero", "far", "beyond", "west", "untimed", "undated", "order", "zoned", "unit")


@makes("fit")
def fit(rng):
    style = Style(rng, texts=False, units=("degrees",), times=("s",), odd=("zero", "west", "untimed", "empty", "early"))
    kinds = rng.choice(((0,), (0,), (0, 1), (0, 1, 2)))
    definition = b"\0\0" + struct.pack("<HB", 20, 3) + bytes([253, 4, 134, 0, 4, 133, 1, 4, 133])
    short = b"\0\0" + struct.pack("<HB", 20, 2) + bytes([0, 4, 133, 1, 4, 133])
    begin = b"\x40" + definition + b"\x41" + short

    def cells(one):
        lon = one.lon - 360 if isinstance(one.lon, float) and one.lon > 180 else one.lon
        place = [round(x * 2**31 / 180) if isinstance(x, float) else _NO_POSITION for x in (one.lat, lon)]
        time = int(one.time_s) - 631_065_600
        kind = rng.choice(kinds)
        if kind == 0:
            return b"\x00" + struct.pack("<Iii", _NO_TIME if one.odd == "untimed" else time, *place)
        return bytes([0x80 | 1 << 5 | time & 31 if kind == 1 else 1]) + struct.pack("<ii", *place)

    found, other = records(style, cells)

    def render(of):
        body = begin + b"".join(one.cells for one in of)
        return struct.pack("<BBHI4sH", 14, 16, 0, len(body), b".FIT", 0) + body + b"\0\0"

    return File("x.fit", "trajectory", found, other, render, ordered=True)


def _shape(fixes):
    places = [[float(value) for value in (one.lon, one.lat)] for one in fixes]
    if len(places) == 1:
        return struct.pack("<BIdd", 1, 1, *places[0])
    return struct.pack("<BII", 1, 2, len(places)) + b"".join(struct.pack("<dd", *one) for one in places)


def _layer(rng):
    """Names of columns, and rows of a shape and the values of these columns."""
    style = Style(rng, texts=False, units=("degrees", "swapped"), odd=_ODD)
    lines = rng.random() < 0.4
    names = [rng.choice(("user", "id", "name", "trip_id")), *(["prev_t", "t"] if lines else ["time"])]

    def row(number):
        fixes = [style.fix(number * 3 + i) for i in range(rng.choice((2, 2, 3)) if lines else 1)]
        times = [fixes[0].time, fixes[-1].time] if lines else [fixes[0].time]
        return Record((_shape(fixes), [fixes[0].user, *times]), tuple(one.known for one in fixes))

    return names, row, style, lines


@makes("geopackage")
def geopackage(rng):
    names, row, style, _ = _layer(rng)
    second = rng.random() < 0.3
    typed = rng.random() < 0.5

    def made(number):
        cells, lats = row(number)
        return Record((*cells, second and rng.random() < 0.4), lats)

    def render(of):
        with closing(sqlite3.connect(":memory:")) as database:
            database.executescript(
                "CREATE TABLE gpkg_spatial_ref_sys (srs_id INTEGER, organization TEXT,"
                " organization_coordsys_id INTEGER); INSERT INTO gpkg_spatial_ref_sys VALUES (4326, 'EPSG', 4326);"
                "CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER);"
            )
            for table in ("fixes", "more")[: 1 + second]:
                columns = names if table == "fixes" else names[:1]
                kinds = ", ".join(f"{one} {'' if typed else 'TEXT'}" for one in columns)
                database.execute(f"INSERT INTO gpkg_geometry_columns VALUES ('{table}', 'geom', 4326)")
                database.execute(f"CREATE TABLE {table} (fid INTEGER PRIMARY KEY, geom BLOB, {kinds})")
                for shape, values, other in (one.cells for one in of):
                    if other == (table == "more"):
                        blob = b"GP\0\1" + struct.pack("<i", 4326) + shape
                        cells = values[: len(columns)]
                        marks = ", ".join("?" * len(cells))
                        database.execute(f"INSERT INTO {table} VALUES (NULL, ?, {marks})", (blob, *cells))
            return bytes(database.serialize())

    return File(
        "x.gpkg", "trajectory", [made(i) for i in range(style.count)], made(files.OTHER // 3), render, style.options
    )


def _written(rng, name):
    names, row, style, lines = _layer(rng)
    found, other = [row(i) for i in range(style.count)], row(files.OTHER // 3)
    whole = [all(isinstance(one.cells[1][i], int) for one in [*found, other]) for i in range(len(names))]

    def render(of):
        values = zip(*(one.cells[1] for one in of), strict=True) if of else [()] * len(names)
        columns = [
            np.array([one if is_whole else text(one) or None for one in column], np.int64 if is_whole else object)
            for column, is_whole in zip(values, whole, strict=True)
        ]
        about = {"geometry_type": "LineString" if lines else "Point"}
        about |= {"SPATIAL_INDEX": "NO"} if name.endswith("fgb") else {}  # which sorts the features
        return vector_file(name, [one.cells[0] for one in of], columns, names, **about)

    return File(name if name.endswith("fgb") else "x.zip", "trajectory", found, other, render, style.options)


makes("flatgeobuf")(lambda rng: _written(rng, "fixes.fgb"))
makes("shapefile")(lambda rng: _written(rng, "fixes.shp"))


@makes("zip")
def archive(rng):
    members = []
    for _ in range(rng.randint(1, 3)):
        style = Style(
            rng, times=[*files.DATES, *files.UNITS], units=("degrees", "degrees", "comma", "e7"), foreign=True
        )
        style.count = rng.randint(1, 4)
        members.append((style, ["user", "time", "lon", "lat"][rng.randint(0, 1) :]))
    names = rng.choice(({}, {"a": "m0", "b": "m1", "c": ""}))  # as members are called, of which some name no user
    numbers = itertools.count()

    def record(at, number):
        style, header = members[at]
        one = style.fix(number)
        cells = [names.get(one.user, one.user), one.time, one.lon, one.lat][-len(header) :]
        return Record((at, cells), (one.known,))

    found = [record(at, next(numbers)) for at, (style, _) in enumerate(members) for _ in range(style.count)]

    def render(of):
        parts = {}
        for at, (_, header) in enumerate(members):
            rows = [Record(one.cells[1], one.lats) for one in of if one.cells[0] == at]
            parts[f"m{at}.csv"] = csv_of(header, ";")(rows)
        return zipped(**parts)

    return File("x.zip", "trajectory", found, record(0, files.OTHER), render)


@makes("zip", "checkins")
def checkins_with_venues(rng):
    style = Style(rng, times=[*files.DATES, *files.UNITS], units=("degrees", "degrees", "comma"), foreign=True)
    placed = rng.random() < 0.6
    header = ["user", "time", "venue", *(["longitude", "latitude"] if placed else [])]
    name = f"Ca{files.NO_UTF8}" if style.foreign else "Cafe"
    venues = "".join(f"v{i},{13 + i}.5,{50 + i}.25,{name}\n" for i in range(rng.randint(1, 3)))

    def cells(one):
        bare = rng.random() < 0.4
        position = [None, None] if bare else [one.lon, one.lat]
        return [one.user, one.time, rng.choice(("v0", "v1", "v2", None)), *(position if placed else [])]

    known, other = records(style, cells)
    found, other = [Record(one.cells, (None,)) for one in known], Record(other.cells, (None,))
    write = csv_of(header, rng.choice(",;"))

    def render(of):
        return zipped(**{"checkins.csv": write(of), "venues.csv": encoded(f"venue,longitude,latitude,name\n{venues}")})

    return File("x.zip", "checkins", found, other, render, style.options)


@makes("zip")
def named_members(rng):
    """Members with one series for each record, some of which are called as another member is, or not at all."""
    style = Style(rng, times=("iso",), units=("degrees",), odd=("west",))
    style.count = rng.randint(2, 6)
    names = ("", "", "m1", "m2", "m1 (2)")
    plain = rng.random() < 0.5

    def cells(one):
        return rng.randint(0, 2), rng.choice(names), one

    found, other = records(style, cells)

    def member(of, at):
        key = "id" if plain else "user"
        points = ((name, one) for where, name, one in (record.cells for record in of) if where == at)
        places = ((one, {key: name} if name else {}) for name, one in points)
        return collection(*(feature("Point", [x.lon, x.lat], time=x.time, **named) for x, named in places))

    def render(of):
        return zipped(**{f"m{at}.geojson": member(of, at) for at in range(3)})

    options = {**style.options, **rng.choice(({}, {}, {"person": "series"}, {"person": "one"}))}
    return File("x.zip", "trajectory", found, other, render, options)
