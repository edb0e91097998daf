r"""The ledger of w-event privacy: what any w successive timestamps of a stream spend, with exact sums.

Invariant: every window of w timestamps spends at most :math:`\epsilon (1 + 10^{-12})`. Two streams that differ only in
a window, at each timestamp by at most Δ in sum over the dimensions, change the probability of any output by at most
:math:`\exp(\sum_t b_t)` over that window (Kellaris et al., "Differentially private event sequences over infinite
streams", VLDB 2014). Noise for a budget b is drawn at the rate :math:`\mathrm{fl}(\mathrm{fl}(b / \Delta) \cdot c)`
with the margin of :mod:`privacy_engine.accounting.landmark_ledger`, whose proof shows that the sum is below ε as reals.
"""

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from privacy_engine.accounting.landmark_ledger import MARGIN, PER_TOLERANCE, exact_units, nearest_float
from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.errors import BudgetError


def laplace_rate(budget: float, sensitivity: int) -> float:
    """The rate of discrete Laplace noise for a budget, never rounded up."""
    return budget / sensitivity * MARGIN


class WindowLedger:
    """What may still be spent of ``epsilon`` at the next timestamp, with what the last ``window`` - 1 spent.

    >>> ledger = WindowLedger(1.0, window=2)
    >>> ledger.spend(0.75)
    >>> ledger.left
    0.25
    >>> ledger.spend(0.25), ledger.left
    (None, 0.75)
    """

    def __init__(self, epsilon: float, window: int) -> None:
        self._epsilon = exact_units(epsilon)
        self._recent: deque[int] = deque(maxlen=window)
        self._spent = 0

    @property
    def left(self) -> float:
        """ε minus what the last w - 1 timestamps spent."""
        return nearest_float(max(self._epsilon - self._before(), 0))

    @property
    def spent(self) -> float:
        """What the last w timestamps spent."""
        return nearest_float(self._spent)

    @property
    def recent(self) -> list[float]:
        """What each of the last w timestamps spent, oldest first, never rounded down: :meth:`restore` takes it."""
        return [_rounded_up(units) for units in self._recent]

    def restore(self, recent: Sequence[float]) -> None:
        """Continue from :attr:`recent` of another ledger with the same ε and window.

        Raises
        ------
        BudgetError
            They are more than w amounts, or spend more than ε.
        """
        finite = all(0.0 <= budget < math.inf for budget in recent)
        units = [exact_units(budget) for budget in recent] if finite else []
        total = sum(units)
        within = total * PER_TOLERANCE <= self._epsilon * (PER_TOLERANCE + 1)
        if not finite or not within or len(recent) > (self._recent.maxlen or 0):
            raise BudgetError.must_be("recent", "at most w amounts of at least 0, in sum at most ε")
        self._recent.clear()
        self._recent.extend(units)
        self._spent = total

    def _before(self) -> int:
        full = len(self._recent) == self._recent.maxlen
        return self._spent - (self._recent[0] if full and self._recent else 0)

    def spend(self, budget: float) -> None:
        """Take ``budget`` for the next timestamp; 0 where nothing is drawn.

        Raises
        ------
        BudgetError
            Some window would spend more than ε, or it is no finite number of at least 0. Nothing is taken then.
        """
        units = exact_units(budget) if 0.0 <= budget < math.inf else -1
        after = self._before() + units
        if units < 0 or after * PER_TOLERANCE > self._epsilon * (PER_TOLERANCE + 1):
            raise self._refused(budget, self.left)
        self._recent.append(units)
        self._spent = after

    def spend_more(self, budget: float) -> None:
        """Take ``budget`` for the timestamp that spent last, beside what it spent; errors of :meth:`spend`.

        >>> ledger = WindowLedger(1.0, window=2)
        >>> ledger.spend(0.25), ledger.spend_more(0.5), ledger.left
        (None, None, 0.25)
        """
        units = exact_units(budget) if 0.0 <= budget < math.inf else -1
        if units < 0 or not self._recent or (self._spent + units) * PER_TOLERANCE > self._epsilon * (PER_TOLERANCE + 1):
            left = nearest_float(max(self._epsilon - self._spent, 0))
            raise self._refused(budget, left)
        self._recent[-1] += units
        self._spent += units

    def _refused(self, budget: float, left: float) -> BudgetError:
        message = f"budget must be between 0 and what the window has left ({left:g}), got {budget:g}"
        return BudgetError(message, field="budget", rule=f"0..{left:g}", value=budget)

    def spend_all(self, budgets: Floats) -> Floats:
        """Take the budgets of successive timestamps, (n,), and return them; errors of :meth:`spend`."""
        for budget in reported(np.asarray(budgets, dtype=np.float64).tolist(), ROWS):
            self.spend(budget)
        return budgets


def _rounded_up(units: int) -> float:
    """The least float of at least so much: two budgets of a timestamp have a sum that may be none."""
    nearest = nearest_float(units)
    return nearest if exact_units(nearest) >= units else math.nextafter(nearest, math.inf)


def window_sums(budgets: Floats, window: int) -> Floats:
    """What each ``window`` successive timestamps spend, (max(T - w, 0) + 1,), rounded.

    >>> window_sums(np.array([1.0, 0.0, 2.0]), 2).tolist()
    [1.0, 2.0]
    """
    reach = min(window, len(budgets))
    total = np.concatenate([[0.0], np.cumsum(budgets)])
    return np.asarray(total[reach:] - total[: len(total) - reach])
