"""One battery over the registered stream mechanisms, and what streams.md gives for them."""

import itertools
import json
import math
from collections import namedtuple
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.promise import Context
from privacy_engine.accounting.window_ledger import WindowLedger, window_sums
from privacy_engine.audit import AuditSpec, audit
from privacy_engine.errors import DataError, ParameterErrors
from privacy_engine.mechanisms import stream
from privacy_engine.mechanisms.base.mechanism import mechanisms, offered
from privacy_engine.mechanisms.base.publisher_state import from_bytes
from privacy_engine.metrics import StreamMeanAbsoluteError, StreamRelativeError
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import each
from tests.engine.stream_sets import counted, measured

CLASSES = list(mechanisms.of("stream"))
EXAMPLE = {"epsilon": 0.7, "window": 4, "sensitivity": 2}


Facts = namedtuple("Facts", "plain repeats audit trials", defaults=(False, True, (), 40_000))
"""What the battery checks of one mechanism beyond what holds for all.

``plain``: what a timestamp spends does not depend on counts, and some window spends all of ε. ``audit`` are
parameters with which ``trials`` draws show a control: of what is spent on decisions, releases show little.
``repeats``: a timestamp that spends nothing repeats the release before.
"""


FACTS = {
    "stream-uniform": Facts(plain=True),
    "stream-sample": Facts(plain=True),
    "stream-bd": Facts(audit=(("window", 1),), trials=12_000),
    "stream-ba": Facts(audit=(("window", 1),), trials=12_000),
    "stream-fast": Facts(trials=3_000),
    "stream-rescuedp": Facts(),
    "stream-pegasus": Facts(plain=True),
    "stream-adapub": Facts(plain=True),
    "stream-hieradapub": Facts(plain=True, audit=(("mode", "post"),)),
    "stream-kalman": Facts(plain=True),
    "stream-kalman-uniform": Facts(plain=True),
    "stream-shrink": Facts(repeats=False, audit=(("window", 1),), trials=1_000),
}
"""In the order of registration. A further mechanism needs a line only where the usual facts do not hold of it."""


def facts(cls):
    return FACTS.get(cls.registered_name(), Facts())


SOUND = [cls for cls in CLASSES if cls.publishable]
PLAIN = [cls for cls in CLASSES if facts(cls).plain]


every_mechanism, every_sound = each("cls", CLASSES), each("cls", SOUND)


def example(cls, **given):
    return cls(**{**EXAMPLE, **given})


def random_stream(timestamps=50, dimensions=3, seed=0):
    return counted(np.random.default_rng(seed).integers(0, 40, (timestamps, dimensions)))


def test_the_first_registered_names_are_these():
    assert [cls.registered_name() for cls in CLASSES][: len(FACTS)] == list(FACTS)


@every_mechanism
def test_every_corner_of_the_domain_can_be_released(cls):
    fields = [one for one in cls.fields() if not one["choices"]]
    ends = [[(int if one["whole"] else float)(one[end]) for end in ("minimum", "maximum")] for one in fields]
    for values in itertools.product(*ends):
        mechanism = cls(**dict(zip((one["name"] for one in fields), values, strict=True)))
        release = mechanism.release(random_stream(3), rng=noise.publishable())
        assert release.private is not bool(mechanism.unsound)
        assert np.isfinite(release.counts).all()
        assert mechanism.noise_sd() >= 0


@every_mechanism
@given(st.lists(st.integers(0, 40), max_size=6), st.integers(1, 4), st.integers(1, 9), st.integers(0, 2**32))
@settings(max_examples=25)
def test_row_by_row_is_the_whole_stream(cls, cuts, dimensions, window, seed):
    rows = random_stream(40, dimensions).counts
    mechanism = example(cls, window=window)
    whole = mechanism.release(counted(rows), rng=noise.seeded(seed))
    single = mechanism.start(dimensions, noise.seeded(seed))
    assert np.array_equal(np.stack([single.publish(row) for row in rows]), whole.counts)
    parts, edges = mechanism.start(dimensions, noise.seeded(seed)), [0, *sorted(cuts), 40]
    pieces = [parts.publish_all(rows[i:j]) for i, j in itertools.pairwise(edges)]
    assert np.array_equal(np.concatenate(pieces), whole.counts)
    assert np.array_equal(single.budgets, whole.budgets)


@every_sound
@given(st.integers(1, 40), st.integers(1, 120), st.floats(1e-3, 1e4), st.sampled_from([1, 40, 10**6]))
@settings(max_examples=60)
def test_every_window_spends_at_most_epsilon(cls, window, timestamps, epsilon, largest):
    """Replayed by the exact ledger; plain mechanisms spend all of it in some window."""
    data = counted(np.random.default_rng(0).integers(0, largest, (timestamps, 1)))
    mechanism = example(cls, window=window, epsilon=epsilon)
    release = mechanism.release(data, rng=noise.seeded(1))
    sums = window_sums(release.budgets, window)
    assert sums.max() <= epsilon * (1 + 1e-9)  # rounded; the ledger below is exact
    WindowLedger(epsilon, window).spend_all(release.budgets)
    if timestamps >= window and cls in PLAIN:
        assert sums.max() == pytest.approx(epsilon, rel=1e-9)
    if facts(cls).repeats:
        assert ((release.counts[1:] == release.counts[:-1]).all(axis=1) | (release.budgets[1:] > 0)).all()


def test_titles_distinguish_choices_and_the_first_offered_is_the_one_that_is_nowhere_far_from_the_best():
    for changed, title in (
        ({"name": "stream-shrink"}, "Stream shrink"),
        ({"name": "stream-shrink", "objective": "absolute"}, "Stream shrink (absolute)"),
        ({"name": "stream-adapub", "mode": "svt", "error": "relative", "window": 9}, "AdaPub (svt, relative)"),
        ({"name": "stream-hieradapub", "hierarchy": "path", "separator": "."}, "HierAdaPub (path)"),
    ):
        assert ReleaseSpec.parse({"mechanism": EXAMPLE | changed}).title == title
    names = [cls.registered_name() for cls in offered("stream")]
    assert names[0] == "stream-shrink"
    assert sorted(names) == sorted(cls.registered_name() for cls in SOUND)
    with pytest.raises(ParameterErrors, match="postprocess must be steps for the kind stream"):
        ReleaseSpec.parse({"mechanism": example(CLASSES[0]).model_dump(), "postprocess": [{"name": "ou-smoother"}]})


@every_sound
def test_no_state_holds_counts_of_a_group_that_ended(cls):
    """Under much noise, so that what was published is another number; what that shows is the audits' matter."""
    run = cls(epsilon=0.01, window=1).start(2, noise.seeded(3), ["a", "b"])
    run.publish_all(np.full((20, 2), 777_001))
    run.publish_all(np.full((20, 2), 5))
    held = _numbers(from_bytes(run.state()))
    assert held.size
    assert not np.isin([777_001, 2 * 777_001], held).any()


def _numbers(part):
    """Every number in dicts, lists and arrays, in one array."""
    if isinstance(part, dict | list):
        values = part.values() if isinstance(part, dict) else part
        return np.concatenate([np.empty(0), *map(_numbers, values)])
    return np.ravel(part) if isinstance(part, np.ndarray | int | float) else np.empty(0)


@pytest.mark.slow
@every_sound
def test_rates_of_a_window_times_sensitivity_are_at_most_epsilon_as_reals(cls):
    small = itertools.product((0.1, 0.7, 3.0), (1, 3, 49), (1, 3, 50))
    for epsilon, window, delta in (*small, (0.1, 10_000, 50), (0.7, 10_000, 1), (3.0, 10_000, 3)):
        mechanism = cls(epsilon=epsilon, window=window, sensitivity=delta)
        budgets = mechanism.release(random_stream(window, 1), rng=noise.seeded(1)).budgets
        values, often = np.unique(budgets[budgets > 0], return_counts=True)
        counted_rates = zip(values.tolist(), often.tolist(), strict=True)
        assert sum(Fraction(mechanism.noise_rate(b)) * delta * n for b, n in counted_rates) <= Fraction(epsilon)


@every_mechanism
@each("value", [0.5, -1.0, math.nan, math.inf, 2.0**53])
def test_counts_that_are_no_whole_numbers_are_refused(cls, value):
    run = example(cls).start(2, noise.seeded(1))
    with pytest.raises(DataError, match="whole numbers from 0 to"):
        run.publish([1.0, value])
    assert run.publish([1, 2]).shape == (2,)  # nothing was spent by what was refused
    with pytest.raises(DataError, match="rows of 2 numbers"):
        run.publish([1, 2, 3])


def assert_controls_are_found(cls, trials):
    about = {"epsilon": 1.5, "window": 2, "sensitivity": 1, **dict(facts(cls).audit)}
    described = example(cls, **about).model_dump()
    for control in ("", "control:half-noise:", "control:twice-budget:"):
        mechanism = described | {"name": control + cls.registered_name()}
        found = audit(AuditSpec.parse({"mechanism": mechanism, "seed": 5, "trials": trials}))
        assert found.verdict == ("violated" if control else "consistent"), control
        assert found.lower_bound > 0.5


@every_sound
@pytest.mark.thorough
def test_the_audit_finds_controls_and_not_the_mechanism(cls):
    assert_controls_are_found(cls, facts(cls).trials)


@pytest.mark.slow
@each("cls", [stream.StreamUniform, stream.StreamSample])
def test_the_audit_finds_controls_of_the_simplest_in_few_trials(cls):
    assert_controls_are_found(cls, 5_000)


@every_sound
def test_the_guarantee_states_what_is_covered(cls):
    guarantee = example(cls, epsilon=1.0, window=20).guarantee(Context())
    for part in ("20 successive timestamps", "at most 2 in sum", "ε = 1", "with the same timestamps and names"):
        assert part in guarantee.statement
    assert (guarantee.level, guarantee.radius_m, guarantee.epsilon) == ("w-event", None, 1.0)
    assert not example(cls).unsound


@every_mechanism
def test_it_is_described(cls):
    guarantee = example(cls).guarantee()
    assert ("estimates" in cls.grid_text) is not cls.whole
    assert cls.statement().endswith(".")
    assert cls.source()
    assert example(cls).loss().unit == "event"
    json.dumps(guarantee.as_dict())
    if not cls.publishable:
        assert cls.statement() == guarantee.statement == f"There is no guarantee: {example(cls).unsound}."
        assert guarantee.epsilon is None
        with pytest.raises(ParameterErrors, match="seed is required: this mechanism has no guarantee"):
            ReleaseSpec.parse({"mechanism": example(cls).model_dump()})


def test_metrics_have_the_published_values():
    relative, vector = StreamRelativeError(), (np.array([[0, 10], [5, 10]]), [[1, 8], [5, 12]])
    assert measured(relative, *vector) == pytest.approx(5.1)
    assert measured(StreamMeanAbsoluteError(), *vector) == 1.25
    zeros = measured(relative, random_stream(200, 4).counts, np.zeros((200, 4)))
    assert zeros <= 100 / 200, "zeros have at most 100 over T"
    nothing = np.empty((0, 1), dtype=np.int64)
    assert math.isnan(measured(relative, nothing, nothing))
