"""Experiments of every kind by the API, the command and their exported specs: the same table, and the owner's alone."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from django.core.files.base import ContentFile

from dashboard.datasets.models import Dataset
from dashboard.datasets.people import people_of
from dashboard.datasets.services import import_dataset
from dashboard.experiments import files
from dashboard.experiments.management.commands.experiment import Command
from dashboard.experiments.models import Experiment
from dashboard.experiments.run_results import curves_of, preset_curves
from dashboard.storage.data_files import read_data
from privacy_engine.experiments import ExperimentSpec, generators, given_of, measures, presets
from privacy_engine.experiments import runner as experiment_runner
from privacy_engine.experiments.presets import TemporalDistance
from privacy_engine.experiments.synthetic_series import taxi
from tests.dashboard.command_runner import Terminal, runner
from tests.dashboard.experiment_runs import work_off
from tests.dashboard.kinds import POPULARITY, STREAM, checkin_rows, checkins, counts, made, wide
from tests.dashboard.test_experiments_api import URL, digest_of, of
from tests.engine.test_experiments_kinds import every_measure
from tests.patience import patience

pytestmark = pytest.mark.django_db

FILES = {"stream": wide(counts()), "checkins": checkins(checkin_rows())}
PRESETS = {"stream": "stream-epsilon", "checkins": "recommendation-epsilon"}
MECHANISM = {"stream": STREAM, "checkins": POPULARITY}
GENERATED = {"stream": {"name": "poisson-stream"}, "checkins": {"name": "city-checkins"}}

every_kind = pytest.mark.parametrize("kind", FILES)


@pytest.fixture
def command(capsys):
    return runner(Command, "experiment", capsys)


SMALL = {
    "stream": {"repetitions": 2, "timestamps": 24, "dimensions": 2},
    "checkins": {"repetitions": 2, "users": 30, "per_user": 6, "side": 4},
}


def preset_of(kind, **changes):
    return {"name": PRESETS[kind], **SMALL[kind]} | changes


def spec_of(kind, **changes):
    base = {"release": {"mechanism": MECHANISM[kind]}}
    return {"kind": kind, "base": base, "repetitions": 3, "seed": 1, "metrics": every_measure(kind)} | changes


def submitted(api, **body):
    answer = api.post(URL, body, format="json")
    assert answer.status_code == 201, answer.json()
    work_off()
    found = api.get(of(answer.json()["id"])).json()
    assert found["state"] == "done", found["error"]
    return found


@every_kind
class TestEveryKind:
    @pytest.mark.slow
    def test_a_preset_gives_the_same_table_by_api_and_command(self, owner_api, command, tmp_path, kind):
        dataset = made(owner_api, FILES[kind])
        (tmp_path / "data.csv").write_bytes(FILES[kind])
        ways = [("given", dataset["id"], [tmp_path / "data.csv"]), ("generated", None, [])]
        digests = {}
        for way, given, _ in ways:
            found = submitted(owner_api, preset=preset_of(kind), dataset=given)
            assert (found["kind"], found["cairn"] != "") == (kind, True)
            assert digest_of(owner_api, found["id"]) == found["table_sha256"]
            digests[way] = found["table_sha256"]
        for way, _, file in ways:  # a command closes the connection to the database
            first, again = tmp_path / way, tmp_path / f"{way}-again"
            changes = [part for name, value in SMALL[kind].items() for part in ("--set", f"{name}={value}")]
            out, errors, code = command(PRESETS[kind], *file, *changes, "--out", first)
            assert (errors, code) == ("", 0)
            assert "NOT PRIVATE" in out
            assert command(first / "spec.json", *file, "--out", again)[1:] == ("", 0)
            for folder in (first, again):
                assert hashlib.sha256((folder / "table.parquet").read_bytes()).hexdigest() == digests[way]

    @pytest.mark.slow
    def test_a_plan_reads_nothing_and_states_its_size(self, owner_api, kind):
        dataset = made(owner_api, FILES[kind])
        planned = owner_api.post(f"{URL}plan/", {"spec": spec_of(kind), "dataset": dataset["id"]}, format="json").json()
        assert (planned["cells"], planned["repetitions"]) == (1, 3)
        assert planned["size_text"] == {"stream": "120 counts", "checkins": "200 check-ins"}[kind]
        assert planned["spec"]["kind"] == kind
        assert not Experiment.objects.exists()
        found = submitted(owner_api, preset=preset_of(kind))
        shown = owner_api.get(of(found["id"], "results")).json()
        known = [measures.parse(one) for one in presets.parse({"name": PRESETS[kind]}).metrics]
        assert [(one["name"], one["unit"]) for one in shown["measures"]] == [(one.name, one.unit) for one in known]
        assert shown["shares"] is False
        assert all(one["share"] is None and all(v["n"] for v in one["values"]) for one in shown["points"])

    def test_what_does_not_fit_together_is_refused_by_name(self, owner_api, kind):
        dataset = made(owner_api, FILES[kind])["id"]
        other = next(one for one in FILES if one != kind)
        generated = spec_of(kind, base=spec_of(kind)["base"] | {"data": GENERATED[kind]})
        wrong = [
            *[(one, "dataset", "it holds") for one in ({"spec": spec_of(other)}, {"preset": preset_of(other)})],
            ({"preset": {"name": "error-tdrive"}}, "dataset", "it holds"),
            ({"spec": spec_of(kind), "dataset": None}, "dataset", "is required"),
            ({"spec": spec_of(kind) | {"series": {}}}, "series", "must be left out"),
            ({"spec": spec_of(kind) | {"metrics": ["error"]}, "dataset": None}, "metrics.0", "must be one of"),
            ({"spec": generated}, "dataset", "must be left out"),
        ]
        for body, field, message in wrong:
            answer = owner_api.post(URL, {"dataset": dataset} | body, format="json")
            (error, *_) = answer.json()["errors"]
            assert (answer.status_code, error["field"]) == (400, field), answer.json()
            assert message in error["message"]
        assert not Experiment.objects.exists()


PRESETS_OF_DATA = [("stream", "stream-detection"), ("stream", "stream-dimensions"), ("trajectory", "error-tdrive")]


@pytest.mark.parametrize(("kind", "preset"), PRESETS_OF_DATA)
def test_a_preset_reads_of_data_what_the_dataset_has(owner_api, kind, preset):
    """Radius, thresholds and numbers of dimensions by the API are those of the command, which reads the data."""
    dataset = made(owner_api, FILES.get(kind) or csv_of([9, 12]))
    planned = owner_api.post(f"{URL}plan/", {"preset": {"name": preset}, "dataset": dataset["id"]}, format="json")
    data = read_data(kind, Dataset.objects.get().points_path)
    assert ExperimentSpec.parse(planned.json()["spec"]) == presets.parse({"name": preset}).spec(given_of(kind, data))


@pytest.mark.parametrize("name", ["temporal-distance", "privacy-utility", "stream-detection"])
def test_curves_on_cards_of_presets_are_what_these_give(name):
    """``scripts/make_preset_curves.py`` writes them again."""
    assert set(preset_curves()) == {cls.registered_name() for cls in presets}
    assert preset_curves()[name] == curves_of(name)


def test_presets_and_measures_are_listed_by_kind(owner_api):
    for name, registry in (("presets", presets), ("measures", measures), ("generators", generators)):
        for kind in ("trajectory", *FILES):
            found = owner_api.get(f"/api/v1/experiment-{name}/", {"kind": kind}).json()["results"]
            assert [one["name"] for one in found] == [cls.registered_name() for cls in registry.of(kind)]
            assert {one["kind"] for one in found} == ({kind} if found else set())
            assert name != "measures" or [one["needs_release"] for one in found] == [
                cls.needs_release for cls in registry.of(kind)
            ]
        assert owner_api.get(f"/api/v1/experiment-{name}/", {"kind": "graph"}).status_code == 400


def test_what_a_stream_cannot_be_used_for_is_refused_by_name(owner_api):
    many = spec_of("stream", grid={"dimensions": [1, 1000]})
    detection = {"preset": {"name": "stream-detection"}}
    for rows, body, field, message in [
        ("2024-01-01,1.5,2\n2024-01-02,2,3\n2024-01-03,4,1\n", {"spec": spec_of("stream")}, "dataset", ""),
        ("2024-01-01,1,2\n2024-01-02,2,3\n", {"spec": many}, "grid.dimensions.1", ""),
        ("2024-01-01,1,2\n2024-01-02,2,3\n", detection, "metrics", "defined for 2 timestamps; these need at least 11"),
    ]:
        dataset = made(owner_api, f"date,a,b\n{rows}".encode(), kind="stream")["id"]
        answer = owner_api.post(URL, body | {"dataset": dataset}, format="json")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
        assert message in answer.json()["errors"][0]["message"]


ROOT = Path(__file__).resolve().parents[2]
FEW = ["temporal-distance", "--set", "repetitions=3"]


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


def test_a_terminal_shows_a_progress_bar(command, tmp_path):
    screen = Terminal()
    assert command(*FEW, "--out", tmp_path, stderr=screen)[2] == 0
    steps = screen.getvalue().split("\r")
    assert len(steps) == 31
    assert steps[15].endswith("15 of 30 blocks")
    assert steps[30] == f"[{'#' * 40}] 30 of 30 blocks\n"


def test_refusals_are_one_line(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text("{")
    Path("list.json").write_text("[]")
    Path("counts.csv").write_bytes(FILES["stream"])
    Path("stream.json").write_text(json.dumps(spec_of("stream")))
    Path("spec.json").write_text(TemporalDistance(repetitions=1).spec().model_dump_json())
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
        (["stream-epsilon", "counts.csv", "counts.csv"], "FILE must be one file for the kind stream, got 2"),
        (["stream.json"], "dataset is required by cells without data"),
        (["stream.json", "counts.csv", "--like", "error-tdrive"], "--like must be left out: the spec is for the kind"),
    ]:
        out, wrong, code = command(*arguments, "--out", "out")
        assert (out, code, wrong.count("\n")) == ("", 1, 1), (arguments, message)
        assert message in wrong, arguments
        assert not Path("out").exists(), arguments


def test_a_spec_without_a_file_takes_a_generated_series(command, tmp_path):
    spec = {"base": {"landmarks": {"name": "manual", "events": [0]}}, "metrics": ["marked-share"]}
    (tmp_path / "spec.json").write_text(json.dumps(spec | {"repetitions": 1, "seed": 1}))
    out, wrong, code = command(tmp_path / "spec.json", "--out", tmp_path)
    assert (wrong, code) == ("", 0)
    assert out.startswith("1 cell, 1 repetition, 1,000 events.")
    written = json.loads((tmp_path / "spec.json").read_text())
    assert written["metrics"] == ["marked-share"]
    assert written["series"]["generated"] == {"like": "taxi", "events": 1000, "seed": 1}


NAMES = [cls.registered_name() for cls in presets.of("trajectory")]


def csv_of(sizes):
    whole = taxi(np.random.default_rng(8), sum(sizes))
    ids = np.repeat(np.arange(len(sizes)), sizes)
    rows = zip(ids, whole.time_s, whole.lat, whole.lon, strict=True)
    return ("id,time,lat,lon\n" + "".join(f"{i},{1.2e9 + t:.0f},{y:.6f},{x:.6f}\n" for i, t, y, x in rows)).encode()


def exported(pk):
    with files.export(Experiment.objects.get(pk=pk), "json")[0] as file:
        return json.loads(file.read())


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[24], [9, 4, 11], None], ids=["one series", "several series", "generated"])
@pytest.mark.parametrize("name", NAMES)
def test_run_exported_and_run_again(owner, owner_api, command, tmp_path, name, sizes):
    given, file = {}, []
    if sizes:
        file = [tmp_path / "days.csv"]
        file[0].write_bytes(csv_of(sizes))
        dataset = import_dataset(owner=owner, upload=ContentFile(csv_of(sizes), name="days.csv"))
        given = {"dataset": str(dataset.pk)}
    requested = {"name": name, "repetitions": 2, "events": 20, "seed": 3}
    first = submitted(owner_api, preset=requested, **given)
    spec, digest = exported(first["id"]), first["table_sha256"]
    assert not sizes or spec["series"]["join"] in ("none", "person")
    assert submitted(owner_api, spec=spec, **given)["table_sha256"] == digest
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    changes = [argument for key, value in list(requested.items())[1:] for argument in ("--set", f"{key}={value}")]
    for folder, arguments in (("again", [tmp_path / "spec.json", *file]), ("new", [name, *file, *changes])):
        assert command(*arguments, "--out", tmp_path / folder)[1:] == ("", 0)
        table = (tmp_path / folder / "table.parquet").read_bytes()
        assert hashlib.sha256(table).hexdigest() == digest, folder
        assert json.loads((tmp_path / folder / "spec.json").read_text()) == spec


def test_a_spec_that_states_nothing_is_kept_with_what_it_was_tried_on(owner, owner_api):
    dataset = import_dataset(owner=owner, upload=ContentFile(csv_of([9, 12]), name="days.csv"))
    spec = presets.parse({"name": "temporal-distance", "repetitions": 2}).spec().model_dump()
    del spec["series"]
    each_one = [min(5, len(person)) for person in people_of(dataset)]
    for preset, join in ((None, "none"), ({"name": "error-tdrive", "events": 5}, "person")):
        made = submitted(owner_api, spec=spec, dataset=str(dataset.pk), preset=preset)["id"]
        assert exported(made)["series"]["join"] == join
        assert Experiment.objects.get(pk=made).lengths == ([9, 12] if preset is None else each_one)
