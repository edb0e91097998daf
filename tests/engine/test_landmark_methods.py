"""Ways to mark landmarks: random ones, those of the file, their short forms, what they need."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import exports, noise
from privacy_engine.data import Release, Trajectory
from privacy_engine.errors import DataError, ParameterError, ParameterErrors
from privacy_engine.landmarks import Column, Synthetic, Zones, landmark_methods, parse_short
from privacy_engine.landmarks.synthetic import MODES, average_temporal_distance, dataset_temporal_distance
from privacy_engine.mechanism import mechanisms
from tests.cases import each, refusal
from tests.engine.test_exports import exported
from tests.examples import examples


def series(*lengths, marked=False):
    return [
        Trajectory(np.zeros(n), np.zeros(n), np.arange(n), f"s{i}", np.arange(n) % 3 == 0 if marked else None)
        for i, n in enumerate(lengths)
    ]


class TestListing:
    def test_names_never_change(self):
        names = [cls.registered_name() for cls in landmark_methods]
        assert names == ["stay-points", "zones", "schedule", "released-zones", "manual", "column", "synthetic"]

    def test_what_each_needs(self):
        needs = {cls.registered_name(): cls.needs() for cls in landmark_methods if cls.needs()}
        assert needs == {"stay-points": ["time"], "schedule": ["time"], "column": ["landmark column"]}


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

    def test_series_and_seeds_differ_and_other_series_do_not_matter(self):
        one, two = Synthetic(share=0.5, seed=1).mark(series(200, 200))
        assert not np.array_equal(one.mask, two.mask)
        assert not np.array_equal(one.mask, Synthetic(share=0.5, seed=2).mark(series(200))[0].mask)
        assert np.array_equal(one.mask, Synthetic(share=0.5, seed=1).mark(series(200, 7))[0].mask)

    def test_draws_are_not_those_of_a_release_with_the_same_seed(self):
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
    @given(masks=st.lists(st.lists(st.booleans(), max_size=12), max_size=5))
    def test_is_the_mean_over_the_regular_events_of_all_series(self, masks):
        away = []
        for mask in masks:
            marks = [-1, *np.flatnonzero(mask).tolist(), len(mask)]
            away += [min(abs(t - m) for m in marks) for t, one in enumerate(mask) if not one]
        joined = np.array([one for mask in masks for one in mask], dtype=np.bool_)
        found = dataset_temporal_distance(joined, [len(mask) for mask in masks])
        assert found == pytest.approx(np.mean(away) if away else 0.0)
        if len(masks) == 1 and masks[0]:
            assert found == average_temporal_distance(masks[0])


class TestColumn:
    def test_marks_what_the_file_marks(self):
        found = Column().mark(series(5, 0, 2, marked=True))
        assert [one.mask.tolist() for one in found] == [[True, False, False, True, False], [], [True, False]]

    def test_refuses_data_without_such_a_column_by_name(self):
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
        parameters = {field["name"]: field["example"] for field in cls.fields() if field["required"]}
        release = cls(**parameters).release(one, Column().mark([one])[0], rng=noise.seeded(1))
        assert release.series.marked is None

        [one] = series(2, marked=True)
        with pytest.raises(DataError, match="must not carry the landmark column"):
            Release(one, np.arange(2), np.ones(2), np.ones(2, dtype=np.bool_), np.ones(2))

    @each("fmt", sorted(exports.FORMATS))
    def test_no_export_holds_them(self, fmt):
        assert exported(series(4, marked=True), fmt) == exported(series(4), fmt)


class TestShortForms:
    def test_state_what_the_long_ones_do(self):
        assert parse_short("column") == Column()
        assert parse_short("synthetic:20%:bimodal:7") == Synthetic(share=0.2, distribution="bimodal", seed=7)
        assert parse_short("synthetic:0.2:bimodal:7") == parse_short("synthetic:20%:bimodal:7")

    def test_zones_come_from_a_file_only_where_files_may_be_read(self):
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
