"""What is stated before anything is drawn: noise, guarantee, price, loss, errors to expect, levels; free of charge."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from dashboard.datasets import ledger
from dashboard.datasets.models import Budget, BudgetEntry
from dashboard.datasets.services import set_budget
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads
from dashboard.releases.models import Release
from dashboard.releases.trajectory import expected_errors, forecasts
from privacy_engine.accounting.temporal import landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.analysis import expected_loss
from privacy_engine.analysis.data_scale import data_scale
from privacy_engine.analysis.error_forecast import error_forecast
from privacy_engine.analysis.forecast import simulated_budgets
from privacy_engine.analysis.reference_radius import P95
from privacy_engine.analysis.verdict import TITLES
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.dashboard.api_helpers import UNIFORM, every_described, first_error, refused

FORECAST, ERRORS = "/api/v1/releases/forecast/", "/api/v1/releases/expected-errors/"
LEVELS, COSTS = "/api/v1/releases/least-levels/", "/api/v1/releases/protection-costs/"
PLANNED = {"name": "landmark-planned", "epsilon": 1.0, "radius_m": 200.0, "step_variance_m2": 250_000.0}
WINDOW = {"name": "w-event", "epsilon": 1.0, "radius_m": 200.0, "window": 4}
SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}
ADAPTIVE = {"name": "landmark-adaptive", "epsilon": 1.0, "radius_m": 200.0}


@pytest.fixture
def forecast(owner_api, landmark_set):
    """``forecast(mechanism, …, url=…, postprocess=[…], correlation={…})``: the answer."""

    def post(*requested, marks=landmark_set, url=FORECAST, **more):
        return owner_api.post(url, {"landmark_set": str(marks.pk), "mechanisms": list(requested)} | more)

    return post


class TestExpected:
    def test_uniform_by_hand_own_parameters_and_what_depends_on_the_run(self, forecast):
        (found,) = forecast(UNIFORM).json()["mechanisms"]
        assert found["expected"]["exact"]
        assert found["expected"]["landmark"]["share"] == [0.2, 0.2]
        assert found["errors"]["overall"]["mean_m"] == pytest.approx(2000, rel=1e-6)
        assert (found["expected"]["overall"]["events"], found["expected"]["overall"]["drawn"]) == (8, 8)
        assert "it and all 4 landmarks together leak at most ε = 1 per 200 m" in found["guarantee"]["statement"]
        for window in (1, 4, 8):
            (found,) = forecast(WINDOW | {"window": window}).json()["mechanisms"]
            assert found["errors"]["overall"]["mean_m"] == pytest.approx(400 * window, rel=1e-6)
        for variance, drawn in ((1.0, 1), (1e12, 4)):
            (found,) = forecast(PLANNED | {"step_variance_m2": variance}).json()["mechanisms"]
            assert found["expected"]["landmark"]["drawn"] == drawn
        (found,) = forecast(ADAPTIVE).json()["mechanisms"]
        assert found["expected"]["exact"] is False
        assert found["expected"]["overall"]["share"][0] == pytest.approx(0.2)

    def test_every_mechanism_has_one_and_a_verdict(self, forecast, ready_dataset):
        requested = every_described()
        found, errors = (forecast(*requested, url=url).json()["mechanisms"] for url in (FORECAST, ERRORS))
        for each in (found, errors):
            assert [one["name"] for one in each] == [one["name"] for one in requested]
        assert [one["errors"] for one in found] == [one["errors"] for one in errors]
        assert all(math.isfinite(one["errors"]["overall"]["p95_m"]) for one in found)
        assert all(one["verdict"]["title"] in TITLES.values() for one in errors)
        for url, more in ((LEVELS, {"accepted_m": 500}), (COSTS, {"epsilon": 1})):
            assert forecast(UNIFORM, SKIP, url=url, **more).status_code == 200
        ready_dataset.points_path.unlink()  # without errors no position is read, and nothing is written
        without = forecast(UNIFORM, ADAPTIVE, PLANNED, errors=False).json()["mechanisms"]
        assert [one["errors"] for one in without] == [None] * 3
        assert [model.objects.count() for model in (Release, BudgetEntry, Budget)] == [0, 0, 0]

    def test_each_mechanism_is_forecast_once_a_request_and_never_for_the_promise_alone(self, forecast, monkeypatch):
        calls = []
        for module in (forecasts, expected_errors):
            monkeypatch.setattr(
                module, "error_forecast", lambda one, *_: calls.append(one.name) or error_forecast(one, *_)
            )
        for url, more, times in ((FORECAST, {}, 1), (ERRORS, {}, 1), (FORECAST, {"errors": False}, 0)):
            calls.clear()
            assert forecast(UNIFORM, SKIP, url=url, **more).status_code == 200
            assert calls == ["landmark-uniform", "landmark-skip"] * times

    @pytest.mark.parametrize(("people", "shares"), [("ab", [1 / 3, 1 / 2]), ("aa", [1 / 4, 1 / 4])])
    def test_series_of_one_person_share(self, owner, owner_api, make_dataset, paris_day, people, shares):
        two = make_dataset(owner, *(replace(paris_day, person=name) for name in people))
        marks = mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [0, 1, 8]})
        answer = owner_api.post(FORECAST, {"landmark_set": str(marks.pk), "mechanisms": [UNIFORM]}).json()
        assert answer["mechanisms"][0]["expected"]["landmark"]["share"] == pytest.approx(shares)
        most = "2 landmarks" if people == "ab" else "3 landmarks"
        assert f"all {most} together" in answer["mechanisms"][0]["guarantee"]["statement"]


class TestPrice:
    def test_it_is_what_submitting_then_charges(self, forecast, submit, ready_dataset):
        submit(epsilon=0.1)
        before = ledger.spent(ready_dataset)["per_km"]
        stated = forecast(UNIFORM, PLANNED, WINDOW | {"epsilon": 0.3}).json()["budget"]
        assert stated["spent_per_km"] == before
        submit()
        submit("landmark-planned")
        submit("w-event", epsilon=0.3)
        assert ledger.spent(ready_dataset)["per_km"] == pytest.approx(stated["after_per_km"], abs=1e-12)
        assert stated["price_per_km"] == pytest.approx(stated["after_per_km"] - before)

    def test_steps_add_nothing_and_it_states_whether_it_fits(self, forecast, ready_dataset):
        step = {"name": "causal-filter", "step_variance_m2": 100.0}
        plain, stepped = forecast(UNIFORM).json(), forecast(UNIFORM, postprocess=[step, {"name": "ou-smoother"}]).json()
        assert plain["budget"] == stepped["budget"]
        assert [one["causal"] for one in stepped["postprocess"]] == [True, False]
        assert forecast(UNIFORM).json()["budget"]["total_per_km"] is None
        set_budget(dataset=ready_dataset, epsilon=2.0, radius_m=200.0)
        assert forecast(UNIFORM, UNIFORM).json()["budget"] == {
            "price_per_km": 10.0, "spent_per_km": 0.0, "after_per_km": 10.0, "total_per_km": 10.0, "fits": True,
            "stability": 1,
        }  # fmt: skip
        assert forecast(UNIFORM, UNIFORM, UNIFORM).json()["budget"]["fits"] is False
        set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=1.0)
        third = UNIFORM | {"radius_m": 3.0}
        assert forecast(third, third, third).json()["budget"]["fits"] is True


class TestRefused:
    def test_fail_out_of_domain_is_named(self, forecast):
        for mechanism, field in (
            (WINDOW | {"window": 0}, "mechanisms.1.window"),
            (WINDOW | {"window": None}, "mechanisms.1.window"),
            (UNIFORM | {"epsilon": 0}, "mechanisms.1.epsilon"),
            ({"name": "magic"}, "mechanisms.1.name"),
            (7, "mechanisms.1"),
        ):
            assert refused(forecast(UNIFORM, mechanism)) == (400, field)
        for count in (0, 21):
            assert refused(forecast(*[UNIFORM] * count)) == (400, "mechanisms")
        answer = forecast(UNIFORM, postprocess=[{"name": "causal-filter"}])
        assert refused(answer) == (400, "postprocess.0.step_variance_m2")


def test_the_former_path_answers_alike_for_one_version(owner_api, landmark_set):
    former_path = "/api/v1/releases/outlook/"
    body = {"landmark_set": str(landmark_set.pk), "mechanisms": [UNIFORM, ADAPTIVE]}
    new, former = owner_api.post(FORECAST, body), owner_api.post(former_path, body)
    assert (former.status_code, former.json()) == (200, new.json())
    refusals = [owner_api.post(path, body | {"mechanisms": []}).json() for path in (former_path, FORECAST)]
    assert [one.pop("instance") for one in refusals] == [former_path, FORECAST]
    assert refusals[0] == refusals[1]
    paths = json.loads(owner_api.get("/api/v1/schema/", HTTP_ACCEPT="application/json").content)["paths"]
    new, former = paths[FORECAST]["post"], paths[former_path]["post"]
    assert (former["deprecated"], "deprecated" in new) == (True, False)
    assert (former["requestBody"], former["responses"]) == (new["requestBody"], new["responses"])
    assert former["operationId"] != new["operationId"]


EVENT = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}
JOINT = {"name": "landmark-joint", "epsilon": 1.0, "radius_m": 200.0, "step_variance_m2": 250_000.0}
APART = {"diameter_m": 200}
MODERATE = {"n": 2, "s": 0.1} | APART
PER_METRE = MODERATE | {"diameter_m": 1}
NONE = {"backward": [[1.0]], "forward": [[1.0]]} | APART


def losses(answer):
    assert answer.status_code == 200, answer.content
    return [one["loss"] for one in answer.json()["mechanisms"]]


class TestWithACorrelation:
    def test_it_is_the_engines_on_the_planned_budgets_at_the_distance_of_the_states(self, forecast, landmark_set):
        matrix = smoothing_matrix(2, 0.1)
        for radii in (1, 5):
            (found,) = losses(forecast(UNIFORM, correlation=MODERATE | {"diameter_m": radii * 200}))
            levels = [radii * 0.2] * 8
            assert found["event"] == pytest.approx(temporal_loss(levels, matrix, matrix).total.max(), rel=1e-12)
            joint = landmark_temporal_loss(levels, landmark_set.mask, matrix, matrix, bound="bridge").max()
            assert found["joint"] == pytest.approx(joint, rel=1e-12)
            assert (found["event_level"], found["joint_level"]) == (pytest.approx(radii / 5), pytest.approx(radii))
            assert [found[name] for name in ("bound", "upper_bound", "why", "why_not")] == ["bridge", True, "", ""]

    def test_it_is_what_the_landmark_sets_report_states(self, forecast, owner_api, landmark_set):
        report = owner_api.get(f"/api/v1/landmark-sets/{landmark_set.pk}/loss/", PER_METRE).json()
        rows = {row["name"]: row for row in report["mechanisms"] if not row["why_not"]}
        assert len(rows) >= 5
        requested = [row["parameters"] | {"name": name, "epsilon": 1.0} for name, row in rows.items()]
        for row, found in zip(rows.values(), losses(forecast(*requested, correlation=PER_METRE)), strict=True):
            assert found["joint"] == pytest.approx(row["bridge"]["joint"], rel=1e-12)
            assert (found["joint_level"], found["event_level"]) == (row["level"], row["highest_budget"])

    def test_of_shared_draws_of_series_and_of_every_mechanism(self, forecast, owner, make_dataset, paris_day):
        (found,) = losses(forecast(JOINT, correlation=NONE))
        assert found["joint_level"] == pytest.approx(1.0)
        assert found["event"] <= 1.0 + 1e-12
        two = make_dataset(owner, paris_day, paris_day)
        marks = mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [0, 1, 8]})
        (found,) = losses(forecast(UNIFORM, marks=marks, correlation=NONE))
        assert (found["event_level"], found["joint_level"]) == (pytest.approx(1 / 2), pytest.approx(1.0))
        for found in losses(forecast(*every_described(), correlation=MODERATE)):
            assert (found["joint"] is None) == bool(found["why_not"])

    def test_what_depends_on_the_run_is_simulated_or_too_long(self, forecast, landmark_set, monkeypatch):
        (found,) = losses(forecast(ADAPTIVE, correlation=MODERATE))
        mask, matrix = landmark_set.mask, smoothing_matrix(2, 0.1)
        runs = simulated_budgets(mechanisms.parse(ADAPTIVE), mask, found["simulated"])
        assert found["simulated"] == len(runs) == 5
        assert found["event"] == np.median([temporal_loss(one, matrix, matrix).total.max() for one in runs])
        joint = [landmark_temporal_loss(one, mask, matrix, matrix, bound="bridge").max() for one in runs]
        assert found["joint"] == np.median(joint) > found["joint_level"]
        assert found["joint_level"] <= 1.0 + 1e-12
        monkeypatch.setattr(expected_loss, "LONGEST_RUN", 7)
        (found,) = losses(forecast(ADAPTIVE, correlation=MODERATE))
        assert "too long to try it out" in found["why_not"]
        assert [found[part] for part in ("event", "joint", "event_level", "joint_level", "bound")] == [None] * 5


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


def test_correlations_are_checked_and_without_one_no_position_is_read(forecast, ready_dataset):
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
    ready_dataset.points_path.unlink()
    for more in ({}, {"correlation": None}):
        answer = forecast(UNIFORM, errors=False, **more)
        assert (losses(answer), answer.json()["correlation"]) == ([None], None)
    assert forecast(UNIFORM, JOINT, correlation=MODERATE, errors=False).json()["correlation"]["s"] == 0.1


def test_errors_to_expect_and_a_verdict_by_the_scale(forecast, paris_day):
    found = (response := forecast(UNIFORM, url=ERRORS)).json()
    assert response.headers["Cache-Control"] == "private, no-store"
    assert found["scale"] == data_scale([paris_day]).model_dump()
    (one,) = found["mechanisms"]
    assert one["errors"]["overall"]["mean_m"] == pytest.approx(2000, rel=1e-6)
    assert one["verdict"]["name"] == "too-large"
    assert [rule["title"] for rule in found["rules"]] == list(TITLES.values())


class TestReleases:
    """Each with steps of its own."""

    FILTER = {"name": "causal-filter", "step_variance_m2": 250_000.0}

    @pytest.fixture
    def errors(self, owner_api, landmark_set):
        def post(*releases, url=ERRORS, **more):
            return owner_api.post(url, {"landmark_set": str(landmark_set.pk), "releases": list(releases)} | more)

        return post

    def test_each_row_is_as_the_mechanism_with_these_steps_alone(self, errors, forecast):
        plain, filtered = {"mechanism": SKIP}, {"mechanism": SKIP, "postprocess": [self.FILTER]}
        first, second = errors(plain, filtered).json()["mechanisms"]
        assert [one["title"] for one in (first, second)] == ["Skip", "Skip + Causal filter"]
        assert second["postprocess"] == [self.FILTER]
        for found, steps in ((first, []), (second, [self.FILTER])):
            assert forecast(SKIP, url=ERRORS, postprocess=steps).json()["mechanisms"] == [found]
        levels = errors(filtered, url=LEVELS, accepted_m=900).json()["mechanisms"]
        assert levels[0]["title"] == "Skip + Causal filter"
        assert levels == forecast(SKIP, url=LEVELS, postprocess=[self.FILTER], accepted_m=900).json()["mechanisms"]

    def test_the_best_without_steps_is_suggested_with_a_smoother_unless_it_is_there(self, errors):
        requested = [{"mechanism": one} for one in (UNIFORM, SKIP, EVENT)]
        found = errors(*requested, smoothing=True).json()["mechanisms"]
        assert [one["title"] for one in found[3:]] == ["Skip + Random-walk smoother"]
        again = {"mechanism": SKIP, "postprocess": found[3]["postprocess"]}
        assert len(errors(*requested, again, smoothing=True).json()["mechanisms"]) == 4
        assert errors({"mechanism": EVENT}, smoothing=True).json()["mechanisms"][1:] == []

    def test_landmarks_that_a_level_does_not_protect_together_are_exposed(self, errors, owner_api, ready_dataset):
        (event, skip) = errors({"mechanism": EVENT}, {"mechanism": SKIP}).json()["mechanisms"]
        assert event["verdict"]["name"] == "landmarks-exposed"
        assert skip["verdict"]["name"] != "landmarks-exposed"
        alone = owner_api.post(ERRORS, {"dataset": str(ready_dataset.pk), "releases": [{"mechanism": EVENT}]}).json()
        assert alone["mechanisms"][0]["verdict"]["name"] == "coarse"

    def test_fail_out_of_domain_is_named(self, errors, forecast):
        plain = {"mechanism": SKIP}
        for wrong, field in (
            ({"mechanism": SKIP | {"epsilon": 0}}, "releases.1.mechanism.epsilon"),
            (
                plain | {"postprocess": [self.FILTER | {"step_variance_m2": 0}]},
                "releases.1.postprocess.0.step_variance_m2",
            ),
            (7, "releases.1.mechanism"),
        ):
            assert refused(errors(plain, wrong)) == (400, field)
        assert refused(errors(*[plain] * 21)) == (400, "releases")
        assert refused(forecast(SKIP, url=ERRORS, releases=[plain])) == (400, "mechanisms")

    def test_a_forecast_has_the_whole_trace_that_the_label_states_and_the_promise_alone(self, forecast, done):
        (found,) = forecast(SKIP).json()["mechanisms"]
        assert found["whole_trace"] == downloads.label(done)["whole_trace_epsilon"] == 4.0
        assert "not covered" in found["guarantee"]["statement"]
        assert found["promise"] == found["guarantee"]["statement"].split("; not covered")[0] + "."


class TestLeastLevels:
    @pytest.mark.slow
    def test_the_forecast_at_the_level_is_accepted_and_its_price_is_the_ledgers(self, forecast, ready_dataset):
        def levels(*requested, accepted_m=500):
            return forecast(*requested, url=LEVELS, accepted_m=accepted_m)

        set_budget(dataset=ready_dataset, epsilon=4.0, radius_m=200.0)
        uniform, skip = levels(UNIFORM, SKIP).json()["mechanisms"]
        assert uniform["epsilon"] == pytest.approx(1.6783469900166605 * 5 * 200 / 500, rel=0.02)
        (again,) = forecast(UNIFORM | {"epsilon": uniform["epsilon"]}, url=ERRORS).json()["mechanisms"]
        assert again["errors"] == uniform["errors"]
        assert uniform["errors"]["overall"]["typical_m"] <= 500
        assert uniform["price_per_km"] == pytest.approx(uniform["epsilon"] * 5, rel=1e-6)
        assert (uniform["fits"], skip["fits"]) == (True, True)
        set_budget(dataset=ready_dataset, epsilon=3.0, radius_m=200.0)
        assert levels(UNIFORM).json()["mechanisms"][0]["fits"] is False
        (none,) = levels(SKIP, accepted_m=10).json()["mechanisms"]
        assert (none["epsilon"], none["price_per_km"], none["fits"]) == (None, None, None)
        assert none["errors"]["overall"]["typical_m"] > 10
        for accepted_m in (0, -1, 1e8, "far", None):
            assert refused(levels(UNIFORM, accepted_m=accepted_m)) == (400, "accepted_m"), accepted_m

    def test_without_an_error_it_is_usable_at_a_named_radius_as_the_forms_forecast_has_it(
        self, owner_api, ready_dataset
    ):
        def of(url, **level):
            releases = [{"mechanism": EVENT | level}]
            return owner_api.post(url, {"dataset": str(ready_dataset.pk), "releases": releases}).json()

        least = P95 / (of(ERRORS)["scale"]["extent_m"] / 5)  # per metre
        for epsilon, radius_m, raised in (
            (1.01 * 200 * least, 200, 1),
            (1.01 * 20 * least, 20, 1),
            (10 * least, 20, 2),
        ):
            (at,) = of(LEVELS, epsilon=epsilon, radius_m=1000.0)["mechanisms"]
            assert (at["radius_m"], at["verdict"]["name"]) == (radius_m, "usable")
            assert at["epsilon"] == pytest.approx(epsilon * raised, rel=0.02)
            (form,) = of(ERRORS, epsilon=at["epsilon"], radius_m=radius_m)["mechanisms"]
            assert (form["errors"], form["verdict"]) == (at["errors"], at["verdict"])


class TestProtectionCosts:
    def test_every_mechanism_at_the_level_is_as_the_forms_forecast_has_it_to_the_digit(self, forecast, ready_dataset):
        set_budget(dataset=ready_dataset, epsilon=3.0, radius_m=150.0)
        found = (response := forecast(UNIFORM, SKIP, ADAPTIVE, url=COSTS, epsilon=0.4)).json()
        assert response.headers["Cache-Control"] == "private, no-store"
        assert (found["epsilon"], found["radius_m"]) == (0.4, 150.0)
        assert found["guess"] == pytest.approx(np.exp(0.4) / (1 + np.exp(0.4)))
        level = {"epsilon": 0.4, "radius_m": 150.0}
        again = forecast(*(one | level for one in (UNIFORM, SKIP, ADAPTIVE)), url=ERRORS).json()
        for cost, one in zip(found["mechanisms"], again["mechanisms"], strict=True):
            assert {name: cost[name] for name in one} == one
        uniform = found["mechanisms"][0]
        assert (uniform["price_per_km"], uniform["fits"]) == (pytest.approx(0.4 / 0.15), True)
        assert forecast(UNIFORM, url=COSTS, epsilon=3.5).json()["mechanisms"][0]["fits"] is False

    def test_a_guess_is_a_level_that_never_protects_less_and_out_of_domain_is_named(self, forecast):
        for guess in (0.51, 0.6, 0.75, 0.9, 0.99):
            found = forecast(UNIFORM, url=COSTS, guess=guess).json()
            assert 0.99 * guess < found["guess"] <= guess
            assert found["radius_m"] == 20.0
        assert forecast(UNIFORM, url=COSTS, guess=0.75).json()["epsilon"] == 1.09
        for given, field, rule in (
            ({"epsilon": 0}, "epsilon", "from 1e-06 to 10000"),
            ({"epsilon": "much"}, "epsilon", "a finite number"),
            ({"guess": 0.5}, "guess", "from 0.51 to 0.99"),
            ({"guess": 75}, "guess", "from 0.51 to 0.99"),
            ({}, "epsilon", "exactly one of epsilon and guess"),
            ({"epsilon": 1, "guess": 0.75}, "epsilon", "exactly one of epsilon and guess"),
        ):
            response = forecast(UNIFORM, url=COSTS, **given)
            error = first_error(response)
            assert (response.status_code, error["field"], error["rule"]) == (400, field, rule)
            assert error["value"] == given.get(field)
