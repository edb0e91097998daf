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

from numba.core.caching import UserProvidedCacheLocator

from dashboard.launcher.home import broker_socket
from privacy_engine import kernels
from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"http://\S+/login/once/\S+")


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


class Server:
    def __init__(self, clone, home=None, port=None):
        self.clone = clone
        self.home = home or clone / "var"
        self.port = port or free_port()
        self.env = clean_environment(CAIRN_HOME=str(self.home), CAIRN_PORT=str(self.port))
        self.output = ""
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *command, limit_s=60):
        """Start, wait until it prints the login link, and return the seconds that took."""
        began = time.monotonic()
        self.forget()
        self.process = subprocess.Popen(
            command or ("make", "run"),
            cwd=self.clone,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a terminal's foreground group, to which Ctrl-C goes
        )
        os.set_blocking(self.process.stdout.fileno(), False)
        while not LINK.search(self.read()):
            assert self.process.poll() is None, f"it ended with {self.process.returncode}:\n{self.output}"
            assert time.monotonic() - began < patience(limit_s), (
                f"nothing after {limit_s} s:\n{self.output}\n{self.logs()}"
            )
            time.sleep(0.02)
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

    def signal_terminal(self, number):
        os.killpg(self.process.pid, number)

    def press_ctrl_c(self, limit_s=40):
        """Send what Ctrl-C sends, wait, and return make's exit code."""
        self.signal_terminal(signal.SIGINT)
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
        return sorted(pid for pid, command in self.processes().items() if part_of_command in command)

    def wait_until_empty(self, limit_s):
        give_up = time.monotonic() + patience(limit_s)
        while (left := self.processes()) and time.monotonic() < give_up:
            time.sleep(0.1)
        return left

    def shell(self, line, **variables):
        """Run one line of the README here, and return what it prints."""
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.clone,
            env=self.env | variables,
            capture_output=True,
            text=True,
            timeout=patience(120),
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def get_json(self, path, token):
        request = urllib.request.Request(f"{self.address}{path}", headers={"Authorization": f"Token {token}"})
        with urllib.request.urlopen(request, timeout=patience(30)) as answer:
            return json.load(answer)

    def clear_away(self):
        """Leave no process behind, however a test ended."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.forget()

    def forget(self):
        """Collect the last process, so that another may be started."""
        if self.process:
            self.process.wait(patience(10))
            self.process.stdout.close()
            self.process, self.output = None, ""


@contextlib.contextmanager
def running_server(home, **environment):
    """A Cairn of its own, as `make run` starts it, until the block ends."""
    server = Server(ROOT, home=home)
    server.env |= environment
    try:
        server.start(sys.executable, "manage.py", "run", limit_s=240)
        yield server
        server.press_ctrl_c()
    finally:
        server.clear_away()


def has_terminal_tools():
    return Path("/proc/self/environ").exists() and all(shutil.which(tool) for tool in ("make", "git", "curl", "bash"))
