"""Functions are called in a process of their own, which may end at any time, and ends with the one that calls."""

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dashboard.core import computing
from dashboard.core.computing import ComputingEnded, _Process
from dashboard.core.machine_errors import machine_error
from tests import computing_functions as functions
from tests.patience import patience, until
from tests.server import ROOT

PARENT = """
import os
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.config.settings"
django.setup()
from dashboard.core import computing
from tests.computing_functions import number
computing.use_process()
print(number()[1], flush=True)
input()
"""
IDLE = """
import sys
from multiprocessing.connection import Connection
from dashboard.launcher import computing
computing.IDLE_S = 0.1
computing.main(Connection(int(sys.argv[1])))
"""


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    """Where the settings of the processes write keys."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAIRN_HOME", str(tmp_path_factory.mktemp("home")))
        yield
    if _Process._current:
        with _Process.borrowed() as process:
            process._retire()


@pytest.fixture
def used(monkeypatch):
    """As in a web server; returns the number of the process."""
    monkeypatch.setattr(_Process, "used", True)
    return functions.number()[1]


def is_gone(pid):
    return not Path(f"/proc/{pid}").exists()


def sockets(pid):
    return {one.readlink() for one in Path(f"/proc/{pid}/fd").iterdir()}


def test_without_a_web_server_it_is_a_call():
    assert functions.number(3) == (3, os.getpid())
    with pytest.raises(type(functions.ERRORS["conflict"])):
        functions.fail("conflict")


def test_results_and_files_come_back_from_one_process(used):
    assert used != os.getpid()
    assert functions.number({"a": [1.5]}) == ({"a": [1.5]}, used)
    assert functions.number_of_many(11) == used
    assert functions.number_of_many(10) == os.getpid()
    with functions.written(b"long" * 100_000) as file:
        assert file.read() == b"long" * 100_000
    with ThreadPoolExecutor(6) as threads:
        assert {one for _, one in threads.map(functions.number, range(60))} == {used}


@pytest.mark.parametrize("name", functions.ERRORS)
def test_errors_come_back_as_they_were_raised(used, name):
    raised = functions.ERRORS[name]
    with pytest.raises(type(raised)) as caught:
        functions.fail(name)
    assert str(caught.value) == str(raised)
    found, expected = ({key: str(value) for key, value in vars(one).items()} for one in (caught.value, raised))
    assert "in fail" in found.pop("__notes__")  # the place in the other process
    assert found == expected


def test_it_has_no_socket_of_the_web_server(used):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.set_inheritable(True)
        assert Path(f"/proc/self/fd/{listener.fileno()}").readlink() not in sockets(used)


def test_a_process_that_is_killed_costs_the_calls_that_run_in_it(used):
    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(functions.wait, patience(60)) for _ in range(2)]
        with pytest.raises(ComputingEnded, match="has ended") as caught:
            functions.end(0.3)
        assert all(isinstance(one.exception(), ComputingEnded) for one in running)
    found = machine_error(caught.value)
    assert (found.status, found.code) == (503, "computing-ended")
    another = functions.number()[1]
    os.kill(another, signal.SIGKILL)  # and between calls it costs none
    assert functions.number(1)[1] not in (used, another)


def test_a_call_that_takes_too_long_is_given_up_and_its_process_left(used, monkeypatch):
    monkeypatch.setattr(computing, "LONGEST_S", 0.3)
    with pytest.raises(ComputingEnded, match="longer than"):
        functions.wait(patience(60))
    until(lambda: is_gone(used), 10)


def test_one_that_grew_is_left_after_its_calls(used, monkeypatch):
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(functions.wait, 1.0)
        until(lambda: _Process._current and _Process._current._calls, 10)
        monkeypatch.setattr(computing, "GROWN_BYTES", 1)
        assert functions.number()[1] == used
        assert functions.number()[1] != used
        assert slow.result() == used
    until(lambda: is_gone(used), 10)


def test_it_ends_with_the_process_that_started_it():
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", PARENT], cwd=ROOT, **piped) as parent:
        pid = int(parent.stdout.readline())
        assert not is_gone(pid)
        parent.kill()
        until(lambda: is_gone(pid), 10)


def test_an_idle_one_ends():
    mine, its = socket.socketpair()
    with mine, its:
        command = [sys.executable, "-c", IDLE, str(its.fileno())]
        subprocess.run(command, pass_fds=[its.fileno()], cwd=ROOT, timeout=patience(60), check=True)
