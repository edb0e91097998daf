"""Experiments on recommendations: users that are measured are not fitted; what a table states."""

import numpy as np
import pytest

from benchmarks.recommendation_sets import BOXES, EVENTS, gowalla
from privacy_engine.errors import ParameterErrors
from privacy_engine.evaluation import Split, split_by_user
from privacy_engine.experiments import Block, CheckInCell, CityCheckIns, given_of, presets, run, run_block
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.mechanism import mechanisms
from privacy_engine.metrics import HitRate, ReciprocalRank
from tests.cases import refusal
from tests.engine.test_evaluation import checked_in
from tests.engine.test_experiments_kind_presets import assert_predicted

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

    @pytest.mark.thorough  # it measures time, which CI never does
    @pytest.mark.parametrize(
        "name", [one.registered_name() for one in mechanisms.of("checkins") if not one.needs_venues]
    )
    @pytest.mark.parametrize("users", [300, 5_000])
    @pytest.mark.parametrize("metrics", [("hit-rate", "reciprocal-rank"), ("range-share-error", "top-overlap")])
    def test_the_prediction_has_the_order_of_the_time_it_takes(self, name, users, metrics):
        data = CityCheckIns(users=users, per_user=20, seed=1).data()
        box = dict(zip(SIDES, given_of("checkins", data).box, strict=True)) | {"side": 16}
        assert_predicted(cell_of(name, metrics, box), data, [len(data)], 4)


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
