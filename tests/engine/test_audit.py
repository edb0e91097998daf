"""The audit: its bounds hold, mechanisms within their claim pass, and controls that violate it are found."""

import itertools
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from privacy_engine import audit, noise
from privacy_engine.audit import bounds, events, kinds, run
from privacy_engine.audit.checkins import CheckInKind
from privacy_engine.audit.decisions import NAMES, Decisions
from privacy_engine.audit.numbers import NumberKind
from privacy_engine.audit.score import learn
from privacy_engine.audit.stream import StreamKind
from privacy_engine.audit.trajectory import MOST_EVENTS, TrajectoryKind
from privacy_engine.core import geo
from privacy_engine.core.params import choices_of
from privacy_engine.errors import ParameterErrors
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.cases import each
from tests.engine.mechanism_examples import CLASSES, every_mechanism, variants
from tests.examples import examples
from tests.later import stats

TRIALS = 4_000
every_number_of_trials = pytest.mark.parametrize("trials", [TRIALS, pytest.param(10_000, marks=pytest.mark.thorough)])


def spec(name, *, trials=TRIALS, seed=1, **given):
    described, _ = audit.completed({"name": name, "epsilon": 1.0, "radius_m": 200.0} | given)
    return audit.AuditSpec.parse({"mechanism": described, "trials": trials, "seed": seed})


class TestClopperPearson:
    @given(hits=st.integers(0, 200), trials=st.integers(1, 200), alpha=st.floats(1e-6, 0.5))
    def test_bounds_are_where_the_binomial_tail_is_alpha(self, hits, trials, alpha):
        assume(hits <= trials)
        low, high = float(bounds.at_least(hits, trials, alpha)), float(bounds.at_most(hits, trials, alpha))
        assert low <= hits / trials <= high
        if hits:
            assert stats.binom.sf(hits - 1, trials, low) == pytest.approx(alpha, rel=1e-6)
        else:
            assert low == 0
        if hits < trials:
            assert stats.binom.cdf(hits, trials, high) == pytest.approx(alpha, rel=1e-6)
        else:
            assert high == 1

    @pytest.mark.parametrize(("p", "q"), [(0.3, 0.11), (0.02, 0.02 / math.e), (0.5, 0.5)])
    def test_a_loss_is_overstated_as_often_as_stated_at_most(self, p, q):
        """By exact enumeration of all counts of 60 draws each."""
        n, alpha = 60, 0.1
        hits, other = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
        wrong = bounds.loss_at_least(hits, other, n, alpha) > max(math.log(p / q), 0.0)
        assert float((stats.binom.pmf(hits, n, p) * stats.binom.pmf(other, n, q))[wrong].sum()) <= alpha

    def test_published_numbers_and_what_no_audit_of_so_many_draws_exceeds(self):
        """Clopper and Pearson's own example, 3 of 10 at 95 %: .067 to .652."""
        assert float(bounds.at_least(3, 10, 0.025)) == pytest.approx(0.0667, abs=5e-5)
        assert float(bounds.at_most(3, 10, 0.025)) == pytest.approx(0.6525, abs=5e-5)
        assert audit.provable(4, 100_000) == pytest.approx(9.3, abs=0.2)
        hits = np.arange(0, 1001, 50)
        assert bounds.loss_at_least(hits, 0, 1000, 0.01).max() == bounds.most_provable(1000, 0.01)


class TestLowestBit:
    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_a_float_is_an_odd_multiple_of_it(self, value):
        exponent = int(kinds.lowest_bit(np.array([value]))[0])
        if value == 0:
            assert exponent == 2000
        else:
            numerator, denominator = value.as_integer_ratio()
            assert exponent == (numerator & -numerator).bit_length() - denominator.bit_length()

    def test_a_number_off_the_grid_is_seen(self):
        values = np.array([1234567 / 1e7, np.nextafter(1234567 / 1e7, 1), -0.3, math.nan])
        columns = kinds.residue_columns("x", lambda observed: observed, 1e-7, (2, 10))
        found = {column.name: column.of(values).tolist() for column in columns}
        assert found["x: multiple of the grid"] == [1, 0, 1, 1]
        assert found["x: k mod 10"] == [7, 7, 0, 0]
        assert found["x: k mod 2"] == [1, 1, 0, 0]
        bits = [int(np.float64(value).view(np.int64)) & 7 for value in (*values[:3], 0.0)]
        assert found["x: last three bits"] == bits
        assert found["x: last bit"] == [one & 1 for one in bits]


def test_a_score_learns_the_likelihood_ratio_of_normal_laws():
    """Shifted by (1, 0): the log-odds are x up to a constant, whatever else is given. Seed fixed."""
    rng = np.random.default_rng(1)
    first, second = rng.normal([1, 0], 1, (20_000, 2)), rng.normal(0, 1, (20_000, 2))
    score = learn(*(np.column_stack([one, np.full(len(one), 7.0)]) for one in (first, second)))
    slope = np.diff(score.of(np.array([[0.0, 0.0, 7.0], [1.0, 0.0, 7.0], [0.0, 1.0, 7.0]])), axis=0)
    assert slope[0] == pytest.approx(1, abs=0.05)
    assert slope[0] + slope[1] == pytest.approx(0, abs=0.05)
    perfect = learn(np.ones((100, 1)), np.zeros((100, 1)))  # distinguished perfectly, which does no harm
    assert np.isfinite(perfect.weights).all()
    assert perfect.of(np.ones((1, 1)))[0] > perfect.of(np.zeros((1, 1)))[0]


class TestPairs:
    """Every pair is one that the guarantee is about, and its claim is what the guarantee states of that distance."""

    @every_mechanism
    @settings(max_examples=examples(40))
    @given(epsilon=st.floats(1e-6, 1e4), radius_m=st.floats(0.01, 2e7))
    def test_claims_are_by_the_level_and_the_distance(self, cls, epsilon, radius_m):
        for mechanism in variants(cls, epsilon=epsilon, radius_m=radius_m):
            pairs = TrajectoryKind().pairs(mechanism)
            assert len(pairs) == 4
            for pair in pairs:
                here, there = pair.first.series, pair.second.series
                mask = pair.first.landmarks.mask
                apart = geo.distance_m(here.lon, here.lat, there.lon, there.lat)
                moved = (here.lon != there.lon) | (here.lat != there.lat)
                assert np.array_equal(mask, pair.second.landmarks.mask)
                assert len(here) <= MOST_EVENTS
                assert moved.any()
                assert apart.max() / radius_m == pytest.approx(pair.scale, rel=1e-3)
                assert pair.claimed == pytest.approx(epsilon * pair.scale, rel=1e-12)
                assert apart.max() <= pair.scale * radius_m * (1 + 1e-12)
                assert self.protected(mechanism, moved, mask)

    @staticmethod
    def protected(mechanism, moved, mask):
        events = np.flatnonzero(moved)
        if mechanism.level == "event":
            return len(events) == 1
        if mechanism.level == "w-event":
            return events[-1] - events[0] < mechanism.window
        return mechanism.level == "user" or np.count_nonzero(moved & ~mask) <= 1

    def test_edges_of_the_map_are_crossed(self):
        *_, equator, pole = TrajectoryKind().pairs(spec("landmark-uniform").target())
        here, there = equator.first.series, equator.second.series
        assert here.lat[0] == 0
        assert here.lon[0] > 179.99
        assert there.lon[0] < -179.99
        here, there = pole.first.series, pole.second.series
        assert min(here.lat[0], there.lat[0]) > 89.99
        assert abs(here.lon[0] - there.lon[0]) == pytest.approx(180)

    def test_counts_differ_by_the_sensitivity_at_timestamps_of_one_window(self):
        for window, delta in ((1, 5), (3, 5), (20, 1)):
            for pair in StreamKind().pairs(SimpleNamespace(window=window, sensitivity=delta, epsilon=1.0)):
                change = np.abs(pair.first.counts - pair.second.counts).sum(axis=1)
                times = np.flatnonzero(change)
                assert set(change[times]) == {delta}, pair.name
                assert times[-1] - times[0] < window, pair.name


class TestVerdicts:
    """Seeded. A mechanism within its claim is rejected with probability at most 5 % by theorem."""

    @pytest.mark.slow
    @every_mechanism
    @every_number_of_trials
    def test_every_mechanism_is_consistent_with_its_claim(self, cls, trials):
        found = audit.audit(spec(cls.registered_name(), trials=trials))
        assert (found.verdict, found.claimed) == (audit.CONSISTENT, 1.0)
        assert 0.4 < found.lower_bound <= 1.0  # an audit that finds nothing at all is none
        assert all(one.lower_bound <= one.claimed for one in found.pairs)

    @every_mechanism
    @pytest.mark.parametrize(
        "control",
        [pytest.param(one, marks=() if one == "half-noise" else pytest.mark.slow) for one in audit.ALTERATIONS],
    )
    @every_number_of_trials
    def test_controls_are_violated(self, cls, control, trials):
        found = audit.audit(spec(f"control:{control}:{cls.registered_name()}", trials=trials))
        assert found.verdict == audit.VIOLATED
        assert found.claimed == 1.0
        assert 1.0 < found.lower_bound <= 2.0

    def test_numpys_laplace_is_caught_by_its_low_bits(self):
        found = audit.audit(spec("control:numpy-laplace", trials=100_000))
        assert found.verdict == audit.VIOLATED
        assert found.lower_bound > 5
        assert found.pairs[0].best_event.startswith("grid residue: value: lowest set bit")

    @pytest.mark.parametrize(
        "epsilon", [0.01, pytest.param(0.3, marks=pytest.mark.slow), pytest.param(5.0, marks=pytest.mark.slow), 50.0]
    )
    def test_whatever_the_level(self, epsilon):
        assert audit.audit(spec("landmark-uniform", epsilon=epsilon)).verdict == audit.CONSISTENT
        assert audit.audit(spec("control:half-noise:landmark-uniform", epsilon=epsilon)).verdict == audit.VIOLATED

    def test_the_truth_published_is_caught(self):
        """By each family: the value, its residues, the score."""
        mechanism = spec("event-level").target()
        kind = TrajectoryKind()
        pair = kind.pairs(mechanism)[0]
        draws = [
            np.broadcast_to(np.column_stack([one.series.lon, one.series.lat]), (4000, len(one.series), 2))
            for one in (pair.first, pair.second)
        ]
        found = events.best_events(kind, pair, *draws, 0.01)
        for event in found.values():
            counts = [event.count(one) for one in draws]
            assert sorted(counts) == [0, 4000]
        assert set(found) == set(events.FAMILIES)

    def test_both_directions_are_tried(self):
        """A randomised response that reveals only one of the inputs: 1 % of the draws of the second show it."""

        class Leaky:
            kind, epsilon, radius_m = NumberKind.kind, 0.5, 1.0

            def release(self, values, *, rng):
                return np.where(rng.uniform(len(values)) < 0.01 * (values > 0), 1.0, 0.0)

        found = run.audit_of(Leaky(), spec("event-level", trials=10_000))
        assert found.pairs[0].verdict == audit.VIOLATED
        assert found.pairs[1].verdict == audit.CONSISTENT  # both inputs are greater than 0 there


class TestResult:
    def test_its_text_is_as_documented(self):
        found = audit.audit(spec("landmark-uniform", trials=2001)).as_dict()
        assert list(found) == ["mechanism", "claimed", "lower_bound", "confidence", "trials", "pairs", "verdict"]
        assert list(found["pairs"][0]) == ["name", "claimed", "lower_bound", "best_event", "verdict"]
        assert (found["mechanism"], found["confidence"], found["trials"]) == ("landmark-uniform", 0.95, 2001)
        assert json.loads(json.dumps(found, allow_nan=False)) == found

    def test_a_seed_repeats_it_and_without_one_it_differs(self):
        one, two, other = (audit.audit(spec("event-level", trials=2000, seed=seed)) for seed in (1, 1, 2))
        assert one == two
        assert one != other
        free = spec("event-level", trials=2000).model_copy(update={"seed": None})
        assert audit.audit(free) != audit.audit(free)

    def test_pairs_share_the_draws_of_their_inputs_which_without_a_seed_have_the_noise_of_what_is_published(self):
        """Four pairs, seven inputs: the first two pairs share one."""
        inputs, sources, draw = [], [], TrajectoryKind.draw

        def drawn(self, mechanism, given, times, rng):
            inputs.append(id(given))
            sources.append(type(rng))
            return draw(self, mechanism, given, times, rng)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TrajectoryKind, "draw", drawn)
            audit.audit(spec("event-level", trials=1000).model_copy(update={"seed": None}))
        assert len(inputs) == len(set(inputs)) == 7
        assert set(sources) == {type(noise.publishable())}

    def test_progress_rises_to_one_and_may_stop_it(self):
        shares = []
        audit.audit(spec("event-level", trials=1000), watch=shares.append)
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0.0, 1.0)
        with pytest.raises(ZeroDivisionError):
            audit.audit(spec("event-level", trials=1000), watch=lambda share: 1 / (share < 0.3))


ABOUT = {"name": "event-level", "epsilon": 1.0, "radius_m": 2.0}


@each(
    ("description", "message"),
    [
        ({"trials": 999}, "trials must be at least 1000, got 999"),
        ({"trials": 1_000_001}, r"trials must be at most 1e\+06, got 1000001"),
        ({"trials": "x"}, "trials must be a whole number, got 'x'"),
        ({"trials": 1e5}, "trials must be a whole number, got 100000.0"),
        ({"trials": True}, "trials must be a whole number, got True"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"more": 1}, "more is not a parameter here"),
        ({"mechanism": 3}, "mechanism must be an object, got 3"),
        ({"mechanism": {}}, "name must be one of event-level, .*, got None"),
        ({"mechanism": {"name": "x"}}, "name must be one of event-level, .*, got 'x'"),
        ({"mechanism": {"name": "event-level", "radius_m": 1.0}}, "epsilon is required"),
        ({"mechanism": ABOUT | {"epsilon": 0.0}}, "epsilon must be greater than 0, got 0.0"),
        ({"mechanism": {"name": "control:half-noise:x"}}, "name must be one of event-level, .*, got 'x'"),
        ({"mechanism": {"name": "control:half-noise"}}, "name must be one of event-level, .*, got ''"),
        ({"mechanism": {"name": "control:quarter:event-level"}}, "name must be a registered mechanism or one of"),
        ({"mechanism": {"name": "control:numpy-laplace", "epsilon": 1.0}}, "radius_m is required"),
        ({"mechanism": {"name": "control:numpy-laplace:x"}}, "name must be a registered mechanism or one of"),
    ],
)
def test_what_cannot_be_audited_is_refused(description, message):
    with pytest.raises(ParameterErrors, match=message):
        audit.AuditSpec.parse({"mechanism": ABOUT} | description).target()


def test_what_is_not_given_is_chosen_but_never_the_claim():
    assert audit.completed({"name": "w-event"})[1] == {"window": 3}
    assert set(audit.completed({"name": "control:half-noise:landmark-joint"})[1]) == {"step_variance_m2"}
    assert audit.completed({"name": "landmark-uniform"})[1] == {}
    assert audit.completed({"name": "w-event", "window": 5}) == ({"name": "w-event", "window": 5}, {})
    assert not any("control" in cls.registered_name() for cls in mechanisms)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [cls for cls in CLASSES if any(choices_of(i) for i in cls.model_fields.values())])
def test_every_choice_can_be_audited(cls):
    fields = {name: choices_of(info) for name, info in cls.model_fields.items() if name != "name" and choices_of(info)}
    for values in itertools.product(*fields.values()):
        found = audit.audit(spec(cls.registered_name(), trials=2000, **dict(zip(fields, values, strict=True))))
        assert found.verdict == audit.CONSISTENT


def privtree(**changes):
    described = {"name": "checkin-privtree", "epsilon": 1.5, "privacy_unit": "record", "side": 4, "contributions": 3}
    return mechanisms.parse(described | {"west": 0.0, "south": 0.0, "east": 4.0, "north": 4.0} | changes)


def pair_of(mechanism):
    name = "one more, in boxes near their threshold"
    return next((pair for pair in CheckInKind().pairs(mechanism) if pair.name == name), None)


@each("side", [4, 6, 16])
def test_one_check_in_more_changes_three_runs_in_boxes_that_half_the_noise_splits_as_often_as_not(side):
    mechanism = privtree(side=side)
    pair = pair_of(mechanism)
    assert len(pair.second) == len(pair.first) + 1
    counts = []
    for upload in (pair.first, pair.second):
        runs = mechanism.sequences(upload).windows(2)
        quadrant = (runs // side >= side // 2) * 2 + (runs % side >= side // 2)
        counts.append(np.bincount(quadrant[:, 0] * 4 + quadrant[:, 1], minlength=16))
    apart = counts[1] - counts[0]
    assert sorted(apart[apart != 0].tolist()) == [-1, 1, 1]
    half = privtree(side=side, epsilon=3.0).decay  # twice the rate of noise
    assert {int(n) - half for n in (*counts[0][apart != 0], *counts[1][apart != 0])} <= {-1, 0, 1, 2}


def test_without_noise_a_tree_shows_the_runs_alone():
    mechanism = privtree()
    observed = Decisions.of(mechanism)
    exact = mechanism.model_copy(update={"epsilon": 1e4})
    pair = pair_of(mechanism)
    one, other = (observed.observe(exact.release(data, rng=noise.seeded(1))) for data in (pair.first, pair.second))
    assert dict(zip(NAMES, one, strict=True)) == dict(zip(NAMES, [1, 2, 0, 2, 0, 2], strict=True))
    assert other.tolist() == [0, 2, 1, 2, 1, 2]


def test_others_have_no_such_pair():
    for changes in ({"privacy_unit": "user"}, {"relation": "replace-one"}, {"side": 2}, {"order": 2}):
        assert pair_of(privtree(**changes)) is None


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("name", "verdict"), [("checkin-privtree", "consistent"), ("control:half-noise:checkin-privtree", "violated")]
)
def test_half_the_noise_of_decisions_by_record_is_found(name, verdict):
    """20,000 draws; on 2 by 2 cells, where one decision alone is made, half the noise spends 1.1 times ε at most."""
    described = privtree().model_dump() | {"name": name}
    assert audit.audit(audit.AuditSpec.parse({"mechanism": described, "trials": 20_000, "seed": 5})).verdict == verdict
