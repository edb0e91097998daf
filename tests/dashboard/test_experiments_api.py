"""Experiments by the API: planned, run at once or in parts, stopped, resumed, and always the same table."""

import hashlib
import json
from importlib import import_module
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.apps import apps
from django.conf import settings

from dashboard.datasets.services import set_budget
from dashboard.experiments import execution, files
from dashboard.experiments.models import Experiment, ExperimentPart
from dashboard.experiments.results import stated_levels
from dashboard.jobs.models import State
from dashboard.landmarks.services import mark_landmarks
from privacy_engine.errors import DataError, ParameterErrors
from privacy_engine.experiments import ExperimentSpec, presets, run, write
from privacy_engine.landmarks import landmark_methods
from tests.dashboard import kinds
from tests.dashboard.experiment_runs import work_off

URL = "/api/v1/experiments/"
SMALL = {"name": "temporal-distance", "repetitions": 3}
LARGE = {"name": "correlated-loss", "repetitions": 200, "events": 60}
UNIFORM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 1.0}
LANDMARKS = {"name": "synthetic", "share": 0.5, "distribution": "uniform", "seed": 0}
SPEC = {"base": {"release": {"mechanism": UNIFORM}, "landmarks": LANDMARKS, "redraw": True}}
SPEC |= {"grid": {"landmarks.share": [0.0, 0.5, 1.0]}, "repetitions": 20, "seed": 3, "metrics": ["error"]}


def of(pk, *parts):
    return "/".join([f"{URL}{pk}", *parts, ""])


def digest_of(api, pk):
    answer = api.get(of(pk, "table"), {"format": "parquet"})
    assert answer.status_code == 200, answer
    return hashlib.sha256(b"".join(answer.streaming_content)).hexdigest()


@pytest.fixture
def queued(owner_api):
    answer = owner_api.post(URL, {"preset": LARGE}, format="json")
    assert answer.status_code == 201, answer.json()
    assert answer.json()["state"] == "queued"
    return answer.json()


def test_a_small_one_is_done_in_the_request_and_its_table_is_the_engines(owner_api, tmp_path):
    answer = owner_api.post(URL, {"preset": SMALL}, format="json")
    assert answer.status_code == 201
    reported = answer.json()
    assert (reported["state"], reported["progress"], reported["data_title"]) == ("done", 1.0, "synthetic series")
    preset = presets.parse(SMALL)
    write(run(preset.spec(), preset.data()), preset.spec(), tmp_path)
    for fmt, name in (("parquet", "table.parquet"), ("csv", "table.csv"), ("tex", "table.tex"), ("json", "spec.json")):
        body = b"".join(owner_api.get(of(reported["id"], "table"), {"format": fmt}).streaming_content)
        assert body == (tmp_path / name).read_bytes(), fmt
    assert reported["table_sha256"] == digest_of(owner_api, reported["id"])
    assert not ExperimentPart.objects.exists()


@pytest.mark.slow
def test_results_so_far_become_those_of_the_table_whatever_the_order_of_the_parts(owner_api, queued):
    work_off(0)
    shares = []
    while waiting := ExperimentPart.objects.filter(state=State.QUEUED):
        execution._run_part(waiting.earliest("number").pk)  # another worker
        work_off(1)
        shares.append(owner_api.get(of(queued["id"])).json()["progress"])
        after = owner_api.get(of(queued["id"], "results")).json()
        assert any(one["values"][0] for one in after["points"])
    assert len(shares) > 3
    assert shares == sorted(shares)
    table = files.read(Experiment.objects.get(pk=queued["id"])).to_pylist()
    reported = [value for point in after["points"] for value in point["values"]]
    assert [one["mean"] for one in reported] == [row["mean"] for row in table]
    assert [axis["title"] for axis in after["axes"]] == ["Correlation", "Where landmarks lie", "Share of landmarks"]
    Experiment.objects.update(state=State.CANCELLED)
    assert owner_api.get(of(queued["id"], "results")).json() == after


@pytest.mark.slow
def test_cancelled_and_resumed_it_computes_only_what_is_missing(owner_api, queued, monkeypatch):
    work_off(3)
    cancelled = owner_api.post(of(queued["id"], "cancel"))
    assert cancelled.json()["state"] == "cancelled"
    assert owner_api.post(of(queued["id"], "cancel")).status_code == 409
    assert work_off() == 0
    computed = []
    plain = execution.compute
    monkeypatch.setattr(execution, "compute", lambda *arguments: computed.append(arguments[1]) or plain(*arguments))
    assert owner_api.post(of(queued["id"], "resume")).json()["state"] == "queued"
    assert owner_api.post(of(queued["id"], "resume")).status_code == 409
    work_off()
    reported = owner_api.get(of(queued["id"])).json()
    assert reported["state"] == "done"
    assert 0 < len(computed) < len(Experiment.objects.get(pk=queued["id"]).parsed_spec.cells())
    again = owner_api.post(URL, {"preset": LARGE}, format="json").json()
    before = len(computed)
    work_off()
    assert len(computed) == before  # the same cells are never computed twice
    assert digest_of(owner_api, again["id"]) == digest_of(owner_api, queued["id"])


def test_the_plan_reports_cells_work_and_where_without_storing(owner_api, ready_dataset):
    reported = owner_api.post(f"{URL}plan/", {"dataset": str(ready_dataset.pk), "spec": SPEC}, format="json").json()
    assert (reported["cells"], reported["repetitions"], reported["events"], reported["at_once"]) == (3, 20, 8, True)
    large = owner_api.post(f"{URL}plan/", {"preset": LARGE}, format="json").json()
    assert not large["at_once"]
    owner_api.post(URL, {"preset": LARGE}, format="json")
    work_off(0)
    assert (reported["parts"], large["parts"]) == (0, ExperimentPart.objects.count())
    Experiment.objects.all().delete()
    assert large["cells"] == 120
    assert large["work_s"] > reported["work_s"]
    assert not Experiment.objects.exists()


def test_landmark_sets_are_called_by_their_names(owner, owner_api, ready_dataset):
    picked, other = ({"name": "manual", "events": [event]} for event in (1, 2))
    for name, method in (("Clinic", picked), ("Twins", other), ("Twins", picked | {"events": [3]})):
        mark_landmarks(owner=owner, dataset=ready_dataset, method=landmark_methods.parse(method), name=name)
    tried = [picked, other, {"name": "manual", "events": [3.0]}, {"name": "manual", "events": [4]}]
    requested = {
        "dataset": str(ready_dataset.pk),
        "spec": SPEC | {"base": {}, "grid": {"landmarks": tried}, "metrics": ["temporal-distance"]},
    }
    (axis,) = owner_api.post(f"{URL}plan/", requested, format="json").json()["figure"]["axes"]
    labels = [value["label"] for value in axis["values"]]
    assert labels[0] == "Clinic"
    assert labels[1:3] == [f"Twins, 1 selected manually (events [{event}])" for event in (2, 3)]
    assert labels[3] == "1 selected manually (events [4])"
    made = owner_api.post(URL, requested, format="json").json()
    (axis,) = owner_api.get(f"{URL}{made['id']}/results/").json()["axes"]
    assert [value["label"] for value in axis["values"]] == labels


def test_what_is_wrong_is_named(owner_api):
    plain = SPEC["base"]["release"]
    odd = {"mechanism": plain["mechanism"] | {"name": "landmark-planned", "step_variance_m2": -5.0}}
    stated = presets.parse(SMALL).spec().model_dump()
    several = SPEC | {"grid": {"release": [plain, odd]}}
    for requested, field in [
        ({}, "dataset"),
        ({"preset": {"name": "none"}}, "preset"),
        ({"preset": SMALL | {"repetitions": 0}}, "preset.repetitions"),
        ({"preset": SMALL, "spec": SPEC | {"grid": {"landmarks.share": [2.0]}}}, "grid.landmarks.share.0"),
        ({"preset": SMALL, "spec": SPEC | {"metrics": ["nothing"]}}, "metrics"),
        ({"preset": SMALL, "spec": 7}, ""),
        ({"preset": {"name": "error-tdrive"}, "spec": stated}, "preset"),
        ({"spec": {name: value for name, value in stated.items() if name != "series"}}, "dataset"),
        ({"preset": LARGE | {"repetitions": 1_000_000, "events": 100_000}}, "repetitions"),
        ({"preset": SMALL, "spec": several}, "grid.release.1.mechanism.step_variance_m2"),
    ]:
        answer = owner_api.post(URL, requested, format="json")
        assert answer.status_code == 400, answer.content
        assert answer.json()["errors"][0]["field"].startswith(field), (requested, field)
        assert not Experiment.objects.exists(), (requested, field)


def test_what_the_data_lack_fails_it_with_advice(owner_api, queued, monkeypatch):
    lacking = Mock(side_effect=DataError("the series must have times", field="time_s", rule="required"))
    monkeypatch.setattr("privacy_engine.experiments.run_block", lacking)
    work_off()
    reported = owner_api.get(of(queued["id"])).json()
    assert reported["state"] == "failed"
    assert reported["error"]["message"] == "the series must have times"
    assert not ExperimentPart.objects.exists()


def test_points_that_changed_meanwhile_are_not_mixed(owner, owner_api, make_dataset, ready_dataset, paris_day):
    large = SPEC | {"repetitions": 60_000}
    made = owner_api.post(URL, {"dataset": str(ready_dataset.pk), "spec": large}, format="json").json()
    assert made["state"] == "queued", made
    work_off(0)
    other = make_dataset(owner, paris_day, paris_day)
    type(ready_dataset).objects.filter(pk=ready_dataset.pk).update(points_file=other.points_file)
    with (ready_dataset.folder / other.points_file).written() as out:
        out.write(other.points_path.read_bytes())
    work_off()
    assert owner_api.get(of(made["id"])).json()["error"]["code"] == "conflict"


def test_deleting_keeps_the_blocks_that_another_stands_on(owner_api, queued, django_capture_on_commit_callbacks):
    work_off()
    half = presets.parse(LARGE).spec().model_dump(mode="json")
    half["grid"]["landmarks.share"] = [0.0, 0.2]
    other = owner_api.post(URL, {"preset": LARGE, "spec": half}, format="json").json()
    work_off()
    kept = Path(settings.CAIRN_HOME, "blocks")
    assert len({path.parent for path in kept.rglob("*.npy")}) == 120
    with django_capture_on_commit_callbacks(execute=True):
        assert owner_api.delete(of(queued["id"])).status_code == 204
    assert len({path.parent for path in kept.rglob("*.npy")}) == 40
    with django_capture_on_commit_callbacks(execute=True):
        assert owner_api.delete(of(other["id"])).status_code == 204
    assert not list(kept.rglob("*.npy"))
    assert not list(Path(settings.CAIRN_HOME, "experiments").iterdir())


def test_a_spec_of_a_browser_is_the_same_one(owner_api, ready_dataset):
    ours = presets.parse(SMALL).spec()
    browsers = json.loads(json.dumps(ours.model_dump()).replace(".0,", ",").replace(".0]", "]").replace(".0}", "}"))
    assert owner_api.post(URL, {"preset": SMALL, "spec": browsers}, format="json").json()["spec_digest"] == ours.digest
    spec = SPEC | {"base": {"landmarks": {"name": "manual", "events": [1]}}, "metrics": ["marked-share"]}
    requested = {"dataset": str(ready_dataset.pk), "spec": spec | {"grid": {"landmarks.events": [[1], [1, 2]]}}}
    (axis,) = owner_api.post(f"{URL}plan/", requested, format="json").json()["figure"]["axes"]
    assert [one["label"] for one in axis["values"]] == ["[1]", "[1, 2]"]


def test_a_release_is_attacked_by_its_own_description(owner_page, owner_api, done, client, stranger):
    page = owner_page.get("/experiments/new/", {"release": str(done.pk)})
    assert page.status_code == 200
    begun = page.context["data"]["origin"]
    spec = begun["spec"]
    assert spec["base"]["release"]["mechanism"] == done.spec["mechanism"]
    assert spec["base"]["landmarks"] == {"name": "manual", "events": [0, 2, 4, 7]}
    assert spec["grid"] == {"release.mechanism.epsilon": [0.1, 0.3, 1, 3, 10]}
    reported = owner_api.post(URL, {"dataset": begun["dataset"], "spec": spec}, format="json").json()
    work_off()
    rows = owner_api.get(of(reported["id"], "results")).json()["points"]
    errors = [row["values"][0]["mean"] for row in rows]
    assert errors == sorted(errors, reverse=True)
    assert all(row["share"] == 0.5 for row in rows)
    client.force_login(stranger)
    assert client.get("/experiments/new/", {"release": str(done.pk)}).status_code == 404


SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 50.0}


def spec_with(grid):
    return ExperimentSpec.parse(SPEC | {"grid": grid})


def test_levels_have_the_radii_of_the_cells_within_that_of_the_dataset(ready_dataset):
    radii = "release.mechanism.radius_m"
    for grid, axis, expected in [
        ({"landmarks.share": [0.1, 0.5]}, None, [1.0]),
        ({"landmarks.share": [0.1, 0.5], radii: [1.0, 200.0]}, radii, [1.0, 200.0]),
        ({"release": [{"mechanism": UNIFORM}, {"mechanism": SKIP}]}, "release", [1.0, 50.0]),
        ({"release.mechanism": [UNIFORM, UNIFORM | {"epsilon": 2.0}]}, None, [1.0]),
    ]:
        spec = spec_with(grid)
        found = stated_levels(spec, None)
        assert found["radii"] == expected, grid
        assert (None if found["axis"] is None else spec.axes()[found["axis"]].name) == axis, grid
        assert found["reference_m"] == 1.0, "without a dataset that of the first cell"
    set_budget(dataset=ready_dataset, epsilon=3.0, radius_m=300.0)
    assert stated_levels(spec_with({}), ready_dataset) == {"reference_m": 300.0, "axis": None, "radii": [1.0]}
    spec = {"kind": "stream", "base": {"release": {"mechanism": kinds.STREAM}}, "repetitions": 1, "seed": 1}
    assert stated_levels(ExperimentSpec.parse(spec | {"metrics": ["stream-mean-absolute-error"]}), None) is None


distance = import_module("dashboard.experiments.migrations.0002_correlation_diameter")


def old_spec():
    spec = presets.parse({"name": "correlated-loss", "repetitions": 2}).spec().model_dump(mode="json")
    for one in spec["grid"]["correlation"]:
        if one:
            del one["diameter_m"]
    return spec


def test_specs_from_before_a_correlation_stated_how_far_its_states_lie_apart_are_the_preset_again(owner):
    spec = old_spec()
    with pytest.raises(ParameterErrors):
        ExperimentSpec.parse(spec)
    row = Experiment.objects.create(
        owner=owner, preset={"name": "correlated-loss"}, spec=spec, spec_digest="0" * 64, lengths=[100]
    )
    distance.say_distance(apps, None)
    row.refresh_from_db()
    whole = presets.parse({"name": "correlated-loss", "repetitions": 2}).spec()
    assert row.parsed_spec.digest == row.spec_digest == whole.digest
    assert not distance.with_distance(row.spec)
    swept = old_spec() | {"grid": {"correlation.smoothing": [1.0, 0.1]}}
    assert distance.with_distance(swept)
    assert swept["base"]["correlation"] == {"diameter_m": None}, "one whose strength is swept states it in its base"
    assert len(ExperimentSpec.parse(swept).cells()) == 2
    assert not distance.with_distance(old_spec() | {"grid": {}}), "one without a correlation"
