r"""The ledger of landmark privacy: one class, used by every mechanism.

State: ``S``, what the landmarks spent so far, and ``M``, the largest budget a regular event spent. Invariant
:math:`S + M \le \epsilon`. Only the factors of :math:`L \cup \{t\}` differ between neighbours, and
:math:`\sum_{L \cup \{t\}} \epsilon_i = S + \epsilon_t \le S + M \le \epsilon` at every prefix, for every output
sequence (Katsomallos et al., "Landmark Privacy", CODASPY 2022, theorem of landmark privacy).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privacy_engine.data import Floats, Mask
from privacy_engine.errors import BudgetError

TOLERANCE = 1e-12
"""Relative slack of every comparison: a sum of k shares ε/k overshoots ε in floating point for half of all k."""


@dataclass
class Ledger:
    """What may still be spent of ``epsilon``.

    Examples
    --------
    >>> ledger = Ledger(1.0)
    >>> ledger.spend(0.25, is_landmark=True)
    >>> ledger.spend(0.5, is_landmark=False)
    >>> ledger.left_for_landmark, ledger.left_for_regular
    (0.25, 0.75)
    """

    epsilon: float
    landmarks: float = 0.0
    largest_regular: float = 0.0

    @property
    def left_for_landmark(self) -> float:
        """ε - S - M: the next landmark adds to S, and M must still fit beside it."""
        return max(self.epsilon - self.landmarks - self.largest_regular, 0.0)

    @property
    def left_for_regular(self) -> float:
        """ε - S: regular events share one slot, the largest of them."""
        return max(self.epsilon - self.landmarks, 0.0)

    def share(self, landmarks_to_come: int, regulars_to_come: bool) -> float:
        """What is left for landmarks, divided by those to come and one slot for the regular events, if any need it.

        A slot once used stays reserved: the regulars' slot counts as long as one of them was or will be released.
        """
        slots = landmarks_to_come + (1 if regulars_to_come or self.largest_regular > 0 else 0)
        return self.left_for_regular / max(slots, 1)

    def spend(self, budget: float, *, is_landmark: bool) -> None:
        """Take ``budget`` for one event.

        Raises
        ------
        BudgetError
            More than what is left, beyond :data:`TOLERANCE`. Nothing is taken then.
        """
        left = self.left_for_landmark if is_landmark else self.left_for_regular
        if not 0.0 <= budget <= left + TOLERANCE * self.epsilon:
            raise BudgetError(
                f"budget must be between 0 and what is left ({left:g}), got {budget:g}",
                field="budget",
                rule=f"0..{left:g}",
                value=budget,
            )
        if is_landmark:
            self.landmarks += budget
        else:
            self.largest_regular = max(self.largest_regular, budget)

    def spend_all(self, budgets: Floats, is_landmark: Mask) -> Floats:
        """Take a whole series' budgets at once, (n,), and return them.

        Raises
        ------
        BudgetError
            Some timestamp t would have ``sum over L ∪ {t}`` above ε.
        """
        if budgets.size and not (budgets >= 0).all():
            raise BudgetError("budgets must not be negative", field="budgets", rule=">= 0", value=float(budgets.min()))
        total = float(np.where(is_landmark, budgets, 0.0).sum())
        largest = float(np.where(is_landmark, 0.0, budgets).max(initial=0.0))
        if self.landmarks + total + max(self.largest_regular, largest) > self.epsilon * (1 + TOLERANCE):
            raise BudgetError(
                f"landmarks and one regular event must spend at most {self.epsilon:g}, got {total + largest:g}",
                field="budgets",
                rule=f"<= {self.epsilon:g}",
                value=total + largest,
            )
        self.landmarks += total
        self.largest_regular = max(self.largest_regular, largest)
        return budgets


def protected_sums(budgets: Floats, is_landmark: Mask) -> Floats:
    """For every t the budget spent on L ∪ {t}, (n,): what the theorem bounds by ε."""
    total = budgets[is_landmark].sum()
    return np.asarray(np.where(is_landmark, total, total + budgets))
