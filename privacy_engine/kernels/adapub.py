"""The loops of AdaPub: partition, noise, thresholds, clusters and medians, one timestamp after the other.

Columns are dimensions, of one run or of several runs side by side; partitions never cross runs. All state is in arrays
that :func:`advance` changes in place, so a stream may be given in pieces of any length. Each step of a timestamp is one
loop over the columns: functions that are called for each cell with several arrays cost more than the work itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.kernels import compiled, inlined

CODE, SVT, POST, TEXT = range(4)
HISTORY = 5
"""Errors that the integral term averages."""
PROPORTIONAL, INTEGRAL = 0.9, 0.1
LONGEST = 1024
"""A cluster of so many timestamps is closed: memory stays flat, and the sums of a deviation fit in 64 bits."""
LARGEST = 2**40
"""Larger counts count as this."""
SUMS, STARTS, QUERIES, UNIFORMS = range(4)


class Settings(NamedTuple):
    """What stays the same during a run: ``mode`` is one of the constants above, ``epsilon`` that of the threshold."""

    mode: int
    runs: int
    partitioned: bool
    relative: bool
    epsilon: float


class State(NamedTuple):
    """Of each column the release, the last errors, and the cluster: its counts, and its estimates in sorted order.

    ``start_noise`` is the noise of the threshold of an open cluster; ``group`` the group of the last partition.
    ``errors`` is (HISTORY, columns), ``raw`` and ``noisy`` (columns, capacity).
    """

    release: Floats
    errors: Floats
    size: Ints
    is_open: Mask
    start_noise: Ints
    total: Ints
    group: Ints
    raw: Ints
    noisy: Floats


class Draws(NamedTuple):
    """Noise drawn ahead: of sums, of thresholds, of queries, and sorted uniforms, (rows, g).

    ``used`` (4,) counts what was taken of each.
    """

    sums: Ints
    starts: Ints
    queries: Ints
    uniforms: Floats
    used: Ints


class Trace(NamedTuple):
    """Where the size of each column's cluster and its group go, (n, columns) each; without rows nowhere."""

    size: Ints
    group: Ints


@inlined
def rank(bounds: Floats, value: float) -> int:
    """How many of the ``bounds`` are below ``value``."""
    found = 0
    for i in range(len(bounds)):
        found += 1 if bounds[i] < value else 0
    return found


@compiled
def estimate_apart(row: Ints, noise: Ints, used: Ints, estimates: Floats, group: Ints) -> None:
    """Add noise to each count: every dimension is a group of its own."""
    taken = used[SUMS]
    for k in range(len(row)):
        group[k] = k
        estimates[k] = row[k] + noise[taken + k]
    used[SUMS] = taken + len(row)


@compiled
def estimate_groups(
    row: Ints, noise: Ints, bounds: Floats, used: Ints, release: Floats, estimates: Floats, group: Ints
) -> None:
    """Add noise to the sum of each group: dimensions whose releases lie between the same bounds share its mean."""
    sums, members = np.zeros(len(bounds) + 1, dtype=np.int64), np.zeros(len(bounds) + 1, dtype=np.int64)
    for k in range(len(row)):
        g = rank(bounds, release[k])
        group[k] = g
        sums[g] += row[k]
        members[g] += 1
    means, taken = np.zeros(len(bounds) + 1), used[SUMS]
    for g in range(len(means)):
        if members[g]:
            means[g] = (sums[g] + noise[taken]) / members[g]
            taken += 1
    used[SUMS] = taken
    for k in range(len(row)):
        estimates[k] = means[group[k]]


@inlined
def threshold(error: float, mean_error: float, epsilon: float) -> float:
    """The threshold of a query: the squared output of the controller over ε, at least 1."""
    output = PROPORTIONAL * error + INTEGRAL * mean_error
    return max(1.0, output * output / epsilon)


@compiled
def thresholds(
    estimates: Floats, release: Floats, errors: Floats, t: int, relative: bool, epsilon: float, limits: Floats
) -> None:
    """The threshold of each column by the distance of its estimate from its last release."""
    now = t % HISTORY
    for c in range(len(estimates)):
        error = abs(estimates[c] - release[c])
        if relative:
            error /= max(estimates[c], 1.0)
        errors[now, c] = error
        total = 0.0
        for i in range(HISTORY):
            total += errors[i, c]
        limits[c] = threshold(error, total / HISTORY, epsilon)


@compiled
def deviation(raw: Ints, c: int, n: int, total: int, x: int) -> int:
    """n + 1 times the deviation of ``raw[c, :n]``, whose sum is ``total``, and ``x``: exact.

    The deviation is the sum of |v - mean|, which is twice that over the values above the mean.
    """
    m, s = n + 1, total + x
    mean = s // m  # a whole number is above the mean if it is above this
    above, many = (x, 1) if x > mean else (0, 0)
    for i in range(n):
        v = raw[c, i]
        above += v if v > mean else 0
        many += 1 if v > mean else 0
    return 2 * (above * m - many * s)


@compiled
def query_counts(
    row: Ints,
    raw: Ints,
    size: Ints,
    total: Ints,
    is_open: Mask,
    start_noise: Ints,
    noise: Ints,
    used: Ints,
    limits: Floats,
    merged: Mask,
) -> None:
    """Compare the noisy deviation of each open cluster and its next count with the threshold."""
    taken = used[QUERIES]
    for c in range(len(row)):
        if is_open[c]:
            n = size[c]
            found = deviation(raw, c, n, total[c], row[c]) // (n + 1)
            merged[c] = found + noise[taken] - start_noise[c] < limits[c]
            taken += 1
    used[QUERIES] = taken


@compiled
def query_estimates(estimates: Floats, noisy: Floats, size: Ints, is_open: Mask, limits: Floats, merged: Mask) -> None:
    """Compare the deviation of the estimates of each open cluster and its next one with the threshold."""
    for c in range(len(estimates)):
        if is_open[c]:
            n, total = size[c], estimates[c]
            for i in range(n):
                total += noisy[c, i]
            mean = total / (n + 1)
            found = abs(estimates[c] - mean)
            for i in range(n):
                found += abs(noisy[c, i] - mean)
            merged[c] = found < limits[c]


@compiled
def restart(
    raw: Ints,
    size: Ints,
    total: Ints,
    is_open: Mask,
    merged: Mask,
    mode: int,
    start_noise: Ints,
    noise: Ints,
    used: Ints,
) -> None:
    """Begin a cluster in each column whose cluster is closed or did not merge; the second kind is closed at once.

    In mode CODE a merge closes a cluster; in mode SVT an open cluster takes the noise of its threshold. The counts of a
    cluster that is closed are removed: no later query reads them.
    """
    taken = used[STARTS]
    for c in range(len(size)):
        if not is_open[c]:
            size[c], total[c], is_open[c] = 0, 0, True
            if mode == SVT:
                start_noise[c] = noise[taken]
                taken += 1
            continue
        refused = not merged[c]
        if refused or mode == CODE or size[c] + 1 == LONGEST:
            is_open[c], total[c] = False, 0
            raw[c, : size[c]] = 0
            size[c] = 0 if refused else size[c]
    used[STARTS] = taken


@compiled
def join(
    row: Ints,
    estimates: Floats,
    raw: Ints,
    noisy: Floats,
    size: Ints,
    total: Ints,
    is_open: Mask,
    queried: bool,
    release: Floats,
) -> int:
    """Put the timestamp into each column's cluster and release the median; the size of the largest cluster.

    Its count is stored only where a later query reads it: in an open cluster, where counts are ``queried``.
    """
    largest = 0
    for c in range(len(row)):
        n, x = size[c], estimates[c]
        if queried and is_open[c]:
            raw[c, n] = row[c]
            total[c] += row[c]
        i = n
        while i > 0 and noisy[c, i - 1] > x:
            noisy[c, i] = noisy[c, i - 1]
            i -= 1
        noisy[c, i] = x
        size[c] = n + 1
        half = (n + 1) // 2
        release[c] = noisy[c, half] if n % 2 == 0 else 0.5 * (noisy[c, half - 1] + noisy[c, half])
        largest = max(largest, n + 1)
    return largest


@inlined
def longest(mode: int) -> int:
    """The most timestamps of a cluster."""
    return 2 if mode == CODE else LONGEST


@compiled
def lasts(settings: Settings, draws: Draws, columns: int) -> bool:
    """Whether the draws suffice for one more timestamp, whatever it takes."""
    used = draws.used
    return bool(
        len(draws.sums) - used[SUMS] >= columns
        and (settings.mode != SVT or len(draws.starts) - used[STARTS] >= columns)
        and (settings.mode == POST or len(draws.queries) - used[QUERIES] >= columns)
        and (not settings.partitioned or len(draws.uniforms) - used[UNIFORMS] >= settings.runs)
    )


@compiled
def estimate(settings: Settings, state: State, draws: Draws, row: Ints, t: int, estimates: Floats) -> None:
    """The estimates of one timestamp, grouped from the second one on where dimensions are ``partitioned``."""
    used, release, group = draws.used, state.release, state.group
    if not settings.partitioned or t == 0:
        estimate_apart(row, draws.sums, used, estimates, group)
        return
    d = len(row) // settings.runs
    for c in range(0, len(row), d):
        one, last = slice(c, c + d), release[c : c + d]
        bounds = draws.uniforms[used[UNIFORMS]] * max(last.max(), 0.0)
        estimate_groups(row[one], draws.sums, bounds, used, last, estimates[one], group[one])
        used[UNIFORMS] += 1


@compiled
def cluster(mode: int, state: State, draws: Draws, row: Ints, estimates: Floats, limits: Floats, merged: Mask) -> int:
    """Query, extend or begin the cluster of each column; the size of the largest."""
    raw, noisy, size, total, is_open = state.raw, state.noisy, state.size, state.total, state.is_open
    if mode == POST:
        query_estimates(estimates, noisy, size, is_open, limits, merged)
    else:
        noise, used = draws.queries, draws.used
        query_counts(row, raw, size, total, is_open, state.start_noise, noise, used, limits, merged)
    restart(raw, size, total, is_open, merged, mode, state.start_noise, draws.starts, draws.used)
    largest: int = join(row, estimates, raw, noisy, size, total, is_open, mode != POST, state.release)
    return largest


@compiled
def advance(
    settings: Settings, state: State, draws: Draws, rows: Ints, t: int, largest: int, out: Floats, trace: Trace
) -> tuple[int, int]:
    """Publish timestamps t, t + 1, … of ``rows`` (n, d) into ``out`` (n, runs d), as far as draws and capacity last.

    ``trace`` receives their clusters and groups.

    Returns how many were published and the size of the largest cluster, which is ``largest`` before the first of them.
    """
    mode, d, release, full = settings.mode, rows.shape[1], state.release, state.raw.shape[1]
    columns = settings.runs * d
    row, merged = np.empty(columns, dtype=np.int64), np.zeros(columns, dtype=np.bool_)
    estimates, limits = np.empty(columns), np.zeros(columns)
    for i in range(len(rows)):
        must_grow = largest == full and full < longest(mode)
        if must_grow or not lasts(settings, draws, columns):
            return i, largest
        for c in range(columns):
            row[c] = min(rows[i, c % d], LARGEST)
        estimate(settings, state, draws, row, t + i, estimates)
        if t + i > 0:
            thresholds(estimates, release, state.errors, t + i, settings.relative, settings.epsilon, limits)
        largest = cluster(mode, state, draws, row, estimates, limits, merged)
        out[i] = release
        if len(trace.size):
            trace.size[i] = state.size
            trace.group[i] = state.group
    return len(rows), largest
