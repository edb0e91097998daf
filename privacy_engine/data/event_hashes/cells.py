"""Events of an upload at hand in neighbouring cells of another one's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.progress import blocks
from privacy_engine.data.event_hashes.hashes import FreshEvents, indices_where
from privacy_engine.data.event_hashes.table import Table, distinct
from privacy_engine.data.event_words import Hashes, siphash24
from privacy_engine.data.mapped_series import leaving

Indices = NDArray[np.uint32]

CELLS = 1 << 13
"""Cells whose neighbours are looked up at a time."""


def neighbour_hashes(fresh: FreshEvents, events: Indices) -> tuple[Hashes, Indices]:
    """The hashes of the neighbours of the cells of ``events``, and the place in ``events`` of whose they are."""
    from privacy_engine.kernels.event_cells import MOST_NEIGHBOURS, cells, neighbours

    place, minute = np.empty(len(events), dtype=np.uint64), np.empty(len(events), dtype=np.int64)
    cells(fresh.what[events], fresh.ms[events], place, minute)
    capacity = MOST_NEIGHBOURS * len(events)
    near, minutes = np.empty(capacity, dtype=np.uint64), np.empty(capacity, dtype=np.int64)
    owner = np.empty(capacity, dtype=np.uint32)
    many = neighbours(place, minute, near, minutes, owner)
    return siphash24((near[:many], minutes[:many].view(np.uint64)), fresh.keys.near), owner[:many]


def near_any(fresh: FreshEvents, events: Indices, near: Hashes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of ``events`` are in a neighbour of a cell of ``near``, and which of ``near`` are such cells."""
    wanted, held = (np.zeros(len(fresh), dtype=np.bool_) for _ in range(2))
    wanted[fresh.cells[events]] = True
    held[wanted], holding = near_each(fresh, indices_where(wanted), near)
    return held[fresh.cells[events]], holding


def near_each(fresh: FreshEvents, events: Indices, near: Hashes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The same, each event looked up alone: for a part of them, of which cells hold few."""
    table = Table(distinct(near))
    held = np.zeros(len(events), dtype=np.bool_)
    holding = np.zeros(len(table.values), dtype=np.bool_)
    for part in leaving(fresh, blocks(len(events), CELLS)):
        hashes, owner = neighbour_hashes(fresh, events[part])
        places = table.find(hashes)
        found = np.flatnonzero(places >= 0)
        held[part][owner[found]] = True
        holding[places[found]] = True
    return held, Table(table.values[holding]).holds(near)
