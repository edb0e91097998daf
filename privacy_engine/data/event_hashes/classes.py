"""The partition of an upload's events by which other uploads hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.progress import blocks, reported

MOST_CLASSES = 10_000
MEANWHILE = 10
"""Classes while uploads are added, as a multiple of those at the end."""

Class = tuple[frozenset[int], int]
Labels = NDArray[Any]
Labelled = dict[frozenset[int], tuple[int, list[int]]]


class Classes(list[Class]):
    """Sets of uploads with how many events each.

    ``joined`` if small classes were merged, whose union then has too many uploads.
    """

    def __init__(self, items: Iterable[Class] = (), joined: bool = False) -> None:
        super().__init__(items)
        self.joined = joined


def classes(n: int, held: Mapping[int, NDArray[np.integer[Any]]], most: int = MOST_CLASSES) -> Classes:
    """Return the partition of ``n`` events by the set of uploads that hold them; the largest class first.

    ``held`` has, by upload, the distinct indices of the events that it holds. Counts add up to ``n``. Beyond ``most``
    classes small ones are joined, two at a time, under the union of their sets: what the events of such a class spent
    is an upper bound.
    """
    label, sets, joined = np.zeros(n, dtype=np.uint32), [frozenset[int]()], False
    for upload, events in reported(held.items()):
        before = label[events]
        divided = np.flatnonzero(np.bincount(before, minlength=len(sets)))
        fresh = np.zeros(len(sets), dtype=np.uint32)
        fresh[divided] = np.arange(len(sets), len(sets) + len(divided), dtype=np.uint32)
        label[events] = fresh[before]
        sets += [sets[i] | {upload} for i in divided.tolist()]
        if len(sets) > 2 * MEANWHILE * most:
            label, sets, fewer = relabelled(label, sets, MEANWHILE * most)
            joined |= fewer
    label, sets, fewer = relabelled(label, sets, most)
    counts = counts_of(label, len(sets))
    sized = [(uploads, count) for uploads, count in zip(sets, counts, strict=True) if count]
    return Classes(sorted(sized, key=lambda item: (-item[1], sorted(item[0]))), joined or fewer)


def counts_of(label: Labels, many: int) -> list[int]:
    """How many events have each of so many labels."""
    counts = sum(
        (np.bincount(label[some], minlength=many) for some in blocks(len(label))), np.zeros(many, dtype=np.int64)
    )
    by_label: list[int] = counts.tolist()
    return by_label


def relabelled(label: Labels, sets: Sequence[frozenset[int]], most: int) -> tuple[Labels, list[frozenset[int]], bool]:
    """Return the labels of events among sets, of which each is listed once, has events, and are at most ``most``.

    Also whether sets were joined for that.
    """
    merged: Labelled = {}
    for i, count in enumerate(counts_of(label, len(sets))):
        if count:
            _add(merged, sets[i], count, [i])
    joined = len(merged) > most
    while len(merged) > most:
        smallest = sorted(merged, key=lambda uploads: (merged[uploads][0], sorted(uploads)))[: 2 * (len(merged) - most)]
        small = sorted(smallest, key=sorted)  # neighbours have much in common
        for first, second in zip(small[::2], small[1::2], strict=False):
            for part in (merged.pop(first), merged.pop(second)):
                _add(merged, first | second, *part)
    fresh = np.zeros(len(sets), dtype=label.dtype)
    for new, (_, labels) in enumerate(merged.values()):
        fresh[labels] = new
    return fresh[label], list(merged) or [frozenset()], joined


def _add(
    merged: dict[frozenset[int], tuple[int, list[int]]], uploads: frozenset[int], count: int, labels: list[int]
) -> None:
    before, known = merged.get(uploads, (0, []))
    merged[uploads] = before + count, known + labels
