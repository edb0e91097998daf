"""Which events two uploads share: the same ones, copies in another time zone, moved copies.

One way after the other, each among the events that none before it found. *Same* events have equal hashes; any number of
them counts. The other two ways decide about uploads, by at least :data:`MOST` of the smaller one's remaining events:
people in one city are in the same cells now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.progress import advance, blocks
from privacy_engine.data.event_hashes.cells import near_any, near_each
from privacy_engine.data.event_hashes.hashes import EventHashes, FreshEvents, indices_where
from privacy_engine.data.event_hashes.table import common
from privacy_engine.data.event_hashes.zones import in_another_zone
from privacy_engine.data.mapped_series import leave

How = Literal["same", "zone", "moved"]
Indices = NDArray[np.uint32]

MOST = 0.5
"""The share of the smaller upload's remaining events from which on it is a copy in another zone, or a moved one."""
LIKELY = MOST / 2
"""A sample that shows less than this of the smaller one rules a copy out."""
NOTHING = (np.empty(0, dtype=np.uint32),) * 2
SAMPLE = 1 << 13
EXPECTED = 256
"""Sampled events at the least that lie in the smaller upload, if the larger one has all of it."""


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
    ways: Mapping[How, int]


def shared(fresh: FreshEvents, other: EventHashes) -> Shared | None:
    """Return the events that an upload at hand shares with an earlier one under the same keys; None if there are none.

    Where an upload is a sample, indices are of the events in the sample, and ``share`` is an estimate.
    """
    pair = _Pair(fresh, other)
    for take in pair.ways():
        take()
        leave(fresh)
        leave(other)
    return pair.result()


class _Side:
    """One of two uploads: its hashes, and which of its events were found by each way."""

    def __init__(self, hashes: EventHashes) -> None:
        self.hashes, self.n = hashes, len(hashes)
        self.kept = self.n / hashes.events if self.n else 1.0
        self.found: dict[How, Indices] = {}
        self.untimed = hashes.untimed if len(hashes.phase) else np.empty(0, dtype=np.uint32)

    @property
    def left(self) -> int:
        """How many events with a time were not found yet."""
        return self.n - len(self.untimed) - sum(map(len, self.found.values()))

    def first(self, many: int) -> Indices:
        """The first ``many`` events with a time that were not found yet: a uniform sample of all of them."""
        gone = [self.untimed, *self.found.values()]
        end = min(self.n, many + sum(map(len, gone)))
        mask = np.ones(end, dtype=np.bool_)
        for some in gone:
            mask[some[: np.searchsorted(some, end)]] = False
        return indices_where(mask)[:many]

    def share(self, way: How, other: _Side) -> float:
        """The share of its events that ``way`` found, estimated where one of the two is a sample."""
        many = len(self.found.get(way, ()))
        if way == "same":
            threshold = min((side.hashes.exact[-1] for side in (self, other) if side.hashes.sampled), default=None)
            comparable = self.n if threshold is None else np.searchsorted(self.hashes.exact, threshold, side="right")
            return float(many / max(comparable, 1))
        return min(many / max(self.n, 1) / other.kept, 1.0)


class _Pair:
    def __init__(self, fresh: FreshEvents, other: EventHashes) -> None:
        self._fresh, self._other = fresh, other
        self._one, self._two = _Side(fresh), _Side(other)

    def ways(self) -> Iterator[Callable[[], None]]:
        """What takes the events of each way that there may be, in turn."""
        yield self.take_same
        if self._fresh.sort == self._other.sort and len(self._fresh.phase):
            yield self.take_shifted
            if len(self._fresh.near):
                yield self.take_moved

    def take_same(self) -> None:
        """Equal hashes: the smaller one's are looked up in the larger one."""
        small, large = sorted((self._two, self._one), key=lambda side: side.n)
        table, exact, found = large.hashes.table, small.hashes.exact, list[tuple[Indices, Indices]]()
        for part in blocks(small.n):
            places = table.find(exact[part])
            leave(small.hashes)  # both ascend: no page is read again
            leave(large.hashes)
            held = np.flatnonzero(places >= 0)
            found.append((held.astype(np.uint32) + np.uint32(part.start), places[held].astype(np.uint32)))
        small.found["same"], large.found["same"] = (np.concatenate(of) for of in zip(NOTHING, *found, strict=True))

    def take_shifted(self) -> None:
        """Equal phases, which a shift by quarters of an hour then explains."""
        sample = self._sample()
        if not len(sample):
            return
        if len(sample) < self._one.left:
            held, holding = common(self._fresh.phase[sample], self._other.phase)
            if not self._likely(len(sample), int(held.sum()), self._remaining(holding)):
                return
        one, two = self._one.first(self._one.n), self._two.first(self._two.n)
        held, holding = common(self._fresh.phase[one], self._other.phase[two])
        if self._copied(int(held.sum()), int(holding.sum())):
            self._take("zone", *in_another_zone(self._fresh, one[held], self._other, two))

    def take_moved(self) -> None:
        """Neighbouring cells."""
        sample = self._sample()
        if not len(sample):
            return
        if len(sample) < self._one.left:
            held, holding = near_each(self._fresh, sample, self._other.near)
            if not self._likely(len(sample), int(held.sum()), self._remaining(holding)):
                return
        one, two = self._one.first(self._one.n), self._two.first(self._two.n)
        held, holding = near_any(self._fresh, one, self._other.near[two])
        self._take("moved", one[held], two[holding])

    def _sample(self) -> Indices:
        """Events of the upload at hand that show whether it is a copy; all of them where they are few."""
        one, two = self._one.left, self._two.left
        return self._one.first(max(SAMPLE, EXPECTED * one // two)) if one and two else np.empty(0, dtype=np.uint32)

    def _remaining(self, holding: NDArray[np.bool_]) -> int:
        """How many events of the other upload are marked and were not found yet."""
        marked = int(np.count_nonzero(holding))
        if marked:
            marked -= sum(int(np.count_nonzero(holding[some])) for some in self._two.found.values())
        return marked

    def _likely(self, sampled: int, hits: int, hitting: int) -> bool:
        """Whether ``hits`` of ``sampled`` events at hand, and ``hitting`` of the other upload, may be of a copy."""
        times = self._one.left / sampled
        return self._of_smaller(hits * times, max(hits, hitting) * times) >= LIKELY

    def _copied(self, held: int, holding: int) -> bool:
        return self._of_smaller(held, holding) >= MOST

    def _of_smaller(self, held: float, holding: float) -> float:
        """The share of the smaller one's remaining events, of so many of each; the larger of two alike."""
        one, two = self._one, self._two
        shares: dict[float, list[float]] = {}
        for side, many, opposite in ((one, held, two), (two, holding, one)):
            shares.setdefault(side.left / side.kept, []).append(many / side.left / opposite.kept)
        return float(max(shares[min(shares)]))

    def _take(self, way: How, one: Indices, two: Indices) -> None:
        if len(one) and self._copied(len(one), len(two)):
            self._one.found[way], self._two.found[way] = one, two

    def result(self) -> Shared | None:
        """All that was found."""
        advance()
        one, two = self._one, self._two
        ways = {way: len(found) for way, found in one.found.items() if len(found)}
        if not ways:
            return None
        side, opposite = (one, two) if one.hashes.events <= two.hashes.events else (two, one)
        share = min(sum(side.share(way, opposite) for way in ways), 1.0)
        return Shared(next(iter(ways)), _all(one), _all(two), share, ways)


def _all(side: _Side) -> Indices:
    return np.sort(np.concatenate(list(side.found.values())))
