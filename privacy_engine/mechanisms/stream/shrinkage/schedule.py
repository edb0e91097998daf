"""When the dimensions are sampled next, and what share of ε the total takes: from estimates, never from counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, ceil_div
from privacy_engine.mechanisms.stream.shrinkage.filters import FILTERS
from privacy_engine.mechanisms.stream.shrinkage.levels import Levels
from privacy_engine.mechanisms.stream.shrinkage.single import Single
from privacy_engine.mechanisms.stream.shrinkage.total import Total

INTERVALS = (1, 2, 3, 4, 5, 7, 10, 14, 20, 25, 34, 50, 67, 100, 200, 400, 1000, 2000, 4000)
SHARES = (0.0, 0.01, 0.03, 0.1, 0.2, 0.4)
"""Shares of ε for the total."""
LONGEST = 0.34
"""The longest interval, as a share of the window."""
CHANGE = 3
"""By how much an interval may change at once."""
PERSISTENCE = 0.04
"""By how much the logarithm of the predicted error must fall for a change."""
AT_ONCE = 32
"""How many dimensions represent all of them."""
FIRST_SHARE = 0.4
"""The share of ε of the first sample of a single dimension."""
FIRST_TOTAL, FIRST_DRIFT, FIRST_LEAST, FIRST_LONGEST = 0.02, 0.06, 0.1, 0.5
"""Of several dimensions: the share of ε of the first total, the usual drift of a level, and the least and the largest
share of ε of the first sample, which follows from both."""
SLACK = 1e-9
"""The share of ε that is left over for roundings."""


@dataclass
class Plan:
    """Samples every ``interval`` timestamps, and ``share`` of ε for the total; what that gives until the next sample.

    ``total_budget`` is spent at each timestamp up to the next sample, which is ``wait`` timestamps after the last and
    spends ``budget``.
    """

    interval: int
    share: float
    wait: int
    budget: float
    total_budget: float


def first_plan(epsilon: float, window: int, dimensions: int) -> Plan:
    """The plan of the first timestamp, which is sampled; of several dimensions :func:`after_total` has its budget."""
    interval = max(1, window // 10)
    if dimensions > 1:
        return Plan(interval, 0.1, 0, 0.0, FIRST_TOTAL * epsilon)
    return Plan(interval, 0.0, 0, max(epsilon / ceil_div(window, interval), FIRST_SHARE * epsilon), 0.0)


def after_total(first: Plan, average: float, epsilon: float, window: int, sensitivity: int) -> Plan:
    """The first plan, once a noisy total has shown how high levels are on average.

    A level that drifts as usual has its least error where it changes from sample to sample by about as much as a
    sample is wrong: the lower levels are beside the noise, the fewer samples share a window and the more the first
    spends.
    """
    change = FIRST_DRIFT * max(average, 1e-3)
    wished = (2.0 * (sensitivity / (epsilon * change)) ** 2 * window**2) ** (1.0 / 3.0)
    interval = int(min(max(wished, 1.0), max(1.0, window * FIRST_LONGEST)))
    budget = (1.0 - first.share) * max(interval / window, FIRST_LEAST) * epsilon
    return Plan(interval, first.share, 0, budget, first.total_budget)


def largest_budget(epsilon: float, window: int) -> float:
    """The most that a sample spends, whatever the releases."""
    longest = max(1, int(window * LONGEST))
    samples = ceil_div(window, max(i for i in INTERVALS if i <= longest))
    return max(FIRST_SHARE, FIRST_LONGEST, 1.0 / samples) * epsilon


@dataclass(frozen=True)
class Scheduler:
    """The choice of plans for a level, a window, a sensitivity and an objective."""

    epsilon: float
    window: int
    sensitivity: int
    relative: bool

    def choose(
        self, last: Plan, t: int, levels: Levels, total: Total, spent: Floats, single: Single | None = None
    ) -> Plan:
        """The plan after a sample at ``t``; ``spent`` are the budgets of the last w - 1 timestamps, or all before.

        ``single`` is what is known of the level where there is a single dimension.
        """
        intervals, shares = self._candidates(last, len(levels.level))
        if single is None:
            expected = self._errors(intervals, shares, t, levels, total)
        else:
            expected = self._errors_of_one(intervals, t, single, spent)
        errors = np.log(expected)
        errors[(intervals == last.interval) & (shares == last.share)] -= PERSISTENCE
        best = int(errors.argmin())
        return self.plan(int(intervals[best]), float(shares[best]), t, spent)

    def _candidates(self, last: Plan, dimensions: int) -> tuple[Ints, Floats]:
        """Intervals and shares to choose from, in the order of shares, then intervals; each (n,)."""
        longest = max(1, int(self.window * LONGEST))
        near = [i for i in INTERVALS if i <= longest and last.interval / CHANGE - 1 <= i <= last.interval * CHANGE]
        shares = np.array(SHARES if dimensions > 1 else (0.0,))
        return np.tile(np.array(near), len(shares)), np.repeat(shares, len(near))

    def _errors(self, intervals: Ints, shares: Floats, t: int, levels: Levels, total: Total) -> Floats:
        """Predicted errors of candidates for several dimensions, (n,)."""
        from privacy_engine.kernels.stream_levels import predicted_errors

        samples = ceil_div(self.window, intervals)
        noise = 2.0 * (samples * self.sensitivity / (self.epsilon * (1.0 - shares))) ** 2
        squared, drift = max(total.value, 1.0) ** 2, total.drift
        common = self._total_variance(shares, squared, drift)
        at_sample = 1.0 / (1.0 / common + squared / (len(levels.level) * noise))
        level, weight = _representatives(levels)
        every, so_far = intervals.astype(np.float64), self._samples_so_far(intervals, t)
        errors = predicted_errors(level, weight, FILTERS, every, noise, common, drift, at_sample, so_far)
        return np.asarray(errors[:, 0 if self.relative else 1])

    def _errors_of_one(self, intervals: Ints, t: int, single: Single, spent: Floats) -> Floats:
        """Predicted errors of candidates for a single dimension, (n,).

        A first sample that took more than its share leaves less for the others of the first window: what they have
        counts half, for the plan goes on after it.
        """
        full = self.epsilon / ceil_div(self.window, intervals)
        now = self._within_first_window(intervals, 0.0, t, full, self._free(spent, intervals))
        budgets = 0.5 * (full + now)
        noise = 2.0 * (self.sensitivity / budgets) ** 2
        return single.errors(intervals.astype(np.float64), noise, self._samples_so_far(intervals, t))

    def _samples_so_far(self, intervals: Ints, t: int) -> Floats:
        """How many samples there will have been half a window after ``t``, (n,)."""
        return np.asarray((t + 0.5 * self.window) / intervals + 1.0)

    def _total_variance(self, shares: Floats, squared: float, drift: float) -> Floats:
        """Relative variance of the total from its own noisy sums alone, in the steady state, (n,)."""
        noise = 2.0 * (self.window * self.sensitivity / (np.maximum(shares, 1e-3) * self.epsilon)) ** 2 / squared
        after = 0.5 * (np.sqrt(drift * drift + 4.0 * drift * noise) - drift)
        return np.where(shares > 0.0, np.minimum(np.maximum(after, 1e-12), noise), 1.0 + 1e3 * drift)

    def plan(self, interval: int, share: float, t: int, spent: Floats) -> Plan:
        """What the window allows: first the total up to the next sample, then that sample."""
        w, epsilon = self.window, self.epsilon
        after = np.arange(1, interval + w + 1)
        free = self._free(spent, after)
        total_budget = min(share * epsilon / w, float((free[:interval] / after[:interval]).min()))
        total_budget = total_budget if total_budget > 1e-9 * epsilon else 0.0
        left = free - total_budget * np.minimum(after, w)
        full = (1.0 - share) * epsilon / ceil_div(w, interval)
        budget = float(self._within_first_window(interval, share, t, full, left[interval - 1]))
        first = max(1, round(interval * min(1.0, float(spent[-1]) / full))) if t == 0 and len(spent) else interval
        soon = np.flatnonzero(left[first - 1 : first + interval // 4] >= 0.9 * budget)
        enough = soon if len(soon) else np.flatnonzero(left[first - 1 :] >= 0.5 * budget)
        wait = first + int(enough[0])
        total_budget = min(total_budget, float((free[:wait] / np.minimum(after[:wait], w)).min()))
        return Plan(interval, share, wait, min(budget, float(left[wait - 1])), total_budget)

    def _free(self, spent: Floats, after: Ints) -> Floats:
        """What each of the next timestamps has left of ε if none before it spends."""
        window = np.zeros(self.window - 1)
        window[len(window) - len(spent) :] = spent
        sums = np.concatenate([[0.0], np.cumsum(window)])
        gone = np.minimum(after - 1, self.window - 1)
        return np.asarray(np.maximum(self.epsilon * (1.0 - SLACK) - (sums[-1] - sums[gone]), 0.0))

    def _within_first_window(self, interval: Any, share: float, t: int, full: Any, left: Any) -> Floats:
        """The budget of the next sample: the full budget, or less where the first window is to last until its end.

        Intervals, full budgets and what is left are numbers or (n,).
        """
        remaining = self.window - t - interval
        even = (left - remaining * share * self.epsilon / self.window) / np.maximum(ceil_div(remaining, interval), 1)
        return np.asarray(np.where(remaining > 0, np.minimum(full, np.maximum(even, 0.2 * full)), full))


def _representatives(levels: Levels) -> tuple[Floats, Floats]:
    """Levels and weights of at most :data:`AT_ONCE` dimensions, at equal ranks."""
    level = np.maximum(levels.level, np.sqrt(levels.squares))
    level = np.maximum(level, 0.02 * level.mean() + 0.05)
    if len(level) <= AT_ONCE:
        return level, levels.weight
    ranks = ((np.arange(AT_ONCE) + 0.5) / AT_ONCE * len(level)).astype(np.int64)
    index = np.argsort(level, kind="stable")[ranks]
    return level[index], levels.weight[index]
