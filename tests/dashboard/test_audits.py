"""Audits in the API, on the page and as jobs."""

import csv
import io
import json

import pytest
from django.db import IntegrityError, transaction

from dashboard.audits import execution, services
from dashboard.audits.models import Audit
from dashboard.jobs import leases, queue
from dashboard.jobs.models import State
from privacy_engine.audit import AuditSpec
from privacy_engine.errors import ParameterErrors

API = "/api/v1/audits/"
CLAIM = {"epsilon": 1.0, "radius_m": 200.0}
UNIFORM = {"name": "landmark-uniform", **CLAIM}


def start(api, *, trials=1000, **mechanism):
    return api.post(API, {"mechanism": UNIFORM | mechanism, "trials": trials}, format="json")


@pytest.fixture
def waiting(owner):
    return services.submit_audit(owner=owner, spec=AuditSpec.parse({"mechanism": UNIFORM, "trials": 1000}))


@pytest.fixture
def done(waiting):
    execution.run(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == State.DONE
    return waiting


class TestApi:
    def test_a_worker_runs_it(self, owner_api):
        made = start(owner_api)
        assert made.status_code == 201
        row = made.json()
        assert (row["name"], row["state"], row["result"]) == ("Uniform, ε = 1 per 200 m", "queued", None)
        assert (row["mechanism"], row["trials"]) == (UNIFORM, 1000)
        execution.run(row["id"])
        found = owner_api.get(row["urls"]["self"]).json()
        assert (found["state"], found["progress"], found["error"]) == ("done", 1.0, None)
        result = found["result"]
        assert list(result) == ["mechanism", "claimed", "lower_bound", "confidence", "trials", "pairs", "verdict"]
        assert (result["mechanism"], result["claimed"], result["verdict"]) == ("landmark-uniform", 1.0, "consistent")
        assert len(result["pairs"]) == 4
        assert [one["id"] for one in owner_api.get(f"{API}?state=done").json()["results"]] == [row["id"]]
        assert owner_api.get(f"{API}?state=failed").json()["results"] == []

    def test_its_noise_is_what_is_published(self, owner_api):
        assert Audit.objects.get(pk=start(owner_api).json()["id"]).spec["seed"] is None
        refused = owner_api.post(API, {"mechanism": UNIFORM, "seed": 1}, format="json")
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "seed")
        assert [row.spec["seed"] for row in Audit.objects.all()] == [None]

    def test_controls_have_names_of_their_own(self, owner_api):
        made = start(owner_api, name="control:half-noise:landmark-uniform", trials=20_000).json()
        assert made["name"] == "Uniform, half the noise, ε = 1 per 200 m"
        execution.run(made["id"])
        assert owner_api.get(made["urls"]["self"]).json()["result"]["verdict"] == "violated"
        assert start(owner_api, name="control:numpy-laplace").json()["name"].startswith("numpy’s Laplace noise, ε")

    def test_what_is_left_out_is_chosen(self, owner_api):
        assert start(owner_api, name="w-event").json()["mechanism"]["window"] == 3
        assert start(owner_api, name="landmark-joint").json()["mechanism"]["step_variance_m2"] == 250_000.0

    def test_bad_input_names_its_field(self, owner_api):
        for changes, field, message in [
            ({"name": "nothing"}, "mechanism.name", "mechanism.name must be one of event-level"),
            ({"name": "control:nothing"}, "mechanism.name", "mechanism.name must be a registered mechanism or one of"),
            ({"epsilon": 0}, "mechanism.epsilon", "mechanism.epsilon must be greater than 0, got 0"),
            ({"window": 2}, "mechanism.window", "mechanism.window is not a parameter here"),
            ({"name": "control:numpy-laplace", "radius_m": -1}, "mechanism.radius_m", "mechanism.radius_m must be"),
            ({"trials": 999}, "trials", "trials must be at least 1000, got 999"),
            ({"trials": 2_000_000}, "trials", "trials must be at most 1e+06, got 2000000"),
            ({"trials": "many"}, "trials", "trials must be a whole number, got 'many'"),
            ({"trials": None}, "trials", "trials"),
        ]:
            refused = start(owner_api, **changes)
            assert refused.status_code == 400, (changes, field, message)
            (error,) = refused.json()["errors"]
            assert error["field"] == field, (changes, field, message)
            assert error["message"].startswith(message), (changes, field, message)
            assert not Audit.objects.exists(), (changes, field, message)

    def test_a_mechanism_that_is_none(self, owner_api):
        for mechanism in [None, 3, [], "landmark-uniform", {}]:
            refused = owner_api.post(API, {"mechanism": mechanism}, format="json")
            assert refused.status_code == 400, mechanism
            assert refused.json()["errors"][0]["field"].startswith("mechanism"), mechanism

    def test_the_service_refuses_it_too(self, owner):
        with pytest.raises(ParameterErrors, match="mechanism.*must be one of|name must be one of"):
            services.submit_audit(owner=owner, spec=AuditSpec.parse({"mechanism": {"name": "nothing", "epsilon": 1.0}}))

    def test_few_wait_at_once(self, owner_api, stranger_api):
        ids = [start(owner_api).json()["id"] for _ in range(services.MOST_OPEN)]
        refused = start(owner_api)
        assert refused.status_code == 409
        assert refused.json()["errors"][0]["message"].startswith("4 of your audits wait or run")
        assert start(stranger_api).status_code == 201
        owner_api.post(f"{API}{ids[0]}/cancel/")
        assert start(owner_api).status_code == 201

    def test_downloads(self, owner_api, done):
        whole = owner_api.get(f"{API}{done.pk}/data/")
        assert (
            whole["Content-Disposition"]
            == f'attachment; filename="audit_Uniform_eps1-per-200-m_{done.pk.hex[:8]}.json"'
        )
        assert json.loads(b"".join(whole)) == done.result | {"parameters": UNIFORM, "cairn": done.engine_version}
        table = owner_api.get(f"{API}{done.pk}/data/?format=csv")
        rows = list(csv.DictReader(io.StringIO(b"".join(table).decode())))
        assert [row["name"] for row in rows] == [pair["name"] for pair in done.result["pairs"]]
        assert [float(row["lower_bound"]) for row in rows] == [pair["lower_bound"] for pair in done.result["pairs"]]
        assert owner_api.get(f"{API}{done.pk}/data/?format=xml").status_code == 400

    def test_a_done_row_has_a_result(self, done):
        with pytest.raises(IntegrityError), transaction.atomic():
            Audit.objects.filter(pk=done.pk).update(result=None)


class TestJob:
    def test_cancelled_while_it_draws_it_stops(self, waiting, monkeypatch):
        shares = []
        report = leases.Lease.report

        def cancelling(lease, stage, share):
            shares.append(share)
            lease._reported = 0.0
            if len(shares) == 2:
                queue.request_cancel(waiting)
            report(lease, stage, share)

        monkeypatch.setattr(leases.Lease, "report", cancelling)
        execution.run(waiting.pk)
        waiting.refresh_from_db()
        assert (waiting.state, waiting.result, len(shares)) == (State.CANCELLED, None, 2)


class TestPage:
    def test_without_audits_it_states_what_to_do(self, owner_page):
        page = owner_page.get("/audits/").content.decode()
        assert "No audit yet" in page
        assert "No audits yet. Start one with the form." in page

    def test_the_newest_is_shown_and_any_by_its_address(self, owner_page, done, owner):
        other = services.submit_audit(owner=owner, spec=AuditSpec.parse({"mechanism": UNIFORM, "trials": 2000}))
        assert "waiting for a worker" in owner_page.get("/audits/").content.decode()
        page = owner_page.get(f"/audits/{done.pk}/").content.decode()
        assert page.count('class="bound"') == 4
        assert "<dt>Level</dt><dd>1</dd>" in page
        assert "<dt>Radius</dt><dd>200&#8239;m</dd>" in page
        assert "did not refute the claim, which does not prove it" in page
        assert f"/audits/{other.pk}/" in page

    def test_a_claim_that_is_refuted(self, owner_page, owner):
        mechanism = UNIFORM | {"name": "control:half-noise:landmark-uniform"}
        row = services.submit_audit(owner=owner, spec=AuditSpec.parse({"mechanism": mechanism, "trials": 20_000}))
        execution.run(row.pk)
        page = owner_page.get("/audits/").content.decode()
        assert "The claim is refuted." in page
        assert "bound__bar--violated" in page

    def test_bars_of_every_pair_share_one_axis(self):
        from dashboard.audits.views import _rows

        pairs = [{"claimed": 1.0, "lower_bound": 0.5}, {"claimed": 3.0, "lower_bound": 6.0}]
        first, second = _rows({"pairs": pairs})
        assert first["claim"] == second["claim"]
        assert first["bound"] == pytest.approx(0.5 * first["claim"])
        assert second["bound"] == pytest.approx(2 * second["claim"])
        assert second["bound"] < 100
