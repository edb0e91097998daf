"""Whether workers answer: each touches a file of its own every few seconds while it takes messages from the broker."""

from __future__ import annotations

import time
from pathlib import Path

from django.conf import settings
from django.utils.text import slugify

BEAT_S = 2.0
SILENT_S = 10.0
"""A worker whose last beat is older does not answer."""
FORGOTTEN_S = 3600.0


def _folder() -> Path:
    return Path(settings.CAIRN_HOME, "run", "workers")


def ages_s() -> list[float]:
    """Seconds since the last beat of each worker, the latest first. No message is sent."""
    ages = []
    for path in _folder().glob("*.beat"):
        try:
            ages.append(max(time.time() - path.stat().st_mtime, 0.0))
        except FileNotFoundError:  # it stopped meanwhile
            continue
    return sorted(ages)


def answering() -> int:
    """How many workers answer."""
    return sum(age <= SILENT_S for age in ages_s())


def beat(name: str) -> None:
    """Record that the worker called ``name`` answers."""
    _path(name).touch()


def stopped(name: str) -> None:
    """Record that it does not answer any more."""
    _path(name).unlink(missing_ok=True)


def _path(name: str) -> Path:
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{slugify(name) or 'worker'}.beat"


def forget_silent() -> None:
    """Remove the files of workers that were killed, and so did not remove them."""
    for path in _folder().glob("*.beat"):
        if time.time() - path.stat().st_mtime > FORGOTTEN_S:
            path.unlink(missing_ok=True)
