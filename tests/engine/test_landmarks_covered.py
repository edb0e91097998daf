"""What the choice of landmarks adds to a promise: the theorems of decision 20, enumerated."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.label import privacy_label, release_context
from privacy_engine.landmarks import MarkedBeside, landmark_choice, landmark_methods, parse_short
from privacy_engine.landmarks.coverage import earlier_loss_per_m
from privacy_engine.landmarks.dummy_selection import one_sided_dummies
from privacy_engine.landmarks.zones import Zones
from privacy_engine.mechanism import mechanisms
from privacy_engine.promise import Context
from privacy_engine.spec import ReleaseSpec
from tests.cases import each
from tests.examples import examples

READING = [cls for cls in mechanisms.of("trajectory") if cls.reads_landmarks]
NOT_READING = [cls for cls in mechanisms.of("trajectory") if not cls.reads_landmarks]
SQUARE = Zones.model_validate({"zones": [{"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2]]]}]})
SCHEDULE = parse_short("schedule:daily:22:00-06:00@UTC")
STAYS = parse_short("stay-points:200m:30min")


def example(cls, **changed):
    return cls(**{field["name"]: field["example"] for field in cls.fields() if field["required"]} | changed)


def labelled(mechanism, context):
    return privacy_label(ReleaseSpec(mechanism=mechanism), context, private=True)


def masks(n):
    return [np.array(bits, dtype=np.bool_) for bits in itertools.product([False, True], repeat=n)]


class TestMechanismsThatDoNotReadLandmarks:
    @pytest.mark.parametrize("cls", NOT_READING)
    @settings(max_examples=examples(20))
    @given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30), st.integers(0, 2**32))
    def test_release_the_same_whatever_the_landmarks(self, cls, both, seed):
        n, rng = len(both), np.random.default_rng(seed)
        series = Trajectory(rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), np.arange(n))
        one, two = (
            example(cls).release(series, LandmarkSet(np.array(mask)), rng=noise.seeded(seed))
            for mask in zip(*both, strict=True)
        )
        assert np.array_equal(one.series.lon, two.series.lon)
        assert np.array_equal(one.series.lat, two.series.lat)
        assert np.array_equal(one.budgets, two.budgets)

    def test_are_those_without_landmark_level(self):
        assert {cls.level for cls in READING} == {"landmark"}
        assert {cls.level for cls in NOT_READING} == {"event", "w-event", "user"}

    @each("cls", NOT_READING)
    def test_cover_all_and_name_no_landmarks(self, cls):
        context = release_context(landmarks=9, method=STAYS, beside=MarkedBeside(private=True, level=2.0))
        label = labelled(example(cls), context)
        assert label["not_covered"] == []
        assert "not covered" not in label["text"]
        assert label["landmarks"] is None
        assert label["epsilon"] == example(cls).epsilon == example(cls).charged_epsilon(context)


class TestSchedule:
    @each("cls", READING)
    def test_is_covered_end_to_end(self, cls):
        label = labelled(example(cls), release_context(landmarks=9, method=SCHEDULE))
        assert label["not_covered"] == []
        assert label["guarantee"]["statement"].endswith(
            "with the same times, provided that the schedule was chosen without looking at the positions."
        )
        assert label["epsilon"] == example(cls).epsilon
        choice = landmark_choice(SCHEDULE, beside=MarkedBeside(private=True, level=2.0))
        assert (choice.one_sided, choice.not_covered) == (0.0, ())


class TestFoundInPositions:
    @each("short", ["stay-points:200m:30min", "column", "manual:1"])
    @each("cls", READING)
    def test_what_the_choice_reveals_stands_in_the_sentence_with_the_number(self, cls, short):
        method = parse_short(short)
        label = labelled(example(cls), release_context(landmarks=9, method=method))
        [what] = label["not_covered"]
        sentence = label["guarantee"]["statement"].split(". ")[0]
        assert f"ε = {example(cls).epsilon:g}" in sentence
        assert what in sentence
        assert what == f"which events are landmarks, {type(method).found}"

    def test_one_moved_event_flips_a_whole_stay(self):
        """Why no group size bounds what stay points reveal: 60 marks hang on one event."""
        lat = np.zeros(60)
        still = Trajectory(np.zeros(60), lat, 60.0 * np.arange(60))
        moved = lat.copy()
        moved[30] = 0.01
        method = parse_short("stay-points:200m:35min")
        [before], [after] = (method.mark([one]) for one in (still, still.moved(still.lon, moved)))
        assert (before.count, after.count) == (60, 0)
        assert method.own_mark == ""

    @settings(max_examples=examples(100))
    @given(st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=1, max_size=20), st.data())
    def test_a_moved_event_changes_its_own_mark_alone_in_zones(self, places, data):
        lon, lat = np.array(places).T
        moved = data.draw(st.integers(0, len(lon) - 1))
        there = lon.copy()
        there[moved] = data.draw(st.floats(-4, 4))
        [before], [after] = (SQUARE.mark([Trajectory(x, lat)]) for x in (lon, there))
        others = np.arange(len(lon)) != moved
        assert np.array_equal(before.mask[others], after.mask[others])
        own = {cls.registered_name() for cls in landmark_methods if cls.own_mark}
        assert own == {"zones", "column"}


class TestOneSided:
    """x has the landmarks L, x′ has L without m of them; positions differ on the marked events and one more."""

    LEVEL = 0.5

    def context(self, stability=1):
        choice = landmark_choice(SQUARE, beside=MarkedBeside(private=True, level=self.LEVEL), stability=stability)
        return Context(landmarks=9, choice=choice, stability=stability)

    def probability(self, marked, landmarks):
        p = math.exp(-self.LEVEL)
        each = np.where(landmarks, marked, np.where(marked, p, 1 - p))
        return float(each.prod())

    @each("cls", READING)
    def test_every_outcome_is_as_likely_without_a_landmark_up_to_the_sum_of_both_levels(self, cls):
        """All L, all L ∖ m, all marks of five events; the release's part is its budgets, moved by the radius."""
        mechanism, n = example(cls), 5
        promised = mechanism.promised_epsilon(self.context())
        assert promised == pytest.approx(mechanism.epsilon + self.LEVEL)
        tightest = 0.0
        spent = {}
        for marked in masks(n):
            try:
                budgets = mechanism.budgets(marked)
                spent[marked.tobytes()] = float(budgets[marked].sum() + budgets[~marked].max(initial=0.0))
            except NotImplementedError:  # budgets that depend on the run: the ledger holds them within epsilon
                spent[marked.tobytes()] = mechanism.epsilon
        for landmarks, fewer in itertools.product(masks(n), repeat=2):
            if (fewer & ~landmarks).any():
                continue
            m = int((landmarks & ~fewer).sum())
            for marked in masks(n):
                here, there = self.probability(marked, landmarks), self.probability(marked, fewer)
                if not here:
                    continue
                assert there > 0
                loss = math.log(here / there) + spent[marked.tobytes()]
                assert loss <= promised + (m - 1) * self.LEVEL + 1e-9
                tightest = max(tightest, loss if m == 1 else 0.0)
        assert tightest == pytest.approx(promised)

    def test_the_other_direction_has_no_bound_and_the_label_names_it(self):
        none, one = np.array([False]), np.array([True])
        assert self.probability(none, none) > 0
        assert self.probability(none, one) == 0
        label = labelled(example(READING[0]), self.context())
        assert label["not_covered"] == ["that the events left unmarked are no landmarks, which is certain"]
        assert "→" in label["neighbours"]["symbols"]

    def test_marks_follow_the_law_that_is_enumerated(self):
        """20,000 draws over three events of which one is a landmark, seed 3: 5 standard deviations, one in 10^6."""
        landmarks, rng = np.array([True, False, False]), noise.seeded(3)
        drawn = [tuple(one_sided_dummies(landmarks, epsilon=self.LEVEL, rng=rng).mask.tolist()) for _ in range(20_000)]
        for marked in masks(3):
            p = self.probability(marked, landmarks)
            seen = drawn.count(tuple(marked.tolist()))
            assert abs(seen - 20_000 * p) <= 5 * math.sqrt(20_000 * p * (1 - p))

    @each("cls", READING)
    def test_the_sentence_the_label_and_the_charge_agree(self, cls):
        mechanism = example(cls, epsilon=1.0, radius_m=200.0)
        label = labelled(mechanism, self.context())
        assert label["epsilon"] == 1.5 == mechanism.charged_epsilon(self.context())
        for part in (
            "ε = 1.5 per 200 m, with the same times and the same landmarks, or all of these but one (each further",
            "provided that the zones were chosen without looking at the positions; not covered: that the events",
        ):
            assert part in label["guarantee"]["statement"]
        assert "marked events chosen by a one-sided selection of level 0.5, which is included" in label["text"]

    @each(
        ("method", "beside", "stability"),
        [
            (STAYS, MarkedBeside(private=True, level=0.5), 1),  # one event decides any number of marks
            (SQUARE, MarkedBeside(private=True, level=None), 1),  # no one-sided coins
            (SQUARE, MarkedBeside(private=False, level=None), 1),  # a seed
            (SQUARE, MarkedBeside(private=True, level=0.5), 3),  # one record decides three events
            (SQUARE, None, 1),
        ],
    )
    def test_is_not_stated_where_its_theorem_does_not_hold(self, method, beside, stability):
        choice = landmark_choice(method, beside=beside, stability=stability)
        assert choice.one_sided == 0.0
        assert choice.not_covered[0].startswith("which events are landmarks, found in positions")
        assert ("which of the marked events are dummies, drawn from a seed" in choice.not_covered) == bool(
            beside and not beside.private
        )

    def test_several_draws_count_together(self):
        choice = landmark_choice(SQUARE, beside=MarkedBeside(private=True, level=1.5, draws=3))
        assert choice.one_sided == 1.5
        assert "not preferred to the 2 other draws by looking at the landmarks" in choice.provided[1]


class TestEarlierRelease:
    @given(
        st.lists(st.tuples(st.floats(0, 10), st.booleans()), min_size=1, max_size=12),
        st.floats(0, 5),
        st.floats(0.1, 1e4),
    )
    def test_its_loss_is_the_most_over_one_more_event(self, events, together, radius):
        budgets, mask = (np.array(column) for column in zip(*events, strict=True))
        most = max(math.fsum(budgets[mask | (np.arange(len(mask)) == t)].tolist()) + together for t in range(len(mask)))
        found = earlier_loss_per_m(budgets, together, radius, mask)
        assert most / radius * (1 - 1e-15) <= found <= most / radius * (1 + 1e-14) + 1e-300

    def test_levels_are_compared_per_metre(self):
        """ε = 1 within 100 m at 4 landmarks and one more event is 0.05 per m: 10 within 200 m."""
        assert earlier_loss_per_m(np.ones(50), 0.0, 100.0, np.arange(50) < 4) == 0.05
        assert landmark_choice(None).added(200.0) == 0


def test_seeds_expose_landmarks_behind_dummies():
    """The audit's attack: of 2,000 seeds tried, one fits the marks, and takes its dummies away again."""
    n, level, secret = 400, 1.0, 1234
    landmarks = np.zeros(n, dtype=np.bool_)
    landmarks[np.random.default_rng(7).choice(n, 20, replace=False)] = True
    marked = one_sided_dummies(landmarks, epsilon=level, rng=noise.source(secret, stream=noise.Stream.DUMMIES)).mask

    def coins(seed):
        none = np.zeros(n, dtype=np.bool_)
        return one_sided_dummies(none, epsilon=level, rng=noise.source(seed, stream=noise.Stream.DUMMIES)).mask

    fitting = [seed for seed in range(2_000) if not (coins(seed) & ~marked).any()]
    assert fitting == [secret]
    exposed = marked & ~coins(secret)
    assert (landmarks | ~exposed).all()
    assert exposed.sum() >= 5  # of 20: each with probability 1 - 1/e, unless its own coin fell
