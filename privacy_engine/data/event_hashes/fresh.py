"""The hashes of data at hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from privacy_engine.core.progress import advance, blocks, reported
from privacy_engine.data.event_hashes.hashes import LARGEST_EXACT, FreshEvents, Keys
from privacy_engine.data.event_words import Hashes, Instants, instants, position_words, siphash24, text_words
from privacy_engine.data.mapped_series import FEW, column, leave, leaving
from privacy_engine.data.trajectories import in_pieces, lengths_of
from privacy_engine.data.types import CheckIns, CountStream, Trajectory

BLOCK = 1 << 16
"""Events hashed at a time, which stay in the cache."""
LEAST_BITS, MOST_BITS = 4, 6
"""First ones of a hash: the blocks of many events are sorted in so many parts as these have values."""
UNTIMED = np.iinfo(np.int64).min
"""In place of a time where an event of a timed upload has none."""

Block = tuple[Hashes, Hashes, Instants]
Reader = Callable[[Any, Keys], tuple[str, int, Iterator[Block]]]
"""Of data the sort of their events, how many there are at most, and their blocks."""
READERS: dict[str, Reader] = {}
"""By kind of data."""


def reads(kind: str) -> Callable[[Reader], Reader]:
    """Add the decorated function to :data:`READERS`."""
    return lambda reader: READERS.setdefault(kind, reader)


def event_hashes(kind: str, data: Any, keys: Keys, most: int = LARGEST_EXACT) -> FreshEvents:
    """Return the hashes of the distinct events of ``data``, which are of ``kind``; of ``most`` of them at most.

    Raises
    ------
    ValueError
        A key is not of 16 bytes.
    """
    sort, many, events = READERS[kind](data, keys)
    smallest = _Smallest(many, most, sort in ("timed", "places"))
    for block in events:
        smallest.add(*block)
    exact, what, ms = smallest.columns()
    near, phase = _near_and_phase(sort, what, ms, keys)
    fresh = FreshEvents(exact, near, phase, sort=sort, events=smallest.events, what=what, ms=ms, keys=keys)
    leave(fresh)
    return fresh


class _Smallest:
    """The ``most`` smallest distinct hashes of up to ``many`` events, and the events they are of.

    Of more than :data:`FEW` events everything lies in files: the blocks in parts by the first bits of the hashes, of
    which memory holds a part at a time, and then the columns.
    """

    def __init__(self, many: int, most: int, timed: bool) -> None:
        self._most, self._filed, self.events = most, many > FEW, 0
        self._types = [np.uint64, *([np.uint64, np.int64] if timed else [])]
        self._bits = min(max((many // FEW).bit_length(), LEAST_BITS), MOST_BITS) if self._filed else 0
        self._parts = [[column(dtype, many) for dtype in self._types] for _ in range(1 << self._bits)]

    def add(self, exact: Hashes, what: Hashes, ms: Instants) -> None:
        """Take a block of events of at most :data:`BLOCK`."""
        columns = (exact, what, ms)[: len(self._types)]
        if not self._filed:
            _append(self._parts[0], columns)
            return
        first = (exact >> np.uint64(64 - self._bits)).astype(np.uint8)
        order = np.argsort(first, kind="stable")
        ends = np.searchsorted(first[order], np.arange((1 << self._bits) + 1, dtype=np.uint8))
        for part, start, end in zip(self._parts, ends[:-1], ends[1:], strict=True):
            _append(part, [values[order[start:end]] for values in columns])

    def columns(self) -> tuple[Hashes, Hashes, Instants]:
        """Hashes, ascending, and words and times where there are any; nothing can be added any more."""
        kept, size, last = [column(dtype, FEW + 1) for dtype in self._types], 0, np.uint64(0)
        for part in reported(self._parts):
            exact = part[0].taken()
            order = np.argsort(exact)
            advance()
            exact = exact[order]
            new = np.ones(len(exact), dtype=np.bool_)
            np.not_equal(exact[1:], exact[:-1], out=new[1:])
            many = int(np.count_nonzero(new))
            if not new.all() or size + many > self._most:
                exact, order = exact[new][: self._most - size], order[new][: self._most - size]
            size, last = size + len(exact), exact[-1] if len(exact) else last
            columns = itertools.chain([exact], (piece.taken()[order] for piece in part[1:]))
            if not self._filed:
                kept = [*columns]
            else:
                _append(kept, columns)
            if many > len(exact):
                self.events = max(round((self._most - 1) * 2.0**64 / float(last)), self._most + 1)
                break
        self.events = self.events or size
        exact, *others = (values.taken() for values in kept) if self._filed else kept
        what, ms = others or (np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64))
        return exact, what, ms


def _append(columns: Iterable[Any], pieces: Iterable[Any]) -> None:
    for target, piece in zip(columns, pieces, strict=True):
        target.add(piece)


def _near_and_phase(sort: str, what: Hashes, ms: Instants, keys: Keys) -> tuple[Hashes, Hashes]:
    """The hashes of cells and phases; 0 for an event without a time, empty where no event has a time."""
    from privacy_engine.kernels.event_cells import QUARTER_MS, cells

    near, phase = (column(np.uint64, len(what)) for _ in range(2))
    for part in leaving([what, ms], blocks(len(what), BLOCK)):
        words, times = what[part], ms[part]
        untimed = times == UNTIMED
        hashes = siphash24((words, (times % QUARTER_MS).view(np.uint64)), keys.phase)
        phase.add(np.where(untimed, np.uint64(0), hashes))
        if sort == "timed":
            place, minute = np.empty_like(words), np.empty_like(times)
            cells(words, times, place, minute)
            near.add(np.where(untimed, np.uint64(0), siphash24((place, minute.view(np.uint64)), keys.near)))
    return near.taken(), phase.taken()


@reads(Trajectory.kind)
def _fixes(data: Sequence[Trajectory], keys: Keys) -> tuple[str, int, Iterator[Block]]:
    timed = any(track.time_s is not None and len(track) for track in data)
    return "timed" if timed else "untimed", sum(lengths_of(data)), _fix_blocks(data, keys, timed)


def _fix_blocks(data: Sequence[Trajectory], keys: Keys, timed: bool) -> Iterator[Block]:
    for piece in in_pieces(data, BLOCK):
        words = position_words(piece.lon, piece.lat)
        if piece.time_s is None:
            ms = np.full(len(words) if timed else 0, UNTIMED)
            yield siphash24((words,), keys.exact), words[: len(ms)], ms
        else:
            ms = instants(piece.time_s)
            yield siphash24((words, ms.view(np.uint64)), keys.exact), words, ms


@reads(CheckIns.kind)
def _checkins(data: CheckIns, keys: Keys) -> tuple[str, int, Iterator[Block]]:
    return "places" if data.lon is None or data.lat is None else "timed", len(data), _checkin_blocks(data, keys)


def _checkin_blocks(data: CheckIns, keys: Keys) -> Iterator[Block]:
    places = text_words(data.places, keys.text) if data.lon is None else None
    for part in blocks(len(data), BLOCK):
        if places is not None and data.place is not None:
            words = places[data.place[part]]
        else:
            assert data.lon is not None
            assert data.lat is not None
            words = position_words(data.lon[part], data.lat[part])
        ms = instants(data.time_s[part])
        yield siphash24((words, ms.view(np.uint64)), keys.exact), words, ms


@reads(CountStream.kind)
def _counts(data: CountStream, keys: Keys) -> tuple[str, int, Iterator[Block]]:
    return "counts", int(np.count_nonzero(data.counts)), _count_blocks(data, keys)


def _count_blocks(data: CountStream, keys: Keys) -> Iterator[Block]:
    names = text_words(data.names, keys.text)
    labels = text_words(data.labels, keys.text) if data.time_s is None else instants(data.time_s).view(np.uint64)
    nothing = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    width = max(len(data.names), 1)
    for rows in blocks(len(data), max(BLOCK // width, 1)):
        at, which = np.nonzero(data.counts[rows])
        for part in blocks(len(at), BLOCK):
            row, name = at[part] + rows.start, which[part]
            words = labels[row], names[name], data.counts[row, name].view(np.uint64)
            yield siphash24(words, keys.exact), *nothing
