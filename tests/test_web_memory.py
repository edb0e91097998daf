"""After pages, maps, charts and previews a web process has less than 152,000 kB; the share of a forked one, 100,000 kB.

What needs kernels is computed in another process, so that it never loads a compiler.

The commands are those that users start: the launcher's own web server, and gunicorn as in the image. Both run as after
a first start, with the modules' bytecode cached. Packages that only development installs are hidden from them: pyarrow
imports pandas, and the REST framework requests, where they are.
"""

import http.cookiejar
import importlib.metadata
import json
import os
import re
import signal
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from tests.patience import patience, until
from tests.server import ROOT, answers, ended, of_servers, running_gunicorn, running_server

pytestmark = of_servers
MOST_KB = 105_000  # as the kernel prints it: kB of 1,024 bytes
POINTS = 10_000
VIEW = "west=2.2&north=48.95&width=1000&height=700&zoom=11.5&middle=2.35"
MECHANISMS = [{"name": f"landmark-{name}", "epsilon": 1.0, "radius_m": 200.0} for name in ("uniform", "skip")]
STAYS = {"name": "stay-points", "distance_m": 100.0, "duration_s": 300.0}
COUNTS = {"name": "stream-uniform", "epsilon": 1.0, "window": 3}
HIDE = """
import os
import sys

class Hidden:
    names = frozenset(os.environ["HIDDEN_PACKAGES"].split())

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in cls.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden)
"""


def of_development():
    """Modules of packages that neither requirements.txt nor the extra ``deploy`` installs."""
    locked = re.findall(r"^([\w.-]+)(?:\[.*\])?==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    installed = {_normal(name) for name in (*locked, "gunicorn", "psycopg", "psycopg-binary")}
    modules = importlib.metadata.packages_distributions()
    return [name for name, found in modules.items() if not installed & {_normal(one) for one in found}]


def _normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    hidden = tmp_path_factory.mktemp("site")
    (hidden / "sitecustomize.py").write_text(HIDE)
    environment = {"PYTHONPATH": str(hidden), "HIDDEN_PACKAGES": " ".join(of_development())}
    environment |= {"PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("bytecode")), "PYTHONDONTWRITEBYTECODE": ""}
    with running_server(tmp_path_factory.mktemp("cairn"), **environment) as running:
        yield running


class Reader:
    def __init__(self, address, cookies):
        self.address, self.cookies = address, cookies
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))

    def get(self, path):
        with self.opener.open(self.address + path, timeout=patience(60)) as answer:
            return bytes(answer.read())

    def json(self, path):
        return json.loads(self.get(path))

    def post(self, path, body, content_type="application/json"):
        token = next(one.value for one in self.cookies if one.name.startswith("csrf"))
        headers = {"Content-Type": content_type, "X-CSRFToken": token or "", "Referer": self.address}
        request = urllib.request.Request(self.address + path, data=body, headers=headers)
        with self.opener.open(request, timeout=patience(60)) as answer:
            return json.load(answer)

    def finished(self, row):
        row = until(lambda: ended(self.json(row["urls"]["self"])), 120)
        assert row["state"] in ("ready", "done"), row
        return row


@pytest.fixture(scope="module")
def owner(server):
    reader = Reader(server.address, http.cookiejar.CookieJar())
    reader.get(server.link.removeprefix(server.address))
    return reader


@pytest.fixture(scope="module")
def rows(owner):
    """A dataset of 10,000 events, its landmark set and two releases."""
    rng = np.random.default_rng(7)
    lat, lon = (centre + np.cumsum(rng.normal(0, 2e-4, POINTS)) for centre in (48.8566, 2.3522))
    lines = (f"{1_714_550_400 + i},{y:.6f},{x:.6f}\r\n" for i, (y, x) in enumerate(zip(lat, lon, strict=True)))
    head = '--of-parts\r\nContent-Disposition: form-data; name="file"; filename="walk.csv"\r\n\r\n'
    form = (head + "time,lat,lon\r\n" + "".join(lines) + "--of-parts--\r\n").encode()
    made = owner.post("/api/v1/datasets/", form, "multipart/form-data; boundary=of-parts")
    dataset = owner.finished(made)
    method = {"name": "synthetic", "share": 0.01, "distribution": "uniform", "seed": 1}
    landmarks = owner.post("/api/v1/landmark-sets/", _json(dataset=dataset["id"], name="some", method=method))
    shared = {"dataset": dataset["id"], "landmark_set": landmarks["id"]}
    made = [owner.post("/api/v1/releases/", _json(mechanism=one, **shared)) for one in MECHANISMS]
    return dataset, landmarks, [owner.finished(one) for one in made]


def _json(**values):
    return json.dumps(values).encode()


def use(reader, dataset, landmarks, releases):
    """Request what the pages of a session do: the list, a dataset's map, the editor, the form, the comparison."""
    page, query = f"/datasets/{dataset['id']}/", f"dataset={dataset['id']}"
    for path in ("/", page, f"{page}landmarks/new/", f"{page}releases/new/", "/glossary/", "/experiments/"):
        assert b"<html" in reader.get(path)
    for path in (f"releases/?{query}", f"landmark-sets/?{query}", "mechanisms/?kind=trajectory", "landmark-methods/"):
        reader.get(f"/api/v1/{path}")
    for row in (dataset, *releases):
        for view in (f"?{VIEW}", ""):
            assert reader.get(f"{row['urls']['track']}{view}").startswith(b"CIRN")
    reader.get(f"{page}compare/")
    reader.get(f"/api/v1/landmark-sets/{landmarks['id']}/events/?series=0")
    for one in releases:
        charts = "errors/?points=1000", "series/?points=900&n=2&s=0.1&diameter_m=1000", "track/", "data/?format=csv"
        for chart in charts:
            reader.get(f"{one['urls']['self']}{chart}")
    reader.get(f"{page}compare/report/?for=owner")
    about = {"dataset": dataset["id"], "landmark_set": landmarks["id"]}
    correlation = {"n": 2, "s": 0.1, "diameter_m": 1000}
    reader.post("/api/v1/releases/forecast/", _json(mechanisms=MECHANISMS, correlation=correlation, **about))
    reader.post("/api/v1/releases/expected-errors/", _json(mechanisms=MECHANISMS, **about))
    reader.post("/api/v1/landmark-sets/preview/", _json(dataset=dataset["id"], method=STAYS))
    stream = reader.post("/api/v1/streams/", _json(name="live", dimensions=["a"], mechanism=COUNTS))
    reader.post(stream["urls"]["events"], _json(events=[{"time": 1, "counts": [5]}]))


def memory_kb(pid):
    """What the kernel counts page by page; VmRSS of /proc/PID/status is off by up to 1.6 MB."""
    return dict(re.findall(r"^(\w+):\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE))


def settle(pid):
    """Wait until memory stays as it is: free pages are returned after the response, while its reader goes on."""
    found = 0
    for _ in range(20):
        time.sleep(0.3)
        before, found = found, memory_kb(pid)["Rss"]
        if found == before:
            break


def check(pid, reader, rows):
    """By memory of its own: how much of files is mapped depends on what the host has read before."""
    for _ in range(3):
        use(reader, *rows)
    settle(pid)
    memory = memory_kb(pid)
    assert "llvm" not in Path(f"/proc/{pid}/maps").read_text()
    assert int(memory["Pss_Anon"]) < MOST_KB, memory


def test_the_web_process_of_the_launcher(server, owner, rows):
    (before,) = server.process_ids("[cairn-web]")
    os.kill(before, signal.SIGKILL)  # the launcher starts another one
    until(lambda: answers(f"{server.address}/healthz"), 60)
    (pid,) = server.process_ids("[cairn-web]")
    assert pid != before
    check(pid, owner, rows)


def test_a_worker_of_gunicorn_as_the_image_starts_it(server, owner, rows):
    settings = dict(re.findall(r"(MALLOC_\w+)=(\S+)", (ROOT / "Dockerfile").read_text()))
    with running_gunicorn(server, "--workers", "1", REDIS_URL="redis://127.0.0.1:1/0", **settings) as (port, process):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        check(int(children[0]), Reader(f"http://127.0.0.1:{port}", owner.cookies), rows)
