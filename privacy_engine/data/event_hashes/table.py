"""Sorted hashes to look others up in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Ints, Mask
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data.event_words import Hashes, frozen
from privacy_engine.data.mapped_series import column, leaving, picked

Indices = NDArray[np.uint32]

BITS = 4
"""The first ones of a hash: hashes are sorted in so many parts as these have values."""
COARSER = 2  # 2 to 4 values are looked through
FINER = 4  # 16 bits for each value, so that most hashes that are not there are detected in the cache


class Table:
    """Distinct ascending ``values`` that are uniform below the largest, as hashes and the smallest of them are."""

    def __init__(self, values: Hashes) -> None:
        from privacy_engine.kernels.siphash import index

        self.values = frozen(values)
        width = int(values[-1]).bit_length() if len(values) else 0
        shift = min(max(width - max(len(values), 1).bit_length() + COARSER, 0), 63)
        self._shift, self._finer = np.uint64(shift), np.uint64(max(shift - COARSER - FINER, 0))
        top = int(values[-1]) if len(values) else 0
        self._starts = np.full((top >> shift) + 2 if len(values) else 1, len(values), dtype=np.uint32)
        self._filled = np.zeros((top >> int(self._finer) >> 6) + 1 + (1 << FINER + COARSER), dtype=np.uint64)
        group = 0
        for part in leaving([values], blocks(len(values))):
            group = index(self.values[part], part.start, group, self._shift, self._finer, self._starts, self._filled)

    def find(self, queries: Hashes) -> Ints:
        """The place of each query among the values, (n,); -1 where it is not there."""
        from privacy_engine.kernels.siphash import find

        out = np.empty(len(queries), dtype=np.int64)
        for part in leaving([queries], blocks(len(queries))):
            find(frozen(queries[part]), self.values, self._shift, self._finer, self._starts, self._filled, out[part])
        return out

    def holds(self, queries: Hashes) -> Mask:
        """Which queries are among the values, (n,)."""
        held = np.empty(len(queries), dtype=np.bool_)
        for part in blocks(len(queries)):
            held[part] = self.find(queries[part]) >= 0
        return held


def indices_where(mask: Mask) -> Indices:
    """The ascending indices at which a mask is true; in a file if they are many."""
    indices = column(np.uint32, int(np.count_nonzero(mask)))
    for part in blocks(len(mask)):
        indices.add(np.flatnonzero(mask[part]) + part.start)
    taken: Indices = indices.taken()
    return taken


def in_parts(hashes: Hashes, some: Mask | None = None) -> Iterator[Indices]:
    """The indices of hashes, or of some of them, in parts that ascend: by their first bits."""
    first = np.empty(len(hashes), dtype=np.uint8)
    for part in leaving([hashes], blocks(len(hashes))):
        first[part] = hashes[part] >> np.uint64(64 - BITS)
    for bits in reported(range(1 << BITS)):
        here = first == bits
        yield indices_where(here if some is None else here & some)


def ascending(hashes: Hashes) -> Hashes:
    """The distinct ones, ascending; :func:`distinct` of many."""
    values = np.sort(hashes)
    new = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return values[new]


def distinct(hashes: Hashes, some: Mask | None = None) -> Hashes:
    """The distinct hashes, or those of some of them, ascending; in a file if they are many."""
    values = column(np.uint64, len(hashes))
    for part in in_parts(hashes, some):
        values.add(ascending(picked(hashes, part)))
    taken: Hashes = values.taken()
    return taken


def common(own: Hashes, other: Hashes, of_own: Mask | None = None, of_other: Mask | None = None) -> tuple[Mask, Mask]:
    """Which of either are in the other, (n,) each, where only ``of_own`` and ``of_other`` count."""
    if len(own) > len(other):
        held, holding = common(other, own, of_other, of_own)
        return holding, held
    held, holding = (np.zeros(len(side), dtype=np.bool_) for side in (own, other))
    for some in leaving([own], blocks(len(own))):
        here = own[some] if of_own is None else own[some][of_own[some]]
        table = Table(ascending(here))
        hit = np.zeros(len(table.values), dtype=np.bool_)
        for others in blocks(len(other)):
            places = table.find(other[others])
            matched = places >= 0 if of_other is None else (places >= 0) & of_other[others]
            holding[others] |= matched
            hit[places[matched]] = True
        held[some] = True if of_own is None else of_own[some]
        held[some][held[some]] = Table(table.values[hit]).holds(here)
    return held, holding


def looked_up(hashes: Hashes, queries: Hashes, some: Mask) -> Iterator[tuple[Indices, Ints]]:
    """The indices of those of ``some`` queries that are among ascending hashes, and their places, part by part."""
    for part in leaving([hashes], blocks(len(hashes))):
        values, here = hashes[part], some.copy()
        for piece in leaving([queries], blocks(len(queries))):
            here[piece] &= (values[0] <= queries[piece]) & (queries[piece] <= values[-1])
        at = indices_where(here)
        places = Table(values - values[0]).find(picked(queries, at) - values[0])
        yield at[places >= 0], places[places >= 0] + part.start
