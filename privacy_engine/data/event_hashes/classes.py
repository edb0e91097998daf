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

    ``joined`` if small classes were made one, which then has too many uploads.
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
        sets += [sets[one] | {upload} for one in divided.tolist()]
        if len(sets) > 2 * MEANWHILE * most:
            label, sets, fewer = relabelled(label, sets, MEANWHILE * most)
            joined |= fewer
    label, sets, fewer = relabelled(label, sets, most)
    counts = counts_of(label, len(sets))
    found = [(one, count) for one, count in zip(sets, counts, strict=True) if count]
    return Classes(sorted(found, key=lambda one: (-one[1], sorted(one[0]))), joined or fewer)


def counts_of(label: Labels, many: int) -> list[int]:
    """How many events have each of so many labels."""
    counts = sum(
        (np.bincount(label[some], minlength=many) for some in blocks(len(label))), np.zeros(many, dtype=np.int64)
    )
    found: list[int] = counts.tolist()
    return found


def relabelled(label: Labels, sets: Sequence[frozenset[int]], most: int) -> tuple[Labels, list[frozenset[int]], bool]:
    """Return the labels of events among sets, of which each is listed once, has events, and are at most ``most``.

    Also whether sets were joined for that.
    """
    found: Labelled = {}
    for i, count in enumerate(counts_of(label, len(sets))):
        if count:
            _add(found, sets[i], count, [i])
    joined = len(found) > most
    while len(found) > most:
        smallest = sorted(found, key=lambda one: (found[one][0], sorted(one)))[: 2 * (len(found) - most)]
        small = sorted(smallest, key=sorted)  # neighbours have much in common
        for one, other in zip(small[::2], small[1::2], strict=False):
            for part in (found.pop(one), found.pop(other)):
                _add(found, one | other, *part)
    fresh = np.zeros(len(sets), dtype=label.dtype)
    for new, (_, labels) in enumerate(found.values()):
        fresh[labels] = new
    return fresh[label], list(found) or [frozenset()], joined


def _add(
    found: dict[frozenset[int], tuple[int, list[int]]], one: frozenset[int], count: int, labels: list[int]
) -> None:
    before, known = found.get(one, (0, []))
    found[one] = before + count, known + labels
