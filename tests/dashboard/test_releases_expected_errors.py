"""Errors to expect, verdicts and levels for an accepted error: computed from the original, so the owner's alone."""

import json
import re

import numpy as np
import pytest

from dashboard.datasets.models import Budget, BudgetEntry, Dataset
from dashboard.datasets.scale import scale_of, stored_scale
from dashboard.datasets.selectors import spending
from dashboard.datasets.services import set_budget
from dashboard.releases import downloads, trajectory_report
from dashboard.releases.models import Release
from privacy_engine.analysis.data_scale import data_scale
from privacy_engine.analysis.verdict import TITLES, verdict
from tests.dashboard.api_helpers import UNIFORM, every_described, first_error, refused, release_url

ERRORS, LEVELS = "/api/v1/releases/expected-errors/", "/api/v1/releases/least-levels/"
COSTS = "/api/v1/releases/protection-costs/"
SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}


@pytest.fixture
def expected(owner_api, landmark_set):
    """``expected(mechanism, …)``: the response."""

    def post(*requested, url=ERRORS, **more):
        body = {"landmark_set": str(landmark_set.pk), "mechanisms": list(requested)} | more
        return owner_api.post(url, body)

    return post


class TestExpectedErrors:
    def test_uniform_by_hand_four_landmarks_of_eight(self, expected, paris_day):
        response = expected(UNIFORM)
        found = response.json()
        assert response.headers["Cache-Control"] == "private, no-store"
        assert found["scale"] == data_scale([paris_day]).model_dump()
        (one,) = found["mechanisms"]
        assert one["errors"]["overall"]["mean_m"] == pytest.approx(2000, rel=1e-6)
        assert one["verdict"]["name"] == "too-large"
        assert [rule["title"] for rule in found["rules"]] == list(TITLES.values())

    def test_every_mechanism_has_a_verdict(self, expected):
        requested = every_described()
        found = expected(*requested).json()["mechanisms"]
        assert [one["name"] for one in found] == [one["name"] for one in requested]
        assert all(one["verdict"]["title"] in TITLES.values() for one in found)
        expected(UNIFORM, SKIP, url=LEVELS, accepted_m=500)
        expected(UNIFORM, SKIP, url=COSTS, epsilon=1)
        assert [model.objects.count() for model in (Release, BudgetEntry, Budget)] == [0, 0, 0]


class TestLeastLevels:
    def test_the_forecast_at_the_level_is_accepted_and_its_price_is_the_ledgers(self, expected, ready_dataset):
        set_budget(dataset=ready_dataset, epsilon=4.0, radius_m=200.0)
        found = expected(UNIFORM, SKIP, url=LEVELS, accepted_m=500).json()
        uniform, skip = found["mechanisms"]
        assert uniform["epsilon"] == pytest.approx(1.6783469900166605 * 5 * 200 / 500, rel=0.02)
        (again,) = expected(UNIFORM | {"epsilon": uniform["epsilon"]}).json()["mechanisms"]
        assert again["errors"] == uniform["errors"]
        assert uniform["errors"]["overall"]["typical_m"] <= 500
        assert uniform["price_per_km"] == pytest.approx(uniform["epsilon"] * 5, rel=1e-6)
        assert (uniform["fits"], skip["fits"]) == (True, True)
        set_budget(dataset=ready_dataset, epsilon=3.0, radius_m=200.0)
        assert expected(UNIFORM, url=LEVELS, accepted_m=500).json()["mechanisms"][0]["fits"] is False

    def test_none_where_no_level_reaches_it(self, expected):
        (skip,) = expected(SKIP, url=LEVELS, accepted_m=10).json()["mechanisms"]
        assert (skip["epsilon"], skip["price_per_km"], skip["fits"]) == (None, None, None)
        assert skip["errors"]["overall"]["typical_m"] > 10

    def test_fail_out_of_domain_is_named(self, expected):
        for accepted_m in (0, -1, 1e8, "far", None):
            assert refused(expected(UNIFORM, url=LEVELS, accepted_m=accepted_m)) == (400, "accepted_m"), accepted_m


class TestProtectionCosts:
    def test_every_mechanism_at_the_level_is_as_the_forms_forecast_has_it_to_the_digit(self, expected, ready_dataset):
        set_budget(dataset=ready_dataset, epsilon=3.0, radius_m=150.0)
        adaptive = {"name": "landmark-adaptive", "epsilon": 1.0, "radius_m": 20.0}
        response = expected(UNIFORM, SKIP, adaptive, url=COSTS, epsilon=0.4)
        found = response.json()
        assert response.headers["Cache-Control"] == "private, no-store"
        assert (found["epsilon"], found["radius_m"]) == (0.4, 150.0)
        assert found["guess"] == pytest.approx(np.exp(0.4) / (1 + np.exp(0.4)))
        again = expected(*(one | {"epsilon": 0.4, "radius_m": 150.0} for one in (UNIFORM, SKIP, adaptive))).json()
        for cost, forecast in zip(found["mechanisms"], again["mechanisms"], strict=True):
            assert {name: cost[name] for name in forecast} == forecast
        uniform = found["mechanisms"][0]
        assert uniform["price_per_km"] == pytest.approx(0.4 / 0.15)
        assert uniform["fits"] is True
        assert expected(UNIFORM, url=COSTS, epsilon=3.5).json()["mechanisms"][0]["fits"] is False

    def test_a_guess_is_a_level_that_never_protects_less(self, expected):
        for guess in (0.51, 0.6, 0.75, 0.9, 0.99):
            found = expected(UNIFORM, url=COSTS, guess=guess).json()
            assert 0.99 * guess < found["guess"] <= guess
            assert found["radius_m"] == 20.0
        assert expected(UNIFORM, url=COSTS, guess=0.75).json()["epsilon"] == 1.09

    def test_fail_out_of_domain_is_named(self, expected):
        for given, field, rule in (
            ({"epsilon": 0}, "epsilon", "from 1e-06 to 10000"),
            ({"epsilon": "much"}, "epsilon", "a finite number"),
            ({"guess": 0.5}, "guess", "from 0.51 to 0.99"),
            ({"guess": 75}, "guess", "from 0.51 to 0.99"),
            ({}, "epsilon", "exactly one of epsilon and guess"),
            ({"epsilon": 1, "guess": 0.75}, "epsilon", "exactly one of epsilon and guess"),
        ):
            response = expected(UNIFORM, url=COSTS, **given)
            error = first_error(response)
            assert (response.status_code, error["field"], error["rule"]) == (400, field, rule)
            assert error["value"] == given.get(field)


class TestVerdictOfARelease:
    def test_it_compares_measured_errors_with_the_scale(self, owner_api, done):
        found = owner_api.get(release_url(done)).json()
        view, scale = done.owner_view, stored_scale(done.dataset)
        wanted = verdict(view["median_error_m"], view["p95_error_m"], scale, noise_m=view["noise_m"])
        assert found["verdict"] == wanted.model_dump()
        assert view["noise_m"] == pytest.approx(1.6783469900166605 * 200, rel=1e-6)

    def test_no_public_view_has_a_verdict_or_the_scale(self, done):
        """The label, the public part of the report and the summary follow from what is published."""
        scale = stored_scale(done.dataset)
        secrets = [f"{value:.1f}"[:-2] for value in (scale.extent_m, scale.median_step_m)] + list(TITLES.values())
        public = [json.dumps(downloads.label(done)), json.dumps(done.summary), repr(trajectory_report.public(done, 0))]
        for text in public:
            # digits inside a digest or a coordinate are none of the scale's
            assert not any(re.search(rf"(?<![\w.]){re.escape(secret)}(?!\w)", text) for secret in secrets)
            assert "verdict" not in text
            assert "extent" not in text

    def test_the_owners_report_and_pages_show_it_and_the_public_report_does_not(self, done, client, owner):
        client.force_login(owner)
        page, title = f"/releases/{done.pk}/report/", done.verdict.title
        mine = client.get(page, {"for": "owner"}).content.decode()
        assert title in mine
        assert "median step" in mine
        public = client.get(page).content.decode()
        assert not any(one in public for one in TITLES.values())
        assert title in client.get(f"/datasets/{done.dataset_id}/").content.decode()

    def test_datasets_of_an_earlier_version_get_their_scale_once(self, done, paris_day):
        summary = {name: value for name, value in done.dataset.summary.items() if name != "scale"}
        Dataset.objects.filter(pk=done.dataset_id).update(summary=summary)
        row = Release.objects.get(pk=done.pk)
        assert row.verdict is None
        assert scale_of(row.dataset) == data_scale([paris_day])
        assert Release.objects.get(pk=done.pk).verdict is not None


def test_the_reference_radius(submit, ready_dataset, client, owner):
    """The limit's radius, else that of the first charged release, else one for the extent, here four kilometres."""

    def radius_m():
        return spending(ready_dataset, owner)["radius_m"]

    assert radius_m() == 20.0
    submit(seed=1, radius_m=50.0)
    assert radius_m() == 20.0
    submit(radius_m=150.0)
    submit(radius_m=300.0)
    assert radius_m() == 150.0
    client.force_login(owner)
    page = client.get(f"/datasets/{ready_dataset.pk}/").content.decode().replace("\u202f", " ")
    assert "= 0.5 per 150 m" in page
    assert "= 1 per 150 m" not in page.replace("ε = 1 per 150 m", "")
    set_budget(dataset=ready_dataset, epsilon=9.0, radius_m=40.0)
    assert radius_m() == 40.0
