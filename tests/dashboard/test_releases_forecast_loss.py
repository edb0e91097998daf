"""What releases would leak under a correlation, reported before any is drawn."""

import numpy as np
import pytest

from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import forecasts
from privacy_engine.accounting.temporal import landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.analysis import expected_loss
from privacy_engine.analysis.forecast import simulated_budgets
from privacy_engine.mechanism import mechanisms
from tests.dashboard.api_helpers import UNIFORM, every_described, refused

FORECAST = "/api/v1/releases/forecast/"
ADAPTIVE = {"name": "landmark-adaptive", "epsilon": 1.0, "radius_m": 200.0}
EVENT = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}
JOINT = {"name": "landmark-joint", "epsilon": 1.0, "radius_m": 200.0, "step_variance_m2": 250_000.0}
APART = {"diameter_m": 200}
MODERATE = {"n": 2, "s": 0.1} | APART
PER_METRE = MODERATE | {"diameter_m": 1}
NONE = {"backward": [[1.0]], "forward": [[1.0]]} | APART


@pytest.fixture
def forecast(owner_api, landmark_set):
    """``forecast(mechanism, …, correlation={…})``: the answer."""

    def post(*requested, marks=landmark_set, **more):
        return owner_api.post(FORECAST, {"landmark_set": str(marks.pk), "mechanisms": list(requested)} | more)

    return post


def losses(answer):
    assert answer.status_code == 200, answer.content
    return [one["loss"] for one in answer.json()["mechanisms"]]


class TestWithACorrelation:
    def test_it_is_the_engines_on_the_planned_budgets(self, forecast, landmark_set):
        (found,) = losses(forecast(UNIFORM, correlation=MODERATE))
        matrix, budgets = smoothing_matrix(2, 0.1), [0.2] * 8
        assert found["event"] == pytest.approx(temporal_loss(budgets, matrix, matrix).total.max(), rel=1e-12)
        joint = landmark_temporal_loss(budgets, landmark_set.mask, matrix, matrix, bound="bridge").max()
        assert found["joint"] == pytest.approx(joint, rel=1e-12)
        assert (found["event_level"], found["joint_level"]) == (0.2, pytest.approx(1.0))
        assert (found["bound"], found["upper_bound"], found["why"], found["why_not"]) == ("bridge", True, "", "")

    def test_it_is_what_the_landmark_sets_report_states(self, forecast, owner_api, landmark_set):
        report = owner_api.get(f"/api/v1/landmark-sets/{landmark_set.pk}/loss/", PER_METRE).json()
        rows = {row["name"]: row for row in report["mechanisms"] if not row["why_not"]}
        assert len(rows) >= 5
        requested = [row["parameters"] | {"name": name, "epsilon": 1.0} for name, row in rows.items()]
        for row, found in zip(rows.values(), losses(forecast(*requested, correlation=PER_METRE)), strict=True):
            assert found["joint"] == pytest.approx(row["bridge"]["joint"], rel=1e-12)
            assert (found["joint_level"], found["event_level"]) == (row["level"], row["highest_budget"])

    def test_farther_states_leak_more_by_the_distance(self, forecast, landmark_set):
        (found,) = losses(forecast(UNIFORM, correlation=MODERATE | {"diameter_m": 1000}))
        matrix, levels = smoothing_matrix(2, 0.1), [5 * 0.2] * 8
        assert found["event"] == pytest.approx(temporal_loss(levels, matrix, matrix).total.max(), rel=1e-12)
        joint = landmark_temporal_loss(levels, landmark_set.mask, matrix, matrix, bound="bridge").max()
        assert found["joint"] == pytest.approx(joint, rel=1e-12)
        assert (found["event_level"], found["joint_level"]) == (pytest.approx(1.0), pytest.approx(5.0))

    def test_stronger_leaks_more_and_none_leaks_the_level(self, forecast):
        given = [{"n": 2, "s": s} | APART for s in (1, 0.1, 0.01)]
        weak, moderate, strong = (losses(forecast(UNIFORM, correlation=one))[0] for one in given)
        for part in ("event", "joint"):
            assert weak[f"{part}_level"] < weak[part] < moderate[part] < strong[part]
            none = losses(forecast(UNIFORM, correlation=NONE))[0]
            assert none[part] == pytest.approx(none[f"{part}_level"])

    def test_a_shared_draw_counts_once(self, forecast):
        (found,) = losses(forecast(JOINT, correlation=NONE))
        assert found["joint_level"] == pytest.approx(1.0)
        assert found["event"] <= 1.0 + 1e-12

    def test_what_depends_on_the_run_is_simulated(self, forecast, landmark_set):
        (found,) = losses(forecast(ADAPTIVE, correlation=MODERATE))
        mask, matrix = landmark_set.mask, smoothing_matrix(2, 0.1)
        runs = simulated_budgets(mechanisms.parse(ADAPTIVE), mask, found["simulated"])
        assert found["simulated"] == len(runs) == 5
        assert found["event"] == np.median([temporal_loss(one, matrix, matrix).total.max() for one in runs])
        joint = [landmark_temporal_loss(one, mask, matrix, matrix, bound="bridge").max() for one in runs]
        assert found["joint"] == np.median(joint) > found["joint_level"]
        assert found["joint_level"] <= 1.0 + 1e-12

    def test_what_is_too_long_to_be_simulated_states_it(self, forecast, monkeypatch):
        monkeypatch.setattr(expected_loss, "LONGEST_RUN", 7)
        (found,) = losses(forecast(ADAPTIVE, correlation=MODERATE))
        assert "too long to try it out" in found["why_not"]
        assert [found[part] for part in ("event", "joint", "event_level", "joint_level", "bound")] == [None] * 5

    def test_series_are_apart_and_the_worst_is_reported(self, forecast, owner, make_dataset, paris_day):
        two = make_dataset(owner, paris_day, paris_day)
        marks = mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [0, 1, 8]})
        (found,) = losses(forecast(UNIFORM, marks=marks, correlation=NONE))
        assert (found["event_level"], found["joint_level"]) == (pytest.approx(1 / 2), pytest.approx(1.0))

    def test_every_mechanism_has_losses_or_states_why(self, forecast):
        for found in losses(forecast(*every_described(), correlation=MODERATE)):
            assert (found["joint"] is None) == bool(found["why_not"])


def test_without_a_correlation_there_is_no_loss_and_no_position_is_read(forecast, ready_dataset):
    ready_dataset.points_path.unlink()
    for more in ({}, {"correlation": None}):
        answer = forecast(UNIFORM, **more)
        assert (losses(answer), answer.json()["correlation"]) == ([None], None)
    assert forecast(UNIFORM, JOINT, correlation=MODERATE).json()["correlation"]["s"] == 0.1


class TestTime:
    def test_what_would_take_too_long_is_left_out(self, forecast, monkeypatch):
        monkeypatch.setattr(forecasts, "MAX_SECONDS", 1e-7)
        (found,) = losses(forecast(UNIFORM, correlation=MODERATE))
        assert found["why_not"].startswith("it would take about")
        assert found["event"] is None

    def test_without_time_for_the_bridge_it_is_the_published_formula_and_stated_it(self, forecast, monkeypatch):
        needed = expected_loss.loss_seconds
        slow = lambda *requested: 60.0 if requested[-1] == "bridge" else needed(*requested)  # noqa: E731
        monkeypatch.setattr(expected_loss, "loss_seconds", slow)
        (found,) = losses(forecast(UNIFORM, correlation=MODERATE))
        assert (found["bound"], found["upper_bound"]) == ("published", False)
        assert found["why"] == "it would take about 120.0 s, and 2 s are given"


def test_fail_no_correlation(forecast):
    for correlation, field in (
        ({"s": -1}, "correlation.s"),
        ({"cell_m": 500}, "correlation.cell_m"),
        ({"magic": 1}, "correlation.magic"),
        ({"s": 1}, "correlation.diameter_m"),
        ({"s": 1, "diameter_m": 3e7}, "correlation.diameter_m"),
        ({"backward": [[0.5, 0.4], [0, 1]]}, "correlation.backward"),
        ("strong", "correlation"),
    ):
        assert refused(forecast(EVENT, correlation=correlation)) == (400, field)
