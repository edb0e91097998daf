"""Experiments with a real broker and real workers: killed, cancelled, interrupted by others: the same bytes."""

import hashlib
import os
import signal

import pytest
import yaml

from dashboard.launcher.supervisor import WORKER
from privacy_engine.experiments import presets, run, write
from tests.dashboard.worker_support.server import ROOT, wait_for

pytestmark = pytest.mark.slow

PRESET = {"name": "correlated-loss", "repetitions": 150, "events": 60}
LONG = {"name": "correlated-loss", "repetitions": 2000, "events": 100}
BLOCKS = 120


@pytest.fixture
def server(built):
    yield built
    built.kill_workers()
    for one in built.control("call", method="get", path="/api/v1/experiments/")["json"]["results"]:
        assert built.control("call", method="delete", path=one["urls"]["self"])["status"] == 204
    built.clear_blocks()
    assert not list((built.home / "blocks").rglob("*.npy"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder, preset = tmp_path_factory.mktemp("engine"), presets.parse(PRESET)
    write(run(preset.spec(), preset.data()), preset.spec(), folder)
    return sha(folder)


def sha(folder):
    [table] = folder.glob("table*.parquet")  # the server's has its digest in its name
    return hashlib.sha256(table.read_bytes()).hexdigest()


def assert_same_bytes(server, pk, expected):
    row = server.experiment(pk)
    assert (row["state"], row["error"], row["progress"]) == ("done", None, 1.0)
    assert row["table_sha256"] == sha(server.home / "experiments" / pk) == expected


def test_two_workers_write_them(server, expected):
    for _ in range(2):
        server.start_worker()
    server.hold_blocks(after=1)
    pk = server.submit_experiment(preset=PRESET)
    server.until_reached("blocks", times=2)  # both are running it
    server.release_blocks()
    server.until_finished(pk)
    assert_same_bytes(server, pk, expected)
    blocks, processes = zip(*server.computed(), strict=True)
    assert len(set(blocks)) == len(blocks) == BLOCKS
    assert len(set(processes)) == 2


@pytest.mark.parametrize("after", [0, 7, 60])
def test_kill_9_in_the_middle_changes_no_byte_and_nothing_is_computed_twice(server, expected, after):
    worker = server.start_worker()
    server.hold_blocks(after)
    pk = server.submit_experiment(preset=PRESET)
    server.until_reached("blocks")
    worker.kill()
    server.release_blocks()
    server.start_worker()
    assert server.until_finished(pk)["attempt"] == 1  # once it went on
    assert_same_bytes(server, pk, expected)
    blocks = [block for block, _ in server.computed()]
    assert len(set(blocks)) == len(blocks) == BLOCKS


def test_a_child_that_is_killed_costs_its_lease(server, expected):
    server.start_worker(concurrency=2)
    server.hold_blocks(after=2)
    pk = server.submit_experiment(preset=PRESET)
    os.kill(server.until_reached("blocks", times=2)[0], signal.SIGKILL)
    server.release_blocks()
    assert server.until_finished(pk)["attempt"] <= 2  # it held the experiment, or a part alone
    assert_same_bytes(server, pk, expected)


def test_cancelled_and_resumed_only_what_is_missing_is_computed(server, expected):
    server.start_worker()
    server.hold_blocks(after=5)
    pk = server.submit_experiment(preset=PRESET)
    server.until_reached("blocks")
    assert (
        server.control("call", method="post", path=f"/api/v1/experiments/{pk}/cancel/")["json"]["state"] == "cancelled"
    )
    server.release_blocks()
    server.until_finished(pk, "cancelled", within_s=10)
    assert 5 <= len(server.computed()) < BLOCKS
    server.control("call", method="post", path=f"/api/v1/experiments/{pk}/resume/")
    server.until_finished(pk)
    assert_same_bytes(server, pk, expected)
    blocks = [block for block, _ in server.computed()]
    assert len(set(blocks)) == len(blocks) == BLOCKS


def test_a_release_does_not_wait_for_a_long_experiment(server):
    """The parts are of half the experiment each, a quarter of a minute; the release waits for a block."""
    server.start_worker(CAIRN_TEST_PARTS="2")
    pk = server.submit_experiment(preset=LONG)
    wait_for(lambda: len(server.computed()) > 2, within_s=30, why="it is at work")
    waited = []
    for _ in range(3):
        before = len(server.computed())
        release = server.submit()["json"]["id"]
        server.until(release, "done")
        waited.append(len(server.computed()) - before)
        wait_for(lambda: server.experiment(pk)["state"] == "running", within_s=10, why="it is gone on with")
    assert max(waited) <= 3
    row = server.experiment(pk)
    assert (sum(row["parts"].values()), "done" in row["parts"], row["attempt"]) == (2, False, 1)


COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["worker"]["command"]
LAUNCHER = f"celery -A dashboard.config.celery:app {WORKER}".split()


@pytest.mark.parametrize("command", [LAUNCHER, COMPOSE], ids=["launcher", "compose"])
def test_documented_worker_commands_consume_both_queues(server, command):
    server.start_plain_worker("-m", *command)
    few = PRESET | {"repetitions": 5}
    pk, release = server.submit_experiment(preset=few), server.submit()["json"]["id"]
    server.until(release, "done", within_s=30)
    server.until_finished(pk)
