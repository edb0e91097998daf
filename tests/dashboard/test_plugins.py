"""The example package in a home's folder of plugins: used, then removed, in processes of their own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import migrated
from tests.package_folder import installed, written
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path):
    made = tmp_path / "home"
    made.mkdir(mode=0o700)
    migrated.copy_to(made / "cairn.sqlite3")
    return made


def run(home, *command):
    environment = os.environ | {"CAIRN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    environment |= {"CAIRN_ALLOWED_HOSTS": "testserver", "DATABASE_URL": f"sqlite:///{home / 'cairn.sqlite3'}"}
    how = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "timeout": patience(240)}
    return subprocess.run([sys.executable, *command], check=False, **how)


def stage(home, name):
    done = run(home, "-m", "tests.dashboard.worker_support.plugin_home", name, str(home / "ids.json"))
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_a_package_has_is_used_everywhere_and_its_results_open_after_it_is_removed(home):
    installed(ROOT / "examples" / "own-mechanism", home / "plugins")
    used = stage(home, "used")
    assert {name: status for name, status in used["statuses"].items() if status != 200} == {}
    assert set(used["statuses"]) - set(used["marked"]) == {"form"}  # whose rows a script makes
    for text in (used["guarantee"]["statement"], used["label"]):
        assert "as own-mechanism 0.1.0 states, which is not reviewed" in text
    shutil.rmtree(home / "plugins")
    removed = stage(home, "removed")
    assert {name: status for name, status in removed["statuses"].items() if status != 200} == {}
    gone = {"api mechanisms", "api measures", "api attack methods"}
    assert set(removed["marked"]) >= {"comparison", "explanation", "report", "public", "api release", "api data"}
    assert not gone & set(removed["marked"])
    status, detail = removed["refused"]
    assert status == 400
    assert detail.startswith("mechanism.name must be one of event-level")
    assert detail.endswith("got 'landmark-halves'")


def test_the_doctor_names_what_cannot_be_used(home):
    written(home / "plugins", "some-one", {"cairn.metrics": {"broken": "broken:Any"}}, broken="1 / 0")
    findings = json.loads(run(home, "manage.py", "doctor", "--json").stdout)["findings"]
    [found] = [one for one in findings if one["code"] == "plugin"]
    assert found["level"] == "warning"
    assert found["what"] == (
        "broken of some-one 1.0 (cairn.metrics) cannot be imported: ZeroDivisionError: division by zero."
    )
    assert found["do"] == "Correct some-one, or remove it; then restart Cairn."
