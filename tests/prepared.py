"""Processes of this Python that begin with modules loaded: importing them takes longer than what most of them do.

One process loads the modules, none of which reads a setting, and forks for each that is wanted. It is a program of
its own, without the modules and settings of the tests.
"""

import atexit
import contextlib
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = (
    "privacy_engine.experiments privacy_engine.datatypes privacy_engine.audit privacy_engine.aggregation "
    "privacy_engine.accounting.pairwise privacy_engine.accounting.runtime_estimate privacy_engine.exports.notebook "
    "celery.bin.celery celery.worker kombu.transport.redis django.core.management django.db.models"
)
WORKERS = f"{COMMANDS} dashboard.config.preload"


class Prepared:
    """A process of ``sys.executable`` with -c, -m or a file that has imported ``modules``, with methods of a Popen.

    ``streams`` are for its standard input, output and error, files or their numbers; otherwise it has this process's.
    """

    def __init__(self, arguments, *streams, env, modules=COMMANDS):
        self.args, self.returncode = [sys.executable, *map(str, arguments)], None
        given = [one if isinstance(one, int) else one.fileno() for one in streams] + [0, 1, 2][len(streams) :]
        self._status, theirs = _pair()
        with theirs:
            wanted = json.dumps([self.args[1:], env]).encode()
            socket.send_fds(_loaded(modules), [wanted], [*given, theirs.fileno()])
        self.pid = int(self._status.recv(20))

    def wait(self, timeout=None):
        if self.returncode is None:
            self._status.settimeout(timeout)
            try:
                status = self._status.recv(20)
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired(self.args, timeout) from None
            self._status.close()
            self.returncode = os.waitstatus_to_exitcode(int(status or signal.SIGKILL))
        return self.returncode

    def poll(self):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


def python(*arguments, env, limit_s=120):
    """As :func:`tests.server.python`, of a process that is prepared."""
    env = env | {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = Prepared(arguments, 0, out, errors, env=env)
        try:
            process.wait(patience(limit_s))
        finally:
            process.kill()
        out.seek(0), errors.seek(0)
        return subprocess.CompletedProcess(process.args, process.returncode, out.read(), errors.read())


def _pair():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


@cache
def _loaded(modules):
    """The socket of the process that has loaded them, which ends with it."""
    ours, theirs = _pair()
    command = [sys.executable, "-c", f"from tests import prepared; prepared.main({theirs.fileno()}, {modules!r})"]
    how = {"cwd": ROOT, "stdin": subprocess.DEVNULL, "pass_fds": [theirs.fileno()], "start_new_session": True}
    with theirs:
        process = subprocess.Popen(command, **how)
    atexit.register(lambda: (ours.close(), process.wait()))
    return ours


def main(number, modules):
    """Load the modules, then be what is wanted on the socket ``number`` in a fork of a fork."""
    for name in modules.split():
        __import__(name)
    if "dashboard.config.preload" in sys.modules:
        sys.modules["dashboard.config.preload"].load()
    gc.collect()
    gc.freeze()
    wire = socket.socket(fileno=number)
    while True:
        wanted, descriptors, *_ = socket.recv_fds(wire, 1 << 20, 4)
        if not wanted:
            os._exit(0)
        if os.fork() == 0:
            break
        for one in descriptors:
            os.close(one)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
    wire.close()
    *streams, status = descriptors
    if pid := os.fork():
        for one in streams:
            os.close(one)
        os.write(status, str(pid).encode())
        found = os.waitpid(pid, 0)[1]
        with contextlib.suppress(OSError):
            os.write(status, str(found).encode())
        os._exit(0)
    os.close(status)
    _become(streams, *json.loads(wanted))


def _become(streams, arguments, env):
    for number, one in enumerate(streams):
        os.dup2(one, number)
        os.close(one)
    os.setsid()
    sys.stdout.reconfigure(write_through=True)  # or it would be lost when the process is killed
    os.environ.clear()
    os.environ.update(env)
    tempfile.tempdir = None
    sys.orig_argv = [sys.executable, *arguments]
    what, *rest = arguments
    if what == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    elif what == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(what, run_name="__main__")
