"""Generators of tables for :mod:`tests.engine.record_files`: positions, check-ins and counts."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from tests.engine.format_samples import workbook
from tests.engine.record_files import DATES, OTHER, UNITS, File, Record, Style, encoded, json_of, makes, records, text


def csv_of(header, delimiter, before=""):
    def render(rows):
        out = io.StringIO()
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        for row in [*([header] if header else []), *(one.cells for one in rows)]:
            writer.writerow(map(text, row))
        return encoded(before + out.getvalue())

    return render


def _arrow(header, all_rows, write):
    """Records as a table of Arrow's, whose types are those of all records that may be in the file."""
    columns = list(zip(*(one.cells for one in all_rows), strict=True))
    kinds = [
        pa.float64() if all(isinstance(cell, (int, float, type(None))) for cell in one) else pa.string()
        for one in columns
    ]
    if all_rows and len(all_rows) % 3 == 0:  # whole numbers are read as they are
        whole = [all(isinstance(cell, (int, type(None))) for cell in one) for one in columns]
        kinds = [pa.int64() if is_whole else kind for is_whole, kind in zip(whole, kinds, strict=True)]

    def render(rows):
        cells = list(zip(*(one.cells for one in rows), strict=True)) or [()] * len(header)
        arrays = [
            pa.array([cell if cell is None or kind != pa.string() else str(cell) for cell in one], kind)
            for one, kind in zip(cells, kinds, strict=True)
        ]
        out = io.BytesIO()
        write(pa.table(arrays, names=list(header)), out)
        return out.getvalue()

    return render


def _book(header):
    return lambda rows: workbook([header, *(one.cells for one in rows)])


def _json(header, rng):
    lines, nested = rng.random() < 0.4, rng.random() < 0.4

    def render(rows):
        found = []
        for one in rows:
            record = dict(zip(header, one.cells, strict=True))
            record = {key: value for key, value in record.items() if value is not None or key != "user"}
            found.append({"id": one.lats[0], "fix": record} if nested else record)
        return b"\n".join(map(json_of, found)) if lines else json_of(found)

    return render


def _renderer(name, header, found, rng):
    if name in ("parquet", "feather"):
        return _arrow(header, found, getattr(getattr(pyarrow, name), f"write_{'table' if name == 'parquet' else name}"))
    if name == "xlsx":
        return _book(header)
    if name == "json":
        return _json(header, rng)
    return csv_of(header, rng.choice((",", ";", "\t")))


_NAMES = (("lon", "lat"), ("longitude", "latitude"), ("x", "y"), ("lng", "lat"))
_TIMES = ("time", "timestamp", "date", "recorded", "t")
_USERS = ("user", "id", "name", "trip_id", "series", "who", "")
_MORE = ("", "row", "landmark", "accuracy", "person")


def _positions(name, rng):
    style = Style(rng, foreign=name in ("csv", "json"))
    (lon, lat), time, user, more = (rng.choice(one) for one in (_NAMES, _TIMES, _USERS, _MORE))
    header = [*([user] if user else []), *([time] if style.time != "none" else []), lon, lat, *([more] if more else [])]

    def cells(one):
        extra = {"row": one.number, "landmark": rng.choice(("yes", "no", "", "no")), "accuracy": rng.randint(1, 9)}
        extra["person"] = rng.choice(("p", "q"))
        values = [(one.user, user), (one.time, style.time != "none"), (one.lon, 1), (one.lat, 1)]
        values.append((extra.get(more), more))
        return [value for value, written in values if written]

    found, other = records(style, cells)
    if name == "csv" and rng.random() < 0.15:
        places = {one: f"#{header.index(one) + 1}" for one in (lon, lat)}
        options = {**style.options, "lon": places[lon], "lat": places[lat]}
        return File("x.csv", "trajectory", found, other, csv_of(None, rng.choice(",;")), options)
    if name == "csv" and rng.random() < 0.2:  # rows with too few cells and with too many
        at = rng.randrange(len(found))
        found[at] = Record(found[at].cells[: rng.randint(1, len(header))] + ["z"] * rng.randint(0, 3), found[at].lats)
    return File(f"x.{name}", "trajectory", found, other, _renderer(name, header, [*found, other], rng), style.options)


def _checkins(name, rng):
    style = Style(rng, times=[*DATES, *UNITS], units=("degrees", "degrees", "comma"), foreign=name == "csv")
    placed, named, offset = (rng.random() < 0.5 for _ in range(3))
    header = ["user", "time", "venue", *(["longitude", "latitude"] if placed else []), *(["venue_name"] * named)]
    header += ["timezone_offset"] * offset

    def cells(one):
        place = rng.choice(("v1", "v2", "v3")) if one.odd != "letters" else None
        position = [one.lon, one.lat] if placed else []
        return [one.user, one.time, place, *position, *([f"Café {place}"] * named), *([rng.choice((60, 120))] * offset)]

    found, other = records(style, cells)
    if not placed:
        found, other = [Record(one.cells, (None,)) for one in found], Record(other.cells, (None,))
    return File(f"x.{name}", "checkins", found, other, _renderer(name, header, [*found, other], rng), style.options)


def _published(rng):
    """Check-ins as Gowalla's are published: without a header, 0, 0 where there is no position."""
    style = Style(rng, times=("iso",), units=("degrees",), odd=("zero", "beyond", "west", "far", "untimed"))
    places = {one: i for i, one in enumerate("abcdefgh")} | {"Total": 99}

    def cells(one):
        zero = one.lon == 0 and rng.random() < 0.5
        position = ["0", "0"] if zero else [f"{one.lat:.7f}", f"{one.lon:.7f}"]
        return [places[one.user], one.time, *position, rng.choice(("12", "13"))]

    found, other = records(style, cells)
    return File("x.txt", "checkins", found, other, csv_of(None, "\t"), style.options)


def _counts(name, rng):
    odd = ("empty", "letters", "untimed", "undated", "order")
    style = Style(rng, times=[*DATES, *UNITS, "days", "none"], odd=odd, foreign=name == "csv")
    style.twins = False if rng.random() < 0.7 else style.twins
    long, labelled = rng.random() < 0.5, style.time != "none" and rng.random() < 0.9
    many = rng.randint(1, 4)
    header = ["store", "item"][: rng.choice((1, 2))] if long else [f"n{i}" for i in range(many)]
    header = [*(["date"] if labelled or long else []), *header, *(["count"] if long else [])]

    def cells(one):
        counts = [rng.choice((0, 0, 1, 5, 137)) for _ in range(1 if long else many)]
        if one.odd in ("empty", "letters"):
            counts[0] = None if one.odd == "empty" else rng.choice(("-3", "x", "nan"))
        time = f"week {one.number}" if style.time == "none" else one.time
        names = [rng.choice(("p", "q", "r/s")) + one.tail for _ in header[1:-1]] if long else []
        return [*([time] if labelled or long else []), *names, *counts]

    found, other = records(style, cells)
    found, other = [Record(one.cells, (None,)) for one in found], Record(other.cells, (None,))
    options = {key: value for key, value in style.options.items() if key != "crs"}
    if not labelled and not long and name != "csv":
        header = [f"m{i}" for i in range(many)]
    return File(f"x.{name}", "stream", found, other, _renderer(name, header, [*found, other], rng), options)


for _name in ("csv", "parquet", "feather", "xlsx", "json"):
    makes(_name)(lambda rng, name=_name: _positions(name, rng))
for _name in ("csv", "parquet", "feather", "xlsx"):
    makes(_name, "checkins")(lambda rng, name=_name: _checkins(name, rng))
    makes(_name, "stream")(lambda rng, name=_name: _counts(name, rng))
makes("csv", "checkins")(_published)


@makes("movebank")
def movebank(rng):
    style = Style(rng, times=("naive", "iso", "dmy"), units=("degrees",), foreign=True)
    header = ["event-id", "timestamp", "location-long", "location-lat", "individual-local-identifier"]
    found, other = records(style, lambda one: [one.number, one.time, one.lon, one.lat, one.user])
    return File("x.csv", "trajectory", found, other, csv_of(header, ","), style.options)


@makes("ais")
def ais(rng):
    style = Style(rng, times=("naive", "dmy", "mdy"), units=("degrees",), foreign=True)
    header = ["# Timestamp", "MMSI", "Latitude", "Longitude", "Name"]

    def cells(one):
        nowhere = one.odd == "far"
        return [one.time, f"2114296{ord(one.user[0])}", *((91.0, 181.0) if nowhere else (one.lat, one.lon)), one.tail]

    found, other = records(style, cells)
    return File("x.csv", "trajectory", found, other, csv_of(header, ","), style.options)


@makes("plt")
def plt(rng):
    ozi = rng.random() < 0.4
    style = Style(rng, times=("naive",), units=("degrees", "degrees", "swapped"), foreign=True)
    head = "OziExplorer Track Point File Version 2.1\n" if ozi else "Geolife trajectory\n"
    head += "WGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n"

    bare = not ozi and rng.random() < 0.3

    def cells(one):
        days = f"{one.time_s / 86400 + 25569:.7f}"
        date, _, clock = text(one.time).partition(" ")
        clock = clock.lstrip("0") if rng.random() < 0.2 else clock
        return [one.lat, one.lon, 0, f"492{'' if bare else one.tail}", days, "16-Jun-24" if ozi else date, clock]

    found, other = records(style, cells)
    return File("x.plt", "trajectory", found, other, csv_of(None, ",", "" if bare else head), style.options)


@makes("tdrive")
def tdrive(rng):
    style = Style(rng, times=("naive",), units=("degrees", "degrees", "swapped"), foreign=True)
    header = ["id", "datetime", "lon", "lat"] if rng.random() < 0.3 else None
    found, other = records(style, lambda one: [f"{ord(one.user[0])}{one.tail}", one.time, one.lon, one.lat])
    return File("x.txt", "trajectory", found, other, csv_of(header, ","), style.options)


@makes("gtfs")
def gtfs(rng):
    style = Style(rng, times=("none",), units=("degrees",), foreign=True)
    header = ["shape_id", "shape_pt_lat", "shape_pt_lon", "shape_pt_sequence"]
    found, other = records(
        style, lambda one: [one.user, one.lat, one.lon, rng.choice((one.number, -one.number, 3, "x"))]
    )
    return File("shapes.txt", "trajectory", found, other, csv_of(header, ","), style.options)


@makes("porto")
def porto(rng):
    odd = ("beyond", "west", "zero", "unit")
    style = Style(rng, times=("s", "ms", "none"), units=("degrees",), texts=False, odd=odd, foreign=True)
    taxis = rng.random() < 0.7
    header = ["TRIP_ID", *(["TAXI_ID"] * taxis), "TIMESTAMP", "MISSING_DATA", "POLYLINE"]

    def trip(number):
        fixes = [style.fix(number * 4 + i) for i in range(rng.randint(0, 3))]
        line = json.dumps([[one.lon, one.lat] for one in fixes]) if rng.random() < 0.9 else "[[1,"
        one = style.fix(number)
        taxi = f"{rng.choice((20, 21, ''))}{one.tail}"
        cells = [f"t{number}", *([taxi] * taxis), text(one.time) or "x", "False", line]
        return Record(cells, tuple(one.known for one in fixes))

    found = [trip(i) for i in range(max(style.count, 3) % 20)]
    return File("x.csv", "trajectory", found or [trip(0)], trip(OTHER // 4), csv_of(header, ","), style.options)


@makes("wkt")
def wkt(rng):
    style = Style(rng, units=("degrees",), texts=False, foreign=True)
    srid, ends = rng.choice(("", "", "SRID=4326;", "mixed")), rng.random() < 0.4
    header = ["user", *(["prev_t", "t"] if ends else ["time"]), rng.choice(("geom", "wkt", "what"))]

    def row(number):
        fixes = [style.fix(number * 2 + i) for i in range(2 if ends or rng.random() < 0.3 else 1)]
        pairs = [f"{text(one.lon) or 'x'} {text(one.lat)}" for one in fixes]
        body = f"LINESTRING ({', '.join(pairs)})" if len(pairs) > 1 else f"POINT ({pairs[0]})"
        if rng.random() < 0.1:
            body = rng.choice(("", "POINT EMPTY", "POLYGON ((0 0, 1 1, 1 0, 0 0))", "POINT (1"))
        system = rng.choice(("", "SRID=3857;", "SRID=4326;")) if srid == "mixed" else srid
        return Record([fixes[0].user, *[one.time for one in fixes][: 1 + ends], system * bool(body) + body],
                      (*(None if "3857" in system else one.known for one in fixes),))  # fmt: skip

    found = [row(i) for i in range(style.count)]
    return File("x.csv", "trajectory", found, row(OTHER // 2), csv_of(header, rng.choice(";\t")), style.options)
