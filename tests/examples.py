"""Hypothesis profiles: ``fast`` while developing and for `make test`, ``thorough`` for `make test-slow`."""

import math
import os

from hypothesis import HealthCheck, settings

EXAMPLES = {"fast": 40, "thorough": 200}  # of a property that needs no number of its own


def register_profiles() -> None:
    """Register both and load ``fast``; ``--hypothesis-profile thorough`` loads the other one.

    On CI (CI=1) the examples are the same in every run, and none are stored.
    """
    fixed = {"derandomize": True, "database": None} if os.environ.get("CI") == "1" else {}
    for name, number in EXAMPLES.items():
        slow = [HealthCheck.too_slow]  # generating takes as long as the machine's other work lets it
        settings.register_profile(
            name, max_examples=number, deadline=None, print_blob=True, suppress_health_check=slow, **fixed
        )
    settings.load_profile("fast")


def examples(thorough: int) -> int:
    """Return the number of examples for a property that takes ``thorough`` of them in the profile of that name."""
    return math.ceil(thorough * settings.default.max_examples / EXAMPLES["thorough"])
