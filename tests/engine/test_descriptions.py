"""Data, specs, labels, samples: what is checked once at the entry points."""

import json
from hashlib import sha256

import numpy as np
import pytest

from privacy_engine import metrics, noise
from privacy_engine.accounting.promise import Context
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError, EngineError, ParameterError, ParameterErrors, shown
from privacy_engine.landmarks import landmark_methods, parse_short
from privacy_engine.landmarks.samples import samples
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark import Skip, Uniform
from privacy_engine.postprocess import CausalFilter, OUSmoother
from privacy_engine.registry import MAX_STEPS
from privacy_engine.releases.label import Source, privacy_label
from privacy_engine.releases.spec import ReleaseSpec, parse_steps, processed
from tests.cases import each, refusal

UNIFORM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}


class TestTrajectory:
    def test_refuses_what_is_no_trajectory_and_names_the_column(self):
        for lon, lat, time_s, field in (
            *(([181.0], [0.0], None, "lon"), ([0.0], [float("nan")], None, "lat")),
            *(([0.0], [float("inf")], None, "lat"), ([0.0, 1.0], [0.0], None, "lat")),
            *(([0.0], [0.0], [1.0, 2.0], "time_s"), ([0.0, 0.0], [0.0, 0.0], [2.0, 1.0], "time_s")),
            *(([[0.0]], [0.0], None, "lon"), (["a"], [0.0], None, "lon")),
        ):
            assert refusal(DataError, Trajectory, lon, lat, time_s).field == field

    def test_keeps_its_own_copy_that_no_one_can_change(self):
        lon = np.array([1.0, 2.0])
        series = Trajectory(lon, [0.0, 0.0])
        lon[0] = 50
        assert series.lon[0] == 1.0
        with pytest.raises(ValueError, match="read-only"):
            series.lon[0] = 3

    def test_landmarks_are_marked_by_0_based_events(self):
        assert LandmarkSet.at([0, 2], 3).mask.tolist() == [True, False, True]
        assert LandmarkSet([]).share == 0
        for event in (-1, 3):
            with pytest.raises(DataError, match=f"events must be between 0 and 2, got {event}"):
                LandmarkSet.at([event], 3)
        with pytest.raises(DataError):
            LandmarkSet([0, 1, 1])


class TestReleaseSpec:
    def test_a_seed_ends_privacy_and_digests_depend_on_every_field(self):
        made = Uniform(epsilon=1.0, radius_m=200.0)
        assert mechanisms.parse(made) == made == mechanisms.parse(UNIFORM)
        changes = (
            {},
            {"seed": 0},
            {"mechanism": UNIFORM | {"epsilon": 2.0}},
            {"mechanism": UNIFORM | {"name": "landmark-skip"}},
        )
        specs = [ReleaseSpec.parse({"mechanism": UNIFORM} | changed) for changed in changes]
        assert len({spec.digest for spec in specs}) == 4
        assert [spec.private for spec in specs] == [True, False, True, True]

    def test_fail_what_is_none(self):
        for seed in (-1, 1.5, "7", True, 2**53):
            assert refusal(ParameterErrors, ReleaseSpec.parse, {"mechanism": UNIFORM, "seed": seed}).field == "seed"
        for text in (None, 5, "x", [], {"mechanism": []}, {"mechanism": {"name": ["x"]}}):
            refusal(ParameterErrors, ReleaseSpec.parse, text)
        with pytest.raises(TypeError, match="registered twice"):
            mechanisms.register(Uniform)
        assert issubclass(ParameterError, EngineError)


class TestLabel:
    def test_a_private_release_states_its_guarantee_and_what_is_in_clear(self):
        label = privacy_label(
            ReleaseSpec.parse({"mechanism": UNIFORM}), Context(landmarks=4), private=True, release_id="r", sha256="s"
        )
        assert label["guarantee"]["statement"] == (
            "Whichever event of one person an adversary targets, it and all 4 landmarks together leak at most "
            "ε = 1 per 200 m, with the same landmarks and times."
        )
        assert label["text"].startswith(label["guarantee"]["statement"].rstrip("."))
        assert label["unit"] == "one person"
        assert label["not_covered"] == []
        assert set(label["neighbours"]) == {"words", "symbols"}
        assert "in clear: time" in label["text"]
        assert "\n" not in label["text"]
        json.dumps(label)

    def test_what_is_not_covered_stands_in_the_sentence_with_the_number(self):
        context = Context(landmarks=4, stability=3, provided=("it rains",), not_covered=("which events are landmarks",))
        label = privacy_label(ReleaseSpec.parse({"mechanism": UNIFORM}), context, private=True)
        assert label["guarantee"]["statement"] == (
            "Whichever uploaded record of one person an adversary targets, the events it decides (at most 3) and all 4 "
            "landmarks together leak at most ε = 3 per 200 m, with the same landmarks and times, provided that it "
            "rains; not covered: which events are landmarks."
        )
        assert label["epsilon"] == 3
        assert label["not_covered"] == ["which events are landmarks"]

    def test_a_seeded_release_and_noise_of_the_callers_generator_are_never_private(self):
        label = privacy_label(ReleaseSpec.parse({"mechanism": UNIFORM, "seed": 3}), Context(landmarks=4), private=True)
        assert label["guarantee"] is None
        assert label["text"].startswith("NOT PRIVATE")
        label = privacy_label(ReleaseSpec.parse({"mechanism": UNIFORM}), Context(landmarks=4), private=False)
        assert (label["guarantee"], label["private"]) == (None, False)
        assert "noise from a generator that the caller supplied" in label["text"]

    def test_a_derived_release_names_its_source_and_keeps_the_guarantee(self):
        plain = ReleaseSpec.parse({"mechanism": UNIFORM})
        spec = plain.then(parse_steps([{"name": "ou-smoother"}]))
        label = privacy_label(spec, Context(landmarks=4), private=True, derived_from=Source("the-parent", "ab" * 32))
        assert label["guarantee"] == privacy_label(plain, Context(landmarks=4), private=True)["guarantee"]
        assert label["derived_from"] == {"release": "the-parent", "sha256": "ab" * 32}
        assert (
            "then Ornstein-Uhlenbeck smoother over the release; post-processing of release the-parent" in label["text"]
        )
        assert "ab" * 32 in label["text"]
        alone = privacy_label(plain, Context(landmarks=4), private=True)
        assert (alone["derived_from"], "smoother" in alone["text"]) == (None, False)


class TestSteps:
    plain = ReleaseSpec.parse({"mechanism": UNIFORM, "seed": 5})
    two = ({"name": "ou-smoother"}, {"name": "causal-filter", "step_variance_m2": 400.0})

    def test_then_appends_and_the_title_names_them_in_order(self):
        spec = self.plain.then(parse_steps(self.two[:1])).then(parse_steps(self.two[1:]))
        assert spec == ReleaseSpec.parse({"mechanism": UNIFORM, "seed": 5, "postprocess": list(self.two)})
        assert (self.plain.title, spec.title) == ("Uniform", "Uniform + OU smoother + Causal filter")

    def test_processed_is_what_a_run_with_the_steps_makes(self):
        rng = np.random.default_rng(1)
        series = [Trajectory(rng.normal(2.3, 0.01, 50), rng.normal(48.8, 0.01, 50))]
        marks = [LandmarkSet.at([3, 4], 50)]
        spec = self.plain.then(parse_steps(self.two))
        (plain,), (whole,) = self.plain.release(series, marks), spec.release(series, marks)
        one, other = self.plain.release(series * 2, marks * 2)
        assert not np.array_equal(one.series.lon, other.series.lon), "every series is drawn from one source"
        by_hand = CausalFilter(step_variance_m2=400.0).apply(OUSmoother().apply(plain))
        for after in (processed(plain, spec.postprocess), whole):
            assert np.array_equal(after.series.lon, by_hand.series.lon)
            assert np.array_equal(after.budgets, plain.budgets)
        assert spec.digest != self.plain.digest

    def test_fail_no_list_too_many_and_every_wrong_field_at_once(self):
        for steps in (None, {}, "ou-smoother", [{"name": "ou-smoother"}] * (MAX_STEPS + 1)):
            refused = refusal(ParameterErrors, parse_steps, steps)
            assert refused.field == "postprocess"
            assert "postprocess must be a list of at most 8 steps" in str(refused)
        full = self.plain.then(parse_steps([self.two[0]] * MAX_STEPS))
        with pytest.raises(ParameterErrors, match="at most 8 steps"):
            full.then(parse_steps(self.two[:1]))
        wrong = [{"name": "magic"}, {"name": "causal-filter"}]
        refused = refusal(ParameterErrors, ReleaseSpec.parse, {"mechanism": UNIFORM, "postprocess": wrong})
        assert [error.field for error in refused.errors] == ["postprocess.0.name", "postprocess.1.step_variance_m2"]


class TestLandmarkMethods:
    def test_short_forms_state_what_the_long_ones_do(self):
        method = parse_short("stay-points:0.2km:30min")
        assert method == landmark_methods.parse({"name": "stay-points", "distance_m": 200.0, "duration_s": 1800.0})
        wrong = (
            *("", "x", "stay-points", "stay-points:1:2", "stay-points:200m:30parsec", "manual:a", "manual:-1"),
            "manual:٣",
        )
        for text in wrong:
            refusal(ParameterError, parse_short, text)

    def test_manual_events_count_over_the_whole_dataset(self):
        series = [Trajectory([0.0] * 3, [0.0] * 3), Trajectory([0.0] * 2, [0.0] * 2)]
        marks = parse_short("manual:0,3").mark(series)
        assert [one.mask.tolist() for one in marks] == [[True, False, False], [True, False]]
        assert refusal(DataError, parse_short("manual:5").mark, series).field == "method.events"
        with pytest.raises(DataError, match="need times"):
            parse_short("stay-points:200m:30min").mark([Trajectory([0.0], [0.0])])


def test_samples_are_always_the_same_and_have_landmarks_and_the_densities_of_geolife_and_tdrive():
    known = {"walk": "b17d242e0be2def3", "taxi": "a27b88168b5b2f07", "paris": "8ba654f4d26fe7ab"}  # as in all releases
    for one in samples():
        columns = [np.rint(one.series.lon * 1e5), np.rint(one.series.lat * 1e5), one.series.time_s]
        assert sha256(np.array(columns).astype(np.int64).tobytes()).hexdigest()[:16] == known[one.name], one.name
        (marks,) = one.landmarks.mark([one.series])
        assert 0.1 < marks.share < 0.9
    walk, taxi, paris = samples()
    assert [np.median(np.diff(one.series.time_s)) for one in (walk, taxi)] == [5, 300]
    assert (len(paris.series), paris.series.lon[0]) == (8, paris.series.lon[-1])  # the example of the paper
    assert (paris.landmarks.mark([paris.series])[0].events + 1).tolist() == [1, 3, 5, 8]


def test_mean_absolute_error_is_over_published_positions_only():
    truth = Trajectory([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    marks = LandmarkSet([True, False, False])
    release = Skip(epsilon=1, radius_m=100, leading="gap").release(truth, marks, rng=noise.seeded(1))
    errors = metrics.error_m(truth, release)
    assert errors.shape == (2,)
    assert metrics.mean_absolute_error_m(truth, release) == errors.mean()
    nothing = Uniform(epsilon=1, radius_m=1).release(Trajectory([], []), LandmarkSet([]), rng=noise.seeded(1))
    assert np.isnan(metrics.mean_absolute_error_m(Trajectory([], []), nothing))


def test_a_shown_value_is_short_and_json():
    for value in (10**5000, float("nan"), "x" * 500, object(), 2**60, ["a"] * 300):
        assert len(json.dumps(shown(value), allow_nan=False)) < 400


class TestWatchedDraws:
    SERIES = tuple(Trajectory([0.0] * 50, [0.0] * 50, person=name) for name in "abc")
    MARKS = (LandmarkSet([True, False] * 25),) * 3

    @each("name", ["landmark-uniform", "landmark-adaptive"])
    def test_watching_changes_nothing_and_may_stop_the_draw(self, name):
        spec, received = ReleaseSpec.parse({"mechanism": UNIFORM | {"name": name}, "seed": 1}), []
        watched = spec.release(self.SERIES, self.MARKS, watch=received.append)
        assert len(received) >= 3
        assert all(0 <= share <= 1 for share in received)
        for one, two in zip(watched, spec.release(self.SERIES, self.MARKS), strict=True):
            assert np.array_equal(one.series.lon, two.series.lon)

        def stop(_):
            raise TimeoutError

        with pytest.raises(TimeoutError):
            spec.release(self.SERIES, self.MARKS, watch=stop)

    def test_a_walk_through_time_states_how_far_it_is(self):
        received = []
        series, marks = Trajectory([0.0] * 5000, [0.0] * 5000), LandmarkSet([True, False] * 2500)
        spec = ReleaseSpec.parse({"mechanism": UNIFORM | {"name": "landmark-adaptive"}, "seed": 1})
        spec.release([series], [marks], watch=received.append)
        assert received == sorted(received)
        assert len(received) > 50
        assert received[-1] > 0.95
