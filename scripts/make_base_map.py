"""Make static/base-map and privacy_engine/core/land.bin from shapefiles of Natural Earth (public domain).

    python scripts/make_base_map.py FOLDER

FOLDER holds, at 110m, 50m and 10m: ``ne_*_land``, ``ne_*_lakes``, ``ne_*_rivers_lake_centerlines`` and
``ne_*_admin_0_boundary_lines_land``, and ``ne_10m_populated_places_simple``. Cairn itself does not need this script:
its output is part of the repository. docs/decisions/0050-base-map.md has where the present files came from.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
import sys
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import shapely

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "static" / "base-map"
LAND = ROOT / "privacy_engine" / "core" / "land.bin"
CELL = 0.5  # degrees, as in privacy_engine/core/land.py
RANGE = 65_535  # a cell's coordinates, with its margin
MARGIN = 1 / 32  # of a cell, on every side: cells overlap, so no seam shows between them
LAYERS = ("land", "lakes", "rivers", "borders")
FILES = dict(zip(LAYERS, ("land", "lakes", "rivers_lake_centerlines", "admin_0_boundary_lines_land"), strict=True))
AREAS = ("land", "lakes")
LEVELS = {"110m": (0, 0.0, 0), "50m": (3, 8e-6, 2), "10m": (6, 1.2e-6, 4)}
"""Scale: the zoom whose tiles are its cells, the tolerance of its lines as a share of the world's width, and the zoom
whose tiles are requested each for itself."""
MAX_LAT = 85.0511287798
POINT, LINE, POLYGON = 1, 3, 5  # shape types

Cells = dict[tuple[int, int], list[list[np.ndarray]]]
"""The parts of each layer, (n, 2), by the column and row of their tile."""


def shapes(path: Path) -> Iterator[list[np.ndarray]]:
    """The parts of every shape, each (n, 2) in degrees."""
    body = path.read_bytes()
    at = 100
    while at < len(body):
        (length,) = struct.unpack(">i", body[at + 4 : at + 8])
        start, at = at + 8, at + 8 + 2 * length
        (kind,) = struct.unpack("<i", body[start : start + 4])
        if kind not in (LINE, POLYGON):
            continue
        parts, points = struct.unpack("<2i", body[start + 36 : start + 44])
        begins = [*struct.unpack(f"<{parts}i", body[start + 44 : start + 44 + 4 * parts]), points]
        xy = np.frombuffer(body, "<f8", 2 * points, start + 44 + 4 * parts).reshape(-1, 2)
        yield [xy[a:b] for a, b in pairwise(begins)]


def records(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a dBase table as text; Natural Earth has written UTF-8 and Windows-1252."""
    body = path.read_bytes()
    count, head, size = struct.unpack("<IHH", body[4:12])
    fields = [(body[at : at + 11].split(b"\0")[0].decode().lower(), body[at + 16]) for at in range(32, head - 1, 32)]
    for row in range(count):
        at = head + row * size + 1
        found = {}
        for name, length in fields:
            found[name] = _text(body[at : at + length].strip(b" \0"))
            at += length
        yield found


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def unit(lonlat: np.ndarray) -> np.ndarray:
    """Places of web Mercator's unit square, 0 at the north."""
    lat = np.clip(lonlat[:, 1], -MAX_LAT, MAX_LAT)
    return np.column_stack([lonlat[:, 0] / 360 + 0.5, 0.5 - np.arcsinh(np.tan(np.radians(lat))) / (2 * np.pi)])


def geometry(path: Path, areas: bool, tolerance: float) -> list[shapely.Geometry]:
    """Its polygons, each with its holes, or its lines, in the unit square."""
    found = []
    for parts in shapes(path):
        outlines = [unit(part) for part in parts if len(part) > (3 if areas else 1)]
        if areas and outlines:  # even-odd: one inside another is a hole, whatever way round it goes
            whole = shapely.make_valid(
                shapely.simplify(shapely.MultiPolygon([[one] for one in outlines]), 0), method="linework"
            )
            found.append(shapely.simplify(whole, tolerance))
        elif outlines:
            found.append(
                shapely.simplify(shapely.multilinestrings([shapely.linestrings(one) for one in outlines]), tolerance)
            )
    return found


def cells(found: list[shapely.Geometry], zoom: int, areas: bool) -> Iterator[tuple[tuple[int, int], list[np.ndarray]]]:
    """The parts of each cell that has some, (n, 2) in 0..65535 over the cell and its margin."""
    tree = shapely.STRtree(found)
    share = 1 / 2**zoom
    for x in range(2**zoom):
        for y in range(2**zoom):
            low = np.array([x, y]) * share - (MARGIN * share)
            span = share * (1 + 2 * MARGIN)
            box = shapely.box(*low, *(low + span))
            near = [found[i] for i in sorted(tree.query(box))]
            parts = [part for one in near for part in _parts(shapely.clip_by_rect(one, *low, *(low + span)), areas)]
            scaled = [np.clip(np.rint((part - low) / span * RANGE), 0, RANGE).astype(np.int64) for part in parts]
            fixed = [one for one in map(_without_repeats, scaled) if len(one) > (3 if areas else 1)]
            if fixed:
                yield (x, y), fixed


def _parts(one: shapely.Geometry, areas: bool) -> Iterator[np.ndarray]:
    if areas:
        for polygon in shapely.get_parts(one):
            if polygon.geom_type == "Polygon":
                yield from map(shapely.get_coordinates, (polygon.exterior, *polygon.interiors))
        return
    merged = shapely.line_merge(one) if one.geom_type == "MultiLineString" else one
    yield from (shapely.get_coordinates(line) for line in shapely.get_parts(merged) if line.geom_type == "LineString")


def _without_repeats(xy: np.ndarray) -> np.ndarray:
    return xy[np.append(True, np.any(np.diff(xy, axis=0) != 0, axis=1))]


def pack(zoom: int, cells: Cells, **others: object) -> bytes:
    """Gzip of a header and, for all parts, lengths and differences of coordinates, low and high bytes apart."""
    parts = [part for layers in cells.values() for layer in layers for part in layer]
    head = {"zoom": zoom, "margin": MARGIN, "points": sum(map(len, parts)), "parts": len(parts), **others}
    head["cells"] = [[x, y, [len(layer) for layer in layers]] for (x, y), layers in cells.items()]
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    steps = np.concatenate([np.diff(part, axis=0, prepend=np.zeros((1, 2), np.int64)) for part in parts])
    planes = [(steps[:, axis] >> shift & 255).astype(np.uint8).tobytes() for axis in (0, 1) for shift in (0, 8)]
    lengths = np.array([len(part) for part in parts], "<u2").tobytes()
    return gzip.compress(struct.pack("<I", len(text)) + text + lengths + b"".join(planes), 9, mtime=0)


def packs(levels: dict[str, Cells]) -> dict[str, bytes]:
    """The coarsest scale with a list of what ``detail`` has of the others: where it begins, how long it is."""
    detail, finer = b"", []
    for scale, cells in list(levels.items())[1:]:
        zoom, _, requested = LEVELS[scale]
        tiles: dict[tuple[int, int], Cells] = {}
        for (x, y), layers in cells.items():
            tiles.setdefault((x >> (zoom - requested), y >> (zoom - requested)), {})[x, y] = layers
        pieces = {}
        for (x, y), some in tiles.items():
            packed = pack(zoom, some)
            pieces[f"{x},{y}"] = [len(detail), len(packed)]
            detail += packed
        finer.append({"zoom": zoom, "margin": MARGIN, "requested": requested, "pieces": pieces})
    zoom, _, _ = LEVELS["110m"]
    return {"world": pack(zoom, levels["110m"], finer=finer), "detail": detail}


def level(folder: Path, scale: str) -> Cells:
    """All cells of one scale."""
    zoom, tolerance, _ = LEVELS[scale]
    found: Cells = {}
    for at, layer in enumerate(LAYERS):
        areas = layer in AREAS
        lines = geometry(folder / f"ne_{scale}_{FILES[layer]}.shp", areas, tolerance)
        for place, parts in cells(lines, zoom, areas):
            found.setdefault(place, [[] for _ in LAYERS])[at] = parts
    return dict(sorted(found.items()))


def cities(folder: Path) -> bytes:
    """Names, other names, country, degrees and rank (0 is the most important) of the populated places."""
    rows = []
    for row in records(folder / "ne_10m_populated_places_simple.dbf"):
        names = [row["name"], row["nameascii"], row["namepar"], *row["namealt"].split("|"), row["meganame"]]
        others = dict.fromkeys(name.strip() for name in names[1:] if name.strip() and "\ufffd" not in name)
        lon, lat = round(float(row["longitude"]), 4), round(float(row["latitude"]), 4)
        country = row["adm0name"]
        fields = [row["name"], [name for name in others if name != row["name"]], country, lon, lat]
        rows.append(([int(row["scalerank"]), -int(float(row["pop_max"]))], fields))
    rows.sort(key=lambda one: one[0])
    countries = sorted({fields[2] for _, fields in rows})
    listed = [[*fields[:2], countries.index(fields[2]), *fields[3:], rank] for (rank, _), fields in rows]
    return json.dumps({"countries": countries, "cities": listed}, ensure_ascii=False, separators=(",", ":")).encode()


def land(areas: list[shapely.Geometry]) -> bytes:
    """Which cells from 180° west, 90° south on have a part of ``areas``, in degrees: a bit each, row by row."""
    west, south = np.meshgrid(np.arange(-180, 180, CELL), np.arange(-90, 90, CELL))
    boxes = shapely.box(west.ravel(), south.ravel(), west.ravel() + CELL, south.ravel() + CELL)
    touched = shapely.STRtree(areas).query(boxes, predicate="intersects")[0]
    return zlib.compress(np.packbits(np.isin(np.arange(len(boxes)), touched)).tobytes(), 9)


def main(folder: Path) -> None:
    """Write the files; their names have a digest of what they hold, so that browsers keep them for good."""
    made = packs({scale: level(folder, scale) for scale in LEVELS})
    made["cities"] = gzip.compress(cities(folder), 9, mtime=0)
    outlines = (outline for parts in shapes(folder / "ne_10m_land.shp") for outline in parts)
    LAND.write_bytes(land([shapely.make_valid(shapely.polygons(outline)) for outline in outlines]))
    OUT.mkdir(exist_ok=True)
    for name, body in made.items():
        for old in OUT.glob(f"{name}.*.bin"):
            old.unlink()
        (OUT / f"{name}.{hashlib.sha256(body).hexdigest()[:12]}.bin").write_bytes(body)
        sys.stdout.write(f"{name}: {len(body):,} bytes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
