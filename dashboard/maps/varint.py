"""Whole numbers as differences in a few bytes each: seven bits a byte, the highest set where more follow.

A difference d is stored as 2d, or -2d - 1 where it is negative (zig-zag), so that small steps either way are short.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Ints, ceil_div
from privacy_engine.core.progress import reported
from privacy_engine.data.mapped_series import leaving

BLOCK = 16384  # numbers encoded together: each takes the bytes of the longest until the unused ones are removed


def packed(values: NDArray[np.signedinteger[Any]]) -> Iterator[bytes]:
    """Yield the differences of ``values`` (n,), the first from 0, in parts. They must stay within 62 bits."""
    # the first is a position and not a step: longer than all others of its block, so it has a block of its own
    blocks = leaving([values], reported(_blocks(len(values)), 64))
    return (_encoded(_steps(values[max(i - 1, 0) : j], is_first=not i)) for i, j in blocks)


def _steps(values: NDArray[np.signedinteger[Any]], *, is_first: bool) -> NDArray[np.uint64]:
    """The zig-zag codes of the differences; of the first that from 0, if ``is_first``."""
    wide: Ints = np.append(np.int64(0), values) if is_first else values.astype(np.int64)
    steps = wide[1:] - wide[:-1]
    return ((steps << 1) ^ (steps >> 63)).view(np.uint64)


def _blocks(n: int) -> list[tuple[int, int]]:
    edges = [0, *range(1, n, BLOCK), n] if n else []
    return list(pairwise(edges))


def _encoded(codes: NDArray[np.uint64]) -> bytes:
    longest = max(1, ceil_div(int(codes.max()).bit_length(), 7))
    left: NDArray[np.unsignedinteger[Any]] = codes.astype(np.uint32 if longest <= 4 else np.uint64)
    out, used = np.empty((len(left), longest), dtype=np.uint8), np.ones((len(left), longest), dtype=np.bool_)
    for at in range(longest):
        byte = (left & 127).astype(np.uint8)
        left >>= 7
        if at + 1 < longest:
            used[:, at + 1] = more = left != 0
            byte |= more.view(np.uint8) << 7
        out[:, at] = byte
    return out.tobytes() if used[:, -1].all() else out.ravel()[np.flatnonzero(used)].tobytes()
