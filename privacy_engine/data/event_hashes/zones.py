"""Copies in another time zone: the same places at times that are some quarters of an hour away."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privacy_engine.core.arrays import Mask
from privacy_engine.core.progress import reported
from privacy_engine.data.event_hashes.hashes import EventHashes, FreshEvents
from privacy_engine.data.event_hashes.table import indices_where, looked_up
from privacy_engine.data.event_words import Hashes, Instants, siphash24
from privacy_engine.data.mapped_series import picked, piecewise

QUARTER_MS = 900_000
WIDEST = 4 * 26
"""Quarters of an hour between the zones UTC-12 and UTC+14."""
SHIFTS = tuple(QUARTER_MS * quarters for quarters in range(-WIDEST, WIDEST + 1) if quarters)
SAMPLE = 4096
LEAST = 0.05
"""A shift counts if it explains this share of the events with equal phases: summer time, and several zones in an
upload, but not what happens to be at a place a quarter of an hour later."""


def in_another_zone(fresh: FreshEvents, events: Mask, other: EventHashes, others: Mask) -> tuple[Mask, Mask]:
    """The ``events`` of an upload at hand that are among ``others`` of another, shifted; and these.

    ``events`` are those whose phases the other upload has. A shift is by a whole number of quarters of an hour, up to
    26 hours, and each that explains enough of ``events`` (or of a sample of 4,096) counts.
    """
    sample = indices_where(events)[:SAMPLE]
    least = max(LEAST * len(sample) * len(other) / max(other.events, 1), 1)
    counts, held, holding = (
        np.zeros(len(SHIFTS)),
        np.zeros(len(events), dtype=np.bool_),
        np.zeros(len(others), dtype=np.bool_),
    )
    words = picked(fresh.what, sample), picked(fresh.ms, sample)
    queries = np.concatenate([_shifted(fresh, shift)(*words) for shift in SHIFTS])
    for at, places in looked_up(other.exact, queries, np.ones(len(queries), dtype=np.bool_)):
        counts += np.bincount(at[others[places]] // len(sample), minlength=len(SHIFTS))
    for i in reported(np.flatnonzero(counts >= least)):
        queries = piecewise(_shifted(fresh, SHIFTS[i]), fresh.what, fresh.ms, dtype=np.uint64)
        for at, places in looked_up(other.exact, queries, events):
            held[at[others[places]]], holding[places[others[places]]] = True, True
    return held, holding


def _shifted(fresh: FreshEvents, shift: int) -> Callable[[Hashes, Instants], Hashes]:
    """What the exact hash is of a place at a time that is ``shift`` milliseconds later."""
    return lambda what, ms: siphash24((what, (ms + shift).view(np.uint64)), fresh.keys.exact)
