"""Plain references of stream publishing, from draws that are given."""

from __future__ import annotations

import math
import random
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


def plain_laplace(rate: float, rng: random.Random) -> Iterator[int]:
    """Discrete Laplace noise in floats, one number after the other."""
    while True:
        size, negative = math.floor(-math.log(1.0 - rng.random()) / rate), rng.random() < 0.5
        if size or not negative:  # otherwise 0 would come from either sign
            yield -size if negative else size


def plain_thresholds(n: int, rng: random.Random) -> Iterator[list[float]]:
    """Rows of sorted uniform numbers."""
    while True:
        yield sorted(rng.random() for _ in range(n))


class GivenDraws:
    """Draws that are known beforehand, in the place of what :mod:`privacy_engine.noise` draws ahead."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def ahead(self, n: int) -> Any:
        assert len(self.values) >= n
        return self.values

    def skip(self, n: int) -> None:
        self.values = self.values[n:]


class _Cluster:
    """The cluster of one dimension: its counts and, sorted, its estimates."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.estimates: list[float] = []
        self.open, self.start_noise = False, 0

    def begin(self, opened: bool) -> None:
        self.counts, self.estimates, self.open = [], [], opened

    def deviation(self, count: int) -> int:
        values = [*self.counts, count]
        n, total = len(values), sum(values)
        return sum(abs(n * value - total) for value in values) // n

    def spread(self, estimate: float) -> float:
        total = estimate
        for value in self.estimates:  # newer Pythons add up floats with a correction in sum()
            total += value
        mean = total / (len(self.estimates) + 1)
        found = abs(estimate - mean)
        for value in self.estimates:
            found += abs(value - mean)
        return found

    def median(self) -> float:
        values, half = self.estimates, len(self.estimates) // 2
        return values[half] if len(values) % 2 else 0.5 * (values[half - 1] + values[half])


def plain_adapub(
    rows: Sequence[Sequence[int]],
    mode: str,
    epsilon: float,
    relative: bool,
    sums: Iterator[int],
    starts: Iterator[int],
    queries: Iterator[int],
    uniforms: Iterator[Sequence[float]] | None,
) -> list[list[float]]:
    """AdaPub over lists; ``uniforms`` are sorted rows of thresholds, None without a partition."""
    columns = range(len(rows[0]))
    clusters, release, past = [_Cluster() for _ in columns], [0.0 for _ in columns], [[0.0] * 5 for _ in columns]
    published = []
    for t, row in enumerate(rows):
        estimates = _estimates(row, release if t and uniforms else None, sums, uniforms)
        for k, cluster in enumerate(clusters):
            limit = 0.0
            if t:
                error = abs(estimates[k] - release[k])
                past[k][t % 5] = error / max(estimates[k], 1.0) if relative else error
                a, b, c, d, e = past[k]
                output = 0.9 * past[k][t % 5] + 0.1 * ((a + b + c + d + e) / 5)
                limit = max(1.0, output * output / epsilon)
            if not cluster.open:
                cluster.begin(True)
                cluster.start_noise = next(starts) if mode == "svt" else 0
            elif not _merges(cluster, mode, row[k], estimates[k], limit, queries):
                cluster.begin(False)
            elif mode == "code":
                cluster.open = False
            cluster.counts.append(row[k])
            insort(cluster.estimates, estimates[k])
            release[k] = cluster.median()
        published.append(list(release))
    return published


def _merges(cluster: _Cluster, mode: str, count: int, estimate: float, limit: float, queries: Iterator[int]) -> bool:
    if mode == "post":
        return cluster.spread(estimate) < limit
    return cluster.deviation(count) + next(queries) - cluster.start_noise < limit


def _estimates(
    row: Sequence[int],
    release: Sequence[float] | None,
    sums: Iterator[int],
    uniforms: Iterator[Sequence[float]] | None,
) -> list[float]:
    """Noisy means of groups of dimensions; without ``release`` each is a group of its own."""
    if release is None or uniforms is None:
        return [float(count + next(sums)) for count in row]
    highest = max(0.0, *release)
    bounds = [u * highest for u in next(uniforms)]
    groups: dict[int, list[int]] = {}
    for k, value in enumerate(release):
        groups.setdefault(bisect_left(bounds, value), []).append(k)
    estimates = [0.0] * len(row)
    for g in sorted(groups):
        mean = (sum(row[k] for k in groups[g]) + next(sums)) / len(groups[g])
        for k in groups[g]:
            estimates[k] = mean
    return estimates
