"""``manage.py audit``: a verdict and an exit code, with no server and no database."""

import json
import re
import signal
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.audits.management.commands.audit import Command
from privacy_engine.audit import claimed_per, every
from privacy_engine.commands import audit as module
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.dashboard.command_runner import Terminal, runner

ROOT = Path(__file__).resolve().parents[2]
GIVEN = ["--set", "epsilon=1", "--set", "radius_m=200"]
FEW = ["--trials", "2000"]
KEYS = ["mechanism", "claimed", "lower_bound", "confidence", "trials", "pairs", "verdict"]


@pytest.fixture
def command(capsys):
    return runner(Command, "audit", capsys)


@pytest.mark.slow
def test_the_outcome_names_what_the_level_is_for(command):
    for mechanism, given, per in [
        ("stream-uniform", [], "window"),
        ("checkin-popularity", [], "user"),
        ("checkin-popularity", ["--set", "privacy_unit=record"], "check-in"),
    ]:
        out, _, _ = command(mechanism, "--set", "epsilon=1", *given, *FEW, "--seed", "1")
        assert f"{mechanism} claims ε = 1 per {per}. At" in out, (mechanism, given, per)


@pytest.mark.parametrize("control", ["half-noise:landmark-uniform", "twice-budget:event-level", "numpy-laplace"])
def test_controls_end_with_exit_code_1(command, control):
    out, _, code = command("--json", f"control:{control}", *GIVEN, "--trials", "20000", "--seed", "1")
    found = json.loads(out)
    assert (list(found), found["verdict"], code) == (KEYS, "violated", 1)
    assert found["lower_bound"] > found["claimed"] == 1.0
    assert any(one["verdict"] == "violated" and one["lower_bound"] > one["claimed"] for one in found["pairs"])


@pytest.mark.slow
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
        (["event-level", "--set", "epsilon"], "--set must be NAME=VALUE, each name once, got 'epsilon'"),
        (["event-level", *GIVEN, "--trials", "10"], "trials must be at least 1000, got 10"),
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


class TestAll:
    """``--all``, of three mechanisms in place of all."""

    @pytest.fixture
    def few(self, monkeypatch):
        names = ("event-level", "stream-uniform", "checkin-popularity", "checkin-nearest")
        monkeypatch.setattr(every, "mechanisms", [mechanisms[name] for name in names])

    @pytest.mark.slow
    def test_a_line_for_every_publishable_name_and_unit(self, command, few, tmp_path):
        page, file = tmp_path / "page.md", tmp_path / "audits.json"
        page.write_text("before\n<!-- audit -->\nold\n<!-- /audit -->\nafter\n")
        out, wrong, code = command("--all", *FEW, "--json", file, "--page", page)
        assert (wrong, code) == ("", 0)
        assert out.startswith("3 publishable mechanisms, 0 of 4 claims refuted.\n\n| name | kind | unit | claimed |")
        assert page.read_text() == f"before\n<!-- audit -->\n{out}<!-- /audit -->\nafter\n"
        rows = json.loads(file.read_text())
        assert [(one["name"], one["kind"], one["unit"]) for one in rows] == [
            *(("event-level", "trajectory", "radius"), ("stream-uniform", "stream", "window")),
            *(("checkin-popularity", "checkins", "user"), ("checkin-popularity", "checkins", "check-in")),
        ]
        head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        for one in rows:
            assert 0 < one["at_least"] <= one["claimed"] == 1.0
            assert (one["verdict"], one["draws"], one["commit"]) == ("consistent", 2000, head.stdout.strip())
            assert f"| {one['name']} | {one['kind']} | {one['unit']} | 1 | {one['at_least']:.3f} | consistent |" in out

    @pytest.mark.slow
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

    @pytest.mark.slow
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
        """docs/results/audit.md has a line for each, and accuses none."""
        text = (ROOT / "docs" / "results" / "audit.md").read_text()
        page = text.partition(every.START)[2].partition(every.END)[0]
        rows = [
            [cell.strip() for cell in row.strip("|").split("|")] for row in page.splitlines() if row.startswith("|")
        ]
        found = {(row[0], row[2]): row for row in rows[2:]}
        assert {(spec.name, claimed_per(spec)) for _, spec in every.described()} == set(found)
        assert {row[5] for row in found.values()} == {"consistent"}
        assert all(float(row[4]) <= float(row[3]) and len(row) == len(every.HEAD) for row in found.values())
        assert f"{len({name for name, _ in found})} publishable mechanisms, and accuses none" in text
