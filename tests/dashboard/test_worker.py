"""Releases with a real broker, real workers and the real sweep; processes killed, stopped and crashing.

However a release is interrupted, there is one finished row, one data file, one charge.
"""

import os
import signal
import time

import pyarrow.parquet as pq
import pytest

from tests.dashboard.worker_support.server import CANARY, LEASE_S, wait_for
from tests.patience import patience

pytestmark = pytest.mark.slow


def assert_published_once(row, *, attempts):
    assert (row["state"], row["attempt"], row["error"]) == ("done", attempts, None)
    assert row["files"] == sorted([row["data_file"], f"budgets-{row['data_file']}"])
    assert len(row["errors"]) == 1
    assert [amount > 0 for amount in row["charges"]] == [True]
    assert pq.read_metadata(row["data_path"]).num_rows == len(CANARY[0])


def test_kill_9_of_a_whole_worker_and_of_a_pool_child(server):
    """Both are killed after the files were written, before the row was finished."""
    worker = server.start_worker()
    pk = server.submit("hold:group")["json"]["id"]
    server.until_reached("group")
    server.start_worker().until_ready()
    killed = time.monotonic()
    worker.kill()
    server.open("group")
    row = server.until_published(pk)
    assert_published_once(row, attempts=2)
    assert time.monotonic() - killed < patience(2 * LEASE_S + 1)

    pk = server.submit("hold:child")["json"]["id"]
    (child,) = server.until_reached("child")
    killed = time.monotonic()
    os.kill(child, signal.SIGKILL)
    server.open("child")
    row = server.until_published(pk)
    assert_published_once(row, attempts=2)
    assert time.monotonic() - killed < patience(2 * LEASE_S + 1)


def test_cancelled_while_it_waits_it_never_runs_and_while_it_runs_it_stops(server):
    waiting = server.submit("hold:never")["json"]["id"]
    cancelled = server.control("call", method="post", path=f"/api/v1/releases/{waiting}/cancel/")
    assert (cancelled["status"], cancelled["json"]["state"]) == (200, "cancelled")

    server.start_worker()
    running = server.submit("hold:cancel")["json"]["id"]
    server.until_reached("cancel")
    requested = time.monotonic()
    server.control("call", method="post", path=f"/api/v1/releases/{running}/cancel/")
    server.until(running, "cancelled")
    assert time.monotonic() - requested < patience(LEASE_S)
    wait_for(
        lambda: not (server.row(running)["files"] or server.row(running)["errors"]), within_s=5, why="it cleared away"
    )
    assert len(server.row(running)["charges"]) == 1

    after = server.submit()["json"]["id"]  # the worker is running, and has seen the first message by now
    server.until_published(after)
    row = server.row(waiting)
    assert (row["state"], row["attempt"], sum(row["charges"])) == ("cancelled", 0, 0)
    assert server.reached("never") == []


def test_ten_copies_of_a_message_and_two_workers_make_one_run(server):
    for _ in range(2):
        server.start_worker(concurrency=2)
    for worker in server.workers:
        worker.until_ready()
    pk = server.submit("hold:copies")["json"]["id"]
    server.control("enqueue", pk=pk, times=9)
    server.until_reached("copies")
    with server.redis() as queue:
        wait_for(lambda: queue.llen("interactive") == 0, within_s=10, why="every copy was taken")
    server.open("copies")
    assert_published_once(server.until_published(pk), attempts=1)
    assert len(server.reached("copies")) == 1


def test_two_children_of_one_worker_draw_different_noise(server):
    server.start_worker(concurrency=2)
    first, second = (server.submit("hold:twins")["json"]["id"] for _ in range(2))
    assert len(set(server.until_reached("twins", times=2))) == 2
    server.open("twins")
    one, other = (pq.read_table(server.until_published(pk)["data_path"]) for pk in (first, second))
    for column in ("lon", "lat"):
        assert not set(one[column].to_pylist()) & set(other[column].to_pylist())


def test_a_broker_that_is_away_or_loses_messages_costs_only_time(server):
    server.start_worker().until_ready()
    server.stop_broker()
    made = server.submit()
    assert made["status"] == 201
    assert made["seconds"] < 1.0
    server.start_broker()
    assert_published_once(server.until_published(made["json"]["id"], within_s=30), attempts=1)
    server.kill_workers()

    pk = server.submit()["json"]["id"]
    with server.redis() as queue:
        queue.flushall()
    server.control("age_enqueued_at", pk=pk)
    server.start_worker()
    assert_published_once(server.until_published(pk), attempts=1)


def test_a_stopped_worker_that_continues_publishes_nothing(server):
    frozen = server.start_worker()
    pk = server.submit("block:frozen")["json"]["id"]
    server.until_reached("frozen")
    frozen.signal(signal.SIGSTOP)
    server.start_worker()
    server.until_reached("frozen", times=2)
    server.open("frozen")
    published = server.until_published(pk)
    assert_published_once(published, attempts=2)

    frozen.signal(signal.SIGCONT)
    wait_for(lambda: b"taken away" in frozen.log.read_bytes(), within_s=10, why="the stale worker noticed")
    time.sleep(0.2)  # and removed its own files
    assert server.row(pk) == published


def test_a_job_that_ends_its_worker_is_given_up_after_three_attempts_while_others_are_served(server):
    server.start_worker()
    crashing = server.submit("exit")["json"]["id"]
    wait_for(lambda: server.row(crashing)["attempt"] == 1, within_s=20, why="it was tried")
    assert_published_once(server.until_published(server.submit()["json"]["id"]), attempts=1)
    row = server.until(crashing, "failed", within_s=10 * LEASE_S)
    assert (row["error"]["code"], row["attempt"], len(row["charges"])) == ("crashed", 3, 1)
    assert_published_once(server.until_published(server.submit()["json"]["id"]), attempts=1)


def test_sigterm_lets_the_current_release_finish_and_leaves_the_rest(server):
    worker = server.start_worker()
    current = server.submit("hold:term")["json"]["id"]
    server.until_reached("term")
    rest = server.submit()["json"]["id"]
    worker.process.terminate()
    time.sleep(0.3)
    server.open("term")
    assert worker.process.wait(timeout=patience(15)) == 0
    assert_published_once(server.row(current), attempts=1)
    assert (server.row(rest)["state"], server.row(rest)["attempt"]) == ("queued", 0)
    server.control("age_enqueued_at", pk=rest)
    server.start_worker()
    assert_published_once(server.until_published(rest), attempts=1)


def test_no_coordinate_in_logs_messages_or_errors(server):
    server.start_worker()
    leaking = server.submit("leak")["json"]["id"]
    assert server.until(leaking, "failed")["error"]["code"] == "internal"
    server.kill_workers()
    waiting = server.submit()["json"]["id"]
    with server.redis() as queue:
        dump = repr([(key, queue.dump(key)) for key in queue.keys("*")])
        messages = repr([queue.lrange(key, 0, -1) for key in queue.keys("*") if queue.type(key) == b"list"])
    assert waiting in messages
    kept = b"".join(path.read_bytes() for path in (server.home / "broker").rglob("*") if path.is_file())
    output = server.logs() + dump + messages + kept.decode(errors="replace") + repr(server.control("errors"))
    assert leaking in output  # the output is not empty
    for degrees in (*CANARY[0], *CANARY[1]):
        for written in (f"{degrees:.4f}"[:-1], str(round(degrees * 1e7))):
            assert written not in output


def test_ten_identical_requests_at_once_are_one_release_and_one_charge(server):
    body = server.material | {"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}}
    answers = server.control("race", body=body, key="at-once", times=10)
    assert {status for status, _ in answers} == {201}
    (pk,) = {pk for _, pk in answers}
    assert len(server.row(pk)["charges"]) == 1
