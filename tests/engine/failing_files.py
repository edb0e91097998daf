"""A file for each error code that reading and cleaning can give, and more ways to some of them.

The codes come from the sources (:func:`codes`), so that a new one without a file fails ``test_parsers_fuzz.py``.
"""

import ast
import gzip
import io
import json
import zipfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from privacy_engine import errors
from privacy_engine.formats.series import MAX_SERIES
from privacy_engine.formats.stream_layout import LONGEST_PATH
from privacy_engine.formats.streams import SEPARATORS
from tests.engine import format_samples as samples
from tests.engine.damaged_files import SEEDS
from tests.engine.format_samples import zipped

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path for part in ("formats", "cleaning") for path in sorted((ROOT / "privacy_engine" / part).glob("*.py"))]
ERRORS = {one.__name__: one for one in vars(errors).values() if isinstance(one, type)}
MANY_ROWS = 20_000_001


class FailingFile(NamedTuple):
    name: str
    made: object
    options: dict = {}
    kind: str = "trajectory"
    cleaning: tuple = ()

    @property
    def data(self):
        return self.made if isinstance(self.made, bytes) else self.made()


def codes():
    found = {}
    for path in SOURCES:
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ERRORS:
                for code in _stated(call):
                    found[code] = f"{path.relative_to(ROOT)}:{call.lineno}"
    return found


def _stated(call):
    """The code of one error; of a class that has its own, where the call states none."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    name = getattr(call.func, "id", "")
    if not given:
        yield "choice-needed" if name == "ChoiceNeeded" else ERRORS[name].code
    for value in given:
        assert isinstance(value, ast.Constant), f"line {call.lineno}: a code that is no constant has no file"
        yield value.value


def parquet(write=pq.write_table, **columns):
    out = io.BytesIO()
    write(pa.table(columns), out)
    return out.getvalue()


feather = partial(parquet, pyarrow.feather.write_feather)


def arrow_stream(table, rows, compression=None):
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return out.getvalue()


def noise(rows=400_000 // 8):
    return np.random.default_rng(7).uniform(0, 1, rows)


def encrypted():
    data = bytearray(zipped(**{"a.csv": samples.CSV}))
    for at in (6, data.rindex(b"PK\x01\x02") + 8):
        data[at] |= 1
    return bytes(data)


def moving(**feature):
    found = json.loads(samples.MOVING)
    found["features"][0]["temporalGeometry"] |= feature
    return json.dumps(found).encode()


def rewritten(name, **members):
    """The sample archive ``name`` with some members of other content; empty bytes leave one out."""
    with zipfile.ZipFile(io.BytesIO(SEEDS[name])) as archive:
        parts = {one: archive.read(one) for one in archive.namelist()} | members
    return zipped(**{one: data for one, data in parts.items() if data})


def large_and_long():
    more, rows = {b"padding": np.random.default_rng(0).bytes(MANY_ROWS // 3)}, pa.nulls(MANY_ROWS)
    return parquet(lambda table, out: pq.write_table(table.replace_schema_metadata(more), out), lat=rows, lon=rows)


CHECKINS = b"user,venue,time\n" + b"".join(b"u%d,v1,2024-06-15T12:00:0%dZ\n" % (i % 2, i) for i in range(6))
VENUES = b"venue,latitude,longitude,name\nv1,99,13.4,Cafe\n"
UNLIKE = {"a.csv": CHECKINS.replace(b",", b";")}
UNLIKE["b.csv"] = b"venue;latitude;longitude;a,b,c,d,e\n" + b"v1;52.5;13.4;a,b,c,d,e\n" * 4
LONG_COUNTS = "".join(f"2024-01-0{day},{{}},{day}\n" for day in range(1, 9))


def counts(names, mark=""):
    header = ",".join(["date", *(f"name{i}" for i in range(names)), "count"]) + "\n"
    return (header + LONG_COUNTS.format(*[",".join(f"x{mark}{i}" for i in range(names))] * 8)).encode()


FILES = {
    "archive": FailingFile("a.zip", zipped(**{"a.csv": samples.CSV}), kind="stream"),
    "bad_encoding": FailingFile("a.csv", samples.CSV.decode().encode("utf-16") + b"\0"),
    "bad_feather": FailingFile("a.feather", lambda: SEEDS["feather"][:-20]),
    "bad_fit": FailingFile("a.fit", samples.FIT[:30]),
    "bad_geopackage": FailingFile("a.gpkg", samples.GEOPACKAGE[:5000]),
    "bad_json": FailingFile("a.geojson", samples.GEOJSON[:-20]),
    "bad_marks": FailingFile("a.csv", b"lat,lon,landmark\n52,13,maybe\n52,13,perhaps\n", {"landmark": "landmark"}),
    "bad_moving_point": FailingFile("a.json", moving(datetimes=["2024-06-15T12:00:00Z"])),
    "bad_parquet": FailingFile("a.parquet", b"PAR1" + bytes(50) + b"PAR1"),
    "bad_quoting": FailingFile("a.csv", b'lat,lon,name\n1,2,"never\n' + (b"x" * 60_000 + b"\n") * 3),
    "bad_times": FailingFile("a.csv", b"time,lat,lon\nsoon,52.5,13.4\nlater,52.6,13.5\n", {"time": "time"}),
    "bad_vector_file": FailingFile("a.fgb", lambda: SEEDS["flatgeobuf"][:-40]),
    "bad_workbook": FailingFile("a.xlsx", partial(rewritten, "xlsx", **{"xl/workbook.xml": b"<workbook"})),
    "bad_xml": FailingFile("a.gpx", b"<gpx><trk></gpx>"),
    "choice-needed": FailingFile("a.csv", b"time,lat,lon\n01/02/2024 10:00,52.5,13.4\n02/03/2024 10:00,52.6,13.5\n"),
    "compression_ratio": FailingFile("a.csv.gz", lambda: gzip.compress(samples.CSV + b"\n" * 50_000_000)),
    "damaged_archive": FailingFile("a.csv.gz", gzip.compress(samples.CSV)[:-12]),
    "data": FailingFile("a.csv", b"lat,lon\n52.5,13.4\n52.6,13.5\n", cleaning=[{"name": "resample", "every_s": 60}]),
    "empty": FailingFile("a.csv", b""),
    "empty_archive": FailingFile("a.zip", zipped(**{"__MACOSX/a": b"x"})),
    "encrypted": FailingFile("a.zip", encrypted()),
    "line_too_long": FailingFile("a.csv", samples.CSV + b"u1," + b"9" * 100_000 + b"\n"),
    "mixed_times": FailingFile("a.zip", zipped(**{"a.csv": samples.CSV, "b.csv": b"lat,lon\n52.5,13.4\n"})),
    "nested_archive": FailingFile("a.zip.gz", gzip.compress(zipped(**{"a.csv": samples.CSV}))),
    "no_checkin_columns": FailingFile("a.csv", b"a,b\n1,2\n", kind="checkins"),
    "no_folder": FailingFile("a.zip", zipped(**{"p/a.csv": samples.CSV, "b.csv": samples.CSV}), {"person": "folder"}),
    "no_person": FailingFile("a.csv", b"lat,lon,who\n52.5,13.4,\n52.6,13.5,\n", {"person": "column:who"}),
    "no_points": FailingFile("a.csv", b"lat,lon\n95.5,213.4\n95.6,213.5\n"),
    "no_position_columns": FailingFile("a.csv", b"name,colour\na,red\nb,blue\n"),
    "no_rows": FailingFile("a.csv", b"time,lat,lon\n"),
    "no_times": FailingFile("a.csv", b"name,count\na,1\nb,2\n", {"count": "name"}, "stream"),
    "no_track": FailingFile("a.kml", b'<kml xmlns="http://www.opengis.net/kml/2.2"><Document/></kml>'),
    "no_venue_columns": FailingFile("a.zip", zipped(**UNLIKE), {"delimiter": ";"}, "checkins"),
    "no_venues": FailingFile("a.zip", zipped(**{"a.csv": CHECKINS, "b.csv": VENUES}), kind="checkins"),
    "not_geojson": FailingFile("a.geojson", b'{"a": [1, 2]}', {"format": "geojson"}),
    "not_gpx": FailingFile("a.gpx", samples.TCX, {"format": "gpx"}),
    "not_kml": FailingFile("a.kml", samples.GPX, {"format": "kml"}),
    "not_tcx": FailingFile("a.tcx", samples.GPX, {"format": "tcx"}),
    "old_feather": FailingFile("a.feather", b"FEA1" + bytes(100) + b"FEA1"),
    "other_kind": FailingFile("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
    "parameter": FailingFile("a.csv", samples.CSV, {"person": "folder"}),
    "part_of_shapefile": FailingFile("a.zip", partial(rewritten, "shapefile", **{"fixes.shx": b""})),
    "repeated_names": FailingFile("a.csv", b"a,2024-01-01,2024-01-02,2024-01-03\nx,1,2,3\nx,1,2,3\n", {}, "stream"),
    "long_rows": FailingFile("a.csv", b"lat,lon\nx,y,z\nx,y,z\n"),
    "same_column": FailingFile("a.csv", b"x,y\n52.5,13.4\n52.6,13.5\n", {"lon": "x", "lat": "x"}),
    "separator": FailingFile("a.csv", counts(2, "".join(SEPARATORS)), {"count": "count"}, "stream"),
    "several_tables": FailingFile("a.zip", zipped(**{"a.csv": CHECKINS, "b.csv": CHECKINS}), kind="checkins"),
    "too_deep": FailingFile("a.geojson", b'{"type": "Feature", "a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "too_large": FailingFile("e.arrows", lambda: arrow_stream(pa.table({"lon": pa.nulls(MANY_ROWS)}), MANY_ROWS)),
    "too_many_members": FailingFile("a.zip", lambda: zipped(**{f"{i}.csv": b"" for i in range(2001)})),
    "too_many_names": FailingFile("a.csv", counts(LONGEST_PATH + 1), {"count": "count"}, "stream"),
    "too_many_series": FailingFile(
        "a.csv", lambda: b"id,lat,lon\n" + b"".join(b"%d,52.5,13.4\n" % i for i in range(MAX_SERIES + 1)), {"id": "id"}
    ),
    "unknown_column": FailingFile("a.csv", samples.CSV, {"time": "when"}),
    "unknown_format": FailingFile("a", bytes(range(256)) * 20),
    "unknown_sheet": FailingFile("a.xlsx", lambda: SEEDS["xlsx"], {"sheet": "Other"}),
    "unsupported_column": FailingFile("a.parquet", lambda: parquet(lat=[[1.0]], lon=[[2.0]])),
    "unsupported_crs": FailingFile("a.csv", samples.CSV, {"crs": "EPSG:999999"}),
    "unsupported_format": FailingFile("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg"/>'),
    "utf16_without_bom": FailingFile("a.csv", samples.CSV.decode().encode("utf-16-le")),
    "xml_limit": FailingFile("a.gpx", samples.GPX.replace(b"<trkpt", b"<a>" * 300 + b"<trkpt", 1)),
    "xml_doctype": FailingFile("a.gpx", b'<!DOCTYPE gpx [<!ENTITY a "b">]>' + samples.GPX),
}

MORE = [
    ("no_position_columns", FailingFile("a.parquet", lambda: parquet(x=noise(), name=["a"] * len(noise())))),
    (
        "choice-needed",
        FailingFile("b.parquet", lambda: parquet(lon=0 * noise() + 5e5, lat=0 * noise() + 5e6, c=noise())),
    ),
    ("too_large", FailingFile("c.parquet", large_and_long)),
    ("compression_ratio", FailingFile("d.parquet", lambda: parquet(lat=pa.nulls(10**7), lon=pa.nulls(10**7)))),
    ("bad_parquet", FailingFile("e.parquet", lambda: parquet(lat=noise(), lon=noise())[:-300])),
    ("no_position_columns", FailingFile("a.feather", lambda: feather(x=noise(), y2=noise()))),
    ("no_points", FailingFile("b.feather", lambda: feather(lat=noise() + 95, lon=noise() + 213))),
    ("no_points", FailingFile("c.feather", lambda: feather(lat=noise(0), lon=noise(0)))),
    ("bad_feather", FailingFile("d.feather", lambda: feather(lat=noise(), lon=noise())[:-300])),
]
"""Tables above the size that a web process reads at once, which once stopped every worker."""
