"""Events of an upload at hand in neighbouring cells of another upload's."""

from __future__ import annotations

import numpy as np

from privacy_engine.core.arrays import Mask
from privacy_engine.core.progress import blocks
from privacy_engine.data.event_hashes.hashes import FreshEvents
from privacy_engine.data.event_hashes.table import Indices, Table, common, distinct, indices_where
from privacy_engine.data.event_words import Hashes, siphash24
from privacy_engine.data.mapped_series import leaving

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


def near_any(fresh: FreshEvents, events: Mask, near: Hashes, some: Mask) -> tuple[Mask, Mask]:
    """Which of ``events`` are in a neighbour of a cell of ``some`` of ``near``, and which of these are such cells."""
    wanted, held, values = np.zeros(len(fresh), dtype=np.bool_), events.copy(), distinct(near, some)
    for part in leaving([fresh.cells], blocks(len(fresh))):
        wanted[fresh.cells[part][events[part]]] = True
    table, holding, cells = Table(values), np.zeros(len(values), dtype=np.bool_), indices_where(wanted)
    wanted[:] = False
    for part in leaving([fresh.what, fresh.ms, cells], blocks(len(cells), CELLS)):
        hashes, owner = neighbour_hashes(fresh, cells[part])
        places = table.find(hashes)
        wanted[cells[part][owner[places >= 0]]] = True
        holding[places[places >= 0]] = True
    del table
    for part in leaving([fresh.cells], blocks(len(fresh))):
        held[part] &= wanted[fresh.cells[part]]
    return held, Table(distinct(values, holding)).holds(near) & some


def near_each(fresh: FreshEvents, events: Indices, near: Hashes) -> tuple[Mask, Mask]:
    """Which of a few events are in a neighbour of a cell of ``near``, and which of these are such cells."""
    held, holding = np.zeros(len(events), dtype=np.bool_), np.zeros(len(near), dtype=np.bool_)
    for part in leaving(fresh, blocks(len(events), CELLS)):
        hashes, owner = neighbour_hashes(fresh, events[part])
        of_hashes, of_near = common(hashes, near)
        held[part][owner[of_hashes]] = True
        holding |= of_near
    return held, holding
