"""Which other source files hold the events of a reading: a class of events for each set of files."""

import uuid

import numpy as np
from numpy.typing import NDArray

from dashboard.core.storage_errors import DamagedFile
from dashboard.datasets.models import Reading, SourceFile
from dashboard.storage import removals
from privacy_engine.core.progress import blocks
from privacy_engine.data.event_hashes.classes import MOST_CLASSES, counts_of, relabelled
from privacy_engine.data.mapped_series import leaving

Labels = NDArray[np.uint16]
"""Of twice as many classes at most."""
Sets = list[frozenset[int]]


def of_no_other(events: int) -> list[list[object]]:
    """The classes of a reading whose events no other file holds."""
    return [[[], events]]


def add(reading: Reading, file: int, events: NDArray[np.uint32]) -> None:
    """Record that ``file`` holds these events of the reading, distinct numbers, too. The owner must be locked.

    As many sets of files follow, those before with ``file`` added: the labels of the events are moved to them.
    """
    label, sets = _read(reading)
    for block in leaving([events], blocks(len(events))):
        label[events[block]] += np.uint16(len(sets))
    _write(reading, label, sets + [files | {file} for files in sets])


def remove(reading: Reading, file: int) -> None:
    """Record that ``file`` holds none of the reading's events. The owner must be locked."""
    if any(file in files for files, _ in reading.classes):
        label, sets = _read(reading)
        _write(reading, label, [files - {file} for files in sets])


def count_wholly(*pair: SourceFile) -> None:
    """Let what was spent on either of two files count for every event of the other. The owner must be locked."""
    for file, other in (pair, pair[::-1]):
        if other.pk not in file.whole:
            file.whole = sorted({*file.whole, other.pk})
            file.save(update_fields=["whole"])


def _read(reading: Reading) -> tuple[Labels, Sets]:
    sets = [frozenset(files) for files, _ in reading.classes]
    if not reading.labels_file:
        return np.zeros(reading.events, dtype=np.uint16), sets
    try:
        with reading.labels_path.local() as path:
            return np.fromfile(path, dtype="<u2").astype(np.uint16, copy=False), sets
    except (FileNotFoundError, DamagedFile):  # any of its events may be in any class: an upper bound
        return np.zeros(reading.events, dtype=np.uint16), [frozenset[int]().union(*sets)]


def _write(reading: Reading, label: Labels, sets: Sets) -> None:
    """Store the labels and the sets of files; those that no event has are dropped."""
    label, sets, _ = relabelled(label, sets, MOST_CLASSES)
    before = reading.labels_file and str(reading.labels_path)
    reading.labels_file = f"labels-{uuid.uuid4()}" if len(sets) > 1 else ""
    if reading.labels_file:
        with reading.labels_path.written() as out:
            out.write(label.astype("<u2", copy=False).data)
    counts = counts_of(label, len(sets))
    reading.classes = [[sorted(files), count] for files, count in zip(sets, counts, strict=True)]
    reading.save(update_fields=["classes", "labels_file"])
    if before:
        removals.request(before)
