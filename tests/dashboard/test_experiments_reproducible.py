"""An experiment that is exported and run again gives the same bits: by the API, the command and the page's requests."""

import hashlib
import json

import numpy as np
import pytest
from django.core.files.base import ContentFile

from dashboard.datasets.people import people_of
from dashboard.datasets.services import import_dataset
from dashboard.experiments import files
from dashboard.experiments.management.commands.experiment import Command
from dashboard.experiments.models import Experiment
from privacy_engine.experiments import presets
from privacy_engine.experiments.synthetic_series import taxi
from tests.dashboard.command_runner import runner
from tests.dashboard.test_experiments_api import URL, of, work_off

NAMES = [cls.registered_name() for cls in presets.of("trajectory")]
SERIES = {"one series": [24], "several series": [9, 4, 11]}


def csv_of(sizes):
    """Days of one taxi, one after the other, with an id for each."""
    whole = taxi(np.random.default_rng(8), sum(sizes))
    ids = np.repeat(np.arange(len(sizes)), sizes)
    rows = zip(ids, whole.time_s, whole.lat, whole.lon, strict=True)
    return ("id,time,lat,lon\n" + "".join(f"{i},{1.2e9 + t:.0f},{y:.6f},{x:.6f}\n" for i, t, y, x in rows)).encode()


@pytest.fixture
def command(capsys):
    return runner(Command, "experiment", capsys)


def finished(api, body):
    """Submit it, do its parts, and return its id."""
    answer = api.post(URL, body, format="json")
    assert answer.status_code == 201, answer.json()
    work_off()
    assert Experiment.objects.get(pk=answer.json()["id"]).state == "done"
    return str(answer.json()["id"])


def exported(pk):
    with files.export(Experiment.objects.get(pk=pk), "json")[0] as file:
        return json.loads(file.read())


def digest_of(api, pk):
    return str(api.get(of(pk)).json()["table_sha256"])


@pytest.mark.parametrize("kind", SERIES)
@pytest.mark.parametrize("name", NAMES)
def test_run_exported_and_run_again(owner, owner_api, command, tmp_path, name, kind):
    text = csv_of(SERIES[kind])
    (tmp_path / "days.csv").write_bytes(text)
    dataset = import_dataset(owner=owner, upload=ContentFile(text, name="days.csv"))
    requested = {"name": name, "repetitions": 2, "events": 20, "seed": 3}
    first = finished(owner_api, {"preset": requested, "dataset": str(dataset.pk)})
    spec, digest = exported(first), digest_of(owner_api, first)
    assert spec["series"]["join"] in ("none", "person")
    again = finished(owner_api, {"spec": spec, "dataset": str(dataset.pk)})
    assert digest_of(owner_api, again) == digest

    (tmp_path / "spec.json").write_text(json.dumps(spec))
    assert command(tmp_path / "spec.json", tmp_path / "days.csv", "--out", tmp_path / "again")[1:] == ("", 0)
    settings = [argument for key, value in list(requested.items())[1:] for argument in ("--set", f"{key}={value}")]
    assert command(name, tmp_path / "days.csv", *settings, "--out", tmp_path / "new")[1:] == ("", 0)
    for folder in ("again", "new"):
        table = (tmp_path / folder / "table.parquet").read_bytes()
        assert hashlib.sha256(table).hexdigest() == digest, folder
        assert json.loads((tmp_path / folder / "spec.json").read_text()) == spec


@pytest.mark.parametrize("name", NAMES)
def test_a_generated_series_is_in_the_spec_too(owner_api, command, tmp_path, name):
    first = finished(owner_api, {"preset": {"name": name, "repetitions": 2, "events": 20, "seed": 3}})
    (tmp_path / "spec.json").write_text(json.dumps(exported(first)))
    digest = digest_of(owner_api, first)
    assert digest_of(owner_api, finished(owner_api, {"spec": exported(first)})) == digest
    assert command(tmp_path / "spec.json", "--out", tmp_path / "again")[1:] == ("", 0)
    table = (tmp_path / "again" / "table.parquet").read_bytes()
    assert hashlib.sha256(table).hexdigest() == digest


def test_a_spec_that_states_nothing_is_kept_with_what_it_was_tried_on(owner, owner_api):
    dataset = import_dataset(owner=owner, upload=ContentFile(csv_of([9, 12]), name="days.csv"))
    spec = presets.parse({"name": "temporal-distance", "repetitions": 2}).spec().model_dump()
    del spec["series"]
    each = [min(5, len(person)) for person in people_of(dataset)]
    for preset, join in ((None, "none"), ({"name": "error-tdrive", "events": 5}, "person")):
        made = finished(owner_api, {"spec": spec, "dataset": str(dataset.pk), "preset": preset})
        assert exported(made)["series"]["join"] == join
        assert Experiment.objects.get(pk=made).lengths == ([9, 12] if preset is None else each)


def test_a_preset_beside_a_spec_that_states_otherwise_is_refused(owner, owner_api):
    spec = presets.parse({"name": "temporal-distance", "repetitions": 2}).spec().model_dump()
    answer = owner_api.post(URL, {"spec": spec, "preset": {"name": "error-tdrive"}}, format="json")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "preset"
    del spec["series"]
    assert owner_api.post(URL, {"spec": spec}, format="json").json()["errors"][0]["field"] == "dataset"
