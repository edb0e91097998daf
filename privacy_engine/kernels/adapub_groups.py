"""The partition of AdaPub: dimensions whose last releases lie between the same bounds share a noisy mean."""

from typing import NamedTuple

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import inlined

SUMS, STARTS, QUERIES, UNIFORMS = range(4)
"""Kinds of draws: noise of sums, of thresholds, of queries; sorted uniforms."""


class Groups(NamedTuple):
    """Space for the sum, the number of members and the noisy mean of each group, (g + 1,) each."""

    sums: Ints
    members: Ints
    means: Floats


@inlined
def rank(bounds: Floats, highest: float, value: float) -> int:
    """How many of the ``bounds``, times ``highest``, are below ``value``."""
    below = 0
    for i in range(len(bounds)):
        below += 1 if bounds[i] * highest < value else 0
    return below


@inlined
def estimate_apart(row: Ints, noise: Ints, used: Ints, estimates: Floats, group: Ints) -> None:
    """Add noise to each count: every dimension is a group of its own."""
    taken = used[SUMS]
    for k in range(len(row)):
        group[k] = k
        estimates[k] = row[k] + noise[taken + k]
    used[SUMS] = taken + len(row)


@inlined
def estimate_groups(
    row: Ints,
    noise: Ints,
    bounds: Floats,
    used: Ints,
    release: Floats,
    estimates: Floats,
    group: Ints,
    groups: Groups,
) -> None:
    """Add noise to the sum of each group: dimensions whose releases lie between the same bounds share its mean.

    ``bounds`` are shares of the largest release, if that is above 0.
    """
    sums, members, means = groups.sums, groups.members, groups.means
    sums[:] = 0
    members[:] = 0
    highest = 0.0
    for k in range(len(row)):
        highest = max(highest, release[k])
    for k in range(len(row)):
        group[k] = rank(bounds, highest, release[k])
    for k in range(len(row)):
        sums[group[k]] += row[k]
        members[group[k]] += 1
    taken, last = used[SUMS], len(noise) - 1
    for g in range(len(means)):
        means[g] = (sums[g] + noise[min(taken, last)]) / max(members[g], 1)
        taken += 1 if members[g] else 0
    used[SUMS] = taken
    for k in range(len(row)):
        estimates[k] = means[group[k]]


@inlined
def estimate(
    runs: int,
    row: Ints,
    noise: Ints,
    uniforms: Floats,
    used: Ints,
    release: Floats,
    estimates: Floats,
    group: Ints,
    groups: Groups,
) -> None:
    """The estimates of a timestamp, each run's grouped by uniforms of its own."""
    d = len(row) // runs
    for c in range(0, len(row), d):
        run = slice(c, c + d)
        bounds = uniforms[used[UNIFORMS]]
        estimate_groups(row[run], noise, bounds, used, release[run], estimates[run], group[run], groups)
        used[UNIFORMS] += 1
