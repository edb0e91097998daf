"""Recommendations by a web process: how long a response takes, for every model and two grids.

python -m benchmarks.recommend_latency
python -m benchmarks.recommend_latency --requests 1000 --checkins 1000000

The server is a real process with a database of its own; one client sends one request after the other, each after a
history of its own. Models are fitted to generated check-ins before it starts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np

from benchmarks.streaming import ROOT
from tests.dashboard.test_live_streams_killed import Web

SIDES = (16, 32)
WARMING = 10
SETUP = """
import json, os, sys
import django; django.setup()
import numpy as np
from celery import current_app
from django.core.files.base import ContentFile
from dashboard.accounts.models import User
from dashboard.accounts.services import make_token
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.experiments.generated import CITY, CityCheckIns
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.releases.spec import ReleaseSpec

count, sides = json.loads(sys.argv[1])
current_app.loader.import_default_modules()
owner = User.objects.create_user("owner")
data = CityCheckIns(users=max(count // 20, 1), per_user=20, seed=1).data()
times = np.datetime_as_string(data.time_s.astype("M8[s]"), timezone="UTC")
rows = [f"u{u},{t},{y},{x}" for u, t, y, x in zip(data.user, times, data.lat, data.lon)]
file = ContentFile("\\n".join(["user,time,lat,lon", *rows, ""]).encode(), name="city.csv")
dataset = import_dataset(owner=owner, upload=file, kind="checkins")
if Dataset.objects.filter(pk=dataset.pk, state="queued").exists():
    current_app.tasks[Dataset.TASK](str(dataset.pk))
dataset.refresh_from_db()
box = dict(zip(("west", "south", "east", "north"), CITY))
made = []
for side in sides:
    for cls in mechanisms.of("checkins"):
        if not cls.publishable or getattr(cls, "needs_venues", False):
            continue
        described = {"name": cls.registered_name(), "epsilon": 1.0, "contributions": 10, "side": side, **box}
        release = submit_release(owner=owner, dataset=dataset, spec=ReleaseSpec.parse({"mechanism": described}))
        if Release.objects.filter(pk=release.pk, state="queued").exists():
            current_app.tasks[Release.TASK](str(release.pk))
        release.refresh_from_db()
        assert release.state == "done", release.error
        made.append([str(release.pk), cls.title, side])
print(json.dumps([make_token(user=owner)[1], made]))
"""


def waits_ms(url: str, token: str, cells: int, requests: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Milliseconds of each response after the first :data:`WARMING` ones, one connection each."""
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    rng, waits = np.random.default_rng(1), []
    for _ in range(WARMING + requests):
        body = json.dumps({"history": rng.integers(0, cells, 3).tolist(), "k": 10}).encode()
        begin = time.perf_counter()
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as response:
            response.read()
        waits.append((time.perf_counter() - begin) * 1e3)
    return np.array(waits[WARMING:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--checkins", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CAIRN_HOME": folder, "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
        environment |= {"CAIRN_ALLOWED_HOSTS": "127.0.0.1", "PYTHONPATH": str(ROOT)}
        environment |= {"DATABASE_URL": f"sqlite:///{folder}/cairn.sqlite3", "CAIRN_UPLOAD_MB": "500"}
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True)
        given = json.dumps([options.checkins, SIDES])
        made = subprocess.run(
            [sys.executable, "-c", SETUP, given], env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE
        )
        token, releases = json.loads(made.stdout)
        web = Web(environment)
        try:
            for pk, title, side in releases:
                url = f"{web.url}/api/v1/releases/{pk}/recommend/"
                waits = waits_ms(url, token, side**2, options.requests)
                middle, late = np.percentile(waits, [50, 95])
                print(f"{title:20} {side} × {side}: {middle:5.1f} ms, 95 % in {late:5.1f} ms", flush=True)
        finally:
            web.end()


if __name__ == "__main__":
    main()
