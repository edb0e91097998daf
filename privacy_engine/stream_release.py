"""``StreamRelease``: what a stream mechanism publishes, and the digest of it.

A mechanism publishes whole numbers, or estimates: multiples of 0.001, so that files hold exactly what was published.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.errors import DataError
from privacy_engine.published import plain_name

PER_UNIT = 1000
FINEST = 2.0**40
"""From here on estimates are whole numbers: floats are too coarse to hold every multiple of 0.001."""


def on_lattice(values: NDArray[Any]) -> Floats:
    """Estimates as they are published: the nearest multiples of 0.001, as floats, or from 2**40 on of 1.

    >>> on_lattice(np.array([0.12345, -0.0001, 2.0**41 + 0.5])).tolist()
    [0.123, 0.0, 2199023255552.0]
    """
    fine = np.rint(values * PER_UNIT) / PER_UNIT
    return np.asarray(np.where(np.abs(values) < FINEST, fine, np.rint(values)) + 0.0)  # -0.0 + 0.0 is 0.0


def off_lattice(values: NDArray[Any]) -> Mask:
    """Which values :func:`on_lattice` changes, or are not finite."""
    return np.asarray(~(np.isfinite(values) & (on_lattice(values) == values)))


@dataclass(frozen=True, eq=False)
class StreamRelease:
    """Published counts of d dimensions at T timestamps, and what was spent.

    Parameters
    ----------
    counts : (T, d) int or float
        Whole numbers, which may be negative, or estimates: multiples of 0.001, as :func:`on_lattice` has them.
    names, labels : d and T texts
        Those of the original, as they are.
    time_s : (T,) float or None
        As in :class:`~privacy_engine.data.CountStream`.
    budgets : (T,) float
        What each timestamp spent; 0 where it repeats an earlier one.
    private : bool
        True only if all noise came from the operating system's generator.
    """

    counts: Ints | Floats
    names: Sequence[str]
    labels: Sequence[str]
    time_s: Floats | None
    budgets: Floats
    private: bool = False

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        shape = (len(self.labels), len(self.names))
        known = counts.dtype in (np.int64, np.float64)
        if not known or counts.shape != shape or self.budgets.shape != shape[:1]:
            rule = f"whole numbers or estimates of shape {shape}, with a budget for each timestamp"
            raise DataError(f"counts must be {rule}, got {counts.dtype} of {counts.shape}", field="counts", rule=rule)
        if not self.whole and off_lattice(self.counts).any():
            rule = f"finite multiples of {1 / PER_UNIT:g}"
            raise DataError(f"counts must be {rule} where they are estimates", field="counts", rule=rule)

    @property
    def whole(self) -> bool:
        """True for whole numbers, False for estimates."""
        return self.counts.dtype == np.int64

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


def counts_digest(names: Sequence[str], labels: Sequence[str], counts: Ints | Floats) -> str:
    """SHA-256 of published counts (T, d) with their names and labels as they are exported.

    It detects damage and exchange. It is no signature: whoever forges a file can compute it too.
    """
    whole = counts.dtype == np.int64
    found = hashlib.sha256(b"cairn counts 1\n" if whole else b"cairn estimates 1\n")
    found.update(json.dumps([export_names(names), [plain_name(label) for label in labels]]).encode() + b"\n")
    found.update(np.ascontiguousarray(counts, dtype="<i8" if whole else "<f8").tobytes())
    return found.hexdigest()
