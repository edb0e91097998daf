"""GTFS shapes: the lines that vehicles of a timetable drive, as polylines without times; of a feed only shapes.txt."""

import re

import numpy as np

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats import head_sample
from privacy_engine.formats.arrow import pc
from privacy_engine.formats.column import canonical
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import as_utf8
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.numbers import GOOD, numbers
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.points import Points
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.table import text_columns
from privacy_engine.formats.xmltools import plain_head

COLUMNS = ("shape_id", "shape_pt_lat", "shape_pt_lon", "shape_pt_sequence")
FEED = frozenset({"agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt", "calendar.txt"})
SHAPES = "shapes.txt"
_HEADER = re.compile(rb"[^\n]*shape_pt_lat", re.IGNORECASE)


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """One series for each shape, in the order of its sequence numbers."""
    data = as_utf8(source.read_lines(), report, options)
    header = data.split(b"\n", 1)[0].decode("utf-8", "replace")
    names = [canonical(name.strip(' "\r')) for name in header.split(",")]
    for name in COLUMNS:
        if name not in names:
            raise FormatError(f"A table of GTFS shapes needs a column {name}.", code="no_position_columns", row=1)
    places = {name: names.index(name) for name in COLUMNS}
    roles = {role: places[name] for role, name in zip(("id", "lat", "lon"), COLUMNS, strict=False)}
    report.layout = Layout(header.rstrip("\r").split(","), roles, ",", len(header.encode()) + 1, fixed=True)
    cells = text_columns(data, ",", len(header.encode()) + 1, 2, len(names), places, report)
    shape, lat_text, lon_text, place_text = (cells.columns[name] for name in COLUMNS)
    lat, why_lat = numbers(lat_text, "lat")
    lon, why_lon = numbers(lon_text, "lon")
    sequence, _ = numbers(place_text)
    coded = pc.fill_null(pc.ascii_trim_whitespace(shape), "").dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    order = np.lexsort((sequence, codes)) if len(codes) else np.array([], dtype=np.int64)
    points = Points(lon[order], lat[order], None, np.where(why_lat == GOOD, why_lon, why_lat)[order])
    points.codes, points.names = codes[order], coded.dictionary.to_pylist() or [""]
    points.rows = lambda index: cells.rows(order[index])
    return build(points, options, report)


def sniff(head: bytes) -> bool:
    """Whether the first line names the columns of shapes.txt."""
    return _HEADER.match(plain_head(head).split(b"\n", 1)[0]) is not None


GTFS = register(
    Format(
        "gtfs",
        "GTFS shapes",
        ("txt",),
        sniff,
        read,
        rank=34,
        keeps="series (each shape's id)",
        options=("encoding",),
        person="everything is one person's: a timetable names none",
        source="https://gtfs.org/documentation/schedule/reference/#shapestxt",
        head=head_sample.of_text,
    )
)
