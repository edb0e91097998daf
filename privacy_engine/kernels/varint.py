"""Whole numbers as differences in a few bytes each: seven bits a byte, the highest set where more follow.

A difference d is stored as 2d, or -2d - 1 where it is negative (zig-zag), so that small steps either way are short.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privacy_engine.data import Ints
from privacy_engine.kernels import compiled

Bytes = NDArray[np.uint8]
LONGEST = 10  # bytes of 64 bits


@compiled
def encoded(values: Ints) -> Bytes:
    """The differences of ``values`` (n,), the first from 0. They must stay within 62 bits."""
    out = np.empty(len(values) * LONGEST, dtype=np.uint8)
    at, last = 0, np.int64(0)
    for i in range(len(values)):
        value = np.int64(values[i])
        step = value - last
        last = value
        left = np.uint64(2 * step if step >= 0 else -2 * step - 1)
        while left >= np.uint64(128):
            out[at] = np.uint8((left & np.uint64(127)) | np.uint64(128))
            left >>= np.uint64(7)
            at += 1
        out[at] = np.uint8(left)
        at += 1
    return out[:at].copy()
