"""A server started by `make run` in a terminal, with its own folder and port."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from numba.core.caching import UserProvidedCacheLocator

from dashboard.core.home import broker_socket
from privacy_engine import kernels
from tests import migrated
from tests.patience import patience, until

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"http://\S+/login/once/\S+")
HAS_TOOLS = Path("/proc/self/environ").exists() and all(map(shutil.which, ("make", "git", "curl", "bash")))
of_servers = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not HAS_TOOLS, reason="needs make, git, curl, bash and /proc"),
]
"""Marks of tests that start servers."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fresh_clone(folder, *, with_packages):
    """Clone what is committed; ``with_packages`` gives it the packages these tests run with."""
    clone = folder / "cairn"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    if with_packages:
        (clone / ".venv").symlink_to(sys.prefix)
        copy_kernels(clone)
    return clone


def copy_kernels(clone):
    """Copy the machine code of the kernels, which numba stores by a hash of the path of their sources."""
    compiled, subfolder = Path(kernels.CACHE_FOLDER), UserProvidedCacheLocator.get_suitable_cache_subpath
    sources = Path(kernels.__file__)
    copies = clone / sources.relative_to(ROOT)
    found = compiled / subfolder(str(sources))
    if found.is_dir():
        shutil.copytree(found, copies.parent / "__pycache__" / compiled.name / subfolder(str(copies)))


def clean_environment(**settings):
    """The environment of a person who has set nothing but ``settings``."""
    left_out = ("CAIRN_", "DJANGO_", "REDIS_", "DATABASE_", "PYTEST_", "COV_", "MAKE", "MFLAGS", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)} | settings


def python(*arguments, env=os.environ, limit_s=120, **settings):
    """A process of this Python in the clone, with Django's settings and these, that has ended; its output is text."""
    env = env | {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings"} | settings
    how = {"cwd": ROOT, "env": env, "timeout": patience(limit_s)}
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, **how)


def leads_its_group(pid):
    with contextlib.suppress(ProcessLookupError):
        return os.getpgid(pid) == pid
    return False


class Server:
    def __init__(self, clone, home=None, port=None):
        self.clone = clone
        self.home = home or clone / "var"
        self.port = port or free_port()
        self.env = clean_environment(CAIRN_HOME=str(self.home), CAIRN_PORT=str(self.port))
        self.output = ""
        self.process = None

    def start(self, *command, limit_s=60):
        """Start, wait until it prints the login link, and return the seconds that took."""
        began = time.monotonic()
        self.forget()
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        # a session of its own: a terminal's foreground group, to which Ctrl-C goes
        how = {"cwd": self.clone, "env": self.env, "start_new_session": True}
        self.process = subprocess.Popen(command or ("make", "run"), **pipes, **how)
        os.set_blocking(self.process.stdout.fileno(), False)

        def shown():
            assert self.process.poll() is None, f"it ended with {self.process.returncode}:\n{self.output}"
            return LINK.search(self.read())

        until(shown, limit_s, lambda: f"nothing after {limit_s} s:\n{self.output}\n{self.logs()}", every_s=0.02)
        return time.monotonic() - began

    def read(self):
        self.output += (self.process.stdout.read() or b"").decode()
        return self.output

    def logs(self):
        return "\n".join(f"== {log.name}\n{log.read_text()[-2000:]}" for log in (self.home / "log").glob("*.log"))

    @property
    def link(self):
        return LINK.findall(self.output)[-1]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def press_ctrl_c(self, limit_s=40):
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(patience(limit_s))
        self.read()
        return code

    def processes(self):
        """Every process of this home, grandchildren included: id, command line and, in brackets, its name.

        They carry it in their environment; the broker, which writes its title over it, in its socket's path.
        """
        mark, socket_path = f"CAIRN_HOME={self.home}".encode(), f"unixsocket:{broker_socket(self.home)}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment, command, name = ((folder / one).read_bytes() for one in ("environ", "cmdline", "comm"))
            except OSError:  # it ended meanwhile, or is another user's
                continue
            if mark in environment.split(b"\0") or socket_path in command:
                shown = b"%b [%b]" % (command.replace(b"\0", b" ").strip(), name.strip())
                found[int(folder.name)] = shown.decode()
        return found

    def process_ids(self, part_of_command):
        """The ids of these processes, leaders of a group first: after the largest number a child has a smaller one."""
        found = [pid for pid, command in self.processes().items() if part_of_command in command]
        return sorted(found, key=lambda pid: (not leads_its_group(pid), pid))

    def shell(self, line, **variables):
        how = {"cwd": self.clone, "env": self.env | variables, "timeout": patience(120)}
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, **how)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def token(self):
        return self.shell(".venv/bin/python manage.py token researcher").split()[-1]

    def finished(self, path, token):
        row = until(lambda: ended(self.get_json(path, token)), 200, f"{path} does not end")
        assert row["state"] in ("ready", "done"), row
        return row

    def get_json(self, path, token):
        request = urllib.request.Request(f"{self.address}{path}", headers={"Authorization": f"Token {token}"})
        with urllib.request.urlopen(request, timeout=patience(30)) as answer:
            return json.load(answer)

    def clear_away(self):
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.forget()

    def forget(self):
        """Collect the last process, so that another may be started."""
        if self.process:
            self.process.wait(patience(10))
            self.process.stdout.close()
            self.process, self.output = None, ""


def ended(row):
    return None if row["state"] in ("queued", "running") else row


@contextlib.contextmanager
def running_gunicorn(server, *options, **settings):
    """The image's web server, with the files and the database of the other one: its port and its process."""
    port, dockerfile = free_port(), (ROOT / "Dockerfile").read_text()
    parts = json.loads(re.findall(r'^CMD (\[.*?"\])$', dockerfile, re.MULTILINE | re.DOTALL)[-1].replace("\\\n", ""))
    command = [sys.executable, "-m", *(one.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for one in parts), *options]
    environment = server.env | {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings"} | settings
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), 60, "the web server does not answer")
            yield port, process
        finally:
            process.terminate()


def answers(address):
    with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=patience(5)):
        return True


@contextlib.contextmanager
def running_server(home, command=("manage.py", "run"), **environment):
    """A Cairn of its own, as `make run` starts it where the tables are there, until the block ends."""
    server = Server(ROOT, home=home)
    migrated.copy_to(home / "cairn.sqlite3")
    server.env |= environment
    try:
        server.start(sys.executable, *command, limit_s=240)
        yield server
        server.press_ctrl_c()
    finally:
        server.clear_away()
