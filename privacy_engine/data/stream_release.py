"""``StreamRelease``: what a stream mechanism publishes, and the digest of it.

A mechanism publishes whole numbers, or estimates: multiples of 0.001, so that files hold exactly what was published.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.data.points_digest import plain_name
from privacy_engine.data.types import CountStream
from privacy_engine.errors import DataError

PER_UNIT = 1000
_USUAL_HEADER = re.compile(r"time( \([0-9]+\))?")
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
class Grouping:
    """How a mechanism grouped timestamps and dimensions: no part of what is published.

    Parameters
    ----------
    cluster_start : (T, d) bool
        Where a new cluster of timestamps begins in a dimension.
    group_size : (T, d) int
        How many dimensions shared a noisy mean.
    """

    cluster_start: Mask
    group_size: Ints


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
        What each timestamp spent; 0 where it repeats an earlier release.
    private : bool
        True only if all noise came from the operating system's generator.
    time_name : str
        As in :class:`~privacy_engine.data.CountStream`: the header of the column of timestamps in exports.
    grouping : Grouping or None
        Of a mechanism that reports it, right after the release; it is not published.
    """

    counts: Ints | Floats
    names: Sequence[str]
    labels: Sequence[str]
    time_s: Floats | None
    budgets: Floats
    private: bool = False
    time_name: str = "time"
    grouping: Grouping | None = None

    @classmethod
    def of(
        cls,
        stream: CountStream,
        counts: Ints | Floats,
        budgets: Floats,
        *,
        private: bool,
        grouping: Grouping | None = None,
    ) -> StreamRelease:
        """The release of ``stream`` that publishes ``counts`` (T, d): names, timestamps and their column are its."""
        return cls(counts, stream.names, stream.labels, stream.time_s, budgets, private, stream.time_name, grouping)

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
    exported: dict[str, None] = {}  # in their order
    for name in map(plain_name, names):
        exported[_unlike(exported, name)] = None
    return list(exported)


def _unlike(taken: Collection[str], name: str) -> str:
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name} ({number})"
    return unique


def export_header(time_name: str, names: Sequence[str]) -> list[str]:
    """The header of an exported table: the column of timestamps, whose name differs from all others, and the names.

    >>> export_header("day", ["day", "day"])
    ['day (3)', 'day', 'day (2)']
    """
    exported = export_names(names)
    return [_unlike(frozenset(exported), plain_name(time_name)), *exported]


def counts_digest(names: Sequence[str], labels: Sequence[str], counts: Ints | Floats, time_name: str = "time") -> str:
    """SHA-256 of published counts (T, d) with their names, labels and header of labels as they are exported.

    It detects damage or other data. It is no signature: whoever forges a file can compute it too.
    """
    whole = counts.dtype == np.int64
    digest = hashlib.sha256(b"cairn counts 1\n" if whole else b"cairn estimates 1\n")
    header, *exported = export_header(time_name, names)
    own = [] if _USUAL_HEADER.fullmatch(header) else [header]  # there were digests before there were other headers
    texts = [exported, [plain_name(label) for label in labels], *own]
    digest.update(json.dumps(texts).encode() + b"\n")
    digest.update(np.ascontiguousarray(counts, dtype="<i8" if whole else "<f8").tobytes())
    return digest.hexdigest()
