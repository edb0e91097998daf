"""The commands of README and how-to pages do what these state, in a new clone."""

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from privacy_engine import kernels
from privacy_engine.kernels import order
from tests.pages import blocks, run_page
from tests.patience import patience, until
from tests.server import Server, clean_environment, fresh_clone, of_servers, running_server

BLOCKS = blocks("sh", "docs/how-to/api.md", "docs/how-to/command-line.md", "README.md")
SERVED_S = 60  # within the README's five seconds on a quiet machine; these run beside other tests
FIRST_S = 170  # the first start of a clone installs too: the README allows three minutes

pytestmark = of_servers


def _block(*, holding):
    return next(block for block in BLOCKS if holding in block).splitlines()


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    return fresh_clone(tmp_path_factory.mktemp("clone"), with_packages=True)


@pytest.fixture
def server(clone, tmp_path):
    made = Server(clone, home=tmp_path / "home")
    yield made
    made.clear_away()


@pytest.fixture(scope="module")
def running(clone):
    made = Server(clone)
    made.env["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        made.start(limit_s=FIRST_S)
        yield made
    finally:
        made.clear_away()


@pytest.fixture(scope="module")
def token(running):
    return running.token()


@pytest.fixture(scope="module")
def walk(running):
    """A walk of two hours with forty minutes' rest, where the README's lines expect ``walk.csv``."""
    lines = ["time,lat,lon"]
    for minute in range(120):
        step = min(minute, 40) if minute < 80 else minute - 40
        lines.append(f"2024-05-01T{8 + minute // 60:02d}:{minute % 60:02d}:00Z,{48.85 + step * 1e-3:.5f},2.35000")
    path = running.clone / "walk.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


class TestARunningServer:
    def test_bytecode_is_written_though_the_environment_forbids_it(self, running):
        assert list((running.clone / "dashboard" / "jobs" / "__pycache__").glob("*.pyc"))

    def test_the_links_log_in(self, running):
        line = re.search(r"Another link: +(.+)", running.output)[1]
        printed = running.shell(f"unset CAIRN_PORT CAIRN_HOME; {line}").strip()
        for link in (running.link, printed):
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(link, timeout=patience(30)) as answer:
                assert (answer.status, answer.url) == (200, f"{running.address}/")

    def test_the_lines_of_curl(self, running, token, walk):
        api = f"{running.address}/api/v1"
        given = {"API": api, "AUTH": f"Authorization: Token {token}", "JSON": "Content-Type: application/json"}
        curls = _block(holding="curl ")
        assert len(curls) == 7
        made = [*curls[:3], curls[5]]
        for line, name in zip(made, ("DATASET", "LANDMARK_SET", "RELEASE", "EXPERIMENT"), strict=True):
            answer = json.loads(running.shell(line, **given))
            assert "id" in answer, answer
            given[name] = answer["id"]
            if name != "LANDMARK_SET":
                running.finished(f"/api/v1/{name.lower()}s/{answer['id']}/", token)
        assert json.loads(running.shell(curls[3], **given))["state"] == "done"
        running.shell(curls[4], **given)
        assert len((running.clone / "release.csv").read_text().splitlines()) > 100
        running.shell(curls[6], **given)
        upload, release = _block(holding="event-level")[1:]
        given["DATASET"] = json.loads(running.shell(upload, **given))["id"]
        running.finished(f"/api/v1/datasets/{given['DATASET']}/", token)
        assert json.loads(running.shell(release, **given))["mechanism"]["name"] == "event-level"
        streams = _block(holding="/streams/")
        assert len(streams) == 2
        given["STREAM"] = json.loads(running.shell(streams[0], **given))["id"]
        assert json.loads(running.shell(streams[1], **given))["published"] == 1
        assert len((running.clone / "table.csv").read_text().splitlines()) == 1 + 9 * 6

    def test_the_lines_of_recommendations(self, running, token):
        places = [f"{40.71 + i % 9 * 0.01},{-74.01 + i % 5 * 0.01}" for i in range(200)]
        rows = [f"u{i % 7},2024-05-01T{i % 24:02d}:00:00Z,{place}" for i, place in enumerate(places)]
        (running.clone / "checkins.csv").write_text("\n".join(["user,time,lat,lon", *rows, ""]))
        given = {"API": f"{running.address}/api/v1", "AUTH": f"Authorization: Token {token}"}
        given["JSON"] = "Content-Type: application/json"
        upload, release, recommend, download = _block(holding="recommend/")
        for line, name in ((upload, "DATASET"), (release, "RELEASE")):
            given[name] = json.loads(running.shell(line, **given))["id"]
            running.finished(f"/api/v1/{name.lower()}s/{given[name]}/", token)
        answer = json.loads(running.shell(recommend, **given))
        assert len(answer["cells"]) == 10
        running.shell(download, **given)
        [lines] = [block for block in blocks("python", "docs/how-to/api.md") if "Recommender" in block]
        script = lines.replace("\nRecommender", "\nmodel = Recommender").replace("[85, 86]", str(answer["history"]))
        found = running.shell(f".venv/bin/python - <<'END'\n{script}print(model.tolist())\nEND")
        assert json.loads(found) == [one["cell"] for one in answer["cells"]]

    def test_a_generated_client_uploads_releases_and_compares(self, running, token, walk):
        generate, run = blocks("sh", "docs/reference/api.md")
        printed = running.shell(f"set -e; exec 2>&1\n{generate}")
        assert "Generating" in printed
        assert "WARNING" not in printed
        for name, value in (("http://127.0.0.1:8000", running.address), ("YOUR_TOKEN", token), ("FILE", "walk.csv")):
            run = run.replace(name, value)
        lines = running.shell(run).splitlines()
        assert lines[0] == "Two hours: 120 points, ready"
        assert lines[1] == "Landmarks: 42 events in runs [[40, 82]]"
        assert lines[2].endswith(": done")
        assert lines[3] == "Downloaded: 120 positions"
        assert "label.json" in lines[4]
        assert float(re.findall(r"Mean error: (\d+) m", lines[5])[0]) > 0
        assert lines[6] == "Refused: mechanism.epsilon must be greater than 0, got -1"

    def test_the_tutorial_of_counts(self, running, token, tmp_path):
        given = {"API": f"{running.address}/api/v1", "AUTH": f"Authorization: Token {token}"}
        run_page("docs/tutorial/data-engineer-with-counts.md", tmp_path, **given)

    def test_the_line_that_makes_the_token(self, running):
        lines = "\n".join(_block(holding="export API")).replace(":8000/", f":{running.port}/")
        assert json.loads(running.shell(f'{lines}\ncurl -sSH "$AUTH" "$API/mechanisms/"'))

    def test_the_release_command_needs_no_server(self, running, walk):
        running.shell(_block(holding="manage.py release")[0])
        assert len((running.clone / "released.csv").read_text().splitlines()) > 100

    def test_everything_kept_is_for_this_user_only(self, running):
        kept = [one for one in (running.home, *running.home.rglob("*")) if not one.is_symlink() and one.exists()]
        open_to_others = [str(one) for one in kept if stat.S_IMODE(one.stat().st_mode) & 0o077]
        assert open_to_others == []

    def test_the_broker_has_no_port(self, running):
        assert stat.S_ISSOCK((running.home / "run" / "broker.sock").stat().st_mode)
        broker = running.process_ids("-server ")[0]
        held = {str(link.readlink()) for link in Path(f"/proc/{broker}/fd").iterdir()}
        tables = [path.read_text() for path in Path("/proc/net").glob("tcp*")]
        lines = [line.split() for text in tables for line in text.splitlines()[1:]]
        listening = {line[9] for line in lines if line[3] == "0A"}
        assert not held & {f"socket:[{inode}]" for inode in listening}

    def test_a_second_one_on_the_same_home_is_refused_with_a_message(self, running):
        env = Server(running.clone, home=running.home).env
        refused = subprocess.run(["make", "run"], cwd=running.clone, env=env, capture_output=True, text=True)
        assert refused.returncode != 0
        assert "already runs on" in refused.stderr
        assert "Traceback" not in refused.stderr

    def test_a_killed_worker_comes_back(self, running):
        before = running.process_ids("[cairn-worker]")
        subprocess.run(["kill", "-9", str(before[0])], check=True)
        until(lambda: not {*before} & {*running.process_ids("[cairn-worker]")}, 30, lambda: str(running.processes()))
        until(lambda: running.process_ids("[cairn-worker]"), 30, lambda: running.read() + running.logs())


class TestStopping:
    def test_ctrl_c_leaves_nothing_behind_and_the_next_start_is_quick(self, server):
        first = server.start(limit_s=FIRST_S)
        server.press_ctrl_c()
        assert server.processes() == {}
        assert not (server.home / "run" / "broker.sock").exists()
        assert "Traceback" not in server.output
        again = server.start(".venv/bin/python", "manage.py", "run", limit_s=SERVED_S)
        assert server.press_ctrl_c() == 0
        print(f"served in {first:.1f} s on an empty home, {again:.1f} s on a used one")
        assert again < 15

    @pytest.mark.parametrize("kill", [os.kill, os.killpg], ids=["the supervisor", "the whole terminal"])
    def test_kill_9_leaves_no_orphan(self, server, kill):
        server.start(".venv/bin/python", "manage.py", "run", limit_s=SERVED_S)
        assert len(server.processes()) > 4
        kill(server.process.pid, 9)
        server.process.wait()
        until(lambda: not server.processes(), 15, lambda: str(server.processes()))


class TestRefusals:
    def run(self, server, **settings):
        how = {"cwd": server.clone, "env": server.env | settings, "timeout": patience(60)}
        refused = subprocess.run(["make", "run"], capture_output=True, text=True, **how)
        assert refused.returncode != 0
        assert "Traceback" not in refused.stderr
        assert server.processes() == {}
        return refused.stderr

    def test_a_taken_port_is_named_with_the_way_out(self, server):
        with socket.create_server(("127.0.0.1", server.port)):
            assert f"CAIRN_PORT={server.port + 1}" in self.run(server)

    def test_an_address_that_is_not_ours(self, server):
        assert "CAIRN_HOST" in self.run(server, CAIRN_HOST="203.0.113.9")

    def test_an_old_python_is_named(self, tmp_path):
        clone = fresh_clone(tmp_path, with_packages=False)
        old = tmp_path / "python-old"
        old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo "Python 3.9.2" && exit 0\nexit 1\n')
        old.chmod(0o755)
        refused = subprocess.run(
            ["make", "install", f"PYTHON={old}"], cwd=clone, env=clean_environment(), capture_output=True, text=True
        )
        assert refused.returncode != 0
        assert "needs Python 3.11 or newer" in refused.stdout
        assert "3.9.2" in refused.stdout


@pytest.mark.thorough
def test_a_damaged_broker_log_does_not_prevent_the_start(server):
    log = server.home / "broker" / "appendonlydir"
    log.mkdir(parents=True)
    (log / "appendonly.aof.manifest").write_text("file appendonly.aof.1.base.rdb seq 1 type b\n")
    (log / "appendonly.aof.1.base.rdb").write_text("not a log")
    server.start(limit_s=SERVED_S)
    assert "damaged" in server.output
    server.press_ctrl_c()
    assert server.processes() == {}


UNIFORM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}


KEPT = [name for name in order.MODULES if name not in order.USUAL and name != "adapub"]
"""Modules whose kernels are there already in a test: the compiler has the lowest priority, and all take a minute."""


def compiled(folder):
    return {path.name for path in folder.rglob("*.nbc")}


def keep_some(folder):
    """Put what is compiled of KEPT, so far as it is, into the cache in ``folder``; return that cache."""
    cache = Path(kernels.CACHE_FOLDER)
    for file in (one for name in KEPT for one in cache.glob(f"*/{name}.*.nb?")):
        copy = folder / file.relative_to(cache.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    return folder / cache.name


def sample(server, token):
    rows = server.get_json("/api/v1/datasets/", token)["results"]
    return [row for row in rows if row["state"] == "ready" and row["kind"] == "trajectory"]


def test_the_page_is_there_first_then_a_release_then_all_kernels(tmp_path):
    cache = keep_some(tmp_path / "kernels")
    kept = compiled(cache)
    with running_server(tmp_path / "home", NUMBA_CACHE_DIR=str(cache.parent)) as server:
        assert len(compiled(cache) - kept) < 5
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
        took, found = time.monotonic() - began, compiled(cache) - kept
        print(f"released {took:.1f} s after the page; {stages}; {len(found)} compiled")
        assert row["state"] in ("ready", "done"), row
        assert server.process_ids("[cairn-compiler]")  # the release did not wait for the rest
        assert len(found) < 80
        while server.process_ids("[cairn-compiler]"):
            assert time.monotonic() - began < patience(240)
            time.sleep(0.5)
        print(f"all compiled {time.monotonic() - began:.1f} s after the page")
        assert (cache / "complete").exists()
        assert len(compiled(cache)) > 150
