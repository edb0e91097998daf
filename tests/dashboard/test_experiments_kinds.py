"""Experiments on count streams and check-ins, by the API and the command: the same table, and the owner's alone."""

import hashlib
import json

import pytest

from dashboard.datasets.models import Dataset
from dashboard.experiments.management.commands.experiment import Command
from dashboard.experiments.models import Experiment
from dashboard.storage.data_files import read_data
from privacy_engine.experiments import ExperimentSpec, generators, given_of, measures, presets
from tests.dashboard.command_runner import runner
from tests.dashboard.kinds import POPULARITY, STREAM, checkin_rows, checkins, counts, made, wide
from tests.dashboard.test_experiments_api import URL, digest_of, of, work_off
from tests.engine.test_experiments_kinds import every_measure

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
    def test_a_large_one_runs_in_parts_to_the_same_table(self, owner_api, kind):
        large = spec_of(kind, repetitions=3000, base=spec_of(kind)["base"] | {"data": GENERATED[kind]})
        answer = owner_api.post(URL, {"spec": large}, format="json").json()
        assert answer["state"] == "queued"
        work_off(2)  # it is cut, and one part of it is done
        halfway = owner_api.get(of(answer["id"], "results")).json()["points"]
        assert [set(point) for point in halfway] == [{"at", "cell", "share", "values"}]
        owner_api.post(of(answer["id"], "cancel"))
        owner_api.post(of(answer["id"], "resume"))
        work_off()
        first = digest_of(owner_api, answer["id"])
        Experiment.objects.all().delete()
        assert submitted(owner_api, spec=large)["table_sha256"] == first

    def test_its_results_have_the_measures_of_the_kind_with_units(self, owner_api, kind):
        found = submitted(owner_api, preset=preset_of(kind))
        shown = owner_api.get(of(found["id"], "results")).json()
        known = [measures.parse(one) for one in presets.parse({"name": PRESETS[kind]}).metrics]
        assert [(one["name"], one["unit"]) for one in shown["measures"]] == [(one.name, one.unit) for one in known]
        assert shown["shares"] is False
        assert all(one["share"] is None and all(v["n"] for v in one["values"]) for one in shown["points"])

    def test_a_plan_reads_nothing_and_states_its_size(self, owner_api, kind):
        dataset = made(owner_api, FILES[kind])
        planned = owner_api.post(f"{URL}plan/", {"spec": spec_of(kind), "dataset": dataset["id"]}, format="json").json()
        assert (planned["cells"], planned["repetitions"]) == (1, 3)
        assert planned["size_text"] == {"stream": "120 counts", "checkins": "200 check-ins"}[kind]
        assert planned["spec"]["kind"] == kind
        assert not Experiment.objects.exists()

    def test_what_does_not_fit_together_is_refused_by_name(self, owner_api, kind):
        dataset = made(owner_api, FILES[kind])["id"]
        other = next(one for one in FILES if one != kind)
        wrong = [
            ({"spec": spec_of(other), "dataset": dataset}, "dataset", "it holds"),
            ({"preset": preset_of(other), "dataset": dataset}, "dataset", "it holds"),
            ({"preset": {"name": "error-tdrive"}, "dataset": dataset}, "dataset", "it holds"),
            ({"spec": spec_of(kind)}, "dataset", "is required"),
            ({"spec": spec_of(kind) | {"series": {}}, "dataset": dataset}, "series", "must be left out"),
            ({"spec": spec_of(kind) | {"metrics": ["error"]}}, "metrics.0", "must be one of"),
            (
                {"spec": spec_of(kind, base=spec_of(kind)["base"] | {"data": GENERATED[kind]}), "dataset": dataset},
                "dataset",
                "must be left out",
            ),
        ]
        for body, field, message in wrong:
            answer = owner_api.post(URL, body, format="json")
            (error, *_) = answer.json()["errors"]
            assert (answer.status_code, error["field"]) == (400, field), answer.json()
            assert message in error["message"]
        assert not Experiment.objects.exists()

    def test_presets_and_measures_are_listed_by_kind(self, owner_api, kind):
        known = (("presets", presets), ("measures", measures), ("generators", generators))
        for path, registry in ((f"experiment-{name}", registry) for name, registry in known):
            found = owner_api.get(f"/api/v1/{path}/", {"kind": kind}).json()["results"]
            assert [one["name"] for one in found] == [cls.registered_name() for cls in registry.of(kind)] != []
            assert {one["kind"] for one in found} == {kind}
            assert owner_api.get(f"/api/v1/{path}/", {"kind": "graph"}).status_code == 400


def test_counts_that_are_no_whole_numbers_are_refused_before_anything_runs(owner_api):
    dataset = made(owner_api, b"date,a,b\n2024-01-01,1.5,2\n2024-01-02,2,3\n2024-01-03,4,1\n", kind="stream")["id"]
    answer = owner_api.post(URL, {"spec": spec_of("stream"), "dataset": dataset}, format="json")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "dataset")


def test_the_command_names_what_is_wrong(command, tmp_path):
    (tmp_path / "counts.csv").write_bytes(FILES["stream"])
    two = command("stream-epsilon", tmp_path / "counts.csv", tmp_path / "counts.csv", "--out", tmp_path / "out")
    assert two[2] == 1
    assert "FILE must be one file for the kind stream, got 2" in two[1]
    (tmp_path / "spec.json").write_text(json.dumps(spec_of("stream")))
    none = command(tmp_path / "spec.json", "--out", tmp_path / "out")
    assert "dataset is required by cells without data" in none[1]
    like = command(tmp_path / "spec.json", tmp_path / "counts.csv", "--like", "error-tdrive", "--out", tmp_path / "out")
    assert "--like must be left out: the spec is for the kind stream" in like[1]
    assert not (tmp_path / "out" / "table.parquet").exists()


@pytest.mark.parametrize("preset", ["stream-detection", "stream-dimensions"])
def test_a_preset_reads_of_a_stream_what_its_summary_has(owner_api, preset):
    """Thresholds and numbers of dimensions by the API are those of the command, which reads the counts."""
    dataset = made(owner_api, FILES["stream"])
    planned = owner_api.post(f"{URL}plan/", {"preset": {"name": preset}, "dataset": dataset["id"]}, format="json")
    data = read_data("stream", Dataset.objects.get().points_path)
    assert ExperimentSpec.parse(planned.json()["spec"]) == presets.parse({"name": preset}).spec(
        given_of("stream", data)
    )


def test_more_dimensions_than_a_dataset_has_are_refused_by_name(owner_api):
    dataset = made(owner_api, FILES["stream"])["id"]
    many = spec_of("stream") | {"grid": {"dimensions": [1, 1000]}}
    answer = owner_api.post(URL, {"spec": many, "dataset": dataset}, format="json")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "grid.dimensions.1")


def test_detection_over_more_timestamps_than_a_dataset_has_is_refused(owner_api):
    dataset = made(owner_api, b"date,a,b\n2024-01-01,1,2\n2024-01-02,2,3\n", kind="stream")["id"]
    answer = owner_api.post(URL, {"preset": {"name": "stream-detection"}, "dataset": dataset}, format="json")
    refused = answer.json()["errors"][0]
    assert (answer.status_code, refused["field"]) == (400, "metrics")
    assert refused["message"] == "metrics must have one that is defined for 2 timestamps; these need at least 11"
