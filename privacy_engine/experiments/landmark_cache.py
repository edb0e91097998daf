"""Landmarks that several cells of an experiment draw alike, drawn once."""

from collections.abc import Callable, Hashable, Sequence
from weakref import WeakKeyDictionary, ref

from privacy_engine.data import LandmarkSet, Trajectory

MOST_BYTES = 2**25
"""Of the masks of a dataset; what comes after them is drawn again."""


class MarkCache:
    """What was drawn for a dataset, by what it follows from; removed with the first of its series."""

    def __init__(self, series: Sequence[Trajectory]) -> None:
        self._series = [ref(track) for track in series]
        self._found: dict[Hashable, list[LandmarkSet]] = {}
        self._bytes = 0

    def of(self, series: Sequence[Trajectory]) -> bool:
        """True if it is of these very series."""
        return len(series) == len(self._series) and all(
            held() is other for held, other in zip(self._series, series, strict=True)
        )

    def once(self, key: Hashable, draw: Callable[[], list[LandmarkSet]]) -> list[LandmarkSet]:
        """What ``draw`` gives, from memory where it was drawn before."""
        sets = self._found.get(key)
        if sets is None:
            sets = draw()
            self._bytes += sum(map(len, sets))
            if self._bytes <= MOST_BYTES:
                self._found[key] = sets
        return sets


_caches: WeakKeyDictionary[Trajectory, MarkCache] = WeakKeyDictionary()


def mark_cache(series: Sequence[Trajectory]) -> MarkCache:
    """The cache of ``series``, which are identified by object and not by value."""
    known = _caches.get(series[0]) if series else None
    if known is None or not known.of(series):
        known = MarkCache(series)
        if series:
            _caches[series[0]] = known
    return known
