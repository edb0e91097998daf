"""Audits in the API, on the page and as jobs."""

import csv
import io
import json

import pytest
from django.db import IntegrityError, transaction

from dashboard.audits import execution, services, views
from dashboard.audits.models import Audit
from dashboard.jobs import leases, queue
from dashboard.jobs.models import State
from privacy_engine.audit import AuditSpec
from privacy_engine.errors import ParameterErrors
from tests.cases import refreshed

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
    assert refreshed(waiting).state == State.DONE
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

    def test_its_noise_is_what_is_published_and_what_is_left_out_is_chosen(self, owner_api):
        for name, parameter, value in (("w-event", "window", 3), ("landmark-joint", "step_variance_m2", 250_000.0)):
            assert start(owner_api, name=name).json()["mechanism"][parameter] == value
        refused = owner_api.post(API, {"mechanism": UNIFORM, "seed": 1}, format="json")
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "seed")
        assert [row.spec["seed"] for row in Audit.objects.all()] == [None, None]

    @pytest.mark.slow
    def test_controls_have_names_of_their_own_and_are_refuted(self, owner_api, owner_page):
        assert "No audits yet. Start one with the form." in owner_page.get("/audits/").content.decode()
        made = start(owner_api, name="control:half-noise:landmark-uniform", trials=20_000).json()
        assert made["name"] == "Uniform, half the noise, ε = 1 per 200 m"
        execution.run(made["id"])
        assert owner_api.get(made["urls"]["self"]).json()["result"]["verdict"] == "violated"
        page = owner_page.get("/audits/").content.decode()
        assert "The claim is refuted." in page
        assert "bound__bar--violated" in page
        assert start(owner_api, name="control:numpy-laplace").json()["name"].startswith("numpy’s Laplace noise, ε")

    def test_bad_input_names_its_field(self, owner_api):
        claim = UNIFORM | {"name": "control:nothing"}
        for body, field, message in [
            ({"mechanism": UNIFORM | {"name": "nothing"}}, "mechanism.name", "must be one of event-level"),
            ({"mechanism": claim}, "mechanism.name", "must be a registered mechanism or one of"),
            ({"mechanism": UNIFORM | {"epsilon": 0}}, "mechanism.epsilon", "must be greater than 0, got 0"),
            ({"mechanism": UNIFORM | {"window": 2}}, "mechanism.window", "is not a parameter here"),
            ({"mechanism": claim | {"name": "control:numpy-laplace", "radius_m": -1}}, "mechanism.radius_m", "must be"),
            ({"mechanism": UNIFORM, "trials": 999}, "trials", "must be at least 1000, got 999"),
            ({"mechanism": UNIFORM, "trials": 2_000_000}, "trials", "must be at most 1e+06, got 2000000"),
            ({"mechanism": UNIFORM, "trials": "many"}, "trials", "must be a whole number, got 'many'"),
            ({"mechanism": UNIFORM, "trials": None}, "trials", ""),
            *[({"mechanism": none}, "mechanism", "") for none in (None, 3, [], "landmark-uniform", {})],
        ]:
            refused = owner_api.post(API, body, format="json")
            error = refused.json()["errors"][0]
            assert (refused.status_code, error["field"].startswith(field)) == (400, True), body
            assert error["message"].startswith(f"{field} {message}".strip()), body
        assert not Audit.objects.exists()

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
        named = f'attachment; filename="audit_Uniform_eps1-per-200-m_{done.pk.hex[:8]}.json"'
        assert whole["Content-Disposition"] == named
        assert json.loads(whole.getvalue()) == done.result | {"parameters": UNIFORM, "cairn": done.engine_version}
        rows = list(csv.DictReader(io.StringIO(owner_api.get(f"{API}{done.pk}/data/?format=csv").getvalue().decode())))
        assert [(one["name"], float(one["lower_bound"])) for one in rows] == [
            (pair["name"], pair["lower_bound"]) for pair in done.result["pairs"]
        ]

    def test_a_done_row_has_a_result(self, done):
        with pytest.raises(IntegrityError), transaction.atomic():
            Audit.objects.filter(pk=done.pk).update(result=None)


def test_cancelled_while_it_draws_it_stops(waiting, monkeypatch):
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
    assert (refreshed(waiting).state, waiting.result, len(shares)) == (State.CANCELLED, None, 2)


def test_bars_of_every_pair_share_one_axis():
    pairs = [{"claimed": 1.0, "lower_bound": 0.5}, {"claimed": 3.0, "lower_bound": 6.0}]
    first, second = views._rows({"pairs": pairs})
    assert first["claim"] == second["claim"]
    assert first["bound"] == pytest.approx(0.5 * first["claim"])
    assert second["bound"] == pytest.approx(2 * second["claim"])
    assert second["bound"] < 100
