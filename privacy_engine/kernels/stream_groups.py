"""Groups of successive counts that PeGaSus forms in each dimension, and the medians of their noisy counts."""

from numba import f8, i8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled, compiled_for, inlined, out

LARGEST = 2**40  # counts are measured up to here, so that no product below exceeds 63 bits
MOST = 256  # counts of a group: then it ends, whatever they are


@compiled
def scaled_deviation(values: Ints, n: int) -> int:
    """n times the sum of the distances of the first n ``values`` from their mean: a whole number.

    Values are at most :data:`LARGEST`, n at most :data:`MOST`.
    """
    total = 0
    for i in range(n):
        total += values[i]
    above, count = 0, 0
    for i in range(n):
        if n * values[i] > total:
            above += values[i]
            count += 1
    return 2 * (n * above - count * total)


@inlined
def _insert(ordered: Ints, n: int, value: int) -> None:
    """Add ``value`` to the first n numbers of ``ordered``, which ascend."""
    i = n
    while i > 0 and ordered[i - 1] > value:
        ordered[i] = ordered[i - 1]
        i -= 1
    ordered[i] = value


@compiled_for(
    i8[:, ::1],
    i8[:, ::1],
    i8[:, ::1],
    i8[:, ::1],
    f8,
    out(i8[:, ::1]),
    out(i8[:, ::1]),
    out(i8[::1]),
    out(i8[::1]),
    out(f8[:, ::1]),
)
def pegasus(
    counts: Ints,
    noisy: Ints,
    queries: Ints,
    thresholds: Ints,
    limit: float,
    raw: Ints,
    ordered: Ints,
    size: Ints,
    threshold: Ints,
    out: Floats,
) -> None:
    """Smooth the ``noisy`` counts (n, d) of ``counts`` into ``out``, with new noise for queries and thresholds of each.

    State, updated in place: ``raw`` and ``ordered``, (d, MOST), are the counts of each dimension's group and its noisy
    counts, ascending; ``size``, (d,), is how many there are, 0 where the group has ended; ``threshold``, (d,),
    is the noise of its threshold.
    """
    for k in range(counts.shape[1]):
        members = size[k]
        for i in range(len(counts)):
            value = min(counts[i, k], LARGEST)
            if members <= 0:
                members, threshold[k] = 1, thresholds[i, k]
                raw[k, 0], ordered[k, 0] = value, noisy[i, k]
                out[i, k] = noisy[i, k]
                continue
            raw[k, members] = value
            deviation = scaled_deviation(raw[k], members + 1) // (members + 1)
            if deviation + queries[i, k] - threshold[k] < limit:
                _insert(ordered[k], members, noisy[i, k])
                members += 1
                half = members // 2
                middle = float(ordered[k, half])
                out[i, k] = middle if members % 2 else (middle + ordered[k, half - 1]) / 2
                if members < MOST:
                    continue
                members -= 1
            else:
                out[i, k] = noisy[i, k]
            raw[k, : members + 1] = 0  # no state keeps the counts of a group that has ended
            members = 0
        size[k] = members
