"""What sentences, labels and ledgers must never state wrongly: bounds rounded up, everything that is not covered."""

import numpy as np
import pytest

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import Ledger
from privacy_engine.data import CountStream
from privacy_engine.errors import BudgetError
from privacy_engine.label import privacy_label
from privacy_engine.landmarks.zones import MOST_ZONES, Zones
from privacy_engine.mechanisms.stream.sample import StreamSample
from privacy_engine.mechanisms.stream.uniform import StreamUniform
from privacy_engine.promise import Context, at_most
from privacy_engine.spec import ReleaseSpec
from tests.cases import each

MECHANISM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}


@each(("value", "text"), [(2.9387741, "2.93878"), (0.1 + 0.2, "0.3"), (1.00000001, "1.00001")])
def test_a_bound_is_never_rounded_down(value, text):
    assert at_most(value) == text


def test_a_sentence_has_everything_that_is_not_covered():
    assert Context(not_covered=("times", "people")).qualified("It holds") == "It holds; not covered: times; people."


@each(("seed", "private"), [(None, True), (7, False)])
def test_a_release_with_a_seed_promises_nothing(seed, private):
    label = privacy_label(ReleaseSpec.parse({"mechanism": MECHANISM, "seed": seed}), Context(landmarks=1), private=True)
    assert label["private"] is private
    assert (label["guarantee"] is not None) is private


def test_a_landmark_fits_beside_the_largest_other_event():
    ledger = Ledger(1.0)
    ledger.spend(0.6, is_landmark=False)
    with pytest.raises(BudgetError):
        ledger.spend(0.6, is_landmark=True)
    ledger.spend(0.4, is_landmark=True)


@each(("cls", "expected"), [(StreamUniform, [0.5] * 6), (StreamSample, [2.0, 0.0, 0.0, 0.0, 2.0, 0.0])])
def test_budgets_of_a_window_of_four(cls, expected):
    how = cls(epsilon=2.0, window=4, sensitivity=1)
    release = how.release(CountStream(np.ones((6, 2)), ("a", "b"), tuple("123456")), rng=noise.seeded(1))
    assert release.budgets.tolist() == expected


def test_as_many_zones_as_are_allowed():
    zone = {"type": "Circle", "center": [2.0, 48.0], "radius_m": 100.0}
    assert len(Zones(zones=[zone] * MOST_ZONES).zones) == MOST_ZONES
