"""Audits in the API, on the page, as jobs, and by ``manage.py audit`` with no server and no database."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from dashboard.audits import execution, services, views
from dashboard.audits.management.commands.audit import Command
from dashboard.audits.models import Audit
from dashboard.jobs import leases, queue
from dashboard.jobs.models import State
from privacy_engine.audit import AuditSpec, claimed_per, every
from privacy_engine.commands import audit as module
from privacy_engine.mechanism import mechanisms
from tests.dashboard.command_runner import Terminal, runner
from tests.patience import patience

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

    def test_its_noise_is_what_is_published_and_what_is_left_out_is_chosen(self, owner_api):
        for name, parameter, value in (("w-event", "window", 3), ("landmark-joint", "step_variance_m2", 250_000.0)):
            assert start(owner_api, name=name).json()["mechanism"][parameter] == value
        refused = owner_api.post(API, {"mechanism": UNIFORM, "seed": 1}, format="json")
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "seed")
        assert [row.spec["seed"] for row in Audit.objects.all()] == [None, None]

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
    def test_the_newest_is_shown_and_any_by_its_address(self, owner_page, done, owner):
        other = services.submit_audit(owner=owner, spec=AuditSpec.parse({"mechanism": UNIFORM, "trials": 2000}))
        assert "waiting for a worker" in owner_page.get("/audits/").content.decode()
        page = owner_page.get(f"/audits/{done.pk}/").content.decode()
        assert page.count('class="bound"') == 4
        assert "<dt>Level</dt><dd>1</dd>" in page
        assert "<dt>Radius</dt><dd>200&#8239;m</dd>" in page
        assert "did not refute the claim, which does not prove it" in page
        assert f"/audits/{other.pk}/" in page

    def test_bars_of_every_pair_share_one_axis(self):
        pairs = [{"claimed": 1.0, "lower_bound": 0.5}, {"claimed": 3.0, "lower_bound": 6.0}]
        first, second = views._rows({"pairs": pairs})
        assert first["claim"] == second["claim"]
        assert first["bound"] == pytest.approx(0.5 * first["claim"])
        assert second["bound"] == pytest.approx(2 * second["claim"])
        assert second["bound"] < 100


ROOT = Path(__file__).resolve().parents[2]
GIVEN = ["--set", "epsilon=1", "--set", "radius_m=200"]
FEW = ["--trials", "2000"]
KEYS = ["mechanism", "claimed", "lower_bound", "confidence", "trials", "pairs", "verdict"]


QUICK = {"event-level", "stream-uniform", "checkin-popularity", "checkin-markov"}
"""One of each kind, and the reference that publishes exact counts: the tests of the engine audit every one."""
LONG = {"checkin-blend", "checkin-quadtree", "checkin-privtree", "stream-rescuedp", "stream-shrink"}
"""Those whose 2,000 releases take over 20 seconds."""


@pytest.fixture
def command(capsys):
    return runner(Command, "audit", capsys)


def _marks(name):
    return () if name in QUICK else pytest.mark.thorough if name in LONG else pytest.mark.slow


AUDITED = [pytest.param(name, marks=_marks(name)) for name in (cls.registered_name() for cls in mechanisms)]


def test_the_outcome_names_what_the_level_is_for(command):
    for mechanism, given, per in [
        ("stream-uniform", [], "window"),
        ("checkin-popularity", [], "user"),
        ("checkin-popularity", ["--set", "privacy_unit=record"], "check-in"),
    ]:
        out, _, _ = command(mechanism, "--set", "epsilon=1", *given, *FEW, "--seed", "1")
        assert f"{mechanism} claims ε = 1 per {per}. At" in out, (mechanism, given, per)


@pytest.mark.parametrize("name", AUDITED)
def test_every_mechanism_is_audited_by_its_level_and_radius_alone(command, name):
    claim = GIVEN if mechanisms[name].kind == "trajectory" else GIVEN[:2]
    out, _, code = command(name, *claim, *FEW, "--json")
    found = json.loads(out)
    without_noise = name == "checkin-markov"  # the reference that publishes exact counts
    assert (list(found), code) == (KEYS, int(without_noise))
    assert (found["mechanism"], found["claimed"], found["trials"], found["confidence"]) == (name, 1.0, 2000, 0.95)
    assert found["verdict"] == ("violated" if without_noise else "consistent")
    assert len(found["pairs"]) >= 3
    assert all(list(one) == ["name", "claimed", "lower_bound", "best_event", "verdict"] for one in found["pairs"])


@pytest.mark.parametrize("control", ["half-noise:landmark-uniform", "twice-budget:event-level", "numpy-laplace"])
def test_controls_end_with_exit_code_1(command, control):
    out, _, code = command("--json", f"control:{control}", *GIVEN, "--trials", "20000", "--seed", "1")
    found = json.loads(out)
    assert (found["verdict"], code) == ("violated", 1)
    assert found["lower_bound"] > found["claimed"] == 1.0
    assert any(one["verdict"] == "violated" and one["lower_bound"] > one["claimed"] for one in found["pairs"])


def test_without_json_it_is_a_table_with_progress_on_a_terminal(command):
    terminal = Terminal()
    out, _, code = command("event-level", *GIVEN, *FEW, "--seed", "1", stderr=terminal)
    head, *pairs, empty, outcome, caution = out.splitlines()
    assert (code, empty) == (0, "")
    assert head.split()[:3] == ["pair", "claimed", "at"]
    assert len(pairs) == 4
    assert all(" consistent " in one for one in pairs)
    assert outcome.startswith("event-level claims ε = 1 per radius. At 95% confidence, by 2,000 draws of each input,")
    assert "does not prove" in caution
    steps = terminal.getvalue().split("\r")[1:]
    assert (steps[0][-6:], steps[-1]) == ("]   0%", f"[{'#' * 40}] 100%\n")
    out, _, code = command("control:half-noise:event-level", *GIVEN, "--trials", "20000", "--seed", "1")
    assert (out.splitlines()[-1].split()[-1], code) == ("violated.", 1)
    assert command("w-event", *GIVEN, *FEW)[1] == "window was not given: 3\n"
    assert command("w-event", *GIVEN, *FEW, "--set", "window=2")[1] == ""


def test_bad_input_ends_with_exit_code_2_and_one_line(command):
    for arguments, message in [
        (["nothing"], "name must be one of event-level, .*, got 'nothing'"),
        (["control:nothing"], "name must be a registered mechanism or one of control:numpy-laplace, .*"),
        (["event-level", "--set", "epsilon=1"], "radius_m is required"),
        (["event-level", *GIVEN, "--set", "window=2"], "window is not a parameter here"),
        (["event-level", "--set", "epsilon=0", "--set", "radius_m=1"], "epsilon must be greater than 0, got 0"),
        (["event-level", "--set", "epsilon=nan", "--set", "radius_m=1"], "epsilon must be a number, got 'nan'"),
        (["event-level", "--set", "epsilon"], "--set must be NAME=VALUE, each name once, got 'epsilon'"),
        (["event-level", *GIVEN, "--trials", "10"], "trials must be at least 1000, got 10"),
        (["event-level", *GIVEN, "--trials", "10000000"], r"trials must be at most 1e\+06, got 10000000"),
        (["event-level", *GIVEN, "--trials", "many"], "trials must be a whole number, got 'many'"),
        (["event-level", *GIVEN, "--seed", "x"], "seed must be a whole number, got 'x'"),
        (["event-level", *GIVEN, "--more"], "audit: unrecognized arguments: --more"),
    ]:
        out, wrong, code = command(*arguments)
        assert (out, code) == ("", 2), (arguments, message)
        assert len(wrong.splitlines()) == 1, (arguments, message)
        assert re.fullmatch(f"(CommandError: )?{message}", wrong.strip()), (arguments, message)


def test_ctrl_c_that_a_library_catches_stops_it_at_the_next_step(command, monkeypatch):
    def audit(spec, *, watch):
        with suppress(BaseException):
            signal.raise_signal(signal.SIGINT)
        watch(0.5)
        pytest.fail("went on")

    monkeypatch.setattr(module, "audit", audit)
    before = signal.getsignal(signal.SIGINT)
    assert command("event-level", *GIVEN) == ("", "CommandError: stopped\n", 130)
    assert signal.getsignal(signal.SIGINT) == before


def test_ctrl_c_as_a_signal_stops_the_process():
    arguments = [sys.executable, "manage.py", "audit", "w-event", *GIVEN, "--trials", "1000000"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    started = subprocess.Popen(arguments, cwd=ROOT, env=environment, start_new_session=True, **streams)
    try:
        assert started.stderr.readline() == "window was not given: 3\n"  # the audit begins
        os.killpg(started.pid, signal.SIGINT)
        out, wrong = started.communicate(timeout=patience(60))
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
    assert (started.returncode, out, wrong) == (130, "", "CommandError: stopped\n")


class TestAll:
    """``--all``, of three mechanisms in place of all."""

    @pytest.fixture
    def few(self, monkeypatch):
        names = ("event-level", "stream-uniform", "checkin-popularity", "checkin-nearest")
        monkeypatch.setattr(every, "mechanisms", [mechanisms[name] for name in names])

    def test_a_line_for_every_publishable_name_and_unit(self, command, few, tmp_path):
        page, file = tmp_path / "page.md", tmp_path / "audits.json"
        page.write_text("before\n<!-- audit -->\nold\n<!-- /audit -->\nafter\n")
        out, wrong, code = command("--all", *FEW, "--json", file, "--page", page)
        assert (wrong, code) == ("", 0)
        assert out.startswith("3 publishable mechanisms, 0 of 4 claims refuted.\n\n| name | kind | unit | claimed |")
        assert page.read_text() == f"before\n<!-- audit -->\n{out}<!-- /audit -->\nafter\n"
        rows = json.loads(file.read_text())
        assert [(one["name"], one["kind"], one["unit"]) for one in rows] == [
            ("event-level", "trajectory", "radius"),
            ("stream-uniform", "stream", "window"),
            ("checkin-popularity", "checkins", "user"),
            ("checkin-popularity", "checkins", "check-in"),
        ]
        head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        for one in rows:
            assert 0 < one["at_least"] <= one["claimed"] == 1.0
            assert (one["verdict"], one["draws"], one["commit"]) == ("consistent", 2000, head.stdout.strip())
            assert f"| {one['name']} | {one['kind']} | {one['unit']} | 1 | {one['at_least']:.3f} | consistent |" in out

    def test_an_interrupted_run_continues_and_more_draws_are_audited_again(self, command, few, tmp_path, monkeypatch):
        file, audited, done = tmp_path / "audits.json", [], every.audit

        def audit(spec, **options):
            if len(audited) == 2:
                raise KeyboardInterrupt
            audited.append(spec.name)
            return done(spec, **options)

        monkeypatch.setattr(every, "audit", audit)
        arguments = ["--all", "--json", file, "--seed", "1"]
        assert command(*arguments, *FEW)[1:] == ("CommandError: stopped\n", 130)
        assert [one["name"] for one in json.loads(file.read_text())] == audited == ["event-level", "stream-uniform"]
        first = file.read_text()
        audited[:] = [None] * 3  # no more interruption
        assert command(*arguments, *FEW)[2] == 0
        assert audited[3:] == ["checkin-popularity", "checkin-popularity"]
        assert json.loads(file.read_text())[:2] == json.loads(first)
        assert command(*arguments, "--trials", "1000")[2] == 0
        assert len(audited) == 5
        assert command(*arguments, "--trials", "3000")[2] == 0
        assert len(audited) == 9
        assert {one["draws"] for one in json.loads(file.read_text())} == {3000}

    def test_a_violated_claim_ends_with_exit_code_1_and_is_named(self, command, few, monkeypatch):
        result = every.audit
        monkeypatch.setattr(every, "audit", lambda spec, **_: replace(result(spec), verdict="violated"))
        out, _, code = command("--all", "--trials", "1000")
        assert code == 1
        assert "4 of 4 claims refuted: event-level (radius), stream-uniform (window), checkin-popularity (user)" in out

    def test_options_that_do_not_go_together_are_refused_by_name(self, command, few, monkeypatch):
        for arguments, message in [
            ([], "mechanism must be exactly one of MECHANISM and --all, got None"),
            (["event-level", "--all"], "mechanism must be exactly one of MECHANISM and --all, got 'event-level'"),
            (["--all", "--set", "epsilon=1"], "set must be left out with --all, got .*"),
            (["--all", "--json"], "json must be a file with --all, got '-'"),
            (["--all", "--trials", "1"], "trials must be at least 1000, got 1"),
            (["event-level", *GIVEN, "--page", "x.md"], "page must be left out without --all, got 'x.md'"),
            (["event-level", *GIVEN, "--json", "x"], "json must be without a file unless with --all, got 'x'"),
            (["--all", *FEW, "--json", "pyproject.toml"], "pyproject.toml must have audits that --all wrote"),
            (["--all", *FEW, "--page", "LICENSE"], "LICENSE must be a page with <!-- audit --> and <!-- /audit -->"),
        ]:
            monkeypatch.chdir(ROOT)
            out, wrong, code = command(*arguments)
            assert (out, code) == ("", 2), (arguments, message)
            assert re.fullmatch(f"(CommandError: )?{message}", wrong.strip()), (arguments, message)

    def test_every_publishable_mechanism_is_audited_in_each_unit(self):
        found = [(cls.registered_name(), spec.mechanism.get("privacy_unit")) for cls, spec in every.described()]
        assert len(set(found)) == len(found)
        assert {name for name, _ in found} == {cls.registered_name() for cls in mechanisms if cls.publishable}
        assert {unit for name, unit in found if name.startswith("checkin-")} == {"user", "record"}
        assert {spec.target().epsilon for _, spec in every.described()} == {1.0}

    def test_the_page_has_all_of_them(self):
        """docs/trust.md has a line for each, and refutes none that the README calls consistent."""
        page = (ROOT / "docs" / "trust.md").read_text().partition(every.START)[2].partition(every.END)[0]
        rows = [
            [cell.strip() for cell in row.strip("|").split("|")] for row in page.splitlines() if row.startswith("|")
        ]
        found = {(row[0], row[2]): row for row in rows[2:]}
        assert {(spec.name, claimed_per(spec)) for _, spec in every.described()} == set(found)
        assert {row[5] for row in found.values()} == {"consistent"}
        assert all(float(row[4]) <= float(row[3]) and len(row) == len(every.HEAD) for row in found.values())
        line = next(one for one in (ROOT / "README.md").read_text().splitlines() if "docs/trust.md" in one)
        assert f"of {len({name for name, _ in found})} publishable mechanisms, none accused: [docs/trust.md]" in line
