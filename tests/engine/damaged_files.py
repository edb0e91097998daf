"""One small valid file for each format and random damage to it: the seeds of both fuzzers."""

import io
import json
import random
import struct
from collections import UserDict
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.feather

from privacy_engine.data import Trajectory
from privacy_engine.errors import ChoiceNeeded, EngineError, FormatError
from privacy_engine.exports import write
from privacy_engine.formats import Limits, formats, preview
from tests.engine import format_samples as samples

TABLE_CHARS = "0123456789.,;-+:TZ \t\n\r\"'latlontimeid/"


@cache
def _parquet():
    out = io.BytesIO()
    one = Trajectory(np.array([13.4, 13.5]), np.array([52.5, 52.6]), np.array([1.0e9, 1.0e9 + 1]), "u")
    write([one], "parquet", out, label={})
    return out.getvalue()


@cache
def _feather():
    out = io.BytesIO()
    table = pa.table({"user": ["u", "u"], "time": [1.0e9, 1.0e9 + 1], "lon": [13.4, 13.5], "lat": [52.5, 52.6]})
    pyarrow.feather.write_feather(table, out, compression="lz4")
    return out.getvalue()


@cache
def _workbook():
    fixes = ["u", "2024-06-15T12:00:00Z", 52.5, 13.4], ["u", "2024-06-15T12:01:00Z", 52.6, 13]
    return samples.workbook([["user", "time", "lat", "lon"], *fixes])


@cache
def _vector_file(name):
    points = [struct.pack("<BIdd", 1, 1, 13.4 + i, 52.5) for i in range(2)]
    times = ["2024-06-15T12:00:00Z", "2024-06-15T12:01:00Z"]
    fields = [np.array(one, dtype=object) for one in (["u", "u"], times)]
    return samples.vector_file(name, points, fields, ["user", "time"], geometry_type="Point")


class _Seeds(UserDict):
    """Small files by format, of which some are written when they are wanted."""

    def __getitem__(self, name):
        made = self.data[name]
        return made if isinstance(made, bytes) else made()


SEEDS = _Seeds(
    {
        "ais": samples.AIS,
        "csv": samples.CSV,
        "feather": _feather,
        "fit": samples.FIT,
        "flatgeobuf": lambda: _vector_file("fixes.fgb"),
        "geojson": samples.GEOJSON,
        "geojsonseq": samples.SEQUENCE,
        "geopackage": samples.GEOPACKAGE,
        "gpx": samples.GPX,
        "gtfs": samples.SHAPES,
        "igc": samples.IGC,
        "json": samples.RECORDS,
        "kml": samples.KML,
        "mfjson": samples.MOVING,
        "movebank": samples.MOVEBANK,
        "nmea": samples.NMEA,
        "owntracks": samples.OWNTRACKS,
        "parquet": _parquet,
        "plt": samples.PLT,
        "porto": samples.PORTO,
        "shapefile": lambda: _vector_file("fixes.shp"),
        "takeout": samples.TAKEOUT,
        "tcx": samples.TCX,
        "tdrive": samples.TDRIVE,
        "wkt": samples.GEOMETRIES,
        "xlsx": _workbook,
    }
)
NAMES = [one.name for one in formats() if not one.hidden]
PIECES = (*b'\0 " \n < { [ ]} nan 1e999 - , ;'.split(b" "), b"", b"9" * 30, b"\xff\xff\xff\xff")


def damaged(data, seed):
    """``data`` with one to eight places overwritten, cut out or repeated, the same for the same seed."""
    rng = random.Random(seed)
    content = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(content) + 1)
        end = min(len(content), at + rng.choice((0, 1, 1, 2, 4, 30)))
        piece = rng.choice((*PIECES, rng.randbytes(rng.randint(1, 4)), bytes(content[at:end]) * 2))
        content[at:end] = piece
    return bytes(content)


def refused(read):
    """The result of ``read``, or the typed error that it raised, which can be sent as JSON; no other is allowed."""
    try:
        return read()
    except EngineError as error:
        json.dumps(error.as_dict(), allow_nan=False)
        return error


def in_json(found):
    problem = found.problem and found.problem.as_dict()
    columns = [vars(column) for column in found.columns]
    json.dumps([columns, [vars(row) for row in found.rows], found.mapping, found.report, problem], allow_nan=False)


def survive(data, **options):
    """Preview and read ``data``; the result is a report, or an error with a code that can be sent as JSON."""
    seen = refused(lambda: preview(io.BytesIO(data), name="x", **options))
    if not isinstance(seen, EngineError):
        in_json(seen)
    found = refused(lambda: samples.read_bytes(data, limits=Limits(total=4_000_000), **options))
    if not isinstance(found, EngineError):
        json.dumps(found.report.as_dict(), allow_nan=False)
        assert len(found) == found.report.kept > 0
        return
    assert found.code
    assert found.message
    if isinstance(found, FormatError):
        assert found.row is None or found.row >= 1
        assert found.column is None or isinstance(found.column, str)
    if isinstance(found, ChoiceNeeded):
        assert found.choices
