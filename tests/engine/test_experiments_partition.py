"""Experiments: blocks and parts for workers; the choice of series is in the spec; those of the papers by name."""

import io
import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import experiments
from privacy_engine.data import Trajectory, people
from privacy_engine.errors import DataError, ParameterError, ParameterErrors
from privacy_engine.experiments import AS_THEY_ARE, ExperimentSpec, SeriesSelection, partition, predicted_seconds, run
from privacy_engine.experiments.presets import CorrelatedLoss, TDriveError, TemporalDistance
from privacy_engine.experiments.presets.base import SHARES, scheme
from privacy_engine.experiments.synthetic_series import TAXI_INTERVAL_S, first_events, taxi
from tests.cases import each, refusal
from tests.engine.test_experiments import RANDOM, UNIFORM, small, walk

SIZES = {"landmark-uniform": 5, "landmark-adaptive": 7, "landmark-planned": 2}


@pytest.fixture(scope="module")
def series():
    return [walk(40), walk(25, seed=2)]


@pytest.fixture
def uneven(monkeypatch):
    """Cells that draw the same landmarks and are cut at other repetitions each."""
    monkeypatch.setattr(partition, "_usual_size", lambda cell, lengths: SIZES[cell.release.mechanism.name])
    return small(repetitions=17)


def firsts(of):
    """The first repetition of each cell's blocks, in their order."""
    found = {}
    for block in of:
        found.setdefault(block.cell.digest, []).append(block.first)
    return found


class TestWork:
    def test_grows_with_cells_repetitions_and_events_and_decides_what_may_run_at_once(self, series):
        lengths = list(map(len, series))
        seconds = predicted_seconds(small(), lengths)
        assert seconds == pytest.approx(sum(experiments.cell_seconds(cell, lengths, 9) for cell in small().cells()))
        assert predicted_seconds(small(repetitions=90), lengths) > 5 * seconds
        assert predicted_seconds(small(), [4000]) > 5 * predicted_seconds(small(), [40])
        shares = {"base": {"release": UNIFORM, "landmarks": RANDOM}, "metrics": ["error"]}
        shares["grid"] = {"landmarks.share": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]}
        for events, repetitions, at_once in ((1000, 100, True), (100_000, 100, False), (1000, 1_000_000, False)):
            seconds = predicted_seconds(small(**shares, repetitions=repetitions), [events])
            assert (seconds < experiments.AT_ONCE_S) is at_once

    def test_sizes_blocks_by_the_cell_alone(self):
        few, many = (list(experiments.blocks(small(grid={}, repetitions=n), [20_000])) for n in (10_000, 20_000))
        assert [block.key("") for block in few[:-1]] == [block.key("") for block in many[: len(few) - 1]]
        assert sum(block.count for block in many) == 20_000


class TestBlocks:
    def test_that_draw_the_same_landmarks_follow_one_another(self, uneven, series):
        cut = list(experiments.blocks(uneven, [len(one) for one in series]))
        ordered = experiments.in_order(cut)
        assert sorted(map(id, ordered)) == sorted(map(id, cut))
        draws = [block.cell.draws for block in ordered]
        assert sum(a != b for a, b in pairwise(draws)) == len(set(draws)) - 1
        assert all(given == sorted(given) for given in firsts(ordered).values())

    @pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
    def test_of_any_sizes_give_the_same_table(self, uneven, series, workers):
        assert run(uneven, series, workers=workers).equals(run(uneven, series, size=17))

    def test_are_of_other_landmarks_where_each_cell_draws_its_own(self):
        grid = {"release": [UNIFORM, UNIFORM | {"postprocess": [{"name": "ou-smoother"}]}]}
        for common, draws in ((True, 1), (False, 2)):
            assert len({cell.draws for cell in small(common=common, grid=grid).cells()}) == draws


@pytest.mark.slow
class TestParts:
    @given(
        counts=st.lists(st.tuples(st.integers(1, 4000), st.integers(0, 3)), min_size=1, max_size=30),
        kept=st.sets(st.integers(0, 29)),
    )
    def test_hold_every_block_that_is_to_do_once(self, counts, kept):
        described = {"release": UNIFORM, "metrics": ["error"], "seed": 1}
        cells = [
            experiments.TrajectoryCell.parse(described | {"landmarks": RANDOM | {"seed": seed}, "redraw": True})
            for seed in range(4)
        ]
        found = experiments.in_order(experiments.Block(cells[which], 0, count) for count, which in counts)
        todo = [i for i in range(len(found)) if i not in kept]
        cut = list(experiments.parts(found, [300], todo))
        inside = [i for part in cut for i in range(part.start, part.stop) if i not in kept]
        assert inside == todo
        assert all(part.stop > part.start for part in cut)
        total = sum(experiments.cell_seconds(found[i].cell, [300], found[i].count) for i in todo)
        assert sum(part.seconds for part in cut) == pytest.approx(total)
        assert len(cut) <= partition.MOST_PARTS + 1
        for part in cut[:-1]:
            assert part.seconds >= partition.SHORTEST_PART_S
            split = found[part.stop - 1].draws == found[part.stop].draws if part.stop < len(found) else False
            assert not split or part.seconds >= partition.TOGETHER_S

    def test_are_what_processes_take(self, uneven, series, tmp_path):
        """The progress callback is called with every block, and each is stored."""
        store, received, again = experiments.FolderStore(tmp_path), [], []
        table = run(uneven, series, store, workers=2, watch=lambda *reported: received.append(reported))
        count = len(list(experiments.blocks(uneven, [len(one) for one in series])))
        assert received == [(i + 1, count) for i in range(count)]
        assert run(uneven, series, store, watch=lambda *reported: again.append(reported)).equals(table)
        assert again == []


NAMES = [cls.registered_name() for cls in experiments.presets.of("trajectory")]


def days(series, *sizes, person=""):
    """A series cut into several of these sizes, the last with the rest."""
    ends = np.cumsum([0, *sizes, len(series) - sum(sizes)])
    found = [series.picked(slice(start, end)) for start, end in pairwise(ends)]
    return [Trajectory(one.lon, one.lat, one.time_s, f"day {i}", person=person) for i, one in enumerate(found)]


def dataset(kind):
    whole, other = (taxi(np.random.default_rng(seed), n) for seed, n in ((5, 30), (6, 21)))
    return {
        "generated": [],
        "one series": [whole],
        "several series": days(whole, 7, 11),
        "two people": [*days(whole, 9, person="a"), *days(other, 8, person="b")],
    }[kind]


def described(name):
    """A preset, small."""
    fields = experiments.presets[name].model_fields
    marks = {"marks": "stay-points"} if "marks" in fields else {}
    return experiments.presets.parse({"name": name, "repetitions": 2, "events": 20, "seed": 3} | marks)


def bits(spec, series):
    out = io.BytesIO()
    experiments.FILES["parquet"].write(run(spec, series), spec, out)
    return out.getvalue()


def exported(spec):
    out = io.BytesIO()
    experiments.FILES["json"].write(None, spec, out)
    return ExperimentSpec.parse(json.loads(out.getvalue()))


class TestRunExportRunAgain:
    @pytest.mark.slow
    @each("kind", ["generated", "one series", "several series", "two people"])
    @each("name", NAMES)
    def test_every_preset_gives_the_same_bits(self, name, kind):
        """By the spec alone: the preset's own choice of series is in what is exported."""
        spec, given = described(name).spec(), dataset(kind)
        ends = {
            axis: values if axis == "release" else values[:: len(values) - 1 or 1] for axis, values in spec.grid.items()
        }
        spec = ExperimentSpec.parse(spec.model_dump() | {"grid": ends})
        assert bits(exported(spec), given) == bits(spec, described(name).data(given))

    @pytest.mark.slow
    def test_joined_and_not_joined_are_different_experiments(self):
        spec = described("error-tdrive").spec()
        given = dataset("several series")
        assert spec.series == SeriesSelection.model_validate(spec.series)
        assert bits(spec, given) != bits(spec.on(AS_THEY_ARE), given)


class TestSelection:
    @given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.sampled_from(["none", "person"]), st.data())
    def test_lengths_are_those_of_the_series_and_choosing_twice_is_choosing_once(self, sizes, join, data):
        owners = data.draw(st.lists(st.sampled_from(["", "a", "b"]), min_size=len(sizes), max_size=len(sizes)))
        starts = data.draw(st.permutations(range(len(sizes))))
        given = [
            Trajectory(np.linspace(8, 9, n), np.full(n, 47.0), np.arange(n) + 100.0 * start, person=owner)
            for n, start, owner in zip(sizes, starts, owners, strict=True)
        ]
        chosen = SeriesSelection(join=join, first_events=data.draw(st.none() | st.integers(1, 20)))
        found = chosen.of(given)
        assert list(map(len, found)) == chosen.lengths(sizes, [len(one) for one in people.people(given)])
        again = chosen.of(found)
        assert all(np.array_equal(a.lon, b.lon) and a.person == b.person for a, b in zip(found, again, strict=True))
        if join == "person":
            assert len({one.person for one in found}) == len(found)
            assert all(one.time_s is not None and (np.diff(one.time_s) >= 0).all() for one in found)

    def test_a_generated_series_is_the_one_of_its_description(self):
        for name in NAMES:
            preset = described(name)
            [one] = preset.data()
            assert preset.selection().lengths([], []) == [len(one)]
        long = SeriesSelection.model_validate({"generated": {"like": "walk", "events": 1_000_000}})
        assert long.lengths([], []) == [len(long.of([])[0])]  # the walk ends at some time
        with pytest.raises(ParameterError, match="dataset is required"):
            AS_THEY_ARE.of([])


class TestOldSpecs:
    OLD = {
        "base": {"landmarks": {"name": "synthetic", "share": 0.5, "seed": 1}},
        "grid": {},
        "repetitions": 2,
        "seed": 1,
        "metrics": ["temporal-distance"],
    }

    def test_mean_the_series_as_they_are_and_keep_their_digest(self):
        old = ExperimentSpec.parse(self.OLD)
        assert "series" not in old.model_dump()
        assert "series" not in old.model_dump_json()
        assert old.digest == "4ef63ed34b1d24ff972e814a8ba4f06aca598b87ef17d2c85b142b8a99eb8f81"
        given = dataset("several series")
        same = run(old.on(AS_THEY_ARE), given)
        assert run(old, given).equals(same)

    def test_what_is_no_selection_is_named(self):
        for series, field in (
            ({"join": "all"}, "series.join"),
            ({"first_events": 0}, "series.first_events"),
            ({"first_events": "0,5"}, "series.first_events"),
            ({"generated": {"like": "taxi"}}, "series.generated.events"),
            ({"generated": {"like": "bus", "events": 5}}, "series.generated.like"),
            ({"joined": True}, "series.joined"),
        ):
            caught = refusal(ParameterErrors, ExperimentSpec.parse, self.OLD | {"series": series})
            assert [one.field for one in caught.errors] == [field]


def changed(preset, **changes):
    return ExperimentSpec.parse(preset.spec().model_dump() | changes)


def means(spec, data, *places):
    """The means by metric and the values at ``places``."""
    rows = run(spec, data).to_pylist()
    return {(row["metric"], *(row.get(place) for place in places)): row["mean"] for row in rows}


def still(n):
    return [Trajectory(np.zeros(n), np.zeros(n))]


def picked(events, **more):
    """A base with the 1-based landmarks of a published example."""
    return {"landmarks": {"name": "manual", "events": [event - 1 for event in events]}} | more


def examples(published):
    for name, expected in published.items():
        n, _, rest = name.removeprefix("n=").partition(" L=")
        yield int(n), json.loads(rest.partition("]")[0] + "]"), expected


@each("preset", [cls.registered_name() for cls in experiments.presets.of("trajectory")])
class TestEveryPreset:
    @pytest.mark.slow
    def test_runs_on_what_it_generates_and_takes_what_is_given(self, preset):
        one = experiments.presets.parse({"name": preset, "repetitions": 1, "events": 50})
        table = run(one.spec(), one.data())
        assert table.num_rows == len(list(one.spec().points())) * len(one.metrics)
        assert table.column("mean").null_count == 0
        assert experiments.latex(table, one.spec()).count("\\pgfplotstableread") == len(one.metrics)
        assert [len(given) for given in one.data([taxi(np.random.default_rng(1), 20)])] == [20]


class TestErrorByLandmarks:
    def test_gives_the_published_errors_of_budgets_that_are_fixed(self, vectors):
        preset = TDriveError(repetitions=200)
        schemes = [scheme("uniform"), scheme("optimal")]
        spec = changed(preset, grid={"release": schemes, "landmarks.share": SHARES})
        found = means(spec, preset.data(), "release.mechanism.name", "landmarks.share")
        for k, expected in vectors["static_mae_eps1_n1000"].items():
            for name, value in zip(("landmark-uniform", "landmark-optimal"), expected.values(), strict=True):
                # one budget for all: sd of a mean is √2/2/√(1000·200) = .16 %; a ratio of budgets of 15 at most: 1 %
                assert found["error", name, int(k) / 1000] == pytest.approx(value, rel=0.02)

    def test_by_stay_points_goes_by_the_shares_that_were_measured(self):
        for cls in (TDriveError, experiments.presets["error-geolife"]):
            preset = cls(repetitions=1, events=100, marks="stay-points")
            table = run(preset.spec(), preset.data())
            shares = table.column("marked_share").to_pylist()
            assert (shares[0], shares[-1]) == (0.0, preset.name == "error-tdrive")  # the walk rests only later
            assert "x: marked_share" in experiments.latex(table, preset.spec())

    def test_takes_the_first_events_of_all_files_as_one_series_and_resembles_the_real_taxi(self):
        parts = [taxi(np.random.default_rng(1), 30), Trajectory([8.5] * 30, [47.3] * 30, np.full(30, 1e9))]
        (one,) = TDriveError(events=40).data(parts)
        assert (len(one), one.lon[-1], one.time_s is not None) == (40, 8.5, True)
        assert first_events([parts[0], Trajectory([8.5], [47.3])], 31).time_s is None
        with pytest.raises(DataError, match="never decrease"):
            first_events(parts[::-1], 40)
        here = taxi(np.random.default_rng(1))
        assert (len(here), len(experiments.synthetic_series.walk())) == (1000, 1000)
        assert set(np.diff(here.time_s).round(6)) == {TAXI_INTERVAL_S}


def test_temporal_distance_is_the_published_one(vectors):
    for n, landmarks, expected in examples(vectors["avg_distance"]):
        spec = changed(TemporalDistance(), base=picked(landmarks), grid={})
        expected = pytest.approx(expected["mean distance"], abs=1e-15)
        assert means(spec, still(n)) == {("temporal-distance",): expected}


class TestCorrelatedLoss:
    def test_is_the_published_one(self, vectors):
        metrics = ["loss-summed", "loss-summed-worst"]
        for n, landmarks, expected in examples(vectors["landmark_tpl"]):
            base = picked(landmarks, release=scheme("uniform"))
            grid = {"correlation": [None, {"diameter_m": None, "smoothing": 0.1}]}
            found = means(
                changed(CorrelatedLoss(), base=base, grid=grid, metrics=metrics), still(n), "correlation.smoothing"
            )
            for smoothing, losses in ((None, expected["sum of budgets"]), (0.1, expected["alpha_t"])):
                assert found["loss-summed", smoothing] == pytest.approx(np.mean(losses), rel=1e-12)
                assert found["loss-summed-worst", smoothing] == pytest.approx(np.max(losses), rel=1e-12)

    def test_grows_with_the_distance_of_the_states(self):
        """ε = 1 per metre: states 5 m apart lose what states one radius apart do at ε = 5, by either bound."""
        preset, losses = CorrelatedLoss(repetitions=3), []
        assert [one["diameter_m"] for one in preset.spec().grid["correlation"] if one] == [None] * 3
        for epsilon, distance_m in ((1.0, 5.0), (5.0, None)):
            release = {"mechanism": scheme("skip")["mechanism"] | {"epsilon": epsilon}}
            known = [{"smoothing": 0.1, "bound": bound, "diameter_m": distance_m} for bound in ("published", "bridge")]
            spec = changed(preset, base=preset.base() | {"release": release}, grid={"correlation": known})
            losses.append(means(spec, still(40), "correlation.bound"))
        assert losses[0] == pytest.approx(losses[1], rel=1e-12)
        assert losses[0]["loss-summed", "bridge"] != losses[0]["loss-summed", "published"]


def test_dummy_selection_costs_more_the_more_the_selection_takes_of_the_budget():
    preset = experiments.presets["dummy-selection"](repetitions=10)
    for cell in preset.spec().cells():  # they share one level as in the thesis
        assert cell.dummies.epsilon + cell.release.mechanism.epsilon == pytest.approx(1.0)
    kind = ("dummies.name", "dummies.evaluation", "dummies.distance", "landmarks.share")
    found = means(preset.spec(), preset.data(), *kind, "dummies.epsilon")
    kinds = {key[1:5] for key in found}
    assert len(kinds) == 16
    for one in kinds:
        large = [found["error", *one, share] for share in (0.1, 0.25, 0.5)]
        assert large == sorted(large)
        assert found["marked-share", *one, 0.01] > one[3]  # at least one dummy joins
