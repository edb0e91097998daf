"""Live streams of before keys of requests: what they published stays, is refused to senders, and lines continue."""

import json
import subprocess
import sys

import pytest

from tests.dashboard.test_live_streams_killed import ROOT, environment

pytestmark = pytest.mark.thorough  # a process that migrates a database of its own

__all__ = ["environment"]

PROGRAM = """
import hashlib, io, json, sys
from pathlib import Path
import django; django.setup()
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
import numpy as np

call_command("migrate", verbosity=0)
call_command("migrate", "streams", "0004", verbosity=0)
before = ("streams", "0004_closed_without_state")
old = MigrationExecutor(connection).loader.project_state([before]).apps
from dashboard.accounts.models import User
from dashboard.streams import services
from dashboard.streams.models import LiveStream
from privacy_engine import noise

owner = User.objects.create_user("owner")
spec = services.live_spec({"name": "stream-uniform", "epsilon": 10000, "window": 2, "sensitivity": 1})
file = Path(sys.argv[1]) / "counts.csv"
same = json.dumps([str(file.resolve()), str(file), ["a", "b"], spec.digest, None])

def published(name, times, **columns):
    run = spec.mechanism.start(2, noise.publishable(), ["a", "b"])
    counts = np.array([[5.0 + t, 6.0] for t in range(len(times))])
    values = run.publish_all(counts) if times else counts
    row = old.get_model("streams.LiveStream").objects.create(
        owner_id=owner.pk, name=name, dimensions=["a", "b"], spec=spec.model_dump(), spec_digest=spec.digest,
        mechanism="stream-uniform", published=len(times), publisher=run.state() if times else None,
        clock="number" if times else "", last_time=times[-1] if times else None,
        last_label=str(times[-1]) if times else "", **columns)
    for i, time in enumerate(times):
        old.get_model("streams.PublishedTimestamp").objects.create(
            stream=row, position=i, time=time, label=str(time), digest="0" * 64,
            values=values[i].astype("<i8").tobytes(), whole=True, budget=run.budgets[i])
    return row.pk

line = published(str(file), [1, 2], idempotency_key="publish:" + hashlib.sha256(same.encode()).hexdigest())
sent, empty = published("sent", [1, 2]), published("empty", [])
call_command("migrate", verbosity=0)

def post(pk, time, **headers):
    from tests.dashboard.conftest import client_of
    body = {"events": [{"time": time, "counts": [5, 6]}]}
    answer = client_of(owner).post(f"/api/v1/streams/{pk}/events/", body, headers=headers, HTTP_HOST="127.0.0.1")
    return [answer.status_code, answer.json()]

file.write_text("time,a,b\\n1,5,6\\n2,0,0\\n3,7,8\\n")
out = io.StringIO()
call_command("publish", str(file), "--user", "owner", "--mechanism", "stream-uniform", "--set", "epsilon=10000",
             "--set", "window=2", "--set", "sensitivity=1", stdout=out, stderr=io.StringIO())
table = connection.introspection.get_table_description(connection.cursor(), "streams_publishedtimestamp")
print(json.dumps({
    "lines": out.getvalue(), "streams": LiveStream.objects.count(),
    "line": LiveStream.objects.get(pk=line).published, "columns": [one.name for one in table],
    "again": post(sent, 1), "with a key": post(sent, 2, **{"Idempotency-Key": "k"}), "next": post(sent, 3),
    "empty": post(empty, 1)[0]}))
"""


@pytest.fixture
def moved(environment, tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return dict(json.loads(done.stdout))


def test_streams_continue_after_the_upgrade(moved):
    assert "digest" not in moved["columns"]
    assert moved["lines"] == "time,a,b\n1,5,6\n2,6,6\n3,7,8\n"  # without noise; the second line was changed since
    assert (moved["streams"], moved["line"]) == (3, 3)
    for name, time in (("again", "1"), ("with a key", "2")):
        status, body = moved[name]
        assert (status, body["errors"][0]["published"][0]["time"]) == (409, time)
    assert moved["next"][0] == moved["empty"] == 201
