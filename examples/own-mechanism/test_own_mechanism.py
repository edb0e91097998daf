from own_mechanism import Halves

from privacy_engine.laws import LAWS, outcome_of


def test_it_keeps_the_laws():
    for law in LAWS[Halves.kind]:
        outcome = outcome_of(law, Halves)
        assert outcome.holds, outcome.example


def test_the_landmarks_share_one_half():
    halves = Halves(epsilon=1.0, radius_m=100.0)
    assert halves.budgets([True, False, True, False]).tolist() == [0.25, 0.5, 0.25, 0.5]
