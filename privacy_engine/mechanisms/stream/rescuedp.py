"""RescueDP: samples, groups and budgets of each dimension for itself, which is not w-event private."""

from __future__ import annotations

from collections import deque
from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import RowPublisher, StreamEstimateMechanism
from privacy_engine.mechanisms.stream.feedback import ERRORS, LARGEST_STEP, ProcessVariance, corrected, feedback

LOG_SHARE, LARGEST_SHARE, LARGEST_BUDGET = 0.2, 0.6, 0.2
"""A sample spends min(LOG_SHARE ln(I + 1), LARGEST_SHARE) of what is left, and at most LARGEST_BUDGET of ε."""
SMALL, ALIKE, HISTORY = 50.0, 0.5, 10
"""Dimensions expected below SMALL are grouped with those whose last HISTORY releases correlate with theirs by ALIKE."""


def sample_budgets(left: Floats, intervals: Floats, epsilon: float) -> Floats:
    """The budgets of samples, (n,), of what each dimension has left and the interval before.

    >>> sample_budgets(np.array([1.0, 0.1]), np.array([1.0, 100.0]), 1.0).round(6).tolist()
    [0.138629, 0.06]
    """
    share = np.minimum(LOG_SHARE * np.log(intervals + 1), LARGEST_SHARE)
    return np.asarray(np.minimum(share * left, LARGEST_BUDGET * epsilon))


def grouped(expected: Floats, history: Floats) -> Ints:
    """The group of each dimension, (d,), from its ``expected`` count and its last releases, (h, d).

    A group of small dimensions grows, most alike first, until they are expected to count :data:`SMALL` together.
    """
    groups = np.arange(len(expected))
    small = np.flatnonzero(expected < SMALL)
    order = small[np.argsort(expected[small], kind="stable")]
    centred = history[:, order] - history[:, order].mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    correlation = centred.T @ centred / np.maximum(np.outer(length, length), 1e-12)
    free = np.ones(len(order), dtype=np.bool_)
    for i in range(len(order)):
        if free[i]:
            free[i] = False
            alike = np.flatnonzero(free & (correlation[i] >= ALIKE))
            alike = alike[np.argsort(-correlation[i, alike], kind="stable")]
            before = max(expected[order[i]], 0.0) + np.cumsum(np.maximum(expected[order[alike]], 0.0))
            members = alike[: np.searchsorted(before, SMALL) + 1]
            free[members] = False
            groups[order[members]] = order[i]
    return groups


class _RescueDP(RowPublisher):
    """Its budgets are beyond a :class:`WindowLedger`: each dimension has a window of its own."""

    mechanism: StreamRescueDP

    def __init__(self, mechanism: StreamRescueDP, dimensions: int, rng: noise.RandomSource) -> None:
        super().__init__(mechanism, dimensions, rng)
        self._spent = np.zeros(dimensions)
        self._recent: deque[tuple[int, Ints, Floats]] = deque()
        self._due, self._interval = np.zeros(dimensions), np.ones(dimensions)
        self._errors = np.zeros((ERRORS, dimensions))
        self._history: deque[Floats] = deque(maxlen=HISTORY)
        self._estimate, self._variance = np.zeros(dimensions), np.full(dimensions, np.inf)

    def _row(self, row: Ints, t: int) -> Floats:
        self._variance = self._variance + self.mechanism.process_variance
        while self._recent and self._recent[0][0] <= t - self.mechanism.window:
            _, which, budgets = self._recent.popleft()
            self._spent[which] = np.maximum(self._spent[which] - budgets, 0.0)
        left = np.maximum(self.mechanism.epsilon - self._spent, 0.0)
        budgets = sample_budgets(left, self._interval, self.mechanism.epsilon)
        affordable = budgets > noise.SMALLEST_RATE * self.mechanism.sensitivity * (1 + 1e-9)
        which = np.flatnonzero((self._due <= t) & affordable)
        self._budgets.append(float(budgets[which].max(initial=0.0)))
        if len(which):
            self._sample(row, t, which, budgets[which], left[which])
        self._history.append(self._estimate)
        return self._estimate

    def _sample(self, row: Ints, t: int, which: Ints, budgets: Floats, left: Floats) -> None:
        prior, estimate, variance = self._estimate[which], self._estimate.copy(), self._variance.copy()
        noisy, noise_variance, spent = self._measured(row[which], self._groups(prior, which), budgets)
        estimate[which], variance[which] = corrected(prior, variance[which], noisy, noise_variance)
        self._estimate, self._variance = estimate, variance
        self._recent.append((t, which, spent))
        self._spent[which] += spent
        self._errors[:, which] = np.vstack([self._errors[1:, which], np.abs(estimate[which] - prior)])
        excess = (feedback(self._errors[:, which]) * left / self.mechanism.sensitivity) ** 2
        longest = float(self.mechanism.window)
        self._interval[which] = np.clip(self._interval[which] + LARGEST_STEP * (1 - excess), 1.0, longest)
        self._due[which] = t + np.rint(self._interval[which])

    def _groups(self, prior: Floats, which: Ints) -> Ints:
        if len(self._history) < HISTORY:
            return np.arange(len(which))
        return grouped(prior, np.array(self._history)[:, which])

    def _measured(self, counts: Ints, groups: Ints, budgets: Floats) -> tuple[Floats, Floats, Floats]:
        """Noisy means of the groups, their variances and what each dimension spent: the least of its group."""
        _, groups, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        spent, sums = np.full(len(sizes), np.inf), np.zeros(len(sizes), dtype=np.int64)
        np.minimum.at(spent, groups, budgets)
        np.add.at(sums, groups, counts)
        variance = np.empty(len(sizes))
        for budget in np.unique(spent):
            rate, same = self.mechanism.noise_rate(float(budget)), spent == budget
            sums[same] += noise.discrete_laplace(rate, int(same.sum()), rng=self.rng)
            variance[same] = noise.discrete_laplace_sd(rate) ** 2
        return (sums / sizes)[groups], (variance / sizes**2)[groups], spent[groups]


@mechanisms.register
class StreamRescueDP(StreamEstimateMechanism):
    r"""Samples each dimension at intervals and with budgets of its own, small ones in groups: for simulations only.

    It is here to be compared with, as published [1]_: a controller for each dimension, a share of what its window has
    left for each sample, sums over groups of correlated small dimensions with noise for the least budget among them,
    and a filter. Each dimension spends at most ε in a window of its own, but events of one window may be in any
    dimension at each timestamp, and dimensions are sampled at different times. What a window leaks is bounded by
    :math:`\sum_t \max_k \epsilon_{tk}` only, which reaches many times ε: it is not w-event private at the level ε.
    Thresholds of the groups are public constants; the noise is that of [2]_.

    References
    ----------
    .. [1] Wang, Zhang, Lu, Wang, Qin, Ren. "RescueDP: real-time spatio-temporal crowd-sourced data publishing with
       differential privacy". INFOCOM 2016.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Stream RescueDP"
    summary: ClassVar[str] = "Samples and budgets of each dimension for itself: no guarantee, for simulations only."
    publishable: ClassVar[bool] = False
    reason: ClassVar[str] = (
        "each dimension has a budget of its own and is sampled at times of its own, while the events of one window may "
        "be in any dimension, so a window can spend many times ε"
    )
    sentence: ClassVar[str] = f"There is no guarantee: {reason}"
    noise_varies: ClassVar[bool] = True
    work: ClassVar[tuple[float, float, float]] = (5e-4, 2.5e-4, 1.1e-5)

    name: Literal["stream-rescuedp"] = "stream-rescuedp"
    process_variance: ProcessVariance = 1000.0

    @property
    def unsound(self) -> str:
        return self.reason

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> _RescueDP:
        return _RescueDP(self, dimensions, rng)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(LARGEST_BUDGET * self.epsilon))
