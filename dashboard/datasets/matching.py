"""Comparing an upload with those that its owner uploaded before.

Readings are compared by the hashes of their events. Sketches are compared where hashes are missing, damaged or of no
use: of earlier uploads that cannot be read again, where either upload has no times, or either of two tables of
check-ins no positions, and with what a deleted account left.
All events then count as shared.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from dashboard.core.storage_errors import DamagedFile
from dashboard.datasets.evidence import Evidence
from dashboard.datasets.models import LineageEntry, Reading, SourceFile, SourceSketch
from privacy_engine.data.event_hashes import EventHashes, Shared, shared
from privacy_engine.data.event_sketch import EventSketch, Overlap, overlap
from privacy_engine.errors import DataError

How = LineageEntry.How
LEAST_OF_DELETED = 100
"""Events that an upload shares with that of a deleted account at the least: fewer could be guessed."""
TRAJECTORY_SORTS = ("timed", "untimed")
STRENGTH: dict[str, int] = {how: i for i, how in enumerate((How.WHOLE, How.MOVED, How.ZONE, How.SAME))}

Indices = NDArray[np.uint32]


@dataclass
class Match:
    """What an upload shares with another source file; ``pairs`` has indices of its own and of a reading's events."""

    how: str = How.WHOLE
    share: float = 0.0
    whole: bool = False
    pairs: list[tuple[Reading, Indices, Indices]] = field(default_factory=list)

    def add(self, how: str, share: float) -> None:
        """Keep the strongest way and the largest share."""
        self.how, self.share = max(self.how, how, key=STRENGTH.__getitem__), max(self.share, share)


def prepare(owner_id: Any, evidence: Evidence) -> None:
    """Compare an upload with its owner's others and store its hashes, ahead of the transaction that registers it.

    Takes seconds for 10⁷ events, which must not lock the owner's ledger; what comes meanwhile is compared in the
    transaction.
    """
    known = Reading.objects.filter(source_file__owner=owner_id, source_file__file_digest=evidence.file_digest or "none")
    if known.filter(digest=evidence.events_digest).exists():
        return
    for reading in _comparable(owner_id, evidence).exclude(source_file__file_digest=evidence.file_digest or "none"):
        _shared(evidence, reading)
    store(evidence)


def store(evidence: Evidence) -> None:
    """Store the hashes, unless they are stored."""
    path = Reading(pk=evidence.id).hashes_path
    if not path.exists():
        with path.written() as out:
            evidence.fresh.write(out)


def overlaps(evidence: Evidence, file: SourceFile) -> dict[int, Match]:
    """Return the owner's other source files that share events with an upload of ``file``."""
    matches: dict[int, Match] = {}
    for reading in _comparable(file.owner_id, evidence).exclude(source_file=file):
        common = _shared(evidence, reading)
        if common is not None:
            match = matches.setdefault(reading.source_file_id, Match())
            match.add(common.how, common.share)
            match.whole |= evidence.fresh.sampled or reading.sampled
            match.pairs.append((reading, common.one, common.other))
    own = SourceSketch.objects.filter(source_file__owner=file.owner_id, source_file__inherited=False)
    for pk, share in by_sketches(evidence, own.exclude(source_file=file)).items():
        match = matches.setdefault(pk, Match())
        match.add(How.WHOLE, share)
        match.whole = True
    return matches


def _comparable(owner_id: Any, evidence: Evidence) -> Any:
    own = Reading.objects.filter(source_file__owner=owner_id, source_file__inherited=False, sort__in=_sorts(evidence))
    return own.order_by("source_file", "pk")


def _sorts(evidence: Evidence) -> tuple[str, ...]:
    """What events can be compared with those of an upload."""
    return TRAJECTORY_SORTS if evidence.fresh.sort in TRAJECTORY_SORTS else (evidence.fresh.sort,)


def _shared(evidence: Evidence, reading: Reading) -> Shared | None:
    if reading.pk not in evidence.compared:
        try:
            with reading.hashes_path.local() as path:
                evidence.compared[reading.pk] = shared(evidence.fresh, EventHashes.read(path))
        except (FileNotFoundError, DamagedFile, DataError):
            evidence.lost.add(reading.pk)
            evidence.compared[reading.pk] = None
    return evidence.compared[reading.pk]


# Sketches ----------------------------------------------------------------------------------------


def by_sketches(evidence: Evidence, others: Any) -> dict[int, float]:
    """The source files of ``others`` that share most events with an upload, where hashes do not show it."""
    without_times = Q(timed=b"") if evidence.timed else ~Q(timed=b"")
    untold = Q(reading=None) | Q(reading__in=evidence.lost) | ~Q(reading__sort__in=_sorts(evidence)) | without_times
    return matches(evidence, others.filter(untold, kind=evidence.kind))


def matches(sketch: Any, others: Any) -> dict[int, float]:
    """The source files that share most events with ``sketch``, each with the largest share."""
    shares: dict[int, float] = {}
    for other in others.iterator(chunk_size=100):  # each is up to 64 kB
        common = compared(sketch, other)
        if common.most:
            shares[other.source_file_id] = max(common.share, shares.get(other.source_file_id, 0.0))
    return shares


def compared(sketch: Any, other: Any) -> Overlap:
    """Return the overlap of two stored sketches: by place and time where both have times, else by place."""
    return overlap(*_comparable_sketches(sketch, other))


def _comparable_sketches(sketch: Any, other: Any) -> list[EventSketch]:
    column = "timed" if sketch.timed and other.timed else "places"
    return [EventSketch.from_bytes(bytes(getattr(row, column))) for row in (sketch, other)]


def of_deleted_accounts(evidence: Evidence, others: Any) -> dict[int, float]:
    """The source files of ``others`` that share most events with an upload, and at least 100.

    Who uploads a few guessed events learns nothing of what a deleted account uploaded.
    """
    shares: dict[int, float] = {}
    for other in others.filter(kind=evidence.kind).iterator(chunk_size=100):
        pair = _comparable_sketches(evidence, other)
        common = overlap(*pair)
        if common.most and common.share * min(len(sketch.hashes) for sketch in pair) >= LEAST_OF_DELETED:
            shares[other.source_file_id] = max(common.share, shares.get(other.source_file_id, 0.0))
    return shares
