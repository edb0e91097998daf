"""Which events two uploads share: the same ones, copies in another time zone, moved copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privacy_engine.event_hashes.hashes import EventHashes, FreshEvents

How = Literal["same", "zone", "moved"]
Indices = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Shared:
    """Events that two uploads share.

    ``one`` and ``other`` are ascending indices into the ``exact`` of each; ``share`` is that of the smaller one's
    events. ``how`` is the strongest way in which any were found ("same", then "zone", then "moved"); ``ways`` has the
    number of events of the first upload by each way, which add up to ``len(one)``.
    """

    how: How
    one: Indices
    other: Indices
    share: float
    ways: dict[How, int]


def shared(fresh: FreshEvents, other: EventHashes) -> Shared | None:
    """Return the events that an upload at hand shares with an earlier one; None if they share none."""
    places = fresh.table.find(other.exact)
    held = places >= 0
    one, two = places[held].astype(np.uint32), np.flatnonzero(held).astype(np.uint32)
    if not len(one):
        return None
    return Shared("same", one, two, len(one) / min(len(fresh), len(other)), {"same": len(one)})
