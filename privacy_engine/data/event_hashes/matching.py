"""Which events two uploads share: the same ones, copies in another time zone, moved copies.

Way after way, each among the events that none before it took. *Same* events have equal hashes; any number of
them counts. The other two ways decide about uploads, by at least :data:`MOST` of the smaller upload's remaining events:
people in a city are in the same cells now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from privacy_engine.core.arrays import Mask
from privacy_engine.core.progress import advance, blocks
from privacy_engine.data.event_hashes.cells import near_any, near_each
from privacy_engine.data.event_hashes.hashes import EventHashes, FreshEvents
from privacy_engine.data.event_hashes.table import Indices, Table, common, indices_where
from privacy_engine.data.event_hashes.zones import in_another_zone
from privacy_engine.data.mapped_series import leave, picked

How = Literal["same", "zone", "moved"]
MOST = 0.5
"""The share of the smaller upload's remaining events from which on it is a copy in another zone, or a moved copy."""
LIKELY = MOST / 2
"""A sample that shows less than this of the smaller upload rules a copy out."""
SAMPLE = 1 << 13
EXPECTED = 256
"""Sampled events at the least that lie in the smaller upload, if the larger has all of it."""


@dataclass(frozen=True, eq=False)
class Shared:
    """Events that two uploads share.

    ``one`` and ``other`` are ascending indices into the ``exact`` of each; ``share`` is that of the smaller upload's
    events. ``how`` is the strongest way in which any were shared ("same", then "zone", then "moved"); ``ways`` has the
    number of events of the first upload by each way, which add up to ``len(one)``.
    """

    how: How
    one: Indices
    other: Indices
    share: float
    ways: Mapping[How, int]


def shared(fresh: FreshEvents, other: EventHashes) -> Shared | None:
    """The events that an upload at hand shares with an earlier upload under the same keys; None if there are none.

    Where an upload is a sample, indices are of the events in the sample, and ``share`` is an estimate.
    """
    pair = _Pair(fresh, other)
    for take in pair.ways():
        take()
        leave(fresh)
        leave(other)
    return pair.result()


class _Side:
    """Either of two uploads: its hashes, which of its events were taken, and how many by each way."""

    def __init__(self, hashes: EventHashes) -> None:
        self.hashes, self.n = hashes, len(hashes)
        self.kept = self.n / hashes.events if self.n else 1.0
        self.by_way: dict[How, int] = {}
        self.taken = np.zeros(self.n, dtype=np.bool_)
        self.free = hashes.timed
        self._timed = int(np.count_nonzero(self.free))

    @property
    def left(self) -> int:
        """How many events with a time were not taken yet."""
        return self._timed - sum(self.by_way.values())

    def take(self, way: How, events: Mask) -> None:
        """Note that ``way`` took these events."""
        self.by_way[way] = int(np.count_nonzero(events))
        self.taken |= events
        self.free &= ~events

    def first(self, many: int) -> Indices:
        """The first ``many`` events with a time that were not taken yet: a uniform sample of all of them."""
        return indices_where(self.free[: many + self.n - self.left])[:many]

    def share(self, way: How, other: _Side) -> float:
        """The share of its events that ``way`` took, estimated where either is a sample."""
        many = self.by_way.get(way, 0)
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
        """Equal hashes: those of the larger upload are looked up among the smaller's of their range."""
        small, large = sorted((self._two, self._one), key=lambda side: side.n)
        few, many = (np.zeros(side.n, dtype=np.bool_) for side in (small, large))
        for part in blocks(large.n):
            hashes = large.hashes.exact[part]
            exact, least = small.hashes.exact, hashes[0]
            first, last = exact.searchsorted(least), exact.searchsorted(hashes[-1], "right")
            places = Table(exact[first:last] - least).find(hashes - least)
            many[part] = places >= 0
            few[first:last][places[many[part]]] = True
            leave(small.hashes)  # both ascend: no page is read again
            leave(large.hashes)
        small.take("same", few)
        large.take("same", many)

    def take_shifted(self) -> None:
        """Equal phases, which a shift by quarters of an hour then explains."""
        sample, fresh, other = self._sample(), self._one.free, self._two.free
        if not len(sample):
            return
        if len(sample) < self._one.left:
            held, holding = common(picked(self._fresh.phase, sample), self._other.phase)
            if not self._likely(len(sample), int(held.sum()), self._remaining(holding)):
                return
        held, holding = common(self._fresh.phase, self._other.phase, fresh, other)
        if self._copied(int(held.sum()), int(holding.sum())):
            self._take("zone", *in_another_zone(self._fresh, held, self._other, other))

    def take_moved(self) -> None:
        """Neighbouring cells."""
        sample, fresh, other = self._sample(), self._one.free, self._two.free
        if not len(sample):
            return
        if len(sample) < self._one.left:
            held, holding = near_each(self._fresh, sample, self._other.near)
            if not self._likely(len(sample), int(held.sum()), self._remaining(holding)):
                return
        self._take("moved", *near_any(self._fresh, fresh, self._other.near, other))

    def _sample(self) -> Indices:
        """Events of the upload at hand that show whether it is a copy; all of them where they are few."""
        new, old = self._one.left, self._two.left
        return self._one.first(max(SAMPLE, EXPECTED * new // old)) if new and old else np.empty(0, dtype=np.uint32)

    def _remaining(self, holding: Mask) -> int:
        """How many events of the other upload are marked and were not taken yet."""
        return int(np.count_nonzero(holding & ~self._two.taken))

    def _likely(self, sampled: int, hits: int, hitting: int) -> bool:
        """Whether ``hits`` of ``sampled`` events at hand, and ``hitting`` of the other upload, may be of a copy."""
        times = self._one.left / sampled
        return self._of_smaller(hits * times, max(hits, hitting) * times) >= LIKELY

    def _copied(self, held: int, holding: int) -> bool:
        return self._of_smaller(held, holding) >= MOST

    def _of_smaller(self, held: float, holding: float) -> float:
        """The share of the smaller upload's remaining events, of so many of each; the larger of two alike."""
        fresh, other = self._one, self._two
        shares: dict[float, list[float]] = {}
        for side, many, opposite in ((fresh, held, other), (other, holding, fresh)):
            shares.setdefault(side.left / side.kept, []).append(many / side.left / opposite.kept)
        return float(max(shares[min(shares)]))

    def _take(self, way: How, fresh: Mask, other: Mask) -> None:
        if fresh.any() and self._copied(int(fresh.sum()), int(other.sum())):
            self._one.take(way, fresh)
            self._two.take(way, other)

    def result(self) -> Shared | None:
        """All that was taken."""
        advance()
        fresh, other = self._one, self._two
        ways = {way: many for way, many in fresh.by_way.items() if many}
        if not ways:
            return None
        side, opposite = (fresh, other) if fresh.hashes.events <= other.hashes.events else (other, fresh)
        share = min(sum(side.share(way, opposite) for way in ways), 1.0)
        return Shared(next(iter(ways)), indices_where(fresh.taken), indices_where(other.taken), share, ways)
