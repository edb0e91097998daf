"""The experiments of the papers by name: published numbers, and the orders that hold."""

import json

import numpy as np
import pytest

from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError
from privacy_engine.experiments import ExperimentSpec, latex, presets, run
from privacy_engine.experiments import presets as papers
from privacy_engine.experiments.presets import CorrelatedLoss, TDriveError, TemporalDistance
from privacy_engine.experiments.presets.base import SHARES, scheme
from privacy_engine.experiments.synthetic_series import TAXI_INTERVAL_S, first_events, taxi, walk
from tests.cases import each


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


@each("preset", [cls.registered_name() for cls in presets.of("trajectory")])
class TestEveryPreset:
    def test_runs_on_what_it_generates_and_takes_what_is_given(self, preset):
        one = presets.parse({"name": preset, "repetitions": 1, "events": 50})
        table = run(one.spec(), one.data())
        assert table.num_rows == len(list(one.spec().points())) * len(one.metrics)
        assert table.column("mean").null_count == 0
        assert latex(table, one.spec()).count("\\pgfplotstableread") == len(one.metrics)
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
        for cls in (TDriveError, papers.GeolifeError):
            preset = cls(repetitions=1, events=100, marks="stay-points")
            table = run(preset.spec(), preset.data())
            shares = table.column("marked_share").to_pylist()
            assert (shares[0], shares[-1]) == (0.0, preset.name == "error-tdrive")  # the walk rests only later
            assert "x: marked_share" in latex(table, preset.spec())

    def test_takes_the_first_events_of_all_files_as_one_series_and_resembles_the_real_taxi(self):
        parts = [taxi(np.random.default_rng(1), 30), Trajectory([8.5] * 30, [47.3] * 30, np.full(30, 1e9))]
        (one,) = TDriveError(events=40).data(parts)
        assert (len(one), one.lon[-1], one.time_s is not None) == (40, 8.5, True)
        assert first_events([parts[0], Trajectory([8.5], [47.3])], 31).time_s is None
        with pytest.raises(DataError, match="never decrease"):
            first_events(parts[::-1], 40)
        here = taxi(np.random.default_rng(1))
        assert (len(here), len(walk())) == (1000, 1000)
        assert set(np.diff(here.time_s).round(6)) == {TAXI_INTERVAL_S}


class TestTemporalDistance:
    def test_is_the_published_one(self, vectors):
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


class TestDummySelection:
    def test_costs_more_the_more_the_selection_takes_of_the_budget(self):
        preset = papers.DummySelectionCost(repetitions=10)
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
