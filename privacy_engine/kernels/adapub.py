"""The loops of AdaPub: partition, noise, thresholds, clusters and medians, timestamp after timestamp.

Columns are dimensions, of a run or of several runs side by side; partitions never cross runs. All state is in arrays
that :func:`advance` changes in place, so a stream may be given in pieces of any length. Each step of a timestamp is one
loop over the columns: functions that are called for each cell with several arrays cost more than the work itself. Loops
are short and have few arrays, so that the compiler makes vectors of them; those that cannot be vectors have no branch
that depends on noise where a selection does.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled_for, inlined, out
from privacy_engine.kernels.adapub_fields import FIELDS
from privacy_engine.kernels.adapub_groups import QUERIES, STARTS, SUMS, UNIFORMS, Groups, estimate, estimate_apart

CODE, SVT, POST, TEXT = range(4)
HISTORY = 5  # errors that the integral term averages
PROPORTIONAL, INTEGRAL = 0.9, 0.1
LONGEST = 1024
"""A cluster of so many timestamps is closed: memory stays flat, and the sums of a deviation fit in 64 bits."""
LARGEST = 2**40  # larger counts count as this


class Settings(NamedTuple):
    """What stays the same during a run: ``mode`` is among the constants above, ``epsilon`` that of the threshold."""

    mode: int
    runs: int
    partitioned: bool
    relative: bool
    epsilon: float


class State(NamedTuple):
    """Of each column the release, the last errors, and the cluster: its counts, and its estimates in sorted order.

    ``start_noise`` is the noise of the threshold of an open cluster; ``group`` the group of the last partition.
    ``errors`` is (HISTORY, columns), ``raw`` and ``noisy`` (columns, near), for those of at most ``near`` timestamps.
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


class Long(NamedTuple):
    """The clusters of more timestamps: the row of each column that has any, and ``raw`` and ``noisy``, (rows, LONGEST).

    Most clusters are short: where those are together, they fit the processor's cache.
    """

    place: Ints
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
def threshold(error: float, mean_error: float, epsilon: float) -> float:
    """The threshold of a query: the squared output of the controller over ε, at least 1."""
    output = PROPORTIONAL * error + INTEGRAL * mean_error
    return max(1.0, output * output / epsilon)


@inlined
def thresholds(
    estimates: Floats, release: Floats, errors: Floats, t: int, relative: bool, epsilon: float, limits: Floats
) -> None:
    """The threshold of each column by the distance of its estimate from its last release."""
    now = errors[t % HISTORY]
    for c in range(len(now)):
        error = abs(estimates[c] - release[c])
        now[c] = error / max(estimates[c], 1.0) if relative else error
    for c in range(len(now)):
        total = 0.0
        for i in range(HISTORY):
            total += errors[i, c]
        limits[c] = threshold(now[c], total / HISTORY, epsilon)


@inlined
def deviation(raw: Ints, c: int, n: int, total: int, x: int) -> int:
    """n + 1 times the deviation of ``raw[c, :n]``, whose sum is ``total``, and ``x``: the sum of |v - mean|, exact."""
    m, s = n + 1, total + x
    dev = abs(m * x - s)
    for i in range(n):
        dev += abs(m * raw[c, i] - s)
    return dev


@inlined
def query_counts(
    row: Ints,
    raw: Ints,
    size: Ints,
    total: Ints,
    is_open: Mask,
    place: Ints,
    long_raw: Ints,
    start_noise: Ints,
    noise: Ints,
    used: Ints,
    limits: Floats,
    merged: Mask,
) -> None:
    """Compare the noisy deviation of each open cluster and its next count with the threshold; others are not used."""
    taken, near = used[QUERIES], raw.shape[1]
    for c in range(len(row)):
        n = size[c]
        if n <= near:
            dev = deviation(raw, c, n, total[c], row[c])
        else:
            dev = deviation(long_raw, place[c], n, total[c], row[c])
        merged[c] = dev // (n + 1) + noise[taken] - start_noise[c] < limits[c]
        taken += 1 if is_open[c] else 0
    used[QUERIES] = taken


@inlined
def spread(noisy: Floats, c: int, n: int, estimate: float) -> float:
    """The deviation of ``noisy[c, :n]`` and ``estimate``."""
    total = estimate
    for i in range(n):
        total += noisy[c, i]
    mean = total / (n + 1)
    dev = abs(estimate - mean)
    for i in range(n):
        dev += abs(noisy[c, i] - mean)
    return dev


@inlined
def query_estimates(
    estimates: Floats,
    noisy: Floats,
    size: Ints,
    is_open: Mask,
    place: Ints,
    long_noisy: Floats,
    limits: Floats,
    merged: Mask,
) -> None:
    """Compare the deviation of the estimates of each open cluster and its next with the threshold."""
    for c in range(len(estimates)):
        if is_open[c]:
            n = size[c]
            if n <= noisy.shape[1]:
                merged[c] = spread(noisy, c, n, estimates[c]) < limits[c]
            else:
                merged[c] = spread(long_noisy, place[c], n, estimates[c]) < limits[c]


@inlined
def take_starts(is_open: Mask, noise: Ints, used: Ints, start_noise: Ints) -> None:
    """Take the noise of the threshold of each cluster that begins and stays open."""
    taken = used[STARTS]
    for c in range(len(is_open)):
        start_noise[c] = start_noise[c] if is_open[c] else noise[taken]
        taken += 0 if is_open[c] else 1
    used[STARTS] = taken


@inlined
def put(raw: Ints, noisy: Floats, c: int, n: int, count: int, x: float) -> float:
    """Add ``count`` to ``raw[c, :n]`` and ``x`` to ``noisy[c, :n]``, which ascend; returns the median of the latter."""
    raw[c, n] = count
    i = n
    while i > 0 and noisy[c, i - 1] > x:
        noisy[c, i] = noisy[c, i - 1]
        i -= 1
    noisy[c, i] = x
    half = (n + 1) // 2
    upper, lower = noisy[c, half], noisy[c, max(half - 1, 0)]
    median: float = upper if n % 2 == 0 else 0.5 * (lower + upper)
    return median


@inlined
def clear(raw: Ints, c: int, n: int) -> None:
    """Remove ``raw[c, :n]``."""
    for i in range(n):
        raw[c, i] = 0


@inlined
def lengthen(raw: Ints, noisy: Floats, c: int, long_raw: Ints, long_noisy: Floats, row: int) -> None:
    """Move the cluster of column ``c``, which fills its counts ``raw`` and estimates ``noisy``, to a longer row."""
    near = raw.shape[1]
    for i in range(near):
        long_raw[row, i], long_noisy[row, i] = raw[c, i], noisy[c, i]
    clear(raw, c, near)


@inlined
def join(
    row: Ints,
    estimates: Floats,
    raw: Ints,
    noisy: Floats,
    size: Ints,
    total: Ints,
    is_open: Mask,
    place: Ints,
    long_raw: Ints,
    long_noisy: Floats,
    free: Ints,
    rows: int,
    merged: Mask,
    queried: bool,
    release: Floats,
) -> int:
    """Put the timestamp into each column's cluster and release the median; how many rows are left in ``free``.

    Where the cluster is closed or did not merge, one begins; in the second case it is closed at once. The counts of a
    cluster that is closed are removed, and others stored only where counts are ``queried``: no later query reads them.
    """
    near = raw.shape[1]
    for c in range(len(row)):
        n, before = size[c], is_open[c]
        stays = before & merged[c]
        is_open[c] = (not before) | (stays & (n + 1 < LONGEST))
        if not is_open[c]:
            total[c] = 0
            if n <= near:
                clear(raw, c, n)
            else:
                clear(long_raw, place[c], n)
        if n > near and not stays:
            free[rows] = place[c]
            rows += 1
        n = n if stays else 0
        count = row[c] if queried and is_open[c] else 0
        total[c] += count
        if n < near:
            release[c] = put(raw, noisy, c, n, count, estimates[c])
        else:
            if n == near:
                rows -= 1
                place[c] = free[rows]
                lengthen(raw, noisy, c, long_raw, long_noisy, place[c])
            release[c] = put(long_raw, long_noisy, place[c], n, count, estimates[c])
        size[c] = n + 1
    return rows


@inlined
def pair(
    row: Ints,
    estimates: Floats,
    raw: Ints,
    noisy: Floats,
    size: Ints,
    total: Ints,
    is_open: Mask,
    noise: Ints,
    used: Ints,
    limits: Floats,
    release: Floats,
) -> None:
    """Begin a cluster in each column, or query whether it takes a second timestamp and close it (mode CODE).

    All are begun and closed at the same timestamps.
    """
    closing, taken = is_open[0], used[QUERIES]
    if closing:
        used[QUERIES] += len(row)
    for c in range(len(row)):
        x, before = estimates[c], noisy[c, 0]
        distance = abs(row[c] - raw[c, 0]) + noise[taken + c]  # the whole part of the deviation of two counts
        merged = closing & (distance < limits[c])
        count = 0 if closing else row[c]
        raw[c, 0], total[c], is_open[c] = count, count, not closing
        noisy[c, 0], noisy[c, 1] = (min(before, x) if merged else x), max(before, x)
        release[c] = 0.5 * (before + x) if merged else x
        size[c] = 2 if merged else 1


@inlined
def free_rows(size: Ints, near: int, place: Ints, free: Ints) -> int:
    """Write the rows that no cluster has into ``free``; how many there are."""
    taken, many = np.zeros(len(free), dtype=np.bool_), 0
    for c in range(len(size)):
        if size[c] > near:
            taken[place[c]] = True
    for i in range(len(taken)):
        free[many] = i
        many += 0 if taken[i] else 1
    return many


@inlined
def may_lengthen(size: Ints, near: int) -> int:
    """How many clusters the next timestamp may make longer than ``near``, unless none can be longer."""
    many = 0
    for c in range(len(size)):
        many += 1 if size[c] == near else 0
    return many if near < LONGEST else 0


@inlined
def most_draws(mode: int, runs: int, partitioned: bool, columns: int) -> Ints:
    """How many draws of each kind a timestamp takes at most, (4,)."""
    most = np.zeros(4, dtype=np.int64)
    most[SUMS] = columns
    most[STARTS] = columns if mode == SVT else 0
    most[QUERIES] = columns if mode != POST else 0
    most[UNIFORMS] = runs if partitioned else 0
    return most


@inlined
def lasts(last_used: Ints, used: Ints) -> bool:
    """Whether the draws suffice for another timestamp, whatever it takes: no more than so many are used."""
    enough = True
    for i in range(len(used)):
        enough = enough and used[i] <= last_used[i]
    return enough


@compiled_for(i8[:, ::1], i8, out(f8[:, ::1]), tuple(out(field) for field in FIELDS))
def advance(rows: Ints, t: int, published: Floats, *fields: Any) -> tuple[int, bool]:
    """Publish timestamps t, t + 1, … of ``rows`` (n, d) into ``published`` (n, runs d), as far as draws and rows last.

    ``fields`` are those of :class:`Settings`, :class:`State`, :class:`Long`, :class:`Draws` and :class:`Trace`, one
    after the other, which are passed in half of the time that the tuples take. The last receives clusters and groups.

    Returns how many were published, and whether rows are missing for the next.
    """
    mode, runs, partitioned, relative, epsilon, release, errors, size, is_open, start_noise = fields[:10]
    total, group, raw, noisy, place, long_raw, long_noisy = fields[10:17]
    sums, starts, queries, uniforms, used, to_size, to_group = fields[17:]
    d = rows.shape[1]
    columns = runs * d
    row, free = np.empty(columns, dtype=np.int64), np.empty(len(long_raw), dtype=np.int64)
    estimates, limits, merged = np.empty(columns), np.zeros(columns), np.zeros(columns, dtype=np.bool_)
    many, left = uniforms.shape[1] + 1, free_rows(size, raw.shape[1], place, free)
    groups = Groups(np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64), np.empty(many))
    last_used = np.array([len(sums), len(starts), len(queries), len(uniforms)])
    last_used -= most_draws(mode, runs, partitioned, columns)
    for i in range(len(rows)):
        rows_missing = mode != CODE and may_lengthen(size, raw.shape[1]) > left
        if rows_missing or not lasts(last_used, used):
            return i, rows_missing
        for c in range(0, columns, d):
            for k in range(d):
                row[c + k] = min(rows[i, k], LARGEST)
        if partitioned and t + i > 0:
            estimate(runs, row, sums, uniforms, used, release, estimates, group, groups)
        else:
            estimate_apart(row, sums, used, estimates, group)
        if t + i > 0:
            thresholds(estimates, release, errors, t + i, relative, epsilon, limits)
        if mode == CODE:
            pair(row, estimates, raw, noisy, size, total, is_open, queries, used, limits, release)
        else:
            if mode == POST:
                query_estimates(estimates, noisy, size, is_open, place, long_noisy, limits, merged)
            else:
                cluster = raw, size, total, is_open, place, long_raw
                query_counts(row, *cluster, start_noise, queries, used, limits, merged)
            if mode == SVT:
                take_starts(is_open, starts, used, start_noise)
            clusters = raw, noisy, size, total, is_open, place, long_raw, long_noisy
            left = join(row, estimates, *clusters, free, left, merged, mode != POST, release)
        for c in range(columns):
            published[i, c] = release[c]
            if len(to_size):
                to_size[i, c], to_group[i, c] = size[c], group[c]
    return len(rows), False
