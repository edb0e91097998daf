"""``manage.py experiment``: a preset or a spec to a folder, stopped and continued, with no server and no database."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dashboard.experiments.management.commands.experiment import Command
from privacy_engine.experiments import dataset_digest, presets, run
from privacy_engine.experiments import runner as experiment_runner
from privacy_engine.experiments.presets import TDriveError, TemporalDistance
from privacy_engine.formats import read
from tests.dashboard.command_runner import Terminal, runner
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
FEW = ["temporal-distance", "--set", "repetitions=3"]


@pytest.fixture
def command(capsys):
    """``command(*arguments)``: stdout, stderr and exit code; in this process."""

    return runner(Command, "experiment", capsys)


def test_a_preset_writes_the_engines_table_in_four_forms(command, tmp_path):
    out, wrong, code = command(*FEW, "--out", tmp_path / "new" / "folder")
    assert (wrong, code) == ("", 0)
    assert out == "30 cells, 3 repetitions, 100 events. NOT PRIVATE: seeded simulation, seed 1.\n"
    out = tmp_path / "new" / "folder"
    assert {path.name for path in out.iterdir()} == {"table.parquet", "table.csv", "table.tex", "spec.json", "blocks"}
    preset = TemporalDistance(repetitions=3)
    assert pq.read_table(out / "table.parquet").equals(run(preset.spec(), preset.data()))


def test_the_spec_it_writes_can_be_run_again_and_its_cells_are_taken_over(command, tmp_path, monkeypatch):
    assert command(*FEW, "--out", tmp_path / "one")[2] == 0
    monkeypatch.setattr(experiment_runner, "run_block", None)
    spec = tmp_path / "one" / "spec.json"
    _, wrong, code = command(spec, "--keep", tmp_path / "one" / "blocks", "--out", tmp_path / "two")
    assert (wrong, code) == ("", 0)
    for name in ("table.parquet", "table.csv", "table.tex", "spec.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_stopped_experiment_resumes_and_ends_with_the_same_bytes(command, tmp_path, monkeypatch):
    assert command(*FEW, "--out", tmp_path / "whole")[2] == 0
    really, calls = experiment_runner.run_block, []

    def stopping(block, series):
        calls.append(block)
        if len(calls) == 11:
            raise KeyboardInterrupt
        return really(block, series)

    monkeypatch.setattr(experiment_runner, "run_block", stopping)
    out = tmp_path / "stopped"
    assert command(*FEW, "--out", out) == ("", "CommandError: stopped; the same command goes on from here\n", 130)
    assert not (out / "table.csv").exists()
    assert command(*FEW, "--out", out)[2] == 0
    assert len(calls) == 31
    for name in ("table.parquet", "table.csv", "table.tex"):
        assert (tmp_path / "whole" / name).read_bytes() == (out / name).read_bytes()


@pytest.mark.thorough
def test_an_impatient_ctrl_c_ends_all_processes_at_once_and_keeps_what_is_done(tmp_path):
    out = tmp_path / "out"
    command = ["manage.py", "experiment", "error-tdrive", "--workers", "2", "--out", str(out)]
    environment = os.environ | {"CAIRN_HOME": str(tmp_path / "home")}
    started = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=environment, start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    try:
        while started.poll() is None and not list(out.rglob("*.npy")):
            time.sleep(0.05)
        for _ in range(2):
            os.killpg(started.pid, signal.SIGINT)
            time.sleep(0.05)
        _, wrong = started.communicate(timeout=patience(60))
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
    assert (started.returncode, wrong) == (130, "CommandError: stopped; the same command goes on from here\n")
    assert list(out.rglob("*.npy"))
    assert list(out.rglob(".block-*")) == []


def test_files_are_its_data(command, day, tmp_path):
    arguments = ["error-tdrive", day, "--set", "repetitions=1", "--set", "marks=random", "--read", "format=csv"]
    out, wrong, code = command(*arguments, "--out", tmp_path)
    assert (wrong, code) == ("", 0)
    assert "4 events" in out
    table = pq.read_table(tmp_path / "table.parquet")
    expected = TDriveError().data(read(day).series)
    assert set(table.column("dataset").to_pylist()) == {dataset_digest(expected)}


def test_a_terminal_shows_a_progress_bar(command, tmp_path):
    screen = Terminal()
    assert command(*FEW, "--out", tmp_path, stderr=screen)[2] == 0
    steps = screen.getvalue().split("\r")
    assert len(steps) == 31
    assert steps[15].endswith("15 of 30 blocks")
    assert steps[30] == f"[{'#' * 40}] 30 of 30 blocks\n"


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(tmp_path):
    environment = os.environ | {"CAIRN_HOME": str(tmp_path / "home")}
    for workers in ("1", "2"):
        arguments = ["manage.py", "experiment", *FEW, "--workers", workers, "--out", str(tmp_path / workers)]
        done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "1" / "table.csv").read_bytes() == (tmp_path / "2" / "table.csv").read_bytes()


def test_help_lists_every_preset(command):
    out, _, code = command("--help")
    assert code == 0
    assert all(cls.registered_name() in out for cls in presets)


def test_refusals_are_one_line(command, tmp_path, monkeypatch):
    for arguments, message in [
        (["figure"], "name must be one of error-geolife"),
        (["temporal-distance", "--set", "repetitions=0"], "repetitions must be greater than 0, got 0"),
        (["temporal-distance", "--set", "colour=1"], "colour is not a parameter here"),
        (["temporal-distance", "--set", "repetitions"], "--set must be NAME=VALUE"),
        (["temporal-distance", "--workers", "0"], "--workers must be from 1 to 256, got 0"),
        (["temporal-distance", "absent.csv"], "absent.csv: No such file or directory"),
        (["absent.json"], "absent.json: No such file or directory"),
        (["broken.json"], "must be JSON text"),
        (["list.json"], "must be an object"),
        (["spec.json", "--like", "nothing"], "like.name must be one of"),
        (["spec.json", "--like", "error-tdrive"], "--like must be left out: the spec names its data"),
        (["temporal-distance", "--set", "repetitions=0,5"], "repetitions must be a whole number, got '0,5'"),
        (["spec.json", "--set", "seed=-1"], "seed must be at least 0, got -1"),
    ]:
        monkeypatch.chdir(tmp_path)
        Path("broken.json").write_text("{")
        Path("list.json").write_text("[]")
        Path("spec.json").write_text(TemporalDistance(repetitions=1).spec().model_dump_json())
        out, wrong, code = command(*arguments, "--out", "out")
        assert (out, code) == ("", 1), (arguments, message)
        assert message in wrong, (arguments, message)
        assert wrong.count("\n") == 1, (arguments, message)
        assert not Path("out").exists(), (arguments, message)


def test_a_spec_without_a_file_takes_a_generated_series(command, tmp_path):
    spec = {"base": {"landmarks": {"name": "manual", "events": [0]}}, "metrics": ["marked-share"]}
    (tmp_path / "spec.json").write_text(json.dumps(spec | {"repetitions": 1, "seed": 1}))
    out, wrong, code = command(tmp_path / "spec.json", "--out", tmp_path)
    assert (wrong, code) == ("", 0)
    assert out.startswith("1 cell, 1 repetition, 1,000 events.")
    written = json.loads((tmp_path / "spec.json").read_text())
    assert written["metrics"] == ["marked-share"]
    assert written["series"]["generated"] == {"like": "taxi", "events": 1000, "seed": 1}
