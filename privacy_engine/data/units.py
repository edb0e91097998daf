"""Units of a dataset: successive series that hold all events of their people, of about a million events each.

A release is drawn unit by unit, each from a stream of the seed of its own. So it can be cut into parts at any of their
borders, for any number of workers, and a seeded release is the same for every cut.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privacy_engine.core.arrays import Ints, in_turn

UNIT = 1 << 20
"""Events."""


def units_of(persons: Sequence[str], sizes: Sequence[int] | Ints, events: int = UNIT) -> list[slice]:
    """The units of m series of ``sizes`` (m,) and of these ``persons`` (m,), of which there is at least one.

    A unit has no more than so many events, unless these are of people whose series lie among each other.

    >>> units_of(["a", "b", "a", "c", "d"], [2, 2, 2, 1, 3], events=6)
    [slice(0, 3, None), slice(3, 5, None)]
    """
    last = {person: number for number, person in enumerate(persons)}
    open_to = np.maximum.accumulate([last[person] for person in persons]) if last else np.empty(0, dtype=np.int64)
    ends = np.flatnonzero(open_to == np.arange(len(persons))) + 1  # no person has series on both sides
    starts = np.append(0, ends)
    totals = np.append(0, np.cumsum(sizes))
    together = np.diff(totals[starts])
    cut = [slice(int(starts[some.start]), int(starts[some.stop])) for some in in_turn(together, events)]
    return cut or [slice(0, len(persons))]
