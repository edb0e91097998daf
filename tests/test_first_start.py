"""A first start compiles nothing before the first page, and what is needed then comes first."""

import json
import time
import urllib.request

from tests.patience import patience, until
from tests.server import of_servers, running_server

pytestmark = of_servers
UNIFORM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}


def compiled(folder):
    return {path.name for path in folder.rglob("*.nbc")}


def sample(server, token):
    rows = server.get_json("/api/v1/datasets/", token)["results"]
    return [row for row in rows if row["state"] == "ready" and row["kind"] == "trajectory"]


def test_the_page_is_there_first_then_a_release_then_all_kernels(tmp_path):
    kernels = tmp_path / "kernels"
    with running_server(tmp_path / "home", NUMBA_CACHE_DIR=str(kernels)) as server:
        assert len(compiled(kernels)) < 5
        began, token = time.monotonic(), server.token()
        dataset = until(lambda: sample(server, token), 60, server.logs)[0]
        assert server.process_ids("[cairn-compiler]")
        sets = f"/api/v1/landmark-sets/?dataset={dataset['id']}"
        marks = until(lambda: server.get_json(sets, token)["results"], 60)[0]
        body = json.dumps({"dataset": dataset["id"], "landmark_set": marks["id"], "mechanism": UNIFORM}).encode()
        headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{server.address}/api/v1/releases/", body, headers)
        with urllib.request.urlopen(request, timeout=patience(30)) as answer:
            release = json.load(answer)
        path, stages = f"/api/v1/releases/{release['id']}/", set()
        while (row := server.get_json(path, token))["state"] in ("queued", "running"):
            stages.add(row.get("stage"))
            time.sleep(0.05)
        print(f"released {time.monotonic() - began:.1f} s after the page; {stages}; {len(compiled(kernels))} compiled")
        assert row["state"] in ("ready", "done"), row
        assert time.monotonic() - began < patience(15)
        while server.process_ids("[cairn-compiler]"):
            assert time.monotonic() - began < patience(240)
            time.sleep(0.5)
        print(f"all compiled {time.monotonic() - began:.1f} s after the page")
        assert len(compiled(kernels)) > 150
