"""Ways to mark landmarks, and what their choice adds to a promise: the theorems of decision 20, enumerated."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import exports, noise
from privacy_engine.accounting.promise import Context
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.errors import DataError, ParameterError, ParameterErrors
from privacy_engine.landmarks import (
    Column,
    MarkedBeside,
    Synthetic,
    Zones,
    landmark_choice,
    landmark_methods,
    parse_short,
)
from privacy_engine.landmarks.coverage import earlier_loss_per_m
from privacy_engine.landmarks.dummy_selection import one_sided_dummies
from privacy_engine.landmarks.synthetic import MODES, average_temporal_distance, dataset_temporal_distance
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.releases.label import privacy_label, release_context
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import each, refusal
from tests.engine.mechanism_examples import assert_same_release
from tests.engine.mechanism_examples import plain_example as example
from tests.engine.test_exports import exported
from tests.examples import examples


def series(*lengths, marked=False):
    return [
        Trajectory(np.zeros(n), np.zeros(n), np.arange(n), f"s{i}", np.arange(n) % 3 == 0 if marked else None)
        for i, n in enumerate(lengths)
    ]


class TestListing:
    def test_names_never_change_and_what_each_needs(self):
        names = [cls.registered_name() for cls in landmark_methods]
        assert names[:7] == ["stay-points", "zones", "schedule", "released-zones", "manual", "column", "synthetic"]
        needs = {cls.registered_name(): cls.needs() for cls in landmark_methods}
        known = {"stay-points": ["time"], "schedule": ["time"], "column": ["landmark column"]}
        assert [needs[name] for name in names[:7]] == [known.get(name, []) for name in names[:7]]


class TestSynthetic:
    @settings(max_examples=examples(60))
    @given(
        share=st.floats(0, 1),
        distribution=st.sampled_from(list(MODES)),
        seed=st.integers(0, 2**53 - 1),
        lengths=st.lists(st.integers(0, 200), max_size=4),
    )
    def test_marks_the_share_of_every_series_and_repeats_itself(self, share, distribution, seed, lengths):
        method = Synthetic(share=share, distribution=distribution, seed=seed)
        found = method.mark(series(*lengths))
        assert [len(one) for one in found] == lengths
        assert all(abs(one.count - share * len(one)) <= 0.5 for one in found)
        again = landmark_methods.parse(json.loads(json.dumps(method.model_dump()))).mark(series(*lengths))
        assert [one.events.tolist() for one in found] == [one.events.tolist() for one in again]

    def test_series_seeds_and_releases_have_draws_of_their_own(self):
        one, two = Synthetic(share=0.5, seed=1).mark(series(200, 200))
        assert not np.array_equal(one.mask, two.mask)
        assert not np.array_equal(one.mask, Synthetic(share=0.5, seed=2).mark(series(200))[0].mask)
        assert np.array_equal(one.mask, Synthetic(share=0.5, seed=1).mark(series(200, 7))[0].mask)
        [marks] = Synthetic(share=0.5, seed=1).mark(series(400))
        ranks = np.argsort(-noise.seeded(1).uniform(400))[:200]
        assert 60 < marks.mask[ranks].sum() < 140  # 100 expected, 4 standard deviations of 10 either side

    def test_left_skewed_leans_to_the_end(self):
        for distribution, low, high in (("left-skewed", 0.65, 0.85), ("right-skewed", 0.15, 0.35)):
            [marks] = Synthetic(share=0.1, distribution=distribution, seed=1).mark(series(2000))
            assert low < marks.events.mean() / 2000 < high
        [wide] = Synthetic(share=0.1, distribution="symmetric", scale_divisor=2.0, seed=1).mark(series(2000))
        [narrow] = Synthetic(share=0.1, distribution="symmetric", scale_divisor=100.0, seed=1).mark(series(2000))
        assert narrow.events.std() * 4 < wide.events.std()

    @each("divisor", [0.001, 1000])
    @each("n", [1, 2, 50_000])
    def test_every_concentration_in_its_domain_suits_every_length(self, divisor, n):
        for distribution in ("bimodal", "uniform"):
            method = Synthetic(share=0.3, distribution=distribution, scale_divisor=divisor, seed=0)
            assert method.mark(series(n))[0].count == int(0.3 * n + 0.5)

    def test_a_seed_is_required_and_its_meaning_plain(self):
        with pytest.raises(ParameterErrors, match="seed is required"):
            landmark_methods.parse({"name": "synthetic", "share": 0.2})
        assert "Not derived from the data" in Synthetic.summary


class TestTemporalDistanceOfADataset:
    @settings(max_examples=examples(100))
    @given(masks=st.lists(st.lists(st.booleans(), max_size=60), max_size=5))
    def test_is_the_mean_over_the_regular_events_of_all_series(self, masks):
        away = []
        for mask in masks:
            marks = [-1, *np.flatnonzero(mask).tolist(), len(mask)]
            own = [min(abs(t - m) for m in marks) for t, one in enumerate(mask) if not one]
            assert average_temporal_distance(mask) == pytest.approx(np.mean(own) if own else 0.0, rel=1e-15)
            away += own
        joined = np.array([one for mask in masks for one in mask], dtype=np.bool_)
        found = dataset_temporal_distance(joined, [len(mask) for mask in masks])
        assert found == pytest.approx(np.mean(away) if away else 0.0)


class TestColumn:
    def test_marks_what_the_file_marks_and_refuses_data_without_such_a_column(self):
        found = Column().mark(series(5, 0, 2, marked=True))
        assert [one.mask.tolist() for one in found] == [[True, False, False, True, False], [], [True, False]]
        error = refusal(DataError, Column().mark, [*series(3, marked=True), *series(3)])
        assert "need a landmark column, and this dataset has none" in error.message
        assert (error.field, error.rule, error.value) == ("method.name", "needs a landmark column", "column")


class TestMarksOfATrajectory:
    @each("marked", [[True], [True, False, True], [0, 1], ["a", "b"], [[True, False]]])
    def test_are_checked_like_the_other_columns(self, marked):
        assert refusal(DataError, Trajectory, [0, 0], [0, 0], marked=marked).field == "marked"

    def test_no_one_can_change_them(self):
        mine = np.array([True, False])
        one = Trajectory([0, 0], [0, 0], marked=mine)
        mine[:] = False
        assert one.marked.tolist() == [True, False]
        with pytest.raises(ValueError, match="read-only"):
            one.marked[0] = False

    def test_are_cut_with_the_events(self):
        [one] = series(5, marked=True)
        cut = one.first(4)
        assert (len(cut), cut.marked.tolist(), cut.name) == (4, [True, False, False, True], "s0")
        assert one.moved(one.lon, one.lat).marked is None  # they stay behind where positions move
        keep = np.array([True, False, True, False, True])
        assert one.moved(one.lon[keep], one.lat[keep], keep).marked is None

    @each("cls", list(mechanisms.of("trajectory")))
    def test_no_mechanism_publishes_them(self, cls):
        [one] = series(9, marked=True)
        release = example(cls).release(one, Column().mark([one])[0], rng=noise.seeded(1))
        assert release.series.marked is None

        [one] = series(2, marked=True)
        with pytest.raises(DataError, match="must not carry the landmark column"):
            Release(one, np.arange(2), np.ones(2), np.ones(2, dtype=np.bool_), np.ones(2))

    @each("fmt", sorted(exports.FORMATS))
    def test_no_export_holds_them(self, fmt):
        assert exported(series(4, marked=True), fmt) == exported(series(4), fmt)


class TestShortForms:
    def test_state_what_the_long_ones_do_and_read_files_only_where_they_may(self):
        assert parse_short("column") == Column()
        assert parse_short("synthetic:20%:bimodal:7") == Synthetic(share=0.2, distribution="bimodal", seed=7)
        assert parse_short("synthetic:0.2:bimodal:7") == parse_short("synthetic:20%:bimodal:7")
        square = {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2]]]}
        found = parse_short("zones:C:/a b.geojson", read={"C:/a b.geojson": json.dumps(square).encode()}.__getitem__)
        assert found == Zones.model_validate({"zones": [square]})
        with pytest.raises(ParameterError, match="landmarks must be"):
            parse_short("zones:/etc/passwd")

    @each(
        "text",
        [
            *("column:x", "columns", "synthetic", "manual", "zones", "zones:"),
            *("synthetic:2:uniform:1", "synthetic:20%:uniform", "synthetic:x:uniform:1", "synthetic:20%:uniform:-1"),
            *("synthetic:20%:uniform:١", "synthetic:20%:odd:1"),
        ],
    )
    def test_that_mean_nothing_are_refused(self, text):
        with pytest.raises(ParameterError):
            parse_short(text, read=lambda name: b"")


READING = [cls for cls in mechanisms.of("trajectory") if cls.reads_landmarks]
NOT_READING = [cls for cls in mechanisms.of("trajectory") if not cls.reads_landmarks]
SQUARE = Zones.model_validate({"zones": [{"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2]]]}]})
SCHEDULE = parse_short("schedule:daily:22:00-06:00@UTC")
STAYS = parse_short("stay-points:200m:30min")


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
        assert_same_release(one, two)

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

    def test_the_other_direction_has_no_bound_and_several_draws_count_together(self):
        none, one = np.array([False]), np.array([True])
        assert self.probability(none, none) > 0
        assert self.probability(none, one) == 0
        label = labelled(example(READING[0]), self.context())
        assert label["not_covered"] == ["that the events left unmarked are no landmarks, which is certain"]
        assert "→" in label["neighbours"]["symbols"]
        choice = landmark_choice(SQUARE, beside=MarkedBeside(private=True, level=1.5, draws=3))
        assert choice.one_sided == 1.5
        assert "not preferred to the 2 other draws by looking at the landmarks" in choice.provided[1]

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
        assert most / radius * (1 - 1e-15) - 1e-300 <= found <= most / radius * (1 + 1e-14) + 1e-300

    def test_levels_are_compared_per_metre(self):
        """ε = 1 within 100 m at 4 landmarks and one more event is 0.05 per m: 10 within 200 m."""
        assert earlier_loss_per_m(np.ones(50), 0.0, 100.0, np.arange(50) < 4) == 0.05
        assert landmark_choice(None).added(200.0) == 0
