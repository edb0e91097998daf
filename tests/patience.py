"""Time-outs of tests, all multiplied by one factor for slow or busy machines: CAIRN_TEST_PATIENCE."""

import os
import time

FACTOR = float(os.environ.get("CAIRN_TEST_PATIENCE", "1"))


def patience(seconds):
    """Return the time-out ``seconds`` of a quiet machine for this one."""
    return seconds * FACTOR


def until(what, limit_s, why="not in time", *, every_s=0.05):
    """The first true value of ``what()``; ``why`` is a text, or gives one, for what never comes."""
    give_up = time.monotonic() + patience(limit_s)
    while not (found := what()):
        assert time.monotonic() < give_up, why() if callable(why) else why
        time.sleep(every_s)
    return found
