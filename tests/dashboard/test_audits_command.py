"""``manage.py audit``: a verdict and an exit code, with no server and no database."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from dashboard.audits.management.commands.audit import Command
from privacy_engine.commands import audit as module
from privacy_engine.mechanism import mechanisms
from tests.dashboard.command_runner import runner
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
CLAIM = ["--set", "epsilon=1", "--set", "radius_m=200"]
FEW = ["--trials", "2000"]
KEYS = ["mechanism", "claimed", "lower_bound", "confidence", "trials", "pairs", "verdict"]


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


MARKS = {
    "checkin-blend": pytest.mark.thorough,
    "checkin-ngram": pytest.mark.slow,
    "stream-ba": pytest.mark.slow,
    "stream-bd": pytest.mark.slow,
    "stream-fast": pytest.mark.slow,
    "checkin-quadtree": pytest.mark.thorough,
    "checkin-kdtree": pytest.mark.slow,
    "checkin-privtree": pytest.mark.thorough,
    "stream-rescuedp": pytest.mark.thorough,
    "stream-shrink": pytest.mark.thorough,
}


@pytest.fixture
def command(capsys):
    """``command(*arguments)``: stdout, stderr, exit code; in this process."""
    return runner(Command, "audit", capsys)


def _audited():
    """All mechanisms; those whose 2,000 releases in turn take over 2 seconds are slow, over 20 thorough."""
    return [pytest.param(name, marks=MARKS.get(name, ())) for name in (cls.registered_name() for cls in mechanisms)]


@pytest.mark.parametrize(
    ("mechanism", "given", "per"),
    [
        ("stream-uniform", [], "window"),
        ("checkin-popularity", [], "user"),
        ("checkin-popularity", ["--set", "privacy_unit=record"], "check-in"),
    ],
)
def test_the_outcome_names_what_the_level_is_for(command, mechanism, given, per):
    out, _, _ = command(mechanism, "--set", "epsilon=1", *given, *FEW, "--seed", "1")
    assert f"{mechanism} claims ε = 1 per {per}. At" in out


@pytest.mark.parametrize("name", _audited())
def test_every_mechanism_is_audited_by_its_level_and_radius_alone(command, name):
    claim = CLAIM if mechanisms[name].kind == "trajectory" else CLAIM[:2]
    out, _, code = command(name, *claim, *FEW, "--json")
    found = json.loads(out)
    without_noise = name == "checkin-markov"  # the reference that publishes exact counts
    assert (list(found), code) == (KEYS, int(without_noise))
    assert (found["mechanism"], found["claimed"], found["trials"], found["confidence"]) == (name, 1.0, 2000, 0.95)
    assert found["verdict"] == ("violated" if without_noise else "consistent")
    assert len(found["pairs"]) >= 3
    assert all(list(one) == ["name", "claimed", "lower_bound", "best_event", "verdict"] for one in found["pairs"])


def test_what_was_not_given_is_named(command):
    assert command("w-event", *CLAIM, *FEW)[1] == "window was not given: 3\n"
    assert command("w-event", *CLAIM, *FEW, "--set", "window=2")[1] == ""


@pytest.mark.parametrize("control", ["half-noise:landmark-uniform", "twice-budget:event-level", "numpy-laplace"])
def test_controls_end_with_exit_code_1(command, control):
    out, _, code = command(f"control:{control}", *CLAIM, "--trials", "20000", "--seed", "1", "--json")
    found = json.loads(out)
    assert (found["verdict"], code) == ("violated", 1)
    assert found["lower_bound"] > found["claimed"] == 1.0
    assert any(one["verdict"] == "violated" and one["lower_bound"] > one["claimed"] for one in found["pairs"])


def test_without_json_it_is_a_table(command):
    out, wrong, code = command("event-level", *CLAIM, *FEW, "--seed", "1")
    head, *pairs, empty, outcome, caution = out.splitlines()
    assert (wrong, code, empty) == ("", 0, "")
    assert head.split()[:3] == ["pair", "claimed", "at"]
    assert len(pairs) == 4
    assert all(" consistent " in one for one in pairs)
    assert outcome.startswith("event-level claims ε = 1 per radius. At 95% confidence, by 2,000 draws of each input,")
    assert "does not prove" in caution
    out, _, code = command("control:half-noise:event-level", *CLAIM, "--trials", "20000", "--seed", "1")
    assert (out.splitlines()[-1].split()[-1], code) == ("violated.", 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "name must be one of event-level, .*, got 'nothing'"),
        (["control:nothing"], "name must be a registered mechanism or one of control:numpy-laplace, .*"),
        (["event-level", "--set", "epsilon=1"], "radius_m is required"),
        (["event-level", *CLAIM, "--set", "window=2"], "window is not a parameter here"),
        (["event-level", "--set", "epsilon=0", "--set", "radius_m=1"], "epsilon must be greater than 0, got 0"),
        (["event-level", "--set", "epsilon=nan", "--set", "radius_m=1"], "epsilon must be a number, got 'nan'"),
        (["event-level", "--set", "epsilon"], "--set must be NAME=VALUE, each name once, got 'epsilon'"),
        (["event-level", *CLAIM, "--trials", "10"], "trials must be at least 1000, got 10"),
        (["event-level", *CLAIM, "--trials", "10000000"], r"trials must be at most 1e\+06, got 10000000"),
        (["event-level", *CLAIM, "--trials", "many"], "trials must be a whole number, got 'many'"),
        (["event-level", *CLAIM, "--seed", "x"], "seed must be a whole number, got 'x'"),
        (["event-level", *CLAIM, "--more"], "audit: unrecognized arguments: --more"),
    ],
)
def test_bad_input_ends_with_exit_code_2_and_one_line(command, arguments, message):
    out, wrong, code = command(*arguments)
    assert (out, code) == ("", 2)
    assert len(wrong.splitlines()) == 1
    assert re.fullmatch(f"(CommandError: )?{message}", wrong.strip())


def test_ctrl_c_while_it_runs(command, monkeypatch):
    monkeypatch.setattr(module, "audit", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
    assert command("event-level", *CLAIM) == ("", "CommandError: stopped\n", 130)


def test_ctrl_c_that_a_library_catches_stops_it_at_the_next_step(command, monkeypatch):
    steps = []

    def audit(spec, *, watch):
        with suppress(BaseException):
            signal.raise_signal(signal.SIGINT)
        steps.append("caught")
        watch(0.5)
        steps.append("went on")

    monkeypatch.setattr(module, "audit", audit)
    before = signal.getsignal(signal.SIGINT)
    assert command("event-level", *CLAIM) == ("", "CommandError: stopped\n", 130)
    assert (steps, signal.getsignal(signal.SIGINT)) == (["caught"], before)


def test_ctrl_c_as_a_signal_stops_the_process():
    arguments = [sys.executable, "manage.py", "audit", "w-event", *CLAIM, "--trials", "1000000"]
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


def test_progress_is_shown_on_a_terminal(command):
    terminal = Terminal()
    assert command("event-level", *CLAIM, *FEW, stderr=terminal)[2] == 0
    steps = terminal.getvalue().split("\r")[1:]
    assert steps[0].endswith("]   0%")
    assert steps[-1] == f"[{'#' * 40}] 100%\n"
