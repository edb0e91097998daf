"""How long each stage of a job reports no progress, and how long it holds the interpreter, at many rows.

python -m benchmarks.silence [STAGE …] [--rows 10000000] [--people 1000] [--busy] [--where SECONDS]

Jobs run through the code of the workers, in this process, on a database and files of their own. A silence is a time in
which neither the engine nor the job reported; a hold is one in which another thread of Python could not run.
``--busy`` keeps all processors busy with other work meanwhile; ``--where`` prints the stack of silences and holds
that are longer, to standard error.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import os
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from privacy_engine.core import progress

TICK_S = 0.05


class Measured(NamedTuple):
    """A stage: its seconds, its longest silence, the longest hold of the interpreter, how often it reported."""

    stage: str
    seconds: float
    silence_s: float
    hold_s: float
    reports: int

    def row(self) -> str:
        """The line of a table in Markdown."""
        times = " | ".join(f"{value:.1f}" for value in (self.seconds, self.silence_s, self.hold_s))
        return f"| {self.stage} | {times} | {self.reports:,} |"


HEAD = "| stage | s | longest silence, s | longest hold, s | reports |\n|---|---|---|---|---|"


class Monitor:
    """Measures what runs in its block, in the thread that entered it."""

    def __init__(self, stage: str, where_s: float | None = None) -> None:
        self.stage, self.where_s = stage, where_s
        self._last = self._started = time.monotonic()
        self._silence = self._hold = 0.0
        self._reports = 0
        self._over = threading.Event()
        self._shown = False
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._worker = threading.get_ident()

    def report(self) -> None:
        """Take note that the work goes on."""
        now = time.monotonic()
        self._silence = max(self._silence, now - self._last)
        self._last, self._shown = now, False
        self._reports += 1

    def _tick(self) -> None:
        last = time.monotonic()
        while not self._over.is_set():
            if self.where_s:
                faulthandler.dump_traceback_later(self.where_s, file=sys.__stderr__)
            time.sleep(TICK_S)
            now = time.monotonic()
            self._hold = max(self._hold, now - last - TICK_S)
            last = now
            if self.where_s and now - self._last > self.where_s and not self._shown:
                self._shown = True
                print(f"{self.stage}: silent for {now - self._last:.1f} s", file=sys.stderr)
                traceback.print_stack(sys._current_frames()[self._worker], file=sys.stderr)
        faulthandler.cancel_dump_traceback_later()

    def __enter__(self) -> Monitor:
        self._started = self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.report()
        self._over.set()
        self._thread.join()

    @property
    def measured(self) -> Measured:
        """What was measured, after the block."""
        return Measured(self.stage, self._last - self._started, self._silence, self._hold, self._reports - 1)


@contextmanager
def monitored(stage: str, where_s: float | None = None) -> Iterator[Monitor]:
    """Measure a block by the reports of the engine and of its jobs."""
    from dashboard.jobs.leases import Lease

    with Monitor(stage, where_s) as monitor, progress.listening(monitor.report):
        plain = Lease.report

        def report(lease: Lease, stage: str, share: float) -> None:
            monitor.report()
            plain(lease, stage, share)

        Lease.report = report  # type: ignore[method-assign]
        try:
            yield monitor
        finally:
            Lease.report = plain  # type: ignore[method-assign]


def _spin() -> None:
    while True:
        sum(range(10_000))


@contextmanager
def busy(wanted: bool) -> Iterator[None]:
    """Keep every processor busy with another process meanwhile."""
    others = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(os.cpu_count() or 1) if wanted]
    for one in others:
        one.start()
    try:
        yield
    finally:
        for one in others:
            one.terminate()


@contextmanager
def installation() -> Iterator[Path]:
    """Django on a database and files of its own, with a user."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "CAIRN_HOME": folder,
            "CAIRN_LOG": "ERROR",
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
        }
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield Path(folder)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", nargs="*", metavar="STAGE", help="those that begin so; all where none is named")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--where", type=float, metavar="SECONDS")
    chosen = parser.parse_args()
    print(HEAD)
    with installation() as home, busy(chosen.busy):
        from benchmarks.silence_stages import all_stages

        for stage, prepared in all_stages(home, chosen.rows, chosen.people):
            if any(stage.startswith(one) for one in chosen.stages or [""]):
                try:
                    print(measured(stage, prepared, chosen.where).row(), flush=True)
                except Exception as error:
                    print(f"| {stage} | {type(error).__name__}: {error} | | | |", flush=True)


def measured(stage: str, prepared: Any, where_s: float | None = None) -> Measured:
    """Prepare a stage, and measure its work."""
    given = prepared.prepare()
    with monitored(stage, where_s) as monitor:
        prepared.work(given)
    return monitor.measured


if __name__ == "__main__":
    main()
