"""What a supervisor needs before anything runs: its folders, the lock on them, the socket's path and the port."""

import errno
import fcntl
import hashlib
import os
import socket
import stat
import tempfile
import time
from pathlib import Path

FOLDERS = ("run", "log", "tmp", "broker")
SOCKET_PATH_MAX = 100  # the kernel's sockaddr_un holds 108 bytes on Linux, 104 on macOS


class LaunchError(Exception):
    """An error that the person at the terminal can correct; the message describes how."""


def make_folders(home: Path) -> None:
    """Make the home and its folders, for this user only; everything made later inherits the umask."""
    os.umask(0o077)
    for folder in (home, *(home / name for name in FOLDERS)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def broker_socket(home: Path) -> Path:
    """Where the embedded broker listens: in the home, or in a short private folder when the home's path is long.

    The same home always gives the same path, so that a command in another terminal finds the running broker.
    """
    path = home / "run" / "broker.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_MAX:
        return path
    mark = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"cairn-{os.getuid()}-{mark}" / "broker.sock"


def make_private(folder: Path) -> None:
    """Make ``folder`` with mode 0700; refuse a folder that another user of the machine made."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise LaunchError(f"{folder} must be a folder that only you can enter. Remove it and start again.")


def lock(home: Path, *, patience_s: float = 20.0) -> int:
    """Lock the home; the descriptor returned is the lock.

    The guard inherits the descriptor, so after a supervisor was killed the lock stays until its children are gone.
    """
    descriptor = os.open(home / "run" / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    give_up = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(descriptor, 20, 0).decode().strip()
            if _alive(holder) or time.monotonic() > give_up:
                os.close(descriptor)
                raise LaunchError(
                    f"Cairn already runs on {home} (process {holder or 'unknown'}). "
                    "Stop it first, or use another home: CAIRN_HOME=… make run"
                ) from None
            time.sleep(0.1)
        else:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            return descriptor


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True


def record_address(home: Path, address: str) -> None:
    """Store the host and port that pages are served at, for commands in other terminals."""
    (home / "run" / "address").write_text(address)


def forget_address(home: Path) -> None:
    """Remove what an earlier supervisor of ``home`` recorded."""
    (home / "run" / "address").unlink(missing_ok=True)


def running_address(home: Path) -> str | None:
    """Return what the running supervisor of ``home`` recorded; None where none runs or it is not ready."""
    try:
        holder, address = (home / "run" / "lock").read_text().strip(), (home / "run" / "address").read_text()
    except FileNotFoundError:
        return None
    return address if _alive(holder) else None


def open_port(host: str, port: int) -> socket.socket:
    """Listen on the port. The web process inherits the socket: nothing can take the port while it restarts."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        raise LaunchError(_port_advice(host, port, error)) from None
    return listener


def _port_advice(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is taken by another program. Choose another: CAIRN_PORT={port + 1} make run"
    if error.errno == errno.EACCES:
        return f"This user may not open port {port}. Choose one above 1023: CAIRN_PORT=8000 make run"
    return f"Cannot listen on {host}, port {port} ({error.strerror}). Check CAIRN_HOST and CAIRN_PORT."
