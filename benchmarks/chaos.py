"""Jobs while workers are killed every five seconds and broker and database are restarted: what is left in the end.

    python benchmarks/chaos.py launcher|production [MINUTES] [JOBS]

Every job is sent by HTTP with an Idempotency-Key until it gets an answer. In the end every job must be over, every done
release have one data file and no other, every release one charge, and the charges the amount in the ledger.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run from the checkout, not installed

from benchmarks.deployments import Deployment, as_json, deployment, load_average

POINTS = 10_000
KILL_EVERY_S, OUTAGE_EVERY_S = 5.0, 45.0
QUIET_S = 600.0
"""How long jobs may take once nothing is killed any more."""
EXPERIMENT_EVERY = 20
MECHANISMS = ("landmark-uniform", "landmark-adaptive", "landmark-skip")
CHECK = """
import json, django; django.setup()
from collections import Counter
from django.db.models import Sum
from dashboard.datasets.models import Budget, BudgetEntry
from dashboard.experiments.models import Experiment
from dashboard.jobs.models import OPEN
from dashboard.releases.models import Release
import pyarrow.parquet as pq
rows = list(Release.objects.all())
double, torn, uncharged = 0, 0, 0
for row in rows:
    found = sorted(one.name for one in row.folder.iterdir()) if row.folder.exists() else []
    expected = sorted([row.data_file, f"budgets-{row.data_file}"]) if row.state == "done" else []
    double += found != expected
    if row.state == "done":
        torn += pq.read_metadata(row.data_path).num_rows != POINTS
    uncharged += BudgetEntry.objects.filter(release_id=row.pk, amount__gt=0).count() != 1
kinds = {"releases": rows, "experiments": list(Experiment.objects.all())}
print(json.dumps({
    "states": {name: Counter(one.state for one in found) for name, found in kinds.items()},
    "open": sum(one.state in OPEN for found in kinds.values() for one in found),
    "errors": Counter(str((one.error or {}).get("code")) for found in kinds.values() for one in found if one.error),
    "attempts": Counter(one.attempt for one in rows),
    "wrong files": double, "wrong lengths": torn, "not charged once": uncharged,
    "keys": len({one.idempotency_key for one in rows}), "rows": len(rows),
    "ledger": Budget.objects.aggregate(s=Sum("spent"))["s"],
    "entries": BudgetEntry.objects.aggregate(s=Sum("amount"))["s"],
}))
"""


class Client:
    """Sends requests until they get a response."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token, self.repeats = url, token, 0

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The JSON of the response; a response that has Retry-After is followed, any other error is raised."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        common = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"} | headers
        give_up = time.monotonic() + 300
        while True:
            request = urllib.request.Request(f"{self.url}/api/v1/{path}", data, common, method=method)
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                if error.code not in (429, 502, 503) or time.monotonic() > give_up:
                    raise RuntimeError(f"{path}: {error.code} {error.read()[:500]!r}") from error
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                if time.monotonic() > give_up:
                    raise
            self.repeats += 1
            time.sleep(0.3)

    def until_over(self, path: str) -> Any:
        """The row at ``path`` once it is over."""
        while (row := self.send("GET", path))["state"] in ("queued", "running"):
            time.sleep(0.5)
        return row


def material(client: Client) -> dict[str, Any]:
    """A dataset with a landmark set."""
    rng = np.random.default_rng(7)
    lat, lon = (centre + np.cumsum(rng.normal(0, 2e-5, POINTS)) for centre in (48.8566, 2.3522))
    lines = (f"{1_714_550_400 + i},{y:.6f},{x:.6f}\r\n" for i, (y, x) in enumerate(zip(lat, lon, strict=True)))
    head = '--of-parts\r\nContent-Disposition: form-data; name="file"; filename="walk.csv"\r\n\r\n'
    form = (head + "time,lat,lon\r\n" + "".join(lines) + "--of-parts--\r\n").encode()
    parts = "multipart/form-data; boundary=of-parts"
    row = client.send("POST", "datasets/", form, **{"Content-Type": parts, "Idempotency-Key": "walk"})
    dataset = client.until_over(f"datasets/{row['id']}/")
    method = {"name": "synthetic", "share": 0.01, "distribution": "uniform", "seed": 1}
    marks = client.send("POST", "landmark-sets/", {"dataset": dataset["id"], "name": "some", "method": method})
    return {"dataset": dataset["id"], "landmark_set": marks["id"]}


def submit(client: Client, subject: dict[str, Any], number: int) -> None:
    """Send job ``number``: a release, or every twentieth time an experiment."""
    key = {"Idempotency-Key": f"job-{number}"}
    if number % EXPERIMENT_EVERY == 0:
        preset = {"name": "temporal-distance", "repetitions": 100 + number}
        client.send("POST", "experiments/", {"preset": preset}, **key)
        return
    name = MECHANISMS[number % len(MECHANISMS)]
    mechanism = {"name": name, "epsilon": 0.001 * (1 + number % 7), "radius_m": 200.0}
    client.send("POST", "releases/", subject | {"mechanism": mechanism}, **key)


def faults(made: Deployment, until: float, counts: Counter[str]) -> None:
    """Kill and restart until it is time."""
    chance, outage = random.Random(5), time.monotonic() + OUTAGE_EVERY_S
    outages = [made.restart_broker, made.restart_database]
    while time.monotonic() < until:
        time.sleep(KILL_EVERY_S)
        counts[made.kill_a_worker(chance)] += 1
        if time.monotonic() > outage:
            one = outages.pop(0)
            outages.append(one)
            one()
            counts[one.__name__] += 1
            outage = time.monotonic() + OUTAGE_EVERY_S


def main(name: str, minutes: float = 10.0, jobs: int = 200) -> int:
    """Run it, print what is left, and return 1 where that is not as it must be."""
    counts: Counter[str] = Counter()
    load = load_average()
    with deployment(name, CAIRN_LEASE_S="5", CAIRN_SWEEP_S="1", CAIRN_THROTTLE="100000/min") as made:
        client = Client(made.url, made.token())
        subject = material(client)
        began = time.monotonic()
        until = began + 60 * minutes
        fault = threading.Thread(target=faults, args=(made, until, counts), daemon=True)
        fault.start()
        for number in range(jobs):
            time.sleep(max(0.0, began + number * 60 * minutes * 0.95 / jobs - time.monotonic()))
            submit(client, subject, number)
        fault.join()
        give_up = time.monotonic() + QUIET_S
        check = CHECK.replace("POINTS", str(POINTS))
        while (found := as_json(made.python(check)))["open"] and time.monotonic() < give_up:
            time.sleep(3)
        time.sleep(5)  # workers remove the files of attempts that were interrupted
        found = as_json(made.python(check))
        after = time.monotonic() - until
    over = sum(sum(states.values()) for states in found["states"].values()) - found["open"]
    right = over == jobs and not any(found[one] for one in ("wrong files", "wrong lengths", "not charged once"))
    right = right and found["ledger"] == found["entries"] and found["keys"] == found["rows"]
    print(f"{name}: {jobs} jobs, {minutes:g} minutes; load before {load}, after {load_average()}")
    print(f"faults: {dict(counts)}; requests sent again: {client.repeats}; over {after:.0f} s after the last fault")
    print(json.dumps(found, indent=1))
    print("as it must be" if right else "NOT as it must be")
    return int(not right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *(float(one) for one in sys.argv[2:3]), *(int(one) for one in sys.argv[3:4])))
