"""Time-outs of tests, all multiplied by one factor for slow or busy machines: CAIRN_TEST_PATIENCE."""

import os

FACTOR = float(os.environ.get("CAIRN_TEST_PATIENCE", "1"))


def patience(seconds):
    """Return the time-out ``seconds`` of a quiet machine for this one."""
    return seconds * FACTOR
