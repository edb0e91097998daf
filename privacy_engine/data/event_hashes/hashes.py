"""The hashes of a reading's events: what is stored, and how."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from privacy_engine.core.arrays import Mask
from privacy_engine.core.progress import blocks
from privacy_engine.data.event_hashes.table import Indices, in_parts
from privacy_engine.data.event_words import Hashes, Instants
from privacy_engine.data.mapped_series import empty, leave, leaving, picked
from privacy_engine.errors import DataError

LARGEST_EXACT = 10**7
"""Of more distinct events the smallest hashes are kept, a uniform sample of so many."""
SORTS = ("timed", "untimed", "places", "counts")
MAGIC = b"CAIRNEH1"
HEADER = np.dtype([("magic", "S8"), ("sort", "<u8"), ("n", "<u8"), ("events", "<u8"), ("columns", "<u8")])


class Keys(NamedTuple):
    """The keys of the hashes of events, of their cells, of their phases and of texts; 16 bytes each."""

    exact: bytes
    near: bytes
    phase: bytes
    text: bytes


@dataclass(frozen=True, eq=False)
class EventHashes:
    """Keyed hashes of the distinct events of a reading, sorted by ``exact``.

    Parameters
    ----------
    exact : (n,) uint64
        Of each event, distinct and ascending: of position and time; of the position alone, without times (``sort``
        "untimed"); of place and time ("places"); of timestamp, stream and value of a count above 0 ("counts").
    near : (n,) uint64, or empty
        Of the cell of place and time that the event is in (:mod:`privacy_engine.kernels.event_cells`); empty without
        positions and times.
    phase : (n,) uint64, or empty
        Of place and time modulo 15 minutes: equal in every time zone; empty without times.
    sort : str
        What an event is: from :data:`SORTS`.
    events : int
        How many distinct events there are: ``n``, or estimated from the hashes of a sample.
    """

    exact: Hashes
    near: Hashes
    phase: Hashes
    sort: str
    events: int

    def __post_init__(self) -> None:
        for name in ("exact", "near", "phase"):
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.exact)

    @property
    def sampled(self) -> bool:
        """True if the hashes are the smallest ones of more events."""
        return self.events > len(self)

    @property
    def timed(self) -> Mask:
        """The events with a time, (n,): all of them where none has a time."""
        timed = np.ones(len(self), dtype=np.bool_)
        for part in leaving(self, blocks(len(self.phase))):
            timed[part] = self.phase[part] != 0
        return timed

    def pieces(self) -> Iterator[bytes]:
        """The parts of :meth:`to_bytes`, in sequence."""
        columns = [column for column in (self.exact, self.near, self.phase) if len(column)]
        kinds = 1 + 2 * bool(len(self.near)) + 4 * bool(len(self.phase))
        header = np.array((MAGIC, SORTS.index(self.sort), len(self), self.events, kinds), dtype=HEADER)
        yield header.tobytes()
        for column in columns:
            for part in blocks(len(column)):
                yield column[part].astype("<u8", copy=False).tobytes()
            leave(self)

    def to_bytes(self) -> bytes:
        """Return a header and the columns as little-endian 64-bit words: exact, near, phase."""
        return b"".join(self.pieces())

    def write(self, file: BinaryIO) -> None:
        """Write :meth:`to_bytes` to an open file."""
        for piece in self.pieces():
            file.write(piece)

    @classmethod
    def from_bytes(cls, data: bytes | memoryview | mmap.mmap) -> EventHashes:
        """Return the hashes of :meth:`to_bytes`. Nothing is copied: a column that is not used is not read.

        Raises
        ------
        DataError
            These are no stored hashes, or not all of them.
        """
        head = np.frombuffer(bytes(data[: HEADER.itemsize]).ljust(HEADER.itemsize), dtype=HEADER)[0]
        n, kinds, sort = int(head["n"]), int(head["columns"]), int(head["sort"])
        size = HEADER.itemsize + 8 * n * kinds.bit_count()
        if head["magic"] != MAGIC or not kinds & 1 or kinds > 7 or sort >= len(SORTS) or len(data) != size:
            raise DataError("stored hashes of events must be whole, got other bytes", field="hashes", rule="whole")
        words = np.frombuffer(data, dtype="<u8", offset=HEADER.itemsize)
        near, phase = kinds >> 1 & 1, kinds >> 2
        ends = (n, n * (1 + near), n * (1 + near + phase))
        columns = (words[: ends[0]], words[ends[0] : ends[1]], words[ends[1] : ends[2]])
        return EventHashes(*columns, SORTS[sort], int(head["events"]))

    @classmethod
    def read(cls, path: Path) -> EventHashes:
        """Return the hashes of a file, whose columns the system reads as they are used."""
        with path.open("rb") as file:
            if not path.stat().st_size:
                return cls.from_bytes(b"")
            return cls.from_bytes(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


@dataclass(frozen=True, eq=False, kw_only=True)
class FreshEvents(EventHashes):
    """The same with the events themselves, as :func:`event_hashes` makes them; stored as :class:`EventHashes`.

    ``what`` (n,) is the word of each event's position or place, ``ms`` (n,) its time in milliseconds; both are empty
    where there is no ``phase``.
    """

    what: Hashes = field(repr=False)
    ms: Instants = field(repr=False)
    keys: Keys = field(repr=False)

    @cached_property
    def cells(self) -> Indices:
        """The first event in the cell of each event, (n,)."""
        first = empty(len(self), np.uint32)
        for events in leaving([first], in_parts(self.near)):
            near: Hashes = picked(self.near, events)
            _, at, which = np.unique(near, return_index=True, return_inverse=True)
            first[events] = events[at][which]
        return first
