"""Whether workers answer: each touches a file of its own every few seconds while it takes messages from the broker."""

from __future__ import annotations

import time
from collections.abc import Iterable
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
    return sorted(age for age, _ in _beats())


def answering() -> int:
    """How many workers answer."""
    return sum(age <= SILENT_S for age in ages_s())


def answering_by_queue() -> dict[str, int]:
    """How many workers that answer take messages of each queue; 0 of one that none takes from."""
    found = dict.fromkeys((queue.name for queue in settings.CELERY_TASK_QUEUES), 0)
    for age, queues in _beats():
        for queue in queues if age <= SILENT_S else ():
            found[queue] = found.get(queue, 0) + 1
    return found


def age_s(name: str) -> float | None:
    """Seconds since the last beat of the worker called ``name``; None if it does not answer at all."""
    try:
        return time.time() - _path(name).stat().st_mtime
    except FileNotFoundError:
        return None


def beat(name: str, queues: Iterable[str] = ()) -> None:
    """Record that the worker called ``name`` answers, and which queues it takes messages from."""
    path, text = _path(name), " ".join(sorted(queues))
    try:
        if path.read_text() != text:
            path.write_text(text)
    except FileNotFoundError:
        path.write_text(text)
    path.touch()


def _beats() -> list[tuple[float, list[str]]]:
    """Seconds since the last beat of each worker, and its queues."""
    found = []
    for path in _folder().glob("*.beat"):
        try:
            found.append((max(time.time() - path.stat().st_mtime, 0.0), path.read_text().split()))
        except FileNotFoundError:  # it stopped meanwhile
            continue
    return found


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
