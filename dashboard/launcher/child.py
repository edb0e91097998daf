"""One process of the service: started with a log of its own, monitored, started again, stopped."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .guard import Guard
from .watch import Answers

LOG_LIMIT = 5_000_000
BACKOFF_S = (0.5, 1, 2, 5, 10, 30)
STEADY_S = 60.0  # a child that ran this long starts afresh with the shortest pause


class Process(Protocol):
    """What is used of a Popen."""

    pid: int

    def poll(self) -> int | None: ...
    def terminate(self) -> None: ...
    def wait(self) -> int: ...


@dataclass(eq=False)
class Child:
    name: str
    log: Path
    grace_s: float
    launch: Callable[[], Process]
    check: Callable[[], bool]  # whether it answers
    once: bool = False  # its end is no failure, and it is not started again
    process: Process | None = None
    failures: int = 0
    _started: float = field(default=0.0, repr=False)
    _answers: Answers = field(init=False, repr=False)

    def start(self, *, guard: Guard) -> None:
        self.trim_log()
        self.process = self.launch()
        guard.watch(self.process.pid)
        self._started = time.monotonic()
        self._answers = Answers(self.check)

    @property
    def hangs(self) -> bool:
        """Whether it runs and has given no answer for a while: what ended, or was never started, does not hang."""
        return self.process is not None and self.process.poll() is None and self._answers.missing()

    @property
    def exit_code(self) -> int | None:
        """The code of a child that ended; None while it runs or was never started."""
        return self.process.poll() if self.process else None

    def pause_before_restart(self) -> float:
        """Count the failure and return the seconds to wait: longer each time, never longer than the last."""
        if time.monotonic() - self._started > STEADY_S:
            self.failures = 0
        self.failures += 1
        return BACKOFF_S[min(self.failures, len(BACKOFF_S)) - 1]

    def request_stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()

    def clear_away(self, guard: Guard) -> None:
        """Kill what is left of its process group (a dead worker's forked children) and collect it."""
        if self.process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        if self.process.poll() is None:  # just forked, it may have no group of its own yet
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        guard.forget(self.process.pid)
        self.process = None

    def trim_log(self) -> None:
        """Keep an older log; the open descriptors append, so truncating in place is safe."""
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.with_suffix(".log.1").write_bytes(self.log.read_bytes())
            os.truncate(self.log, 0)

    def log_tail(self, lines: int = 20) -> str:
        text = self.log.read_bytes()[-8000:].decode(errors="replace") if self.log.exists() else ""
        return "\n".join("    " + line for line in text.splitlines()[-lines:])
