"""Processes of `make run` that are stopped in the moment in which they begin."""

import signal
import subprocess
import time
from functools import partial

import pytest

from dashboard.launcher.child import Child
from dashboard.launcher.forked import STOPPING, Forked
from dashboard.launcher.guard import Guard
from tests.patience import patience


@pytest.fixture
def handlers():
    """The supervisor's: they note a signal, and do not end the process."""
    before = {number: signal.signal(number, lambda *_: None) for number in STOPPING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_child_that_must_end_as_it_begins_ends(tmp_path, handlers):
    for _ in range(20):
        child = Forked("child", time.sleep, 600, log=tmp_path / "child.log")
        child.terminate()
        child._process.join(patience(5))
        code = child.poll()
        child._process.kill()
        assert code == -signal.SIGTERM


def test_a_child_without_a_process_group_of_its_own_is_killed(tmp_path):
    with (tmp_path / "lock").open("w") as lock:
        guard = Guard(keep_open=lock.fileno())
        launch = partial(subprocess.Popen, ["sleep", "200"])
        child = Child("child", tmp_path / "child.log", grace_s=0, launch=launch, check=lambda: True)
        child.start(guard=guard)
        began = time.monotonic()
        child.clear_away(guard)
        guard.dismiss()
    assert time.monotonic() - began < 100
