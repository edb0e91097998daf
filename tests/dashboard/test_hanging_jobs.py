"""Jobs that hang, in real workers: their process is replaced, their row is right, and the other jobs go on."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests import postgres
from tests.dashboard.worker_support.server import temporary_server, wait_for
from tests.patience import patience
from tests.server import python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


CLOCK_S, REPLACED_S, ROWS = 5.0, 15.0, 10**7


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)])
def built(request):
    production = request.param == "postgresql"
    if production and postgres.programs() is None:
        pytest.skip("PostgreSQL is not installed")
    clocks = {"CAIRN_LEASE_S": str(CLOCK_S), "CAIRN_STALL_S": str(CLOCK_S)}
    with temporary_server(production=production, **clocks) as server:
        yield server


def is_alive(pid):
    return Path(f"/proc/{pid}").exists()


def until_replaced(pid):
    started = time.monotonic()
    wait_for(lambda: not is_alive(pid), within_s=REPLACED_S, why=f"{pid} is killed")
    return time.monotonic() - started


def health(server):
    return server.control("call", method="get", path="/healthz")


def ends_with(server, *arguments):
    done = python(*arguments, env=server.env)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("hang", ["loop", "regex", "sleep"])
def test_what_hangs_is_replaced_and_given_up_after_three_attempts_while_others_are_served(server, hang):
    name = f"{hang}-{server.port}"
    worker = server.start_worker()
    hanging = server.submit(f"{hang}:{name}")["json"]["id"]
    (pid,) = server.until_reached(name)
    others = [server.submit()["json"]["id"] for _ in range(2)]
    assert until_replaced(pid) > CLOCK_S / 2  # it did not end of its own
    for other in others:
        row = server.until_published(other, within_s=2 * REPLACED_S)
        assert (row["state"], row["attempt"]) == ("done", 1)
    server.until(hanging, "failed", within_s=3 * REPLACED_S)
    # heartbeats end with the signs of life: the sweep may end the row a moment before the process is killed
    wait_for(lambda: server.row(hanging)["error"]["code"] == "no-progress", within_s=5, why="the reason is known")
    row = server.row(hanging)
    assert (row["attempt"], len(row["charges"])) == (3, 1)
    message = r'The job made no progress for (\d+) s in the stage "Hanging" and was stopped\.'
    assert CLOCK_S <= int(re.fullmatch(message, row["error"]["message"])[1]) <= REPLACED_S
    assert len(set(server.reached(name))) == 3
    assert worker.process.poll() is None
    assert server.until_published(server.submit()["json"]["id"])["attempt"] == 1


def test_health_is_not_ok_while_a_queue_stands_still(server):
    name = f"health-{server.port}"
    worker = server.start_worker(CAIRN_STALL_S="60")
    worker.until_ready()
    assert health(server)["json"]["ok"] is True
    hanging = server.submit(f"loop:{name}")["json"]["id"]
    server.until_reached(name)
    waiting = server.submit()["json"]["id"]
    wait_for(lambda: not health(server)["json"]["ok"], within_s=15, why="health is not ok")
    found = health(server)
    assert (found["status"], found["json"]["ok"], found["json"]["stalled"]) == (200, False, ["interactive"])
    checked = ("-m", "dashboard.launcher.health", "worker", worker.name)
    assert ends_with(server, *checked)[0] == 1
    code, out = ends_with(server, "manage.py", "doctor")
    assert code == 1
    assert "ERROR queue-stalled: Jobs of the queue interactive have waited for 2.5 s" in out
    server.control("call", method="post", path=f"/api/v1/releases/{hanging}/cancel/")
    server.until_published(waiting)
    assert health(server)["json"]["stalled"] == []
    code, out = ends_with(server, *checked)
    assert code == 0, out
    assert "queue-stalled" not in ends_with(server, "manage.py", "doctor")[1]


@pytest.mark.parametrize("hang", ["loop", "regex"])
def test_what_hangs_is_cancelled_within_a_lease(server, hang):
    name = f"cancel-{hang}-{server.port}"
    server.start_worker(CAIRN_STALL_S="300")
    hanging = server.submit(f"{hang}:{name}")["json"]["id"]
    (pid,) = server.until_reached(name)
    server.control("call", method="post", path=f"/api/v1/releases/{hanging}/cancel/")
    row = server.until(hanging, "cancelled", within_s=REPLACED_S)  # long before CAIRN_STALL_S
    wait_for(lambda: not is_alive(pid), within_s=CLOCK_S, why=f"{pid} is killed")
    assert (row["attempt"], row["error"]) == (1, None)
    server.until_published(server.submit()["json"]["id"])


def test_sigterm_ends_a_worker_whose_process_hangs(server):
    name = f"term-{server.port}"
    worker = server.start_worker()
    hanging = server.submit(f"regex:{name}")["json"]["id"]
    server.until_reached(name)
    worker.process.terminate()
    assert worker.process.wait(timeout=patience(REPLACED_S)) == 0
    row = server.row(hanging)
    assert (row["state"], row["attempt"], row["stage"]) == ("queued", 1, "")


@pytest.mark.parametrize("busy", [True, False])
def test_a_process_that_is_stopped_is_replaced(server, busy):
    name = f"stopped-{busy}-{server.port}"
    server.start_worker().until_ready()
    pk = server.submit(f"hold:{name}")["json"]["id"]
    (pid,) = server.until_reached(name)
    if not busy:
        server.open(name)
        server.until_published(pk)
    os.kill(pid, signal.SIGSTOP)
    waiting = server.submit()["json"]["id"]
    until_replaced(pid)
    server.open(name)
    assert server.until_published(pk)["attempt"] == (2 if busy else 1)
    assert server.until_published(waiting)["attempt"] == 1


def test_a_worker_that_is_stopped_as_a_whole_goes_on_where_it_was(server):
    name = f"frozen-{server.port}"
    worker = server.start_worker()
    pk = server.submit(f"block:{name}")["json"]["id"]
    (pid,) = server.until_reached(name)
    worker.signal(signal.SIGSTOP)
    time.sleep(CLOCK_S + 2)
    worker.signal(signal.SIGCONT)
    time.sleep(1)
    assert is_alive(pid)
    server.open(name)
    assert server.until_published(pk)["attempt"] == 2  # its lease had expired


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_a_read_of_ten_million_rows_is_not_replaced(server):
    table = server.home / "rows.csv"
    with table.open("w") as file:
        file.write("person,time,lon,lat\n")
        for person in range(100):
            rows = range(ROWS // 100)
            file.write("".join(f"p{person},{1_600_000_000 + 60 * i},{9 + i % 9973 * 1e-5:.5f},50.25\n" for i in rows))
    worker = server.start_worker()
    made = server.control("upload", path=str(table))
    assert made["status"] == 201, made
    path = f"/api/v1/datasets/{made['json']['id']}/"

    def row():
        return server.control("call", method="get", path=path)["json"]

    wait_for(lambda: row()["state"] not in ("queued", "running"), within_s=600, why="it is read")
    found = row()
    assert found["state"] == "ready", found["error"]
    assert b"SIGKILL" not in worker.log.read_bytes()
