"""Rows of the fault matrix (docs/notes/faults.md) that no other test has; ``benchmarks/faults.py`` runs all."""

import time
from contextlib import suppress

import pytest

from tests.dashboard.test_worker import assert_published_once
from tests.dashboard.worker_support.server import LEASE_S, PRODUCTION, wait_for
from tests.patience import patience

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(400)]
LOCKED_S = 0.0 if PRODUCTION else 22.0
"""SQLite waits 20 s for a lock before a statement fails."""


def assert_serves(server, *, within_s=30.0):
    assert_published_once(server.until_published(server.submit()["json"]["id"], within_s=within_s), attempts=1)


def test_a_database_that_is_away_while_a_job_runs_ends_no_job(server):
    server.start_worker()
    pk = server.submit("hold:outage")["json"]["id"]
    server.until_reached("outage")
    waiting = server.submit()["json"]["id"]
    with server.database_away():
        server.open("outage")
        time.sleep(1.0 + LOCKED_S)
    for one in (pk, waiting):
        row = server.until_published(one, within_s=60)
        assert row["attempt"] <= 2
        assert_published_once(row, attempts=row["attempt"])


@pytest.mark.parametrize(
    ("name", "limits", "code", "attempts"),
    [("spin", (2, 60), "time-limit", 1), ("deaf", (4, 6), "crashed", 3), ("hog", None, "memory", 1)],
)
def test_a_job_over_a_limit_fails_with_its_code_and_its_worker_goes_on(server, name, limits, code, attempts):
    env = {"CAIRN_TEST_LIMITS_S": ",".join(str(patience(one)) for one in limits)} if limits else {}
    worker = server.start_worker(**env)
    row = server.until(server.submit(name)["json"]["id"], "failed", within_s=90)
    assert (row["error"]["code"], row["attempt"], len(row["charges"])) == (code, attempts, 1)
    assert_serves(server)
    assert worker.process.poll() is None


def test_a_broker_that_is_full_costs_only_time(server):
    server.start_worker().until_ready()
    with server.redis() as queue:
        queue.config_set("maxmemory", 1)
        made = server.submit()
        assert (made["status"], made["json"]["state"]) == (201, "queued")
        time.sleep(2 * LEASE_S)
        queue.config_set("maxmemory", 0)
    assert_published_once(server.until_published(made["json"]["id"], within_s=60), attempts=1)


def test_what_is_no_message_stops_no_queue(server):
    """A worker that ends on it is started again, by the supervisor or the container engine."""
    with server.redis() as queue:
        queue.lpush("interactive", b"no message")
        worker = server.start_worker()
        wait_for(lambda: queue.llen("interactive") == 0, within_s=60, why="it was taken")
    with suppress(AssertionError):
        wait_for(lambda: worker.process.poll() is not None, within_s=10, why="it ended")
    server.start_worker()
    assert_serves(server)


def test_an_unknown_task_is_discarded(server):
    server.start_worker()
    server.control("enqueue_unknown")
    assert_serves(server)


def test_a_worker_with_a_wrong_clock_is_replaced_like_any_other(server):
    """Leases are by the database's clock."""
    worker = server.start_worker(CAIRN_TEST_CLOCK_S="3600")
    pk = server.submit("hold:clock")["json"]["id"]
    server.until_reached("clock")
    server.start_worker().until_ready()
    killed = time.monotonic()
    worker.kill()
    server.open("clock")
    assert_published_once(server.until_published(pk), attempts=2)
    assert time.monotonic() - killed < patience(2 * LEASE_S + 1)
