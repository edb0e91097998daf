"""The hashes of data at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from privacy_engine.core.progress import advance, blocks
from privacy_engine.data.event_hashes.hashes import LARGEST_EXACT, FreshEvents, Keys
from privacy_engine.data.event_words import Hashes, Instants, instants, position_words, siphash24, text_words
from privacy_engine.data.trajectories import in_pieces
from privacy_engine.data.types import CheckIns, CountStream, Trajectory

BLOCK = 1 << 16
"""Events hashed at a time, which stay in the cache."""
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
    found = _Smallest(many, most, sort in ("timed", "places"))
    for block in events:
        found.add(*block)
    found.cut()
    exact, what, ms = found.columns()
    near, phase = _near_and_phase(sort, what, ms, keys)
    return FreshEvents(exact, near, phase, sort=sort, events=found.events, what=what, ms=ms, keys=keys)


class _Smallest:
    """The ``most`` smallest distinct hashes of up to ``many`` events, and the events they are of."""

    def __init__(self, many: int, most: int, timed: bool) -> None:
        self._most, self._size, self.events = most, 0, 0
        capacity = min(many, most + max(most // 4, BLOCK))
        self._exact = np.empty(capacity, dtype=np.uint64)
        self._what = np.empty(capacity if timed else 0, dtype=np.uint64)
        self._ms = np.empty(capacity if timed else 0, dtype=np.int64)
        self._threshold: np.uint64 | None = None

    def add(self, exact: Hashes, what: Hashes, ms: Instants) -> None:
        """Take a block of events of at most :data:`BLOCK`."""
        if self._threshold is not None:
            below = exact <= self._threshold
            exact, what, ms = exact[below], what[below[: len(what)]], ms[below[: len(ms)]]
        if self._size + len(exact) > len(self._exact):
            self.cut()
        end = self._size + len(exact)
        self._exact[self._size : end] = exact
        self._what[self._size : end] = what
        self._ms[self._size : end] = ms
        self._size = end

    def cut(self) -> None:
        """Sort what is there, and keep the smallest."""
        advance()
        order = np.argsort(self._exact[: self._size])
        advance()
        exact = self._exact[order]
        new = np.ones(len(exact), dtype=np.bool_)
        np.not_equal(exact[1:], exact[:-1], out=new[1:])
        if not new.all():
            exact = exact[new]  # one after the other, or both would lie in memory twice
            order = order[new]
        del new
        self.events = len(exact)
        if self._threshold is not None or len(exact) > self._most:
            exact, order = exact[: self._most], order[: self._most]
            self._threshold = exact[-1]
            self.events = max(round((self._most - 1) * 2.0**64 / float(self._threshold)), self._most + 1)
        self._size = len(exact)
        self._exact[: self._size] = exact
        del exact
        if len(self._what):
            self._what[: self._size] = self._what[order]
            advance()
            self._ms[: self._size] = self._ms[order]

    def columns(self) -> tuple[Hashes, Hashes, Instants]:
        """Hashes, and words and times where there are any."""
        return self._exact[: self._size], self._what[: self._size], self._ms[: self._size]


def _near_and_phase(sort: str, what: Hashes, ms: Instants, keys: Keys) -> tuple[Hashes, Hashes]:
    """The hashes of cells and phases; 0 for an event without a time, empty where no event has one."""
    from privacy_engine.kernels.event_cells import QUARTER_MS, cells

    near = np.empty(len(what) if sort == "timed" else 0, dtype=np.uint64)
    phase = np.empty(len(what), dtype=np.uint64)
    for part in blocks(len(what), BLOCK):
        words, times = what[part], ms[part]
        phase[part] = siphash24((words, (times % QUARTER_MS).view(np.uint64)), keys.phase)
        if sort == "timed":
            place, minute = np.empty_like(words), np.empty_like(times)
            cells(words, times, place, minute)
            near[part] = siphash24((place, minute.view(np.uint64)), keys.near)
            near[part][times == UNTIMED] = 0
        phase[part][times == UNTIMED] = 0
    return near, phase


@reads(Trajectory.kind)
def _fixes(data: Sequence[Trajectory], keys: Keys) -> tuple[str, int, Iterator[Block]]:
    timed = any(one.time_s is not None and len(one) for one in data)
    return "timed" if timed else "untimed", sum(map(len, data)), _fix_blocks(data, keys, timed)


def _fix_blocks(data: Sequence[Trajectory], keys: Keys, timed: bool) -> Iterator[Block]:
    for one in in_pieces(data, BLOCK):
        words = position_words(one.lon, one.lat)
        if one.time_s is None:
            ms = np.full(len(words) if timed else 0, UNTIMED)
            yield siphash24((words,), keys.exact), words[: len(ms)], ms
        else:
            ms = instants(one.time_s)
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
