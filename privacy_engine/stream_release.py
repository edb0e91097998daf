"""``StreamRelease``: what a stream mechanism publishes, and the digest of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privacy_engine.data import Floats, Ints
from privacy_engine.errors import DataError
from privacy_engine.published import plain_name


@dataclass(frozen=True, eq=False)
class StreamRelease:
    """Published counts of d dimensions at T timestamps, and what was spent.

    Parameters
    ----------
    counts : (T, d) int
        Whole numbers, which may be negative.
    names, labels : d and T texts
        Those of the original, as they are.
    time_s : (T,) float or None
        As in :class:`~privacy_engine.data.CountStream`.
    budgets : (T,) float
        What each timestamp spent; 0 where it repeats an earlier one.
    private : bool
        True only if all noise came from the operating system's generator.
    """

    counts: Ints
    names: Sequence[str]
    labels: Sequence[str]
    time_s: Floats | None
    budgets: Floats
    private: bool = False

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        shape = (len(self.labels), len(self.names))
        if counts.dtype != np.int64 or counts.shape != shape or self.budgets.shape != shape[:1]:
            rule = f"whole numbers of shape {shape}, with a budget for each timestamp"
            raise DataError(f"counts must be {rule}, got {counts.dtype} of {counts.shape}", field="counts", rule=rule)

    def __len__(self) -> int:
        return len(self.labels)


def export_names(names: Sequence[str]) -> list[str]:
    """Names as every format can hold them, each once: a second "a" is "a (2)".

    >>> export_names(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    found: list[str] = []
    taken: set[str] = set()
    for name in map(plain_name, names):
        number, unique = 1, name
        while unique in taken:
            number += 1
            unique = f"{name} ({number})"
        taken.add(unique)
        found.append(unique)
    return found


def counts_digest(names: Sequence[str], labels: Sequence[str], counts: Ints) -> str:
    """SHA-256 of published counts (T, d) with their names and labels as they are exported.

    It detects damage and exchange. It is no signature: whoever forges a file can compute it too.
    """
    found = hashlib.sha256(b"cairn counts 1\n")
    found.update(json.dumps([export_names(names), [plain_name(label) for label in labels]]).encode() + b"\n")
    found.update(np.ascontiguousarray(counts, dtype="<i8").tobytes())
    return found.hexdigest()
