"""Forecast the errors of releases of a count stream: in counts, and as average relative error.

It is computed from the original, so it is the owner's alone. Where every published count is a count of the stream with
noise of a known rate, the figures are in closed form. Elsewhere releases are simulated with a fixed seed, until typical
error, 95 % error and ARE are known to :data:`~privacy_engine.analysis.repeated.PRECISION`, or the limits here end it.
"""

import math
from collections import Counter

import numpy as np

from privacy_engine import noise
from privacy_engine.analysis.repeated import (
    FEWEST_RUNS,
    SHARES,
    SHOWN,
    Effort,
    mean_off_by,
    off_by,
    repeated,
)
from privacy_engine.analysis.results import Result
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import blocks
from privacy_engine.data import CountStream
from privacy_engine.mechanisms.base.stream import StreamMechanism
from privacy_engine.metrics.stream import relative_errors, sanity_bounds
from privacy_engine.noise.buffered import discrete_laplace_mean

MOST_ERRORS = 2_000_000
"""So many errors are held at most; of larger streams each run keeps those of other counts, chosen at random."""
MOST_SIMULATED = 5_000_000
"""Where a release has more counts nothing is known."""
COUNTS_AT_ONCE = 1 << 20
SEED = 0


class CountForecast(Result):
    """Errors to expect of the published counts of a stream; null where there are none or nothing is known."""

    exact: bool
    """True if in closed form; otherwise releases of the stream were simulated."""
    runs: int
    """How many releases were simulated; 0 if in closed form."""
    typical_error: float | None
    """Half of the counts are off by at most this, in counts."""
    p95_error: float | None
    """95 % of the counts are off by at most this, in counts."""
    mean_error: float | None
    """Mean of |published - true|, in counts."""
    are: float | None
    """Mean of |published - true| / max(true, 1 % of the dimension's total)."""
    within: float | None
    """The typical and the 95 % error and the ARE are off by at most this share of themselves, at two deviations."""


def count_forecast(
    mechanism: StreamMechanism,
    stream: CountStream,
    how: Effort = SHOWN,
) -> CountForecast:
    """Return the errors to expect of a release of ``stream``; the same for every call, as the seed is fixed.

    Raises
    ------
    DataError
        A count is no whole number, or the mechanism needs names and there are none.
    """
    if not stream.counts.size:
        return _unknown(exact=True)
    known = mechanism.known_noise(len(stream))
    if known is not None:
        return _closed(stream, *known)
    truth, rng, chooser = stream.counts, noise.seeded(SEED), np.random.default_rng(SEED)
    together = max(min(COUNTS_AT_ONCE // truth.size, FEWEST_RUNS), 1) if mechanism.batched else 1
    runs = how.runs(mechanism.seconds(len(stream), len(stream.names), together))
    if runs is None or truth.size > MOST_SIMULATED:
        return _unknown(exact=False)
    held = min(truth.size, MOST_ERRORS // FEWEST_RUNS)

    def drawn(runs: int) -> Floats:
        """Errors of each release, and at the end the mean error and the ARE of all of it."""
        times = (min(together, runs - i) for i in range(0, runs, together))
        return np.stack([errors_of(made) for some in times for made in mechanism.repeat(stream, some, rng=rng)])

    def errors_of(published: Floats) -> Floats:
        errors = np.abs(published - truth).ravel().astype(np.float64)
        figures = errors.mean(), relative_errors(truth, published).mean()
        if len(errors) > held:
            errors = errors[chooser.choice(len(errors), held, replace=False)]
        return np.append(errors, figures)

    results, within = repeated(
        drawn,
        lambda rows: max(off_by(rows[:, :-2]), mean_off_by(rows[:, -1])),
        first=runs[0],
        most=min(runs[1], MOST_ERRORS // held),
        precision=how.precision,
    )
    typical, p95 = np.quantile(results[:, :-2], SHARES).tolist()
    mean, are = results[:, -2:].mean(axis=0).tolist()
    return CountForecast(
        exact=False, runs=len(results), typical_error=typical, p95_error=p95, mean_error=mean, are=are, within=within
    )


def zeros_forecast(stream: CountStream) -> CountForecast:
    """Return the errors of publishing zeros, which spends nothing: the typical error is the typical count."""
    if not stream.counts.size:
        return _unknown(exact=True)
    typical, p95 = np.quantile(stream.counts, SHARES).tolist()
    are = float(relative_errors(stream.counts, np.zeros(stream.counts.shape)).mean())
    mean = float(stream.counts.mean())
    return CountForecast(exact=True, runs=0, typical_error=typical, p95_error=p95, mean_error=mean, are=are, within=0.0)


def _unknown(*, exact: bool) -> CountForecast:
    figures = dict.fromkeys(("typical_error", "p95_error", "mean_error", "are", "within"))
    return CountForecast(exact=exact, runs=0, **figures)


def _closed(stream: CountStream, shown: Ints, rate: float) -> CountForecast:
    """Return the figures where timestamp t publishes the counts of ``shown[t]`` with noise of a ``rate`` of each."""
    spread, times = discrete_laplace_mean(rate), Counter[int]()
    floor, mean, relative = sanity_bounds(stream.counts), 0.0, 0.0
    for some in blocks(len(stream), max(COUNTS_AT_ONCE // len(stream.names), 1)):
        truth = stream.counts[some]
        distance = np.abs(stream.counts[shown[some]] - truth)
        for value, often in zip(*np.unique(distance, return_counts=True), strict=True):
            times[int(value)] += int(often)
        expected = distance + spread * np.exp(-rate * distance)  # the mean of |N + distance|
        mean += float(expected.sum()) / stream.counts.size
        relative += float((expected / np.maximum(truth, floor)).sum()) / stream.counts.size
    distances, weights = np.array(sorted(times.items()), dtype=np.int64).T
    typical, p95 = (float(_quantile(distances, weights, rate, share)) for share in SHARES)
    return CountForecast(
        exact=True, runs=0, typical_error=typical, p95_error=p95, mean_error=mean, are=relative, within=0.0
    )


def _quantile(distances: Ints, times: Ints, rate: float, share: float) -> int:
    """Return the least whole number that so large a ``share`` of the errors |N + distance| is at most."""
    total = times.sum()

    def below(error: int) -> float:
        return float((times * (_cumulative(error - distances, rate) - _cumulative(-error - 1 - distances, rate))).sum())

    low, high = -1, int(distances[-1]) + math.ceil(-math.log((1 - share) / 2) / rate) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if below(middle) >= share * total else (middle, high)
    return high


def _cumulative(at: Ints, rate: float) -> Floats:
    """Return the probability that discrete Laplace noise is at most ``at``."""
    tail = np.exp(-rate * np.where(at >= 0, at + 1, -at)) / (1 + math.exp(-rate))
    return np.where(at >= 0, 1 - tail, tail)
