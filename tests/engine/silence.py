"""How long work is silent, in calls: the same on every run and on every machine, as seconds are not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from privacy_engine import progress


class _Counter:
    """Calls between two reports, of Python's functions and of those in C."""

    def __init__(self) -> None:
        self.longest = self.since = self.reports = 0

    def called(self, frame: Any, event: str, arg: Any) -> None:
        if event in ("call", "c_call"):
            self.since += 1

    def reported(self) -> None:
        self.longest, self.since = max(self.longest, self.since), 0
        self.reports += 1


def longest_silence(work: Callable[[], Any]) -> int:
    """The most calls that ``work`` makes between two reports, and before the first and after the last one."""
    counter = _Counter()
    with progress.listening(counter.reported):
        sys.setprofile(counter.called)
        try:
            work()
        finally:
            sys.setprofile(None)
    counter.reported()
    return counter.longest


def assert_never_silent(work: Callable[[int], Any], few: int) -> None:
    """Assert that ``work(n)`` is not silent for longer where n is four times ``few``.

    A loop over rows, series or draws that does not report is silent for four times as long. What is made once (imports,
    caches, compiled kernels) is made before.
    """
    work(few)
    short, long = (longest_silence(lambda n=n: work(n)) for n in (few, 4 * few))
    assert long < 1.6 * short + 300, f"silent for {long:,} calls with {4 * few:,}, for {short:,} with {few:,}"


def reports(work: Callable[[], Any]) -> int:
    """How often ``work`` reports."""
    counter = _Counter()
    with progress.listening(counter.reported):
        work()
    return counter.reports
