"""A file for each error code goes through a real worker: each fails with a text, and none occupies its process."""

import json
import os
import time
from pathlib import Path

import pytest

from dashboard.core.failures import ADVICE
from tests import postgres
from tests.dashboard.worker_support.server import temporary_server, wait_for
from tests.engine import format_samples
from tests.engine.failing_files import FILES, MORE, FailingFile

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
GOOD = FailingFile("good.csv", format_samples.CSV)
IDLE = 0.2
"""The share of a processor that a process may use which has nothing to do."""


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request):
    production = request.param == "postgresql"
    if production and postgres.programs() is None:
        pytest.skip("PostgreSQL is not installed here")
    with temporary_server(production=production) as built:
        yield built


def uploaded(server, number, file):
    place = server.home / "files" / str(number) / file.name
    place.parent.mkdir(parents=True)
    place.write_bytes(file.data)
    fields = {"kind": file.kind, "cleaning": json.dumps(list(file.cleaning)), **file.options}
    made = server.control("upload", path=str(place), fields=fields)
    assert (made["status"], made["json"]["state"]) == (201, "queued"), (file.name, made)
    return f"/api/v1/datasets/{made['json']['id']}/"


def over(server, address):
    row = server.control("call", method="get", path=address)["json"]
    return row if row["state"] in ("ready", "failed") else None


def seconds_of(group):
    found = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(") ")[2].split()
        except OSError:  # it ended
            continue
        if int(fields[2]) == group:
            found[int(place.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def test_every_file_fails_with_its_code_and_the_workers_are_free_afterwards(server):
    files = [*FILES.items(), *MORE]
    addresses = [uploaded(server, number, file) for number, (_, file) in enumerate(files)]
    good = uploaded(server, len(files), GOOD)
    worker = server.start_worker(concurrency=2)
    for (code, file), address in zip(files, addresses, strict=True):
        row = wait_for(lambda at=address: over(server, at), within_s=60, why=f"{file.name} for {code} is over")
        assert (row["state"], row["error"] and row["error"]["code"]) == ("failed", code), (file.name, row["error"])
        assert row["error"]["action"] == ADVICE[code].action
        assert row["error"]["message"]
    assert wait_for(lambda: over(server, good), within_s=30, why="the good file is read")["state"] == "ready"
    before, started = seconds_of(worker.process.pid), time.monotonic()
    assert len(before) >= 3  # the worker and its two
    time.sleep(3)
    used = {pid: seconds - before[pid] for pid, seconds in seconds_of(worker.process.pid).items() if pid in before}
    assert max(used.values()) < IDLE * (time.monotonic() - started)
