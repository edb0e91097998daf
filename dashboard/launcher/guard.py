"""A guard that outlives the supervisor: when the supervisor is killed, it stops the children left behind.

It runs as a plain script in its own session, reads ``+PID`` and ``-PID`` lines, and learns of the end of the supervisor
as the end of its input, which no signal can prevent. Linux's PR_SET_PDEATHSIG would miss grandchildren and macOS.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

GRACE_S = 5.0


class Guard:
    """The supervisor's side: reports which children there are."""

    def __init__(self, *, keep_open: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__], stdin=subprocess.PIPE, pass_fds=(keep_open,), start_new_session=True
        )

    @property
    def descriptor(self) -> int:
        """The end of the pipe whose closing shows that the supervisor has ended: nobody else may hold it."""
        return self._process.stdin.fileno()  # type: ignore[union-attr]

    def watch(self, pid: int) -> None:
        self._send(f"+{pid}\n")

    def forget(self, pid: int) -> None:
        self._send(f"-{pid}\n")

    def dismiss(self) -> None:
        with suppress(BrokenPipeError):
            self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait()

    def _send(self, line: str) -> None:
        with suppress(BrokenPipeError):
            self._process.stdin.write(line.encode())  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]


def stop_groups(pids: Iterable[int], *, grace_s: float) -> None:
    """Send SIGTERM to the leaders; after ``grace_s`` kill whatever is left of their process groups."""
    left = set(pids)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    give_up = time.monotonic() + grace_s
    while left and time.monotonic() < give_up:
        left = {pid for pid in left if group_exists(pid)}
        time.sleep(0.05)
    for pid in left:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def group_exists(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS raises it for a group of zombies
        return False
    return True


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watched: set[int] = set()
    for line in sys.stdin:
        pid = int(line[1:])
        watched.add(pid) if line[0] == "+" else watched.discard(pid)
    stop_groups(watched, grace_s=GRACE_S)


if __name__ == "__main__":
    main()
