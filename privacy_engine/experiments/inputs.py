"""The data an experiment is run on, by kind: their sizes, the digest in the key of every result, their box.

Data are a list of series for trajectories, otherwise one object, or None where all cells generate their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from privacy_engine.core.progress import BLOCK, blocks
from privacy_engine.data import CheckIns, CountStream, Trajectory

RESULTS = {Trajectory.kind: 1, CountStream.kind: 2, CheckIns.kind: 2}
"""Part of every dataset's key: raised when the same cell would give other numbers, so that stored ones are not used."""

COLUMNS = {CountStream.kind: ("counts",), CheckIns.kind: ("user", "time_s", "place", "lon", "lat")}
"""What results follow from; names and labels stay out."""


@dataclass(frozen=True)
class Given:
    """What a preset must know of a dataset.

    ``box``: west, south, east and north of check-ins with positions; of a stream its ``dimensions`` and ``mean`` count.
    """

    box: tuple[float, float, float, float] | None = None
    dimensions: int = 0
    mean: float = 0.0

    @classmethod
    def of_stream(cls, timestamps: int, dimensions: int, total: float) -> Given:
        """Of a stream of these sizes whose counts sum up to ``total``; the mean has three digits."""
        return cls(dimensions=dimensions, mean=float(f"{total / max(timestamps * dimensions, 1):.3g}"))


ITEMS = {Trajectory.kind: "event", CountStream.kind: "count", CheckIns.kind: "check-in"}
"""What :func:`items_of` counts, a noun."""


def given_of(kind: str, data: Any) -> Given | None:
    """What a preset must know of ``data``; None for none."""
    if data is not None and kind == CountStream.kind:
        return Given.of_stream(len(data), len(data.names), float(data.counts.sum()))
    if data is None or kind != CheckIns.kind or data.lon is None or not len(data):
        return None if data is None or kind == Trajectory.kind else Given()
    west, east, south, north = (float(edge(axis)) for axis in (data.lon, data.lat) for edge in (np.min, np.max))
    return Given((west, south, east, north))


def sizes_of(kind: str, data: Any) -> list[int]:
    """Events of each series; timestamps and dimensions; check-ins. Empty for none."""
    if kind == Trajectory.kind:
        return [len(one) for one in data]
    if data is None:
        return []
    return [len(data), len(data.names)] if kind == CountStream.kind else [len(data)]


def items_of(kind: str, sizes: Sequence[int]) -> int:
    """How many events, counts or check-ins there are, from :func:`sizes_of`; 0 for none."""
    if kind == CountStream.kind:
        return int(np.prod(sizes)) if sizes else 0
    return sum(sizes)


def dataset_digest(data: Sequence[Trajectory] | CountStream | CheckIns | None, kind: str = Trajectory.kind) -> str:
    """SHA-256 of what results follow from: positions, times and marks of series in their order, counts, check-ins.

    >>> one, same = (Trajectory([8.5], [47.3], name=name) for name in "ab")
    >>> dataset_digest([one]) == dataset_digest([same])
    True
    """
    if kind != Trajectory.kind:
        return _digest(kind, data)
    found = hashlib.sha256(f"cairn experiment {RESULTS[kind]}".encode())
    for one in data or ():  # type: ignore[union-attr]
        found.update(f" {len(one)} {one.time_s is not None} {one.marked is not None} ".encode())
        for column in (one.lon, one.lat, one.time_s, one.marked):
            if column is not None:
                for some in blocks(len(column)):
                    found.update(np.ascontiguousarray(column[some]).data)
    return found.hexdigest()


def _digest(kind: str, data: Any) -> str:
    found = hashlib.sha256(f"cairn experiment {RESULTS[kind]} {kind}".encode())
    for name in COLUMNS[kind] if data is not None else ():
        column = getattr(data, name)
        if column is not None:
            found.update(f" {name} {column.shape} ".encode())
            for some in blocks(len(column), max(BLOCK // max(column[:1].size, 1), 1)):
                found.update(np.ascontiguousarray(column[some]).data)
    return found.hexdigest()


def uncached(data: Any) -> Any:
    """The same data as new objects: what cells draw alike is cached with the series, and goes with them."""
    return [copy(one) for one in data] if isinstance(data, list) else data
