r"""The ledger of landmark privacy: a class, used by every mechanism, with exact sums.

State: ``S``, what the landmarks spent so far, and ``M``, the largest budget a regular event spent. Invariant
:math:`S + M \le \epsilon(1 + 10^{-12})`, in exact arithmetic: budgets are floats, and every float is a whole multiple
of 2**-1074, so sums are kept as integers. Only the factors of :math:`L \cup \{t\}` differ between neighbours, and
:math:`\sum_{L \cup \{t\}} b_i = S + b_t \le S + M` at every prefix, for every output sequence (Katsomallos et al.,
"Landmark Privacy", CODASPY 2022, theorem of landmark privacy).

**No more than ε is spent.** Noise for a budget b within the radius r is drawn at the rate
:math:`\rho = \mathrm{fl}(\mathrm{fl}(b / r) \cdot c)`, c the float :data:`MARGIN`, nearest to :math:`1 - 2 \cdot
10^{-12}` (:meth:`~privacy_engine.mechanisms.landmark.base.PlanarLaplaceMechanism.rates`). With u = 2**-53 each of the
two roundings adds at most the share u (budgets and radii of the mechanisms' domains leave quotients above 1e-30, so
none is subnormal), and :math:`c \le (1 - 2 \cdot 10^{-12})(1 + u)`. A joint draw's budget is a sum that is rounded
once more. Hence, as reals,

.. math:: \sum_{L \cup \{t\}} \rho_i r \le (1 + u)^4 c' \sum_{L \cup \{t\}} b_i \le
          \epsilon (1 + u)^4 (1 - 2 \cdot 10^{-12})(1 + 10^{-12}) < \epsilon,

since :math:`(1 - 2 \cdot 10^{-12})(1 + 10^{-12}) < 1 - 10^{-12}` and :math:`(1 + u)^4 < 1 + 5 \cdot 10^{-16}`. The same
holds for a window of w events, and for all events, where those are what is protected.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask, over_parts, parts_of, starts_within
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data.mapped_series import leaving
from privacy_engine.errors import BudgetError

TOLERANCE = 1e-12
"""Relative slack of every comparison of budgets: k shares, each the float ε/k, are more than ε for half of all k."""
PER_TOLERANCE = 10**12
MARGIN = 1 - 2e-12
"""What rates are multiplied by, so that neither that slack nor a rounding spends more than ε."""
UNIT_BITS = 1074
"""Every float is a whole multiple of 2**-1074."""


def exact_units(value: float) -> int:
    """A finite float as a whole number of units of 2**-1074."""
    numerator, denominator = value.as_integer_ratio()
    return numerator << UNIT_BITS - denominator.bit_length() + 1


def exact_sum(values: Floats) -> int:
    """The sum of finite floats of at least 0, (n,), in units of 2**-1074: no rounding.

    >>> exact_sum(np.array([0.1, 0.2])) == exact_units(0.1) + exact_units(0.2)
    True
    """
    if len(values) and (values == values[0]).all():
        return len(values) * exact_units(float(values[0]))
    mantissa, exponent = np.frexp(values)
    whole = (mantissa * 2.0**53).astype(np.int64)
    total = 0
    for power in reported(np.unique(exponent).tolist()):
        bits = whole[exponent == power]
        part = (int((bits >> 26).sum()) << 26) + int((bits & (1 << 26) - 1).sum())  # 2**36 of them do not overflow
        shift = power - 53 + UNIT_BITS
        total += part << shift if shift >= 0 else part >> -shift  # subnormal ones end in as many zeros
    return total


def nearest_float(units: int) -> float:
    """The float nearest to so many units of 2**-1074."""
    return units / (1 << UNIT_BITS)


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
    _epsilon: int = field(init=False, repr=False)
    _spent: int = field(default=0, init=False, repr=False)
    _largest: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        self._epsilon = exact_units(self.epsilon)

    @property
    def landmarks(self) -> float:
        """S, what the landmarks spent so far."""
        return nearest_float(self._spent)

    @property
    def largest_regular(self) -> float:
        """M, the largest budget that a regular event spent."""
        return nearest_float(self._largest)

    @property
    def left_for_landmark(self) -> float:
        """ε - S - M: the next landmark adds to S, and M must still fit beside it."""
        return nearest_float(max(self._epsilon - self._spent - self._largest, 0))

    @property
    def left_for_regular(self) -> float:
        """ε - S: regular events share a slot, the largest of them."""
        return nearest_float(max(self._epsilon - self._spent, 0))

    def share(self, landmarks_to_come: int, regulars_to_come: bool) -> float:
        """What is left for landmarks, divided by those to come and a slot for the regular events, if any need it.

        A slot once used stays reserved: the regulars' slot counts as long as any of them was or will be released.
        """
        slots = landmarks_to_come + (1 if regulars_to_come or self._largest > 0 else 0)
        return self.left_for_regular / max(slots, 1)

    def spend(self, budget: float, *, is_landmark: bool) -> None:
        """Take ``budget`` for an event.

        Raises
        ------
        BudgetError
            More than what is left, beyond :data:`TOLERANCE`, or no number of at least 0. Nothing is taken then.
        """
        units = exact_units(budget) if 0.0 <= budget < math.inf else -1
        beside = self._largest if is_landmark else 0
        if units < 0 or self._exceeds(self._spent + beside + units):
            left = self.left_for_landmark if is_landmark else self.left_for_regular
            raise BudgetError(
                f"budget must be between 0 and what is left ({left:g}), got {budget:g}",
                field="budget",
                rule=f"0..{left:g}",
                value=budget,
            )
        if is_landmark:
            self._spent += units
        else:
            self._largest = max(self._largest, units)

    def spend_all(self, budgets: Floats, is_landmark: Mask) -> Floats:
        """Take a whole series' budgets at once, (n,), and return them.

        Raises
        ------
        BudgetError
            Some timestamp t would have ``sum over L ∪ {t}`` above ε, or a budget is no finite number of at least 0.
        """
        spent, regular = self._spent, 0.0
        for some in leaving([budgets, is_landmark], blocks(len(budgets))):
            own, protected = budgets[some], is_landmark[some]
            if not (own.min() >= 0 and own.max() < math.inf):
                wrong = float(own[~((own >= 0) & (own < math.inf))][0])
                raise BudgetError.must_be("budgets", "finite and at least 0", wrong, got=f"{wrong:g}")
            spent += exact_sum(own[protected])
            regular = max(regular, float(own[~protected].max(initial=0.0)))
        largest = max(self._largest, exact_units(regular))
        if self._exceeds(spent + largest):
            total = nearest_float(spent + largest)
            raise BudgetError(
                f"landmarks and one regular event must spend at most {self.epsilon:g}, got {total:g}",
                field="budgets",
                rule=f"<= {self.epsilon:g}",
                value=total,
            )
        self._spent, self._largest = spent, largest
        return budgets

    def _exceeds(self, units: int) -> bool:
        """Whether it is more than ε (1 + 10^-12), exactly."""
        return units * PER_TOLERANCE > self._epsilon * (PER_TOLERANCE + 1)


def spend_each(epsilon: float, budgets: Floats, is_landmark: Mask, starts: Ints) -> Floats:
    """:meth:`Ledger.spend_all` of a ledger for each part of the budgets (n,), which begin at ``starts`` (m + 1,)."""
    landmarks, others = np.zeros((2, len(starts) - 1))
    positive = True
    for some in leaving([budgets, is_landmark], blocks(len(budgets))):
        own, protected, cuts = budgets[some], is_landmark[some], starts_within(some, starts)
        landmarks += over_parts(np.add, np.where(protected, own, 0.0), cuts)
        others = np.maximum(others, over_parts(np.maximum, np.where(protected, 0.0, own), cuts))
        positive = positive and own.min() >= 0.0
    if not (positive and surely_fits(epsilon, landmarks + others, np.diff(starts)).all()):
        for of, protected in reported(zip(parts_of(budgets, starts), parts_of(is_landmark, starts), strict=True)):
            Ledger(epsilon).spend_all(of, protected)
    return budgets


def surely_fits(epsilon: float, float_sum: Any, n: Any) -> Any:
    """Return whether floats prove that n budgets, all at least 0, fit :meth:`Ledger.spend_all`; False decides nothing.

    ``float_sum`` is that of the landmarks' budgets, plus the largest other. Rounding makes a sum of n floats smaller by
    less than n 2**-52 of it; half of TOLERANCE is left for rounding here. Arrays of sums and of n give an array.
    """
    return float_sum * (1 + n * 2.0**-52) <= epsilon * (1 + TOLERANCE / 2)
