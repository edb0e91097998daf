"""Nothing connects to another host: the product does its tasks in a network namespace with loopback alone."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.patience import patience
from tests.postgres import programs
from tests.server import ROOT


def why_not():
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [name for name in ("unshare", "ip", "redis-server") if not shutil.which(name)]
    if missing or programs() is None:
        return f"needs {(missing or ['PostgreSQL'])[0]}"
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode:
        return "this kernel or container allows no network namespaces"
    return ""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_task_is_done_and_nothing_is_sent_elsewhere(tmp_path):
    if reason := why_not():
        pytest.skip(reason)
    command = ["unshare", "--net", sys.executable, "-m", "tests.no_network", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=patience(800))
    logs = (log.read_text()[-2000:] for log in tmp_path.glob("*.log"))
    assert done.returncode == 0, "\n".join([done.stderr[-3000:], *logs])
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["interfaces"] == ["lo"]
    assert {one.split()[0] for one in found["probes"]} == {"192.0.2.1:80", "192.0.2.2:53"}  # the record works
    assert found["tasks"] == ["import", "release", "map", "docs", "experiment", "live stream", "public link"]
    assert found["alive"] == ["redis", "web", "worker", "sweep"]
    assert found["sent"] == {}
