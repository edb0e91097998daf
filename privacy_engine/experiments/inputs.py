"""What a preset must know of data, the digest of columns, and data without what is cached with them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from privacy_engine.core.progress import BLOCK, blocks


@dataclass(frozen=True)
class Given:
    """What a preset must know of a dataset.

    ``radius_m``: the radius of trajectories within which levels are stated; ``box``: west, south, east and north of
    check-ins with positions; of a stream its ``dimensions`` and ``mean`` count.
    """

    radius_m: float | None = None
    box: tuple[float, float, float, float] | None = None
    dimensions: int = 0
    mean: float = 0.0

    @classmethod
    def of_stream(cls, timestamps: int, dimensions: int, total: float) -> Given:
        """Of a stream of these sizes whose counts sum up to ``total``; the mean has three digits."""
        return cls(dimensions=dimensions, mean=float(f"{total / max(timestamps * dimensions, 1):.3g}"))


def columns_digest(head: str, columns: Iterable[tuple[str, Any]]) -> str:
    """SHA-256 of ``head``, then of each column: the text beside it, and its values; None has neither."""
    digest = hashlib.sha256(head.encode())
    for text, column in columns:
        digest.update(text.encode())
        if column is not None:
            for some in blocks(len(column), max(BLOCK // max(column[:1].size, 1), 1)):
                digest.update(np.ascontiguousarray(column[some]).data)
    return digest.hexdigest()


def uncached(data: Any) -> Any:
    """The same data as new objects: what cells draw alike is cached with the series, and goes with them."""
    return [copy(item) for item in data] if isinstance(data, list) else data
