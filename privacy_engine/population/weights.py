"""What persons weigh in a table of a population: each 2^20 units at most, whatever a person did.

A person with T trips adds 1/T of themselves for each, in whole units, so that a table changes by at most one person in
sum when a person with everything they did is added or removed.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported
from privacy_engine.data.trips import Trips
from privacy_engine.population.places import Places

UNITS = 1 << 20
"""Of a person."""


def weighted(person: Ints, cell: Ints, cells: int) -> Ints:
    """Units of each cell of a table, (cells,): those of each person add up to :data:`UNITS`.

    A person's T events share the units equally. What is left after rounding down goes to the cells with the largest
    remainders, of equal ones to the first: so what a person adds depends on that person alone.

    Parameters
    ----------
    person, cell : (n,) int
        Of each event.
    """
    if not len(person):
        return np.zeros(cells, dtype=np.int64)
    _, code, total = np.unique(person, return_inverse=True, return_counts=True)
    key, count = np.unique(code * np.int64(cells) + cell, return_counts=True)
    owner, at = np.divmod(key, cells)
    units, remainder = np.divmod(count * UNITS, total[owner])
    left = UNITS - np.bincount(owner, units).astype(np.int64)
    order = np.lexsort((at, -remainder, owner))
    place = np.arange(len(key)) - np.searchsorted(owner, owner)  # those of a person lie after each other in any order
    units[order] += place < left[owner]
    return np.bincount(at, units, minlength=cells).astype(np.int64)


def pairs_of(trips: Trips, places: Places) -> tuple[Ints, Ints]:
    """The person and the number, origin * k + destination, of each trip between two places, (m,) each."""
    origin = places.of(trips.origin_lon, trips.origin_lat)
    destination = places.of(trips.destination_lon, trips.destination_lat)
    counts = (origin >= 0) & (destination >= 0) & (origin != destination)
    return trips.person[counts], origin[counts] * len(places) + destination[counts]


def flow_weights(parts: Iterable[Trips], places: Places) -> Ints:
    """Units of each origin and destination, (k²,), of trips that come in parts, no person in two of them.

    Trips within a place or with an end in none are left out before a person's trips are counted, by the public
    partition alone.
    """
    table = np.zeros(len(places) ** 2, dtype=np.int64)
    for trips in reported(parts):
        table += weighted(*pairs_of(trips, places), len(table))
    return table


def visit_weights(parts: Iterable[Trips], places: Places) -> Ints:
    """Units of each place, (k,): a visit is where a trip ends; otherwise as :func:`flow_weights`."""
    table = np.zeros(len(places), dtype=np.int64)
    for trips in reported(parts):
        place = places.of(trips.destination_lon, trips.destination_lat)
        inside = place >= 0
        table += weighted(trips.person[inside], place[inside], len(table))
    return table


def in_persons(units: Ints) -> Floats:
    """Units as persons."""
    return np.asarray(units / UNITS)
