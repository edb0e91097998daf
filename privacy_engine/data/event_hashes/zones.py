"""Copies in another time zone: the same places at times that are some quarters of an hour away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.progress import reported
from privacy_engine.data.event_hashes.hashes import EventHashes, FreshEvents
from privacy_engine.data.event_words import siphash24

Indices = NDArray[np.uint32]

QUARTER_MS = 900_000
WIDEST = 4 * 26
"""Quarters of an hour between the zones UTC-12 and UTC+14."""
SHIFTS = tuple(QUARTER_MS * quarters for quarters in range(-WIDEST, WIDEST + 1) if quarters)
SAMPLE = 4096
LEAST = 0.05
"""A shift counts if it explains this share of the events with equal phases: summer time, and several zones in one
upload, but not what happens to be at one place a quarter of an hour later."""


def in_another_zone(fresh: FreshEvents, one: Indices, other: EventHashes, two: Indices) -> tuple[Indices, Indices]:
    """The events ``one`` of an upload at hand that are among ``two`` of another, shifted; and these.

    ``one`` are those whose phases the other upload has. A shift is by a whole number of quarters of an hour, up to 26
    hours, and each that explains enough of ``one`` (or of a sample of 4,096) counts.
    """
    free = np.zeros(len(other), dtype=np.bool_)
    free[two] = True
    sample = one[:SAMPLE]
    least = max(LEAST * len(sample) * len(other) / max(other.events, 1), 1)
    held = np.zeros(len(fresh), dtype=np.bool_)
    holding = np.zeros(len(other), dtype=np.bool_)
    for shift in reported(SHIFTS):
        if len(_shifted(fresh, sample, other, free, shift)[0]) >= least:
            found, places = _shifted(fresh, one, other, free, shift)
            held[found], holding[places] = True, True
    return np.flatnonzero(held).astype(np.uint32), np.flatnonzero(holding).astype(np.uint32)


def _shifted(
    fresh: FreshEvents, one: Indices, other: EventHashes, free: NDArray[np.bool_], shift: int
) -> tuple[Indices, Indices]:
    """Those of ``one`` that are a free event of the other upload ``shift`` milliseconds later; and these."""
    words = fresh.what[one], (fresh.ms[one] + shift).view(np.uint64)
    places = other.table.find(siphash24(words, fresh.keys.exact))
    found = np.flatnonzero(places >= 0)
    found = found[free[places[found]]]
    return one[found], places[found].astype(np.uint32)
