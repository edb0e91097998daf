"""The state of stream publishers: what continues from it publishes what an uninterrupted run does."""

import base64
import itertools
import json
import zlib
from collections import deque
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.window_ledger import WindowLedger, window_sums
from privacy_engine.errors import BudgetError, DataError
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.publisher_state import captured, from_bytes, restored, to_bytes
from tests.cases import each
from tests.examples import examples

CLASSES = list(mechanisms.of("stream"))
every_mechanism = each("cls", CLASSES)
LOUD = {"epsilon": 1e4, "window": 4, "sensitivity": 1}  # so large an ε that all noise is 0

SETTLED = {name: {"partition": "none", "mode": "svt"} for name in ("stream-adapub", "stream-hieradapub")}
"""Parameters with which nothing is random beside the noise, and that have the most state."""


def rows_of(seed, timestamps, dimensions):
    return np.random.default_rng(seed).integers(0, 200, (timestamps, dimensions))


def continued(mechanism, dimensions, state):
    run = mechanism.start(dimensions, noise.publishable())
    if state is not None:
        run.restore(state)
    return run


@every_mechanism
@given(seed=st.integers(0, 99), cuts=st.sets(st.integers(0, 24), min_size=1, max_size=4), dimensions=st.integers(1, 4))
@settings(max_examples=examples(50))
def test_a_restored_run_publishes_what_an_uninterrupted_one_does(cls, seed, cuts, dimensions):
    """Without noise, a run that is stored and restored at ``cuts`` differs in nothing, budgets included."""
    rows, mechanism = rows_of(seed, 25, dimensions), cls(**LOUD, **SETTLED.get(cls.registered_name(), {}))
    whole = mechanism.start(dimensions, noise.publishable())
    expected = whole.publish_all(rows)
    found, budgets, state = [], [], None
    for start, end in itertools.pairwise([0, *sorted(cuts), 25]):
        run = continued(mechanism, dimensions, state)
        found.append(run.publish_all(rows[start:end]))
        budgets.append(run.budgets)
        state = run.state()
    assert np.array_equal(np.concatenate(found), expected)
    assert np.array_equal(np.concatenate(budgets), whole.budgets)


@each("cls", [cls for cls in CLASSES if cls.publishable])
def test_windows_across_restored_runs_spend_at_most_epsilon(cls):
    mechanism, budgets, state = cls(epsilon=0.7, window=6, sensitivity=1), [], None
    for row in rows_of(1, 40, 3):
        run = continued(mechanism, 3, state)
        run.publish(row)
        budgets.append(run.budgets[0])
        state = run.state()
    WindowLedger(0.7, 6).spend_all(np.array(budgets))
    assert run.ledger.spent == pytest.approx(window_sums(np.array(budgets[-6:]), 6)[0])


@every_mechanism
def test_noise_drawn_ahead_is_not_stored(cls):
    """A restored run draws new noise: two runs from one state differ (64 counts at 30 timestamps)."""
    mechanism = cls(epsilon=1.0, window=1, sensitivity=1)
    first = mechanism.start(64, noise.publishable())
    first.publish(rows_of(1, 1, 64)[0])
    found = [continued(mechanism, 64, first.state()).publish_all(rows_of(2, 30, 64)) for _ in range(2)]
    assert not np.array_equal(*found)


@every_mechanism
def test_the_state_of_another_run_is_refused(cls):
    run = cls(**LOUD).start(2, noise.publishable())
    run.publish([1, 2])
    with pytest.raises(DataError, match="same dimensions"):
        continued(cls(**LOUD), 3, run.state())
    with pytest.raises(DataError, match="same mechanism"):
        continued(cls(**{**LOUD, "window": 5}), 2, run.state())


WHOLE = to_bytes({"level": np.arange(3.0)})


@each("damaged", [b"", b"cairn", *(WHOLE[:n] for n in range(len(WHOLE))), WHOLE[5:], WHOLE + b"x"])
def test_a_damaged_state_is_refused(damaged):
    with pytest.raises(DataError, match="damaged"):
        from_bytes(damaged)


def test_a_state_of_format_1_is_read():
    array = {"array": base64.b64encode(np.array([0.1, 2.0]).tobytes()).decode(), "dtype": "<f8", "shape": [2]}
    stored = zlib.compress(json.dumps({"format": 1, "values": {"level": array, "next": 7}}).encode())
    found = from_bytes(stored)
    found["level"] += 1.0  # can be written to
    assert found["level"].tolist() == [1.1, 3.0]
    assert found["next"] == 7


def test_values_survive():
    values = {
        "none": None, "number": 0.1 + 0.2, "large": 2**80, "text": "é", "list": [1, [2.5, None]], "inner": {"a": 1},
        "floats": np.array([[0.1, np.inf], [np.nan, -0.0]]), "flags": np.array([True, False]),
        "half": np.arange(6, dtype=np.float16).reshape(2, 3).T, "scalar": np.array(7),
        "empty": np.empty((0, 3), dtype=np.int64),
    }  # fmt: skip
    found = from_bytes(to_bytes(values))
    assert found.keys() == values.keys()
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            assert found[name].tobytes() == value.tobytes()
            assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape)
            assert found[name].flags.writeable
        else:
            assert found[name] == value
    with pytest.raises(TypeError, match="no part of a state"):
        to_bytes({"wrong": {1, 2}})


class Outer:
    def __init__(self):
        self.parts = [SimpleNamespace(values=np.zeros(2)) for _ in range(2)]
        self.recent = deque([0.0], maxlen=3)
        self.pair = (1, 2)
        self.noise = noise.BufferedLaplace(1.0, noise.seeded(1))


def test_objects_inside_are_captured_and_restored_in_place():
    one, other = Outer(), Outer()
    one.parts[1].values += 5
    one.recent.extend([1.0, 2.0, 3.0])
    one.pair = (3, 4)
    stored = to_bytes(captured(one))
    drawn = other.noise
    restored(other, from_bytes(stored))
    assert [part.values.tolist() for part in other.parts] == [[0.0, 0.0], [5.0, 5.0]]
    assert (list(other.recent), other.recent.maxlen, other.pair) == ([1.0, 2.0, 3.0], 3, (3, 4))
    assert other.noise is drawn
    one.parts.append(drawn)
    with pytest.raises(TypeError, match="must be an attribute"):  # or it would be stored
        captured(one)


def test_a_ledger_continues_exactly():
    ledger = WindowLedger(1.0, 3)
    ledger.spend_all(np.array([0.1, 0.2, 0.3, 0.4]))
    other = WindowLedger(1.0, 3)
    other.restore(ledger.recent)
    assert (other.left, other.spent, other.recent) == (ledger.left, ledger.spent, [0.2, 0.3, 0.4])
    for wrong in ([0.1] * 4, [0.5, 0.6], [-0.1], [float("nan")], [float("inf")]):
        with pytest.raises(BudgetError, match="recent must be"):
            WindowLedger(1.0, 3).restore(wrong)


@given(st.lists(st.tuples(st.floats(0.0, 0.2), st.floats(0.0, 0.05)), min_size=1, max_size=4))
def test_a_ledger_never_continues_from_less_than_was_spent(pairs):
    """Two budgets of a timestamp may have a sum that is no float."""
    ledger, other = WindowLedger(1.0, 4), WindowLedger(1.0, 4)
    for one, more in pairs:
        ledger.spend(one)
        ledger.spend_more(more)
    other.restore(ledger.recent)
    exact = [Fraction(one) + Fraction(more) for one, more in pairs]
    assert [Fraction(one) >= real for one, real in zip(other.recent, exact, strict=True)] == [True] * len(exact)
    assert other.recent == pytest.approx([one + more for one, more in pairs], rel=1e-15)
