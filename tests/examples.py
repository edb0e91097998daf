"""Hypothesis profiles: ``fast`` while developing and for `make test`, ``thorough`` for `make test-slow`."""

import math
import os

from hypothesis import HealthCheck, settings

EXAMPLES = {"fast": 40, "thorough": 200}  # of a property that needs no number of its own


def register_profiles():
    """Register both and load ``fast``; ``--hypothesis-profile thorough`` loads the other one.

    On CI (CI=1) every other process has the same examples in every run, and the others those of a fresh seed.
    """
    fixed = {"derandomize": True, "database": None} if kind_of_examples() == "fixed" else {}
    for name, number in EXAMPLES.items():
        slow = [HealthCheck.too_slow]  # generating takes as long as the machine's other work lets it
        how = {"deadline": None, "print_blob": True, "suppress_health_check": slow}
        settings.register_profile(name, max_examples=number, **how, **fixed)
    settings.load_profile("fast")


def kind_of_examples(worker=None):
    """``fixed`` or ``fresh``: as CAIRN_EXAMPLES states, on CI by the number of the process (``gw0``, ...)."""
    name = worker or os.environ.get("PYTEST_XDIST_WORKER", "")
    by_process = "fixed" if os.environ.get("CI") == "1" and name.removeprefix("gw") in ("0", "2", "4", "6") else "fresh"
    return os.environ.get("CAIRN_EXAMPLES", by_process)


def examples(thorough):
    """Return the number of examples for a property that takes ``thorough`` of them in the profile of that name."""
    return math.ceil(thorough * settings.default.max_examples / EXAMPLES["thorough"])
