"""Laws of the mechanisms of count streams. Statistical ones state their seed."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.window_ledger import WindowLedger, window_sums
from privacy_engine.data import CountStream
from privacy_engine.laws.base import (
    SEED,
    Case,
    Laws,
    Mechanisms,
    NotChecked,
    example,
    same,
    variants,
)

GIVEN = {"epsilon": 0.7, "window": 4, "sensitivity": 2}
ADAPTER = LAWS = Laws(CountStream.kind, GIVEN)
TRIALS = 2_000


def stream_of(counts: Any) -> CountStream:
    """Rows as a stream."""
    return CountStream(counts, [f"n{k}" for k in range(counts.shape[1])], [str(t) for t in range(len(counts))])


def cases(cls: Mechanisms, **given: Any) -> Iterator[tuple[Case, Any, CountStream]]:
    """Each variant, for windows of 1, 4 and 40, over streams of 1, 3 and 50 timestamps, the least first."""
    for timestamps, window, dimensions in itertools.product((1, 3, 50), (1, 4, 40), (1, 3)):
        counts = np.random.default_rng(0).integers(0, 40, (timestamps, dimensions))
        for mechanism in variants(cls, **GIVEN | {"window": window} | given):
            yield Case(mechanism, f"{timestamps} timestamps of {dimensions} counts"), mechanism, stream_of(counts)


@LAWS.add(
    "seed", "The same seed gives the same release to the bit, another one another, and the input stays as it was."
)
def seed_decides(cls: Mechanisms) -> None:
    for case, mechanism, data in cases(cls):
        before = data.counts.copy()
        one, two, other = (mechanism.release(data, rng=noise.seeded(seed)) for seed in (SEED, SEED, 8))
        case.require(same(one, two, "counts", "budgets"), f"two releases with seed {SEED} differ")
        if data.counts.size > 100:  # fewer whole numbers may be equal by chance
            case.require(not np.array_equal(one.counts, other.counts), f"seeds {SEED} and 8 give one release")
        case.require(np.array_equal(data.counts, before), "the input was changed")
        case.require(one.counts.shape == before.shape, "a release has other rows or columns than its input")
        case.require(one.counts.dtype == (np.int64 if mechanism.whole else np.float64), "counts are of another type")


@LAWS.add("budget", "Any successive timestamps of a window spend at most ε.")
def within_the_budget(cls: Mechanisms) -> None:
    if not cls.publishable:
        raise NotChecked("it states no guarantee")
    for case, mechanism, data in cases(cls):
        release = mechanism.release(data, rng=noise.seeded(SEED))
        spent = window_sums(release.budgets, mechanism.window).max()
        case.require(spent <= mechanism.epsilon * (1 + 1e-9), f"a window spends {spent:.6g} of {mechanism.epsilon:g}")
        WindowLedger(mechanism.epsilon, mechanism.window).spend_all(release.budgets)


@LAWS.add("rows", "Published row by row, or in pieces, a stream is released as at once.")
def row_by_row(cls: Mechanisms) -> None:
    for case, mechanism, data in cases(cls):
        rows, dimensions = data.counts, data.counts.shape[1]
        whole = mechanism.release(data, rng=noise.seeded(SEED)).counts
        single, parts = (mechanism.start(dimensions, noise.seeded(SEED), data.names) for _ in range(2))
        case.require(np.array_equal(np.stack([single.publish(row) for row in rows]), whole), "row by row it is another")
        pieces = [parts.publish_all(rows[i : i + 7]) for i in range(0, len(rows), 7)]
        case.require(np.array_equal(np.concatenate(pieces), whole), "in pieces of 7 it is another release")


@LAWS.add("noise", "The error of a first row is as declared.")
def noise_as_declared(cls: Mechanisms) -> None:
    """Its standard deviation over 20,000 counts: within 5 %; at least that where noise is declared to vary."""
    count = 20_000
    mechanism = example(cls, **GIVEN | {"window": 3})
    drawn = mechanism.release(stream_of(np.full((1, count), 1000)), rng=noise.seeded(SEED)).counts[0] - 1000
    share = drawn.std() / mechanism.noise_sd()
    holds = share > 0.95 if cls.noise_varies else abs(share - 1) < 0.05
    case = Case(mechanism, f"a row of {count:,} counts of 1,000")
    case.require(holds, f"draws have {share:.3g} times the declared noise")
    case.require(
        abs(drawn.mean()) < 5 * drawn.std() / math.sqrt(count), f"counts are {drawn.mean():.3g} off on average"
    )


LAWS.add_audit({"epsilon": 1.5, "window": 2, "sensitivity": 1}, TRIALS)
