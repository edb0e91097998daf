"""A made-up city as vector tiles in Protomaps' schema, an archive of it, and a server of ranges of that archive."""

import gzip
import tempfile
import threading
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from pmtiles.tile import Compression, TileType

from tests.pmtiles import write_tiles

EXTENT = 4096
UNIT = 2.0**-20  # of the width of the world, in which streets are laid out: 38 m at the equator
POINT, LINE, AREA = 1, 2, 3
STREETS = ("Mill", "Church", "Station", "Harbour", "Garden", "Market", "School", "Bridge")


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def field(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def _geometry(kind, points):
    steps = np.diff(np.array([(0, 0), *points]), axis=0).reshape(-1).tolist()
    zigzag = [2 * step if step >= 0 else -2 * step - 1 for step in steps]
    rest = [(len(points) - 1) << 3 | 2, *zigzag[2:]] if len(points) > 1 else []
    return b"".join(map(varint, [1 << 3 | 1, *zigzag[:2], *rest, *([1 << 3 | 7] if kind == AREA else [])]))


def _value(value):
    return field(1, value.encode()) if isinstance(value, str) else varint(4 << 3) + varint(value)


def mvt(layers):
    """A vector tile of ``{layer: [(kind, points, properties)]}``; points in 4096ths of the tile."""
    made = b""
    for name, features in layers.items():
        keys, values, body = [], [], b""
        for kind, points, properties in features:
            tags = b""
            for key, value in properties.items():
                for known, one in ((keys, key), (values, value)):
                    if one not in known:
                        known.append(one)
                    tags += varint(known.index(one))
            body += field(2, field(2, tags) + varint(3 << 3) + varint(kind) + field(4, _geometry(kind, points)))
        texts = b"".join(field(3, key.encode()) for key in keys) + b"".join(field(4, _value(one)) for one in values)
        made += field(3, field(1, name.encode()) + body + texts + varint(5 << 3) + varint(EXTENT) + b"\x78\x02")
    return made


def city_tile(z, x, y):
    """A tile of a city without end: a street every 300 m, a river, parks, a place with a name every 10 km."""
    side = 2.0**-z / UNIT  # of the tile

    def at(units, of):
        return round((units / side - of) * EXTENT)

    def lines(step, of):
        return range(int(of * side // step) * step, int((of + 1) * side) + step, step)

    step = 8 if z > 11 else 64 if z > 7 else 2**19 >> z
    whole = [(0, 0), (EXTENT, 0), (EXTENT, EXTENT), (0, EXTENT)]
    streets = []
    for line in lines(step, x):
        kind = "highway" if line % 256 == 0 else "major_road" if line % 64 == 0 else "minor_road"
        named = {"kind": kind, "name": f"{STREETS[line // step % 8]} Street"}
        streets.append((LINE, [(at(line, x), -64), (at(line, x), EXTENT + 64)], named))
    for line in lines(step, y):
        kind = "major_road" if line % 64 == 0 else "minor_road"
        named = {"kind": kind, "name": f"{STREETS[line // step % 8]} Avenue"}
        streets.append((LINE, [(-64, at(line, y)), (EXTENT + 64, at(line, y))], named))
    parks, rivers, places = [], [], []
    for left in lines(256, x) if z > 7 else ():
        along = np.linspace(y * side, (y + 1) * side, 24)
        river = [(at(left + 100 + 12 * np.sin(down / 40), x), at(down, y)) for down in along]
        rivers.append((AREA, [*river, *[(px + max(at(6, 0), 8), py) for px, py in reversed(river)]], {"kind": "river"}))
        for top in lines(256, y):
            corners = [(left + 20, top + 20), (left + 44, top + 20), (left + 44, top + 44), (left + 20, top + 44)]
            parks.append((AREA, [(at(px, x), at(py, y)) for px, py in corners], {"kind": "park"}))
            px, py = at(left + 60, x), at(top + 130, y)
            if 0 <= px < EXTENT and 0 <= py < EXTENT:
                name = f"{STREETS[left // 256 % 8]}{STREETS[top // 256 % 8].lower()}"
                places.append((POINT, [(px, py)], {"kind": "locality", "name": name, "min_zoom": 4}))
    earth = [(AREA, whole, {"kind": "earth", "tile": f"{z}/{x}/{y}"})]  # no two tiles are the same bytes
    return mvt({"earth": earth, "landuse": parks, "water": rivers, "roads": streets, "places": places})


def tiles_below(column, row, most_zoom, columns=1, rows=1):
    """The city's tiles of all zooms that show tiles of zoom 8: gzip by (z, x, y)."""
    found = {}
    for z in range(most_zoom + 1):
        across, down = (
            range(first * 2**z // 256, max((first + count) * 2**z // 256, first * 2**z // 256 + 1))
            for first, count in ((column, columns), (row, rows))
        )
        found |= {(z, x, y): gzip.compress(city_tile(z, x, y), mtime=0) for x in across for y in down}
    return found


def write_archive(path, tiles, **header):
    """A PMTiles file of vector tiles, written in the order of their ids unless another ``order`` is given."""
    kinds = {"tile_type": TileType.MVT, "tile_compression": Compression.GZIP}
    return write_tiles(path, tiles, **kinds, **header)


@cache
def world_archive():
    """The smallest archive: a tile of zoom 0."""
    with tempfile.TemporaryDirectory() as folder:
        return write_archive(Path(folder) / "world.pmtiles", tiles_below(0, 0, 0)).read_bytes()


class RangeServer:
    """An archive on a host of its own; ``fault(handler, first, last) -> bool`` may answer instead."""

    def __init__(self, body):
        self.body, self.etag, self.fault, self.requests = body, '"1"', None, []

    @property
    def received(self):
        return sum(last - first + 1 for first, last in self.requests)


@contextmanager
def serving(body):
    state = RangeServer(body)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            state.headers = dict(self.headers)
            first, last = (int(one) for one in self.headers["Range"].removeprefix("bytes=").split("-"))
            last = min(last, len(state.body) - 1)
            state.requests.append((first, last))
            if not (state.fault and state.fault(self, first, last)):
                self.part(first, last)

        def part(self, first, last, status=206, body=None, **headers):
            body = state.body[first : last + 1] if body is None else body
            sent = {
                "Content-Range": f"bytes {first}-{last}/{len(state.body)}",
                "Content-Length": str(last - first + 1),
                "ETag": state.etag,
            } | {name.replace("_", "-"): value for name, value in headers.items()}
            self.send_response(status)
            for name, value in sent.items():
                if value is not None:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def cut(self, first, last):
            """Half of the part, and then nothing."""
            self.part(first, last, body=state.body[first : (first + last) // 2])
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_port}/planet.pmtiles"
    state.host = f"127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
