"""Geometries as text in a column: well-known text (WKT), with an SRID (EWKT), and well-known binary in hexadecimals.

Shapely reads the text. Collections are never given to it: it follows them into each other to any depth.
"""

import itertools
import re
import struct
from collections.abc import Sequence
from typing import Any

from privacy_engine.core.progress import ROWS, advance, reported
from privacy_engine.formats.arrow import listed
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.wkb import Geometries, positions

LONGEST = 16_000_000
_TEXT = re.compile(
    # blanks that can be shared out in several ways make a pattern slow: no two of them are neighbours
    r"\s*(?:SRID\s*=\s*(?P<srid>[0-9]{1,6})\s*;\s*)?(?P<kind>(?:MULTI)?(?:POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)"
    r"\s*(?:(?:ZM|Z|M)\s*)?(?P<body>\(.*\)|EMPTY)\s*",
    re.IGNORECASE | re.DOTALL,
)
_HEX = re.compile(r"(?:\\x)?(?P<bytes>0[01](?:[0-9A-Fa-f]{2}){8,})")
_KINDS = range(1, 8)
_OTHER = struct.pack("<BII", 1, 7, 0)
_BAD = b"\xff"
_USUAL = ("wkt", "wkb", "ewkt", "ewkb", "geometry", "geom", "the_geom", "shape")


def geometry_cells(names: Sequence[str], sample: Sequence[Sequence[str]]) -> int | None:
    """The place of the column whose cells in ``sample`` are geometries, those of usual names first; None if none."""
    usual = [name.strip().lower() in _USUAL for name in names]
    for place in sorted(range(len(names)), key=lambda place: not usual[place]):
        cells = [row[place] for row in sample if place < len(row) and row[place].strip()]
        if cells and all(map(is_geometry, cells)):
            return place
    return None


def is_geometry(cell: str) -> bool:
    """Whether a cell is a geometry as text."""
    return _TEXT.fullmatch(cell) is not None or _code(cell) is not None


def _code(cell: str) -> int | None:
    """The kind and flags of a geometry in hexadecimals, None where a cell is none."""
    match = _HEX.fullmatch(cell.strip())
    if match is None:
        return None
    head = bytes.fromhex(match["bytes"][:10])
    (code,) = struct.unpack_from("<I" if head[0] else ">I", head, 1)
    return code if (code & 0x1FFFFFFF) % 1000 in _KINDS and (code & 0x1FFFFFFF) < 4000 else None


def of_texts(column: Any, options: ReadOptions) -> tuple[Geometries, ReadOptions]:
    """The positions of a column of texts, and the options with the coordinate system that all of them state."""
    cells = [cell if cell and cell.strip() else None for cell in reported(listed(column), ROWS)]
    systems = {_system(cell) for cell in reported(cells, ROWS) if cell is not None}
    if options.crs is None and len(systems) == 1 and (system := systems.pop()) not in (None, 0, 4326):
        options = ReadOptions(**{**vars(options), "crs": f"EPSG:{system}"})
    return positions(_binary(cells)), options


def _system(cell: str) -> int | None:
    match = _TEXT.match(cell[:200]) or re.match(r"\s*SRID\s*=\s*(?P<srid>[0-9]{1,6})\s*;", cell[:200], re.IGNORECASE)
    if match is not None:
        return int(match["srid"]) if match["srid"] else None
    code = _code(cell)
    if code is None or not code & 0x20000000:
        return None
    head = bytes.fromhex(cell.strip().removeprefix("\\x")[:18])
    return int(struct.unpack_from("<I" if head[0] else ">I", head, 5)[0]) if len(head) == 9 else None


def _binary(cells: Sequence[str | None]) -> list[bytes | None]:
    """The cells as well-known binary; what is no point or line, or damaged, as what makes its row be dropped so."""
    import numpy as np
    import shapely

    blobs: list[bytes | None] = [None if cell is None else _BAD for cell in cells]
    texts: dict[int, str] = {}
    for i, cell in enumerate(reported(cells, ROWS)):
        if cell is None:
            continue
        if _code(cell) is not None:
            blobs[i] = bytes.fromhex(cell.strip().removeprefix("\\x"))
        elif len(cell) <= LONGEST and (match := _TEXT.fullmatch(cell)):
            if match["kind"].upper() in ("POLYGON", "MULTIPOLYGON", "GEOMETRYCOLLECTION"):
                blobs[i] = _OTHER
            else:
                texts[i] = cell.partition(";")[2] if match["srid"] else cell
    coming = iter(texts.items())
    while piece := dict(itertools.islice(coming, ROWS)):
        advance()
        with np.errstate(over="ignore", invalid="ignore"):  # 1e999 becomes infinite, and its row is dropped
            geometries = shapely.from_wkt(np.array(list(piece.values()), dtype=object), on_invalid="ignore")
        for i, blob in zip(piece, shapely.to_wkb(geometries, include_srid=False), strict=True):
            blobs[i] = _BAD if blob is None else blob
    return blobs
