"""Counts as the heat map of a comparison reads them: little endian, dimension after dimension.

``uint32`` magic, version, timestamps T, columns n, dimensions d, 0; then n ``float64`` for each dimension: the counts,
or the means of the timestamps of each column where T is larger than n. Pages show them as numbers and export them.
"""

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.analysis.stream_comparison import column_edges, column_means

MAGIC = 0x544D4843  # "CHMT"
VERSION = 2


def encode(counts: NDArray[Any]) -> bytes:
    """Return counts (T, d)."""
    edges = column_edges(*counts.shape)
    cells = np.ascontiguousarray(column_means(counts, edges).T, dtype="<f8")
    timestamps, dimensions = counts.shape
    return struct.pack("<6I", MAGIC, VERSION, timestamps, len(edges) - 1, dimensions, 0) + cells.tobytes()
