"""How long work is silent, in calls: the same on every run and on every machine, as seconds are not."""

import sys

from privacy_engine.core import progress

SLACK = 3000
"""Calls that take a millisecond."""


class _Counter:
    def __init__(self):
        self.longest = self.since = self.reports = 0

    def called(self, frame, event, arg):
        if event in ("call", "c_call"):
            self.since += 1

    def reported(self):
        self.longest, self.since = max(self.longest, self.since), 0
        self.reports += 1


def longest_silence(work):
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


def assert_never_silent(work, few, make=lambda n: n, each=0):
    """Assert that ``work(make(n))`` is not silent for longer where n is four times ``few``.

    A loop over rows, series or draws that does not report is silent for four times as long. What is made once (imports,
    caches, compiled kernels) is made before; :data:`SLACK` calls are next to nothing, and so are ``each`` calls for
    each of n: sums of lengths.
    """
    small, large = make(few), make(4 * few)
    work(small)
    short, long = (longest_silence(lambda one=one: work(one)) for one in (small, large))
    most = 1.6 * short + SLACK + 4 * few * each
    assert long < most, f"silent for {long:,} calls with {4 * few:,}, for {short:,} with {few:,}"


def reports(work):
    counter = _Counter()
    with progress.listening(counter.reported):
        work()
    return counter.reports
