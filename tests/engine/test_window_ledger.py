"""The ledger of windows refuses the first amount with which some window would spend more than ε."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.accounting.window_ledger import WindowLedger
from privacy_engine.errors import BudgetError

AMOUNTS = st.lists(st.integers(0, 64), min_size=1, max_size=40)


@given(AMOUNTS, st.integers(1, 6))
def test_what_was_taken_never_exceeds_a_window(sixteenths, window):
    """Amounts are binary fractions, so that sums of them are exact."""
    ledger, taken = WindowLedger(1.0, window=window), []
    for one in sixteenths:
        fits = sum(taken[max(len(taken) - window + 1, 0) :]) + one <= 16
        try:
            ledger.spend(one / 16)
        except BudgetError:
            assert not fits
            ledger.spend(0.0)  # nothing was taken, and the window goes on
            taken.append(0)
        else:
            assert fits
            taken.append(one)
    assert ledger.left == 1.0 - sum(taken[max(len(taken) - window + 1, 0) :]) / 16


def test_a_window_s_first_amount_comes_back():
    ledger = WindowLedger(1.0, window=2)
    ledger.spend(0.75)
    with pytest.raises(BudgetError):
        ledger.spend(0.5)
    ledger.spend(0.25)
    ledger.spend(0.75)
