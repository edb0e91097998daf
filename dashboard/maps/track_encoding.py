"""Positions as the map reads them: little endian, whole numbers as differences (see dashboard/maps/varint.py).

``uint32`` magic, version, n, flags, unit; then how many bytes each of five streams has; then the streams: lon[n] and
lat[n] in units of 1e-7 degrees, time_ms[n], event[n], ends of pieces. The last three are there if flag bits 0, 1, 2 are
set. Without event numbers the j-th position is event j. With pieces it is what a map view shows of the line: piece k is
drawn from position ends[k - 1] to before ends[k]; there are as many ends as the last stream has numbers.
"""

import struct
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

import numpy as np
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from dashboard.core.computing import computed_where
from dashboard.core.errors import must_be
from dashboard.core.rest.binary import binary_response, filed
from dashboard.core.rest.parsing import Number, Whole
from dashboard.maps.line_simplification import MapView
from dashboard.maps.prepared import LARGE, Drawn, stored
from dashboard.maps.series_cache import Line, level, line
from dashboard.maps.varint import packed
from privacy_engine.data.points_digest import CELLS_PER_DEGREE

MAGIC = 0x4E524943  # "CIRN"
VERSION = 2
HAS_TIME, HAS_EVENT, HAS_PIECES = 1, 2, 4
IN_MEMORY = 1 << 22  # bytes of a track; more are in a file until it is sent
UNITS_PER_PIXEL = 4  # positions of a map view are rounded to these: most differences take a byte


class TrackQuery(serializers.Serializer[Any]):
    """Which series, counted from 0; and which map view of it, if not all of it is requested."""

    series = Whole(default=0)
    west = Number(required=False, help_text="Longitude of the view's left edge. With the five below, or none.")
    north = Number(required=False, help_text="Latitude of its upper edge.")
    width = Number(required=False, help_text="Its width in pixels.")
    height = Number(required=False, help_text="Its height in pixels.")
    zoom = Number(required=False, help_text="The world is 256 * 2^zoom pixels wide.")
    middle = Number(required=False, help_text="Longitudes are taken within 180 degrees of it.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        series = attrs.pop("series")
        for name in VIEW if attrs else ():
            if name not in attrs:
                raise must_be(name, f"given with {', '.join(attrs)}")
        return {"series": series, "view": MapView(**attrs) if attrs else None}


VIEW = ("west", "north", "width", "height", "zoom", "middle")


def answer(request: Request, drawn: Drawn, series: int, view: MapView | None, *, tag: str) -> HttpResponseBase:
    """A series of a file: all of it or what a map view shows. ``tag`` names the file's content."""

    def body() -> bytes | BinaryIO:
        if view is None and series < len(drawn.lengths) and drawn.lengths[series] > LARGE:
            return ahead(drawn, series)
        return _encoded(drawn, series, view)

    return binary_response(request, body, tag=f"{tag}-{series}-{VERSION}")  # an address has a single view


@computed_where(lambda drawn, *_: sum(drawn.lengths) > LARGE)
def _encoded(drawn: Drawn, series: int, view: MapView | None) -> bytes | BinaryIO:
    return filed(encode(line(drawn.path, series)) if view is None else encode_view(level(drawn.path, series), view))


@computed_where(lambda drawn, series: not drawn.beside(f"track-{series}").is_sound())
def ahead(drawn: Drawn, series: int) -> BinaryIO:
    """What is sent of a large series, as a file."""
    return stored(drawn.beside(f"track-{series}"), lambda: _parts(line(drawn.path, series)))


def encode(track: Line) -> bytes:
    """All of a series."""
    return b"".join(_parts(track))


def _parts(track: Line) -> Iterator[bytes]:
    return _joined(1, track.lon, track.lat, track.time_ms, track.event, None)


def encode_view(track: Line, view: MapView) -> bytes:
    """What a map view shows of a series, without times and with the event of every position."""
    index, ends = view.shown(track.lon, track.y, track.importance)
    event = index if track.event is None else track.event[index]
    unit = max(1, int(360 * CELLS_PER_DEGREE / view.scale / UNITS_PER_PIXEL))
    lon, lat = (np.round(column[index] / unit).astype(np.int32) for column in (track.lon, track.lat))
    return joined(unit, lon, lat, None, event, ends)


def joined(unit: int, lon: np.ndarray, lat: np.ndarray, *more: np.ndarray | None) -> bytes:
    """The streams of a track; ``more`` are times, events and the ends of pieces, None where there are none."""
    return b"".join(_joined(unit, lon, lat, *more))


def _joined(unit: int, lon: np.ndarray, lat: np.ndarray, *more: np.ndarray | None) -> Iterator[bytes]:
    flags = sum(bit for bit, column in zip((HAS_TIME, HAS_EVENT, HAS_PIECES), more, strict=True) if column is not None)
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as streams:
        sizes = [0 if column is None else sum(map(streams.write, packed(column))) for column in (lon, lat, *more)]
        yield struct.pack("<10I", MAGIC, VERSION, len(lon), flags, unit, *sizes)
        streams.seek(0)
        yield from iter(partial(streams.read, IN_MEMORY), b"")
