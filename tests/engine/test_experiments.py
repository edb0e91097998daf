"""Experiments: specs that expand to cells with keys of their own, and tables that do not depend on the partition."""

import json
import shutil

import numpy as np
import pytest
from pydantic import ValidationError

from privacy_engine import experiments
from privacy_engine.analysis.data_scale import data_scale
from privacy_engine.analysis.reference_radius import reference_radius
from privacy_engine.analysis.simulation import simulate_errors
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError, ParameterErrors
from privacy_engine.experiments import ExperimentSpec, FolderStore, dataset_digest, landmark_cache, latex, run, runner
from privacy_engine.experiments.table import assemble
from privacy_engine.formats.arrow import pacsv, pq
from privacy_engine.landmarks import parse_short
from privacy_engine.landmarks.synthetic import Synthetic
from privacy_engine.mechanisms.landmark import Uniform
from tests.cases import each, refusal
from tests.engine.mechanism_examples import walk

UNIFORM = {"mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 1.0}}
ADAPTIVE = {"mechanism": {"name": "landmark-adaptive", "epsilon": 1.0, "radius_m": 1.0}}
PLANNED = {
    "mechanism": {"name": "landmark-planned", "epsilon": 1.0, "radius_m": 1.0, "step_variance_m2": 1e5},
    "postprocess": [{"name": "random-walk-smoother"}],
}
RANDOM = {"name": "synthetic", "share": 0.4, "seed": 3}
PICKED = {"name": "manual", "events": [1, 3, 5]}


def described(**changes):
    """A small experiment with every kind of axis."""
    return {
        "base": {"release": UNIFORM, "landmarks": RANDOM, "redraw": True},
        "grid": {
            "release": [UNIFORM, ADAPTIVE, PLANNED],
            "dummies": [None, {"name": "dummies-heuristic", "epsilon": 0.5}],
            "correlation": [None, {"diameter_m": None, "smoothing": 0.1}],
        },
        "repetitions": 9,
        "seed": 7,
        "metrics": ["error", "loss-own", "loss-summed-worst", "temporal-distance"],
    } | changes


def small(**changes):
    return ExperimentSpec.parse(described(**changes))


def one_cell(**base):
    return {"base": {"release": UNIFORM, "landmarks": PICKED} | base, "grid": {}, "metrics": ["error"]}


@pytest.fixture(scope="module")
def series():
    """More than eight, of which numpy adds up some before others."""
    return [walk(40), walk(25, seed=2), *(walk(9, seed=i) for i in range(3, 10))]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Where the blocks of :func:`whole` are."""
    return tmp_path_factory.mktemp("whole")


@pytest.fixture(scope="module")
def whole(series, stored):
    """The table in one go."""
    return run(small(), series, FolderStore(stored), size=9)


@pytest.fixture
def computed(monkeypatch):
    """Every block that is computed, and not taken from a store."""
    seen, really = [], runner.run_block
    monkeypatch.setattr(runner, "run_block", lambda block, series: seen.append(block) or really(block, series))
    return seen


class TestTheSameBits:
    @pytest.mark.slow
    def test_for_blocks_of_one_repetition(self, series, whole):
        assert run(small(), series, size=1).equals(whole)

    @pytest.mark.slow
    def test_in_smaller_blocks_after_an_interruption(self, series, whole, tmp_path, computed):
        def stop(done, of):
            if done == 7:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(small(), series, FolderStore(tmp_path), size=4, watch=stop)
        assert len(computed) == 7
        assert run(small(), series, FolderStore(tmp_path), size=4).equals(whole)
        assert len(computed) == len(list(experiments.blocks(small(), series, 4))) == 36

    def test_with_a_damaged_and_an_ill_fitting_file(self, series, whole, stored, tmp_path, computed):
        shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
        first, second, *_ = sorted(tmp_path.rglob("*.npy"))
        first.write_bytes(first.read_bytes()[:-9])
        np.save(second, np.zeros((1, 1)))
        assert run(small(), series, FolderStore(tmp_path), size=9).equals(whole)
        assert len(computed) == 2
        assert list(tmp_path.rglob(".block-*")) == []

    @pytest.mark.slow
    def test_in_blocks_of_the_usual_size_in_whatever_order_the_grid_was_written(self, series, whole):
        turned = dict(reversed(described()["grid"].items()))
        assert run(small(grid=turned), series).equals(whole)


class TestCells:
    def test_that_two_experiments_share_or_that_come_twice_are_computed_once(self, series, tmp_path, computed):
        one = small(grid={"landmarks.share": [0.1, 0.2, 0.3]})
        other = small(grid={"landmarks": [RANDOM | {"share": 0.2}, RANDOM | {"share": 0.9}], "correlation": [None]})
        run(one, series, FolderStore(tmp_path))
        assert len(computed) == 3
        table = run(other, series, FolderStore(tmp_path))
        assert len(computed) == 4
        assert table.equals(run(other, series))
        computed.clear()
        twice, store = small(grid={"landmarks.share": [0.2, 0.2]}), experiments.MemoryStore()
        table = run(twice, series, store)
        assert run(twice, series, store).equals(table)
        assert (len(computed), table.num_rows) == (1, 8)

    def test_have_a_key_of_their_dataset_and_their_description(self, series):
        digests = {
            small(**changes).cells()[0].digest
            for changes in ({}, {"seed": 8}, {"common": False}, {"metrics": ["error"]}, {"base": one_cell()["base"]})
        }
        assert len(digests) == 5
        assert small(repetitions=4).cells()[0].digest == small().cells()[0].digest
        again = [Trajectory(one.lon, one.lat, one.time_s, name="another") for one in series]
        assert dataset_digest(again) == dataset_digest(series)
        assert len({dataset_digest(one) for one in (series, series[:1], series[::-1], [])}) == 4

    def test_of_fixed_landmarks_have_the_errors_of_the_simulation(self):
        here, mechanism = walk(30), Uniform(epsilon=1, radius_m=1)
        (cell,) = small(**one_cell()).cells()
        found = experiments.run_block(experiments.Block(cell, 0, 9), [here])
        expected = simulate_errors(mechanism, here, LandmarkSet.at([1, 3, 5], 30), seed=7, repetitions=9)
        assert found[1].tobytes() == expected.tobytes()
        assert found[0].tolist() == [0.1] * 9

    def test_see_the_same_landmarks_and_draw_them_once_unless_requested_otherwise(self, series):
        for common in (True, False):
            spec = small(grid={"release": [UNIFORM, PLANNED]}, metrics=["temporal-distance"], common=common)
            one, other = run(spec, series).column("mean").to_pylist()
            assert (one == other) is common
        for redraw in (True, False):
            base = {"landmarks": parse_short("synthetic:20%:uniform:1").model_dump(), "redraw": redraw}
            (row,) = run(small(base=base, grid={}, metrics=["temporal-distance"]), series).to_pylist()
            assert (row["low"] < row["high"]) is redraw
        base = {"landmarks": {"name": "stay-points", "distance_m": 100.0, "duration_s": 60.0}}
        with pytest.raises(DataError, match="need times"):
            run(small(base=base, grid={}, metrics=["marked-share"]), [Trajectory([8.5], [47.3])])

    def test_that_draw_the_same_landmarks_draw_them_once(self, series, monkeypatch):
        drawn, really = [], Synthetic.mark
        monkeypatch.setattr(Synthetic, "mark", lambda *given: drawn.append(1) or really(*given))

        def again():
            return [Trajectory(one.lon, one.lat) for one in series]

        spec = small(grid={"release": [UNIFORM, ADAPTIVE], "landmarks.share": [0.2, 0.4]}, metrics=["error"])
        table = run(spec, again())
        assert len(drawn) == 2 * 9
        assert run(spec, again()).equals(table)  # equal data are drawn again
        assert len(drawn) == 4 * 9
        monkeypatch.setattr(landmark_cache, "MOST_BYTES", 3 * sum(map(len, series)))
        assert run(spec, again()).equals(table)
        assert len(drawn) == 4 * 9 + 4 * 9 - 3

    def test_keep_landmarks_no_longer_than_the_data(self, series):
        data = [Trajectory(one.lon, one.lat) for one in series]
        run(small(grid={}), data)
        assert landmark_cache.mark_cache(data) is landmark_cache.mark_cache(data)
        assert landmark_cache.mark_cache(data[:1]) is not landmark_cache.mark_cache(data)
        before = len(landmark_cache._caches)
        del data
        assert len(landmark_cache._caches) == before - 1


class TestSpec:
    def test_survives_json_and_cannot_be_changed_through_what_it_was_made_of(self):
        grid = {"landmarks.share": [0.1, 0.2], "dummies.epsilon,release.mechanism.epsilon": [[0.1, 0.9], [0.5, 0.5]]}
        spec = small(grid=grid | {"dummies": [{"name": "dummies-heuristic"}]})
        found = [(cell.dummies.epsilon, cell.release.mechanism.epsilon, cell.landmarks.share) for cell in spec.cells()]
        assert found == [(0.1, 0.9, 0.1), (0.1, 0.9, 0.2), (0.5, 0.5, 0.1), (0.5, 0.5, 0.2)]  # by depth and name
        given = described()
        spec = ExperimentSpec.parse(given)
        again = ExperimentSpec.parse(json.loads(spec.model_dump_json()))
        assert (again, again.digest) == (spec, spec.digest)
        for cell in spec.cells():
            assert experiments.TrajectoryCell.parse(json.loads(cell.model_dump_json())).digest == cell.digest
        given["base"]["redraw"] = "nonsense"
        assert spec == small()
        with pytest.raises(ValidationError):
            spec.seed = 8

    @each(
        ("changes", "field", "rule"),
        [
            ({"repetitions": 0}, "repetitions", "greater than 0"),
            ({"seed": -1}, "seed", "at least 0"),
            ({"seed": None}, "seed", "whole number"),
            ({"colour": 1}, "colour", "not a parameter"),
            ({"metrics": []}, "metrics", "1 to 16"),
            ({"base": []}, "base", "object"),
            ({"base": {"landmarks": {1, 2}}}, "base", "plain JSON"),
            ({"base": {"landmarks": RANDOM, "seed": 1}}, "base.seed", "belongs to the experiment"),
            ({"base": {}}, "base.landmarks", "required"),
            ({"base": {"landmarks": {"name": "luck"}}}, "base.landmarks.name", "one of"),
            ({"base": {"landmarks": RANDOM, "noise": 1}}, "base.noise", "not a parameter"),
            ({"base": {"landmarks": PICKED, "redraw": True}}, "base.landmarks", "random"),
            ({"base": {"landmarks": RANDOM}, "grid": {}}, "base.release", "required by the metric error"),
            (one_cell(release=UNIFORM | {"seed": 1}), "base.release.seed", "left out"),
            (one_cell(correlation={"diameter_m": None, "smoothing": -1.0}), "base.correlation.smoothing", "at least 0"),
            (one_cell(correlation={"smoothing": 1.0}), "base.correlation.diameter_m", "is required"),
            (one_cell(correlation={"diameter_m": 3e7, "smoothing": 1}), "base.correlation.diameter_m", "at most"),
            ({"grid": {"landmarks.share": [0.2, 2.0]}}, "grid.landmarks.share.1", "at most 1"),
            ({"grid": {"release.mechanism.epsilon": [-1.0]}}, "grid.release.mechanism.epsilon.0", "greater than 0"),
            ({"grid": {"release": [UNIFORM, {}]}}, "grid.release.1", "required"),
            ({"grid": {"landmarks.share": []}}, "grid.landmarks.share", "at least one"),
            ({"grid": {"landmarks.share": 0.2}}, "grid.landmarks.share", "list"),
            ({"grid": {"landmarks..share": [0.2]}}, "grid.landmarks..share", "places"),
            ({"grid": {"redraw.not": [1]}}, "grid.redraw.not", "inside objects"),
            ({"grid": {"seed": [1]}}, "grid.seed", "no axis"),
            ({"grid": {"landmarks.share,redraw": [[0.1]]}}, "grid.landmarks.share,redraw", "2 entries"),
            ({"grid": {"landmarks.share": [0.1] * 20_000}}, "grid", "at most 10,000"),
        ],
    )
    def test_refusals_name_field_rule_and_value(self, changes, field, rule):
        refused = refusal(ParameterErrors, small, **changes)
        first = refused.errors[0]
        assert first.field.startswith(field)
        assert rule in first.rule
        assert first.message.startswith(field)


def backwards(value):
    """The same JSON with all names in another order, as a database may give it back."""
    if isinstance(value, dict):
        return {name: backwards(value[name]) for name in sorted(value, reverse=True)}
    return [backwards(one) for one in value] if isinstance(value, list) else value


@each("cls", list(experiments.presets))
def test_the_order_of_names_changes_no_letter_of_a_spec(cls):
    described = cls().spec()
    again = ExperimentSpec.parse(backwards(json.loads(described.model_dump_json())))
    assert again.model_dump_json() == described.model_dump_json()


@each("cls", list(experiments.presets.of("trajectory")))
def test_levels_of_a_preset_are_per_metre_and_on_a_dataset_within_its_radius(cls, series):
    given = experiments.given_of("trajectory", series)
    assert given.radius_m == reference_radius(data_scale(series)).radius_m > 1
    for known, radius_m in ((None, 1.0), (given, given.radius_m)):
        cells = cls().spec(known).cells()
        assert {cell.release.mechanism.radius_m for cell in cells if cell.release} <= {radius_m}


class TestTable:
    def test_has_a_row_for_each_cell_and_metric_with_all_parameters(self, series, whole):
        rows = whole.to_pylist()
        assert len(rows) == 12 * 4
        last = rows[-1]
        assert last["release.title"] == "Planned + Random-walk smoother"
        assert last["release.postprocess.0.name"] == "random-walk-smoother"
        assert (last["dummies.name"], last["correlation.smoothing"]) == ("dummies-heuristic", 0.1)
        assert (last["metric"], last["unit"], last["n"], last["seed"]) == ("temporal-distance", "events", 9, 7)
        assert {row["dataset"] for row in rows} == {dataset_digest(series)}
        assert all(row["low"] <= row["mean"] <= row["high"] for row in rows)
        assert whole.schema.metadata[b"noise"] == b"NOT PRIVATE: seeded simulation"

    def test_summarises_repetitions_and_leaves_out_those_without_a_value(self):
        spec = small(**one_cell())
        values = np.array([[0.1] * 9, [*range(8), np.nan]])
        (row,) = assemble(spec, "", {spec.cells()[0].digest: values}).to_pylist()
        known = np.arange(8.0)
        assert (row["mean"], row["n"], row["marked_share"]) == (3.5, 8, pytest.approx(0.1))
        assert (row["low"], row["high"]) == (np.quantile(known, 0.05), np.quantile(known, 0.95))

    def test_of_data_without_events_or_publications_has_no_numbers(self):
        own = (
            cls for cls in experiments.measures.of("trajectory") if not any(field["required"] for field in cls.fields())
        )
        names = [cls.registered_name() for cls in own if cls.registered_name() != "marked-share"]
        for data in ([], [Trajectory([], [])]):
            for row in run(small(**one_cell() | {"metrics": names, "base": _only(UNIFORM, [])}), data).to_pylist():
                assert (row["mean"], row["n"]) == (None, 0)
        gaps = {"mechanism": {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 1.0, "leading": "gap"}}
        every = {"name": "manual", "events": [0, 1]}
        assert run(small(**one_cell(release=gaps, landmarks=every)), [walk(2)]).num_rows == 1

    def test_is_written_and_read_back_and_its_spec_runs_again(self, series, whole, stored, tmp_path, computed):
        paths = {path.name: path for path in experiments.write(whole, small(), tmp_path / "new")}
        assert pq.read_table(paths["table.parquet"]).equals(whole)
        assert pacsv.read_csv(paths["table.csv"]).num_rows == whole.num_rows
        again = ExperimentSpec.parse(json.loads(paths["spec.json"].read_text()))
        assert run(again, series, FolderStore(stored), size=9).equals(whole)
        assert computed == []  # each block has the key that it had
        assert paths["table.tex"].read_text() == latex(whole, small())

    def test_as_latex_has_a_curve_for_every_combination(self, series):
        spec = small(grid={"landmarks.share": [0.1, 0.5], "release": [UNIFORM, PLANNED]})
        table = run(spec, series)
        text = latex(table, spec)
        assert "% NOT PRIVATE: seeded simulation, seed 7, 9 repetitions. x: landmarks.share." in text
        assert "%   c1: landmark-planned epsilon 1 radius_m 1 step_variance_m2 100000 random-walk-smoother" in text
        part = text.split("\\pgfplotstableread{\n")[1].split("\n}\\cairnError")[0]
        head, *lines = [line.split() for line in part.splitlines()]
        assert head == ["x", "c0", "c0-low", "c0-high", "c1", "c1-low", "c1-high"]
        found = {row["cell"]: row["mean"] for row in table.to_pylist() if row["metric"] == "error"}
        assert [line[0] for line in lines] == ["0.1", "0.5"]
        assert [float(line[i]) for i in (1, 4) for line in lines] == pytest.approx(list(found.values()), rel=1e-9)

    def test_without_an_axis_of_numbers_goes_by_the_measured_share(self, series):
        spec = small(base=_only(UNIFORM, []), grid={"landmarks": [RANDOM, PICKED]}, metrics=["error"])
        assert "x: marked_share" in latex(run(spec, series[:1]), spec)
        assert "\n0.075 " in latex(run(spec, series[:1]), spec)
        bare = small(**one_cell())
        assert "%   c: all" in latex(run(bare, series[:1]), bare)


def _only(release, events):
    return {"release": release, "landmarks": {"name": "manual", "events": events}}


def circles(*lons):
    zones = [{"type": "Circle", "center": [lon, 48.8], "radius_m": 100, "label": f"the place at {lon}"} for lon in lons]
    return {"name": "zones", "zones": zones}


def test_landmark_sets_have_labels_of_their_own_in_a_figure_short_enough_for_a_legend():
    one, two = ({"name": "manual", "events": [event]} for event in (1, 2))
    for landmarks, expected in (
        ([one, circles(1, 2)], ["1 selected manually", "2 zones"]),
        ([one, two], ["1 selected manually (events [1])", "1 selected manually (events [2])"]),
        (
            [circles(1, 2), circles(3, 4), one, circles(5, 6)],
            ["2 zones (1)", "2 zones (2)", "1 selected manually", "2 zones (3)"],
        ),
    ):
        (axis,) = experiments.figure(
            small(base={"release": UNIFORM}, grid={"landmarks": landmarks}, metrics=["error"])
        )["axes"]
        assert [value["label"] for value in axis["values"]] == expected
