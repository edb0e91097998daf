"""The files that take longest to read for their size: valid files lengthened in every place, format by format.

Text is lengthened by runs of one token and by repeated parts of itself, at several of its boundaries; binary containers
by what they can have many or long ones of.
"""

import io
import itertools
import re
import sqlite3
import struct
import time
import zipfile
from collections import namedtuple
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from privacy_engine.errors import ChoiceNeeded, EngineError
from privacy_engine.formats import read
from tests.engine import format_samples
from tests.engine.damaged_files import SEEDS

RUNS = (
    *(b"1", b"a", b'"', b'""', b"'", b"<", b"<a>", b"<!--", b"<a b='1", b"[", b"]", b"{", b'{"a":', b"(", b",", b',,"'),
    *(b" ", b"\n", b"\r\n", b"\t", b"\\", b'\\"', b"-", b".", b";", b"|", b":", b"/", b"\0", b"e", b"\xc3\xa9", b"$"),
    *(b"&amp;", b"\x1e", b"GEOMETRYCOLLECTION(", b'{"type":"GeometryCollection","geometries":[', b"<!-- -->", b"<a/>"),
)  # fmt: skip
PLACES = 6


Case = namedtuple("Case", ("label", "make"))
"""A way to make a file of about so many bytes."""


def cases(name):
    if name in _CONTAINERS:
        yield from itertools.starmap(Case, _CONTAINERS[name].items())
        return
    sample = SEEDS[name]
    marks = [found.start() for found in re.finditer(rb"\W", sample)]
    places = sorted({0, len(sample), *(marks[len(marks) * i // PLACES] for i in range(PLACES))})
    for place in places:
        yield from (Case(f"{run!r} at {place}", _lengthened(sample, place, run)) for run in RUNS)
    for first, last in itertools.pairwise(places):
        yield Case(f"{first} to {last} repeated", _lengthened(sample, last, sample[first:last]))
        yield Case(f"{first} to its end, cut off", _lengthened(sample[:last], last, sample[first:last]))
    yield Case("new names in every line", _numbered(sample))


def _lengthened(sample, place, run):
    return lambda size: sample[:place] + run * (size // len(run)) + sample[place:]


def _numbered(sample):
    """The second half of the sample again and again, each letter "a" or "u" in it a new name."""
    half = sample[len(sample) // 2 :]
    return lambda size: sample + b"".join(re.sub(rb"\b[au]\d?\b", b"n%d" % i, half) for i in range(size // len(half)))


def cpu_s(source):
    """CPU seconds to read or refuse a file with the default answers, and how that ended."""
    started, options, end = time.process_time(), {}, "a choice is needed"
    for _ in range(4):
        try:
            found = read(source if isinstance(source, Path) else io.BytesIO(source), **options)
            end = f"{sum(map(len, found.series))} rows"
        except ChoiceNeeded as choice:
            options[choice.parameter] = choice.default
            continue
        except EngineError as refused:
            end = refused.code
        break
    return time.process_time() - started, end


def _table(rows, **more):
    step = np.arange(rows)
    plain = {"user": pa.array(np.where(step % 2, "a", "b")), "time": pa.array(1e9 + step)}
    return pa.table({**plain, "lon": pa.array(step % 100 * 1.0), "lat": pa.array(step % 50 * 1.0), **more})


def _wide(columns):
    return _table(2, **{f"x{i}": pa.array([1, 2]) for i in range(columns)})


def _long(size):
    return _table(2, note=pa.array(["x" * size, "y"]))


def _parquet(table, **options):
    out = io.BytesIO()
    pa.parquet.write_table(table, out, **options)
    return out.getvalue()


def _people(rows):
    table = _table(rows)
    return _parquet(table.set_column(0, "user", pa.array([f"u{i}" for i in range(rows)])), compression="none")


def _feather(table, rows):
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=rows):
            writer.write_batch(batch)
    return out.getvalue()


def _fit(body):
    return struct.pack("<BBHI4sH", 14, 16, 0, len(body), b".FIT", 0) + body + b"\0\0"


_RECORD = b"\x00" + struct.pack("<Iii", 1000, 100, 100)
_DEFINED = b"\x40\0\0" + struct.pack("<HB", 20, 3) + bytes([253, 4, 134, 0, 4, 133, 1, 4, 133]) + _RECORD
_WIDE = b"\x40\0\0" + struct.pack("<HB", 20, 255) + bytes([9, 1, 2]) * 255 + b"\x00" + b"\1" * 255
_BLOB = "(SELECT geom FROM fixes LIMIT 1)"
_COUNT = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM n WHERE i < {})"


def _features(size):
    many = _COUNT.format(size // 60)
    insert = f"INSERT INTO fixes {many} SELECT i, {_BLOB}, '2024-06-15T12:00:00Z', 'p' || i FROM n;"
    return format_samples.geopackage(insert)


def _layers(size):
    return format_samples.geopackage(
        "".join(
            f"CREATE TABLE l{i} (fid INTEGER PRIMARY KEY, geom POINT, t TEXT);"
            f"INSERT INTO l{i} SELECT 1, {_BLOB}, '2024';"
            f"INSERT INTO gpkg_geometry_columns VALUES ('l{i}', 'geom', 'POINT', 4326, 0, 0);"
            for i in range(size // 8500)
        )
    )


def _long_geometry(size):
    n = size // 16
    head = b"GP\0\1" + struct.pack("<iBII", 4326, 1, 2, n)
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(format_samples.GEOPACKAGE)
        database.execute("UPDATE fixes SET geom = ?", (head + np.arange(2 * n).astype("<f8").tobytes(),))
        database.commit()
        return bytes(database.serialize())


def _points(name, size):
    return _vector(name, "Point", [struct.pack("<BIdd", 1, 1, i % 100, i % 50) for i in range(size // 100)])


def _line(name, size):
    n = size // 16
    return _vector(name, "LineString", [struct.pack("<BII", 1, 2, n) + (np.arange(2 * n) % 50).astype("<f8").tobytes()])


def _vector(name, kind, geometries):
    texts = [np.array([f"{what}{i}" for i in range(len(geometries))], dtype=object) for what in "ut"]
    return format_samples.vector_file(name, geometries, texts, ["user", "note"], geometry_type=kind)


def _book(rows, more=()):
    fixes = ([f"u{i}", "2024-06-15T12:00:00Z", i % 50, i % 100, *more] for i in range(rows))
    return format_samples.workbook(itertools.chain([["user", "time", "lat", "lon", *(f"x{i}" for i in more)]], fixes))


def in_sheet(make, part="xl/worksheets/sheet1.xml"):
    """A workbook with another part, stored as it is: packed, it would be refused for its ratio."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(SEEDS["xlsx"])) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            new.writestr(info.filename, make(data) if info.filename == part else data)
    return out.getvalue()


def _sheet(end, more):
    return in_sheet(lambda data: data.replace(end, more + end * (end == b"</row>"), 1))


_CONTAINERS = {
    "parquet": {
        "rows": lambda size: _parquet(_table(size // 20), compression="none", use_dictionary=False),
        "row groups of one row": lambda size: _parquet(_table(max(size // 900, 1)), row_group_size=1),
        "columns": lambda size: _parquet(_wide(size // 500)),
        "long cell": lambda size: _parquet(_long(size), compression="none"),
        "new person in every row": lambda size: _people(size // 30),
    },
    "feather": {
        "batch": lambda size: _feather(_table(size // 30), size),
        "batches of one row": lambda size: _feather(_table(max(size // 600, 1)), 1),
        "columns": lambda size: _feather(_wide(size // 250), 2),
        "long cell": lambda size: _feather(_long(size), 2),
    },
    "fit": {
        "records": lambda size: _fit(format_samples.FIT[14:-2] + _RECORD * (size // len(_RECORD))),
        "definitions": lambda size: _fit(_DEFINED * (size // len(_DEFINED))),
        "wide definitions": lambda size: _fit(_WIDE * (size // len(_WIDE))),
    },
    "geopackage": {"features": _features, "layers": _layers, "long geometry": _long_geometry},
    "shapefile": {"points": partial(_points, "x.shp"), "line": partial(_line, "x.shp")},
    "flatgeobuf": {"points": partial(_points, "x.fgb"), "line": partial(_line, "x.fgb")},
    "xlsx": {
        "rows": lambda size: _book(size // 30),
        "columns": lambda size: _book(size // 60_000 + 1, range(16_000)),
        "attribute": lambda size: _sheet(b"</sheetData>", b'<row r="' + b"1" * size),
        "comment": lambda size: _sheet(b"</sheetData>", b"<!--" + b"1" * size + b"--></sheetData>"),
        "depth": lambda size: _sheet(b"</sheetData>", b"<a>" * (size // 3)),
        "cells of a row": lambda size: _sheet(b"</row>", b'<c r="ZZ9"><v>1</v></c>' * (size // 23)),
    },
}
