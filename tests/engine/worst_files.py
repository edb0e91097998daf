"""The files that take longest to read for their size: valid files lengthened in every place, format by format.

Text is lengthened by runs of one token and by repeated parts of itself, at several of its boundaries; binary containers
by what they can have many or long ones of.
"""

import io
import itertools
import re
import sqlite3
import struct
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from privacy_engine.errors import ChoiceNeeded, EngineError
from privacy_engine.formats import read
from tests.engine import format_samples
from tests.engine.damaged_files import SEEDS
from tests.later import openpyxl, pyogrio

RUNS = (
    *(b"1", b"a", b'"', b'""', b"'", b"<", b"<a>", b"<!--", b"<a b='1", b"[", b"]", b"{", b'{"a":', b"(", b",", b',,"'),
    *(b" ", b"\n", b"\r\n", b"\t", b"\\", b'\\"', b"-", b".", b";", b"|", b":", b"/", b"\0", b"e", b"\xc3\xa9", b"$"),
    *(b"&amp;", b"\x1e", b"GEOMETRYCOLLECTION(", b'{"type":"GeometryCollection","geometries":[', b"<!-- -->", b"<a/>"),
)  # fmt: skip
PLACES = 6
Make = Callable[[int], bytes]


class Case(NamedTuple):
    """A way to make a file of about so many bytes."""

    label: str
    make: Make


def cases(name):
    """Every way to lengthen a file of the format ``name``."""
    if name in _CONTAINERS:
        yield from (Case(make.__name__.strip("_").replace("_", " "), make) for make in _CONTAINERS[name])
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
    started, options, end = time.process_time(), dict[str, object](), "a choice is needed"
    for _ in range(4):
        try:
            found = read(source if isinstance(source, Path) else io.BytesIO(source), **options)  # type: ignore[arg-type]
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


def _parquet(table, **options):
    out = io.BytesIO()
    pa.parquet.write_table(table, out, **options)
    return out.getvalue()


def _rows(size):
    return _parquet(_table(size // 20), compression="none", use_dictionary=False)


def _row_groups_of_one_row(size):
    return _parquet(_table(max(size // 900, 1)), row_group_size=1)


def _columns(size):
    return _parquet(_table(2, **{f"x{i}": pa.array([1, 2]) for i in range(size // 500)}))


def _long_cell(size):
    return _parquet(_table(2, note=pa.array(["x" * size, "y"])), compression="none")


def _new_person_in_every_row(size):
    table = _table(size // 30)
    return _parquet(table.set_column(0, "user", pa.array([f"u{i}" for i in range(len(table))])), compression="none")


def _feather(table, rows):
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=rows):
            writer.write_batch(batch)
    return out.getvalue()


def _batches_of_one_row(size):
    return _feather(_table(max(size // 600, 1)), 1)


def _batch(size):
    return _feather(_table(size // 30), size)


def _columns_of_arrow(size):
    return _feather(_table(2, **{f"x{i}": pa.array([1, 2]) for i in range(size // 250)}), 2)


def _long_cell_of_arrow(size):
    return _feather(_table(2, note=pa.array(["x" * size, "y"])), 2)


def _fit(size, message, record):
    body = (message + record) * (size // len(message + record))
    return struct.pack("<BBHI4sH", 14, 16, 0, len(body), b".FIT", 0) + body + b"\0\0"


def _records(size):
    body = format_samples.FIT[14:-2]
    record = b"\x00" + struct.pack("<Iii", 1000, 100, 100)
    body += record * (size // len(record))
    return struct.pack("<BBHI4sH", 14, 16, 0, len(body), b".FIT", 0) + body + b"\0\0"


def _definitions(size):
    whole = b"\x40\0\0" + struct.pack("<HB", 20, 3) + bytes([253, 4, 134, 0, 4, 133, 1, 4, 133])
    return _fit(size, whole, b"\x00" + struct.pack("<Iii", 1000, 100, 100))


def _wide_definitions(size):
    return _fit(size, b"\x40\0\0" + struct.pack("<HB", 20, 255) + bytes([9, 1, 2]) * 255, b"\x00" + b"\1" * 255)


def _script(size, script):
    return format_samples.geopackage(script(size))


_BLOB = "(SELECT geom FROM fixes LIMIT 1)"
_COUNT = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM n WHERE i < {0})"


def _features(size):
    many = _COUNT.format(size // 60)
    return _script(
        size, lambda _: f"INSERT INTO fixes {many} SELECT i, {_BLOB}, '2024-06-15T12:00:00Z', 'p' || i FROM n;"
    )


def _layers(size):
    return _script(
        size,
        lambda size: "".join(
            f"CREATE TABLE l{i} (fid INTEGER PRIMARY KEY, geom POINT, t TEXT);"
            f"INSERT INTO l{i} SELECT 1, {_BLOB}, '2024';"
            f"INSERT INTO gpkg_geometry_columns VALUES ('l{i}', 'geom', 'POINT', 4326, 0, 0);"
            for i in range(size // 8500)
        ),
    )


def _long_geometry(size):
    n = size // 16
    head = b"GP\0\1" + struct.pack("<iBII", 4326, 1, 2, n)
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(format_samples.GEOPACKAGE)
        database.execute("UPDATE fixes SET geom = ?", (head + np.arange(2 * n).astype("<f8").tobytes(),))
        database.commit()
        return bytes(database.serialize())


def _vector(size, name, kind, geometries):
    texts = [np.array([f"{what}{i}" for i in range(len(geometries))], dtype=object) for what in "ut"]
    with tempfile.TemporaryDirectory() as folder:
        about = {"geometry_type": kind, "crs": "EPSG:4326"}
        pyogrio.raw.write(Path(folder, name), np.array(geometries, dtype=object), texts, ["user", "note"], **about)
        parts = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    return parts[name] if name.endswith(".fgb") else format_samples.zipped(**parts)


def _points(size):
    return [struct.pack("<BIdd", 1, 1, i % 100, i % 50) for i in range(size // 100)]


def _line(size):
    n = size // 16
    return [struct.pack("<BII", 1, 2, n) + (np.arange(2 * n) % 50).astype("<f8").tobytes()]


def _points_of_a_shapefile(size):
    return _vector(size, "x.shp", "Point", _points(size))


def _line_of_a_shapefile(size):
    return _vector(size, "x.shp", "LineString", _line(size))


def _points_of_flatgeobuf(size):
    return _vector(size, "x.fgb", "Point", _points(size))


def _line_of_flatgeobuf(size):
    return _vector(size, "x.fgb", "LineString", _line(size))


def _book(rows):
    book, out = openpyxl.Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet()
    for row in rows():
        sheet.append(row)
    book.save(out)
    return out.getvalue()


def _rows_of_a_sheet(size):
    def rows():
        yield ["user", "time", "lat", "lon"]
        yield from ([f"u{i}", "2024-06-15T12:00:00Z", i % 50, i % 100] for i in range(size // 30))

    return _book(rows)


def _columns_of_a_sheet(size):
    def rows():
        yield ["user", "time", "lat", "lon", *(f"x{i}" for i in range(16_000))]
        yield from (["u", "2024-06-15T12:00:00Z", 1, 2, *range(16_000)] for _ in range(size // 60_000 + 1))

    return _book(rows)


def in_sheet(make, part="xl/worksheets/sheet1.xml"):
    """A workbook with another part, stored as it is: packed, it would be refused for its ratio."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(SEEDS["xlsx"])) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            new.writestr(info.filename, make(data) if info.filename == part else data)
    return out.getvalue()


def _attribute_of_a_sheet(size):
    return in_sheet(lambda data: data.replace(b"</sheetData>", b'<row r="' + b"1" * size))


def _comment_in_a_sheet(size):
    return in_sheet(lambda data: data.replace(b"</sheetData>", b"<!--" + b"1" * size + b"--></sheetData>"))


def _depth_of_a_sheet(size):
    return in_sheet(lambda data: data.replace(b"</sheetData>", b"<a>" * (size // 3)))


def _cells_of_a_row(size):
    return in_sheet(lambda data: data.replace(b"</row>", b'<c r="ZZ9"><v>1</v></c>' * (size // 23) + b"</row>", 1))


_CONTAINERS: dict[str, tuple[Make, ...]] = {
    "parquet": (_rows, _row_groups_of_one_row, _columns, _long_cell, _new_person_in_every_row),
    "feather": (_batch, _batches_of_one_row, _columns_of_arrow, _long_cell_of_arrow),
    "fit": (_records, _definitions, _wide_definitions),
    "geopackage": (_features, _layers, _long_geometry),
    "shapefile": (_points_of_a_shapefile, _line_of_a_shapefile),
    "flatgeobuf": (_points_of_flatgeobuf, _line_of_flatgeobuf),
    "xlsx": (
        *(_rows_of_a_sheet, _columns_of_a_sheet, _attribute_of_a_sheet, _comment_in_a_sheet, _depth_of_a_sheet),
        _cells_of_a_row,
    ),
}
