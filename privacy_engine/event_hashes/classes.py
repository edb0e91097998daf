"""The partition of an upload's events by which other uploads hold them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from privacy_engine.progress import reported

MOST_CLASSES = 10_000

Class = tuple[frozenset[int], int]


class Classes(list[Class]):
    """Sets of uploads with how many events each; ``joined`` if small ones were made one, which then holds too many."""

    joined: bool = False


def classes(n: int, held: Mapping[int, NDArray[np.integer]], most: int = MOST_CLASSES) -> Classes:
    """Return the partition of ``n`` events by the set of uploads that hold them; the largest class first.

    ``held`` has, by upload, the distinct indices of the events that it holds. Counts add up to ``n``. Beyond ``most``
    classes the smallest are joined, two at a time, under the union of their sets: what the events of such a class
    spent is an upper bound.
    """
    label = np.zeros(n, dtype=np.uint32)
    sets: list[frozenset[int]] = [frozenset()]
    for upload, events in reported(held.items()):
        before = label[events]
        divided = np.flatnonzero(np.bincount(before, minlength=len(sets)))
        fresh = np.zeros(len(sets), dtype=np.uint32)
        fresh[divided] = np.arange(len(sets), len(sets) + len(divided), dtype=np.uint32)
        label[events] = fresh[before]
        sets += [sets[one] | {upload} for one in divided.tolist()]
    counts = np.bincount(label, minlength=len(sets)).tolist() if n else []
    return _joined({one: count for one, count in zip(sets, counts, strict=False) if count}, most)


def _joined(found: dict[frozenset[int], int], most: int) -> Classes:
    joined = len(found) > most
    while len(found) > most:
        ascending = sorted(found, key=lambda one: (found[one], sorted(one)))
        small = sorted(ascending[: 2 * (len(found) - most)], key=sorted)
        for i in range(0, len(small) - 1, 2):
            both = found.pop(small[i]) + found.pop(small[i + 1])
            union = small[i] | small[i + 1]
            found[union] = found.get(union, 0) + both
    result = Classes(sorted(found.items(), key=lambda one: (-one[1], sorted(one[0]))))
    result.joined = joined
    return result
