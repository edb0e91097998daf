"""Positions as the map reads them: a small binary layout, little endian, ready for typed arrays.

``uint32`` magic, version, n, flags; then ``int32`` lon[n] and lat[n] in 1e-7 degrees; then, where flag bit 0 is set,
padding to a multiple of 8 and ``float64`` time_s[n]; then, where flag bit 1 is set, ``int32`` event[n].
"""

from __future__ import annotations

import struct

import numpy as np

from dashboard.storage import E7
from privacy_engine.data import Ints, Trajectory

MAGIC = 0x4E524943  # "CIRN"
VERSION = 1
HAS_TIME, HAS_EVENT = 1, 2
CONTENT_TYPE = "application/octet-stream"


def encode(series: Trajectory, event: Ints | None = None) -> bytes:
    """One series; with ``event`` also which event each position stands for."""
    flags = (HAS_TIME if series.time_s is not None else 0) | (HAS_EVENT if event is not None else 0)
    parts = [struct.pack("<4I", MAGIC, VERSION, len(series), flags), _scaled(series.lon), _scaled(series.lat)]
    if series.time_s is not None:
        parts += [b"\0" * (-sum(map(len, parts)) % 8), series.time_s.astype("<f8").tobytes()]
    if event is not None:
        parts.append(event.astype("<i4").tobytes())
    return b"".join(parts)


def _scaled(degrees: np.ndarray) -> bytes:
    return np.round(degrees * E7).astype("<i4").tobytes()
