"""Run a process and end it when it does not answer any more, so that the container's restart policy starts it again.

Usage: ``python -m dashboard.launcher.watch web|worker|sweep -- COMMAND …``

Plain Docker reports an unhealthy container and does nothing about it. A sidecar that restarts others needs Docker's
socket, which is root on the host; this needs no rights. It ends the process for that alone which a restart cures: a
web server that gives no answer of any status, a worker that takes no messages from a broker that answers, a sweep whose
loop stands still. A database that is away is none of these.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from dashboard.launcher import health

STARTS_S = 120.0
"""Until so long after its start a process may be silent: it loads, compiles or waits for its broker."""
EVERY_S = 15.0
PATIENCE = 4
"""So many checks in a row must fail."""
GRACE_S = 20.0
STUCK = 70
"""The exit code after a process was ended for giving no answer."""

CHECKS: dict[str, Callable[[], bool]] = {
    "web": lambda: health.status("127.0.0.1", 8000) is not None,
    "worker": health.worker_answers,
    "sweep": health.sweep_answers,
}


class Answers:
    """Whether a process that was just started answers: ``check``, called now and then."""

    def __init__(
        self, check: Callable[[], bool], *, starts_s: float | None = None, every_s: float | None = None
    ) -> None:
        self._check, self._every_s, self._failed = check, EVERY_S if every_s is None else every_s, 0
        self._next = time.monotonic() + (STARTS_S if starts_s is None else starts_s)

    def missing(self) -> bool:
        """Return whether the check failed :data:`PATIENCE` times in a row."""
        if time.monotonic() >= self._next:
            self._failed = 0 if _passes(self._check) else self._failed + 1
            self._next = time.monotonic() + self._every_s
        return self._failed >= PATIENCE


def watch(
    command: list[str],
    check: Callable[[], bool],
    *,
    starts_s: float | None = None,
    every_s: float | None = None,
    grace_s: float = GRACE_S,
) -> int:
    """Run ``command`` until it ends, or ``check`` failed :data:`PATIENCE` times; the exit code.

    SIGTERM and SIGINT are handed on, and the process may take as long to end as whoever sent them allows.
    """
    process = subprocess.Popen(command, start_new_session=True)
    stopping = False

    def hand_on(number: int, _frame: object) -> None:
        nonlocal stopping
        stopping = True
        process.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hand_on)
    answers = Answers(check, starts_s=starts_s, every_s=every_s)
    while process.poll() is None:
        time.sleep(0.1)
        if not stopping and answers.missing():
            print(f"no answer {PATIENCE} times: {command[0]} is ended to be started again", file=sys.stderr, flush=True)  # noqa: T201
            _end(process, grace_s)
            return STUCK
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _passes(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except OSError:
        return False


def _end(process: "subprocess.Popen[bytes]", grace_s: float) -> None:
    """Stop it and all that it started; what is frozen does not react to SIGTERM."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(grace_s)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(arguments: list[str]) -> int:
    """Watch the command after ``--``, by the check that the first argument names."""
    if len(arguments) < 3 or arguments[0] not in CHECKS or arguments[1] != "--":
        raise SystemExit(__doc__)
    return watch(arguments[2:], CHECKS[arguments[0]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
