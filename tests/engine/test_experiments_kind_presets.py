"""Presets of count streams and check-ins, their batches and predicted times; users that are measured are not fitted."""

import numpy as np
import pytest

from benchmarks.recommendation_sets import BOXES, EVENTS, gowalla
from privacy_engine import experiments
from privacy_engine.data import CountStream
from privacy_engine.errors import ParameterErrors
from privacy_engine.evaluation import Split, split_by_user
from privacy_engine.experiments import Block, CheckInCell, cell_seconds, figure, given_of, presets, run, run_block
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.metrics import HitRate, ReciprocalRank
from tests.cases import each, refusal
from tests.engine.test_evaluation import checked_in
from tests.engine.test_experiments_kinds import CHECKINS, KINDS, STREAM, spec

STREAM_MECHANISMS = each("mechanism", [cls.registered_name() for cls in mechanisms.of("stream")])


def stream_cell(mechanism, **changes):
    release = {"mechanism": {"name": mechanism, "epsilon": 1.0, "window": 4}}
    (cell,) = spec("stream", base={"release": release}, **changes).cells()
    return cell


class TestBatches:
    @STREAM_MECHANISMS
    def test_no_release_is_computed_that_is_not_measured_unless_a_batch_saves_time(self, mechanism, monkeypatch):
        cell, drawn = stream_cell(mechanism), []
        found = cell.release.mechanism.releases
        monkeypatch.setattr(
            type(cell.release.mechanism),
            "releases",
            lambda self, stream, times, *, rng: drawn.append(times) or found(stream, times, rng=rng),
        )
        for first, count in ((0, 2), (2, 3)):
            run_block(Block(cell, first, count), STREAM)
        assert drawn == ([16, 16] if cell.release.mechanism.batched else [1] * 5)


GIVEN = {
    "stream": experiments.PoissonStream(timestamps=24, dimensions=3, mean=30.0, seed=5).data(),
    "checkins": CHECKINS,
}
"""Datasets, of which the stream has jumps and low signals."""
ADAPUB = {"stream-adapub"}
OF_PAPER = {f"stream-{name}" for name in ("bd", "ba", "rescuedp", "pegasus", "adapub", "shrink")}
OF_TREES = {"stream-pegasus", "stream-adapub", "stream-hieradapub"}
TRIED = {
    "stream-thresholds": ADAPUB,
    "stream-partition": ADAPUB,
    "stream-paper-levels": OF_PAPER,
    "stream-paper-windows": OF_PAPER,
    "stream-detection": OF_PAPER,
    "stream-correlation": OF_PAPER,
    "stream-binary-tree": OF_TREES,
    "stream-quad-tree": OF_TREES,
    "stream-dimensions": OF_PAPER | {"stream-hieradapub"},
    "stream-samples": {"stream-fast", "stream-kalman"},
}
"""What the presets of figures try; all others try every mechanism of their kind."""


@pytest.mark.parametrize("preset", [cls.registered_name() for kind in KINDS for cls in presets.of(kind)])
class TestEveryPreset:
    @pytest.mark.slow
    def test_runs_on_what_it_generates_and_on_what_is_given(self, preset, tmp_path):
        small = {"timestamps": 24, "dimensions": 2}
        if presets[preset].kind == "checkins":
            small = {"users": 30, "per_user": 8, "side": 6}
        one = presets.parse({"name": preset, "repetitions": 1, **small})
        table = run(one.spec(), None)
        assert table.num_rows == len(list(one.spec().points())) * len(one.metrics)
        assert table.column("mean").null_count == 0
        assert "marked_share" not in table.column_names
        assert experiments.latex(table, one.spec()).count("\\pgfplotstableread") == len(one.metrics)
        assert "nan" not in experiments.latex(table, one.spec())
        on_given = one.spec(given_of(one.kind, GIVEN[one.kind]))
        assert on_given.takes_dataset
        assert not one.spec().takes_dataset
        assert run(on_given, GIVEN[one.kind]).column("mean").null_count == 0
        for name, kind in experiments.FILES.items():
            with (tmp_path / name).open("wb") as out:
                kind.write(table, one.spec(), out)

    def test_is_described_and_tries_the_mechanisms_of_its_figure_or_all_of_its_kind(self, preset):
        one = presets.parse({"name": preset})
        tried = {cell.release.mechanism.name for cell in one.spec().cells()}
        usual = [cls for cls in mechanisms.of(one.kind) if not cls.needs_venues]
        if preset == "recommendation-range":
            usual = [cls for cls in usual if cls.has_masses]
        assert tried == TRIED.get(preset, {cls.registered_name() for cls in usual})
        assert 0 < experiments.predicted_seconds(one.spec(), []) < 60
        shown = figure(one.spec())
        assert shown["shares"] is shown["marked"] is False
        (release,) = (axis for axis in shown["axes"] if axis["name"] == "release")
        assert all(value["mechanism"] for value in release["values"])
        along = shown["axes"][shown["along"]]
        assert along["log"] is not (along["name"] == "history")
        assert [one["unit"] for one in shown["measures"]] == [
            experiments.measures.parse(measure).unit for measure in one.metrics
        ]


class TestFirstDimensions:
    """A cell that reads the first dimensions of its data is one of data that have no others."""

    @each("own", [False, True])
    def test_are_measured_as_data_of_these_dimensions_alone(self, own):
        whole = GIVEN["stream"]
        generated = {"name": "normal-steps", "timestamps": 12, "dimensions": 4, "first": 5}
        data = experiments.generators.parse(generated).data() if own else whole
        base = {"release": {"mechanism": {"name": "stream-pegasus", "epsilon": 1.0, "window": 4}}}
        first = CountStream(data.counts[:, :2], data.names[:2], data.labels)
        found = spec("stream", base=base | ({"data": generated} if own else {}), grid={"dimensions": [2, 3]})
        rows = run(found, None if own else whole).to_pylist()
        alone = run(spec("stream", base=base), first).to_pylist()
        means = [row["mean"] for row in rows if row["dimensions"] == 2]
        assert means == [row["mean"] for row in alone]
        assert figure(found)["axes"][0]["title"] == "Dimensions"

    def test_must_be_there_and_left_out_a_cell_keeps_its_digest(self):
        with pytest.raises(
            ParameterErrors, match=r"grid.dimensions.1 must be at most 3, as many as the data have, got 4"
        ):
            run(spec("stream", grid={"dimensions": [1, 4]}), STREAM)
        own = {**spec("stream").base, "data": {"name": "poisson-stream"}}
        with pytest.raises(
            ParameterErrors, match=r"grid.dimensions.0 must be at most 5, as many as the data have, got 6"
        ):
            spec("stream", base=own, grid={"dimensions": [6]})
        (one, whole) = spec("stream", grid={"dimensions": [1, None]}).cells()
        assert cell_seconds(one, [200, 100], 50) < cell_seconds(whole, [200, 100], 50)
        assert "dimensions" not in whole.model_dump()
        assert whole.parse(whole.model_dump() | {"dimensions": None}).digest == whole.digest


def test_the_sweep_of_dimensions_ends_with_all_and_thresholds_of_detection_are_the_mean_count():
    preset, about = presets.parse({"name": "stream-dimensions"}), given_of("stream", GIVEN["stream"])
    assert preset.spec().grid["dimensions"] == [1, 2, 5, 10, 20, 50, 100]
    assert preset.spec(about).grid["dimensions"] == [1, 2, 3]
    found = presets.parse({"name": "stream-detection"}).spec(about)
    assert [one.threshold for one in found.metrics] == pytest.approx([GIVEN["stream"].counts.mean()] * 2, rel=0.005)


SIDES = ("west", "south", "east", "north")
BOX = dict(zip(SIDES, (0.0, 0.0, 4.0, 4.0), strict=True)) | {"side": 4}


def cell_of(name, metrics=("hit-rate-1",), box=BOX, own=None, **changes):
    mechanism = with_examples(mechanisms[name], {"epsilon": 1.0, **box}) | (own or {})
    described = {"release": {"mechanism": mechanism}, "metrics": list(metrics), "seed": 3}
    return CheckInCell.parse(described | changes)


def refused(**changes):
    wrong = refusal(ParameterErrors, cell_of, **changes)
    return "; ".join(error.message for error in wrong.errors)


def private_habits():
    """40 users who each repeat an order of cells of their own: whoever was fitted is predicted, others are not."""
    rng = np.random.default_rng(5)
    return checked_in(*[(rng.permutation(16)[:5].tolist() * 6) for _ in range(40)])


class TestLeaks:
    """Exact counts of the last cells know what a user repeats: its hit rate shows whether that user was fitted."""

    def test_users_that_are_measured_are_not_fitted(self, monkeypatch):
        cell, data = cell_of("checkin-markov"), private_habits()
        honest = run_block(Block(cell, 0, 5), data)[1]

        def leaking(self, truth, batch):
            _, others = split_by_user(truth, self.test_share, np.random.default_rng(batch))
            return Split(truth, others)

        monkeypatch.setattr(CheckInCell, "parts", leaking)
        leaked = run_block(Block(cell, 0, 5), data)[1]
        assert honest.mean() < 2.5 * 100 / 15  # chance is one of the 15 other cells
        assert leaked.mean() > 2 * honest.mean()

    def test_no_user_is_on_both_sides_and_each_repetition_holds_out_others(self):
        cell, data = cell_of("checkin-popularity"), private_habits()
        splits = [cell.parts(data, repetition) for repetition in range(6)]
        assert all(not set(one.fitted.user) & set(one.others.user) for one in splits)
        assert all(len(set(one.others.user)) == 8 for one in splits)
        assert len({tuple(one.others.user) for one in splits}) == 6
        sizes = [len(cell_of("checkin-markov", density=share).parts(data, 0)[0]) for share in (0.1, 0.5, 1.0)]
        assert sizes == [3 * 30, 16 * 30, 32 * 30]

    def test_cells_of_one_seed_are_measured_on_the_same_users(self):
        data = private_habits()
        cells = [cell_of("checkin-popularity"), cell_of("checkin-markov", metrics=["reciprocal-rank"], density=0.5)]
        one, other = (cell.parts(data, 2) for cell in cells)
        assert np.array_equal(one.others.user, other.others.user)
        apart = [cell_of("checkin-popularity", common=False, seed=seed).parts(data, 2) for seed in (3, 4)]
        assert not np.array_equal(apart[0].others.user, apart[1].others.user)


class TestCells:
    def test_a_history_is_the_order_of_mechanisms_that_have_one(self):
        cell, data = cell_of("checkin-markov", history=3), private_habits()
        assert cell.release.mechanism.order == 3
        assert CheckInCell.parse(cell.model_dump()).digest == cell.digest
        assert cell_of("checkin-markov").release.mechanism.order == 1
        assert cell_of("checkin-popularity", history=3).history == 3
        message = "release.mechanism.order must be 3, the history length, or left out, got 2"
        assert message in refused(name="checkin-markov", own={"order": 2}, history=3)
        for history, own, expected in ((None, {"order": 2}, 2), (None, None, 1), (4, None, 4)):
            cell = cell_of("checkin-markov", own=own, history=history)
            assert cell.trial(cell.parts(data, 0), None).history == expected, "positions have as many last cells"
        cells = presets.parse({"name": "recommendation-history"}).spec().cells()
        markov = [cell for cell in cells if "markov" in cell.release.mechanism.name]
        assert {cell.history: cell.release.mechanism.order for cell in markov} == {1: 1, 2: 2, 3: 3}

    def test_what_reads_held_out_users_needs_some(self):
        message = "test_share must be greater than 0 for hit-rate-1 (metrics.0), which reads users that were held out"
        assert message in refused(name="checkin-popularity", test_share=0.0)
        assert "test_share must be at most 0.9" in refused(name="checkin-popularity", test_share=1.0)
        assert "density must be greater than 0, got 0.0" in refused(name="checkin-popularity", density=0.0)
        assert "history must be greater than 0, got 0" in refused(name="checkin-popularity", history=0)


class TestTables:
    def test_state_model_unit_level_grid_metric_and_value(self):
        small = {"repetitions": 2, "users": 30, "per_user": 6, "side": 5}
        preset = presets.parse({"name": "recommendation-epsilon", **small})
        assert preset == presets.parse({"name": "checkins-epsilon", **small}), "its former name"
        rows = run(preset.spec(), None).to_pylist()
        for row in rows:
            assert row["model"] == row["release.mechanism.name"]
            assert row["privacy_unit"] == row["release.mechanism.privacy_unit"]
            assert row["epsilon"] == row["release.mechanism.epsilon"]
            assert (row["grid"], row["value"]) == ("5x5", row["mean"])
            assert row["guarantee"] == mechanisms[row["model"]].publishable
        keys = [tuple(row[name] for name in ("model", "privacy_unit", "epsilon", "grid", "metric")) for row in rows]
        assert len(set(keys)) == len(keys)
        assert {"checkin-popularity", "checkin-nearest", "checkin-markov"} <= {row["model"] for row in rows}
        metrics = {"hit-rate@1", "hit-rate@5", "hit-rate@10", "hit-rate-by-user@10", "precision@10", "recall@10"}
        assert {row["metric"] for row in rows} == metrics | {"reciprocal-rank"}

    def test_the_box_of_a_preset_is_that_of_the_check_ins_or_given(self):
        about = given_of("checkins", private_habits())
        own = presets.parse({"name": "recommendation-range", "west": -1.0, "side": 7})
        (first, *_) = own.spec(about).cells()
        grid = first.release.mechanism.grid
        assert (grid.west, grid.south, grid.side) == (-1.0, 0.5, 7)
        assert first.test_share == 0
        with pytest.raises(ParameterErrors, match="must be greater than west"):
            presets.parse({"name": "recommendation-range", "west": 9.0, "east": 8.0}).spec(about)


@pytest.mark.slow
def test_manhattan_has_the_figures_of_the_design(shared):
    """HR@10 at ε = 1 on 16 by 16 cells, user level, mean of 5 splits whose standard deviation is .02 to .03."""
    data = gowalla(shared / "data" / "checkins" / EVENTS)
    design = {"checkin-popularity": 28.5, "checkin-nearest": 44.7, "checkin-markov": 49.0, "checkin-gravity": 46.3}
    for name, expected in design.items():
        box = dict(zip(SIDES, BOXES["Manhattan"], strict=True)) | {"side": 16}
        cell = cell_of(name, ["hit-rate", "reciprocal-rank"], box)
        rates = run_block(Block(cell, 0, 5), data)[1:].mean(axis=1)
        assert rates[0] > expected - 3
        assert 0 < rates[1] < rates[0] / 100
    assert HitRate().column_name == "hit-rate@10"
    assert ReciprocalRank().unit == ""
