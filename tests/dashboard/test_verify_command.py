"""``manage.py verify``: files of the command, the API and bundles; exit code 0 only where everything holds."""

import json

import pytest
from jsonschema import Draft202012Validator

from dashboard.releases import downloads
from dashboard.releases.management.commands import release, verify
from privacy_engine.exports import FORMATS
from tests.dashboard.command_runner import runner

pytestmark = pytest.mark.django_db
WALK = "time,lon,lat\n" + "".join(f"2024-05-14T07:{i:02d}:00Z,8.5{i:02d},47.3\n" for i in range(20))


@pytest.fixture
def manage(capsys):
    def run(name, *arguments):
        return runner({"release": release.Command, "verify": verify.Command}[name], name, capsys)(*arguments)

    return run


@pytest.fixture
def released(manage, tmp_path):
    def draw(fmt):
        walk, out = tmp_path / "walk.csv", tmp_path / f"out.{FORMATS[fmt].extension.lstrip('.')}"
        walk.write_text(WALK)
        _, wrong, code = manage(
            *("release", walk, "--mechanism", "landmark-skip", "--set", "epsilon=1", "--set", "radius_m=200"),
            *("--landmarks", "synthetic:20%:uniform:1", "--out", out),
        )
        assert code == 0, wrong
        return out

    return draw


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_a_release_of_the_command_is_verified_and_a_changed_one_is_not(manage, released, fmt):
    path = released(fmt)
    stated, _, code = manage("verify", path)
    assert (code, "verified" in stated) == (0, True)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"2024-05-14T07:03", b"2024-05-14T08:03", 1) if "parquet" not in fmt else data[:-9])
    stated, _, code = manage("verify", path, "--json")
    assert code == 1
    checks = json.loads(stated)[str(path)]["checks"]
    assert any(not check["holds"] for check in checks)


def test_several_files_hold_only_if_each_does(manage, released, tmp_path):
    good, bad = released("csv"), tmp_path / "bad.csv"
    bad.write_text("series,time\n")
    assert manage("verify", good, good)[2] == 0
    assert manage("verify", good, bad)[2] == 1
    _, wrong, code = manage("verify", tmp_path / "nowhere.csv")
    assert (code, "nowhere.csv: No such file" in wrong) == (2, True)


class TestDashboard:
    def test_the_label_is_what_its_published_schema_states(self, owner_api, done):
        schema = owner_api.get("/api/v1/label-schema/").json()
        Draft202012Validator.check_schema(schema)
        label = json.loads(json.dumps(downloads.label(done)))
        Draft202012Validator(schema).validate(label)
        assert label["ledger_entry"]
        assert label["whole_trace_epsilon"] == done.summary["whole_trace"]
        del label["not_covered"]
        assert not Draft202012Validator(schema).is_valid(label)
