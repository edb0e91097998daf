"""Well-known binary geometries to positions: points and lines, ISO and extended, never recursive.

Written here because general readers follow collections inside collections to any depth a file has.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.formats.numbers import BAD_GEOMETRY, GOOD, MISSING, NO_GEOMETRY, OTHER_GEOMETRY, Reasons

_POINT, _LINE, _MULTI_POINT, _MULTI_LINE = 1, 2, 4, 5
_Z, _M, _SRID = 0x80000000, 0x40000000, 0x20000000
_ENVELOPES = (0, 32, 48, 48, 64)
MOST_PARTS = 1_000_000


@dataclass
class Geometries:
    """Positions (n,), reasons (n,), and which geometry (from 0) each belongs to."""

    lon: Floats
    lat: Floats
    reasons: Reasons
    row: NDArray[np.int64]


@dataclass
class _Points:
    xy: list[Floats] = field(default_factory=list)
    reason: list[tuple[int, int]] = field(default_factory=list)
    row: list[int] = field(default_factory=list)

    def add(self, xy: Floats, row: int, reason: int = GOOD) -> None:
        self.xy.append(xy)
        self.reason.append((reason, len(xy)))
        self.row.append(row)

    def without(self, row: int, reason: int) -> None:
        """One row that has no position, and why."""
        self.add(np.full((1, 2), np.nan), row, reason)


def positions(blobs: Sequence[bytes | None], *, geopackage: bool = False) -> Geometries:
    """The positions of geometries; a geometry without positions is a row with the reason."""
    if not geopackage and (quick := _all_points(blobs)) is not None:
        return quick
    parts = _Points()
    for row, blob in enumerate(reported(blobs, ROWS)):
        try:
            _geometry(blob, row, geopackage, parts)
        except (struct.error, IndexError, ValueError):
            parts.without(row, BAD_GEOMETRY)
    xy = np.concatenate(parts.xy) if parts.xy else np.empty((0, 2))
    counts = [n for _, n in parts.reason]
    reasons = np.repeat(np.array([reason for reason, _ in parts.reason], dtype=np.uint8), counts)
    bad = (reasons == GOOD) & ~np.isfinite(xy).all(axis=1)
    reasons[bad] = MISSING  # the empty point is written as two NaN
    return Geometries(xy[:, 0].copy(), xy[:, 1].copy(), reasons, np.repeat(np.array(parts.row, dtype=np.int64), counts))


def _all_points(blobs: Sequence[bytes | None]) -> Geometries | None:
    """The usual case: every geometry is a point of two dimensions in the machine's byte order."""
    if not blobs or any(blob is None or len(blob) != 21 for blob in reported(blobs, ROWS)):
        return None
    joined = b"".join(blob or b"" for blob in reported(blobs, ROWS))
    table = np.frombuffer(joined, dtype="V21").view(np.uint8).reshape(-1, 21)
    if not (table[:, :5] == np.array([1, 1, 0, 0, 0], dtype=np.uint8)).all():
        return None
    xy = np.ascontiguousarray(table[:, 5:]).view("<f8")
    reasons = np.where(np.isfinite(xy).all(axis=1), GOOD, MISSING).astype(np.uint8)
    return Geometries(xy[:, 0].copy(), xy[:, 1].copy(), reasons, np.arange(len(xy)))


def _geometry(blob: bytes | None, row: int, geopackage: bool, points: _Points) -> None:
    if blob is None:
        points.without(row, NO_GEOMETRY)
        return
    at = 0
    if geopackage:
        if blob[:2] != b"GP":
            raise ValueError("no GeoPackage geometry")
        at = 8 + _ENVELOPES[blob[3] >> 1 & 7]
    order, kind, size, at = _head(blob, at)
    if kind in (_POINT, _LINE):
        _part(blob, at, order, kind, size, row, points)
    elif kind in (_MULTI_POINT, _MULTI_LINE):
        _parts(blob, at, order, kind, row, points)
    else:
        points.without(row, OTHER_GEOMETRY)


def _parts(blob: bytes, at: int, order: str, kind: int, row: int, points: _Points) -> None:
    (count,) = struct.unpack_from(order + "I", blob, at)
    if count > min(MOST_PARTS, len(blob) // 9):
        raise ValueError("more parts than bytes")
    if not count:
        points.without(row, MISSING)
    at += 4
    for _ in range(count):
        order, inner, size, at = _head(blob, at)
        if inner != kind - 3:
            raise ValueError("a part of another kind")
        at = _part(blob, at, order, inner, size, row, points)


def _head(blob: bytes, at: int) -> tuple[str, int, int, int]:
    """Byte order, kind, numbers in a position, and where the content begins."""
    if blob[at] > 1:
        raise ValueError("byte order")
    order = "<" if blob[at] else ">"
    (code,) = struct.unpack_from(order + "I", blob, at + 1)
    at += 9 if code & _SRID else 5
    size = 2 + bool(code & _Z) + bool(code & _M)
    code &= 0x1FFFFFFF
    return order, code % 1000, size + (0, 1, 1, 2)[min(code // 1000, 3)], at


def _part(blob: bytes, at: int, order: str, kind: int, size: int, row: int, points: _Points) -> int:
    """Add a point or a line; where it ends."""
    count = 1
    if kind == _LINE:
        (count,) = struct.unpack_from(order + "I", blob, at)
        at += 4
    end = at + count * size * 8
    if end > len(blob):
        raise ValueError("cut off")
    if count:
        values = np.frombuffer(blob, dtype=order + "f8", count=count * size, offset=at).reshape(count, size)
        points.add(values[:, :2].astype(np.float64), row)
    else:
        points.without(row, MISSING)
    return end
