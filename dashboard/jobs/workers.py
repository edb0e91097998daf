"""Whether workers answer: each records so in the broker every few seconds while it takes messages from it."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from dashboard.core import beats

BEAT_S = 2.0
SILENT_S = 10.0
"""A worker whose last beat is older does not answer."""
_KIND = "worker"


def ages_s() -> list[float]:
    """Seconds since the last beat of each worker, the latest first. No message is sent."""
    return [beat.age_s for beat in beats.latest(_KIND)]


def answering() -> int:
    """How many workers answer."""
    return sum(age <= SILENT_S for age in ages_s())


def answering_by_queue() -> dict[str, int]:
    """How many workers that answer take messages of each queue; 0 of one that none takes from."""
    found = dict.fromkeys((queue.name for queue in settings.CELERY_TASK_QUEUES), 0)
    for beat in beats.latest(_KIND):
        for queue in beat.text.split() if beat.age_s <= SILENT_S else ():
            found[queue] = found.get(queue, 0) + 1
    return found


def age_s(name: str) -> float | None:
    """Seconds since the last beat of the worker called ``name``; None if it does not answer at all."""
    return next((beat.age_s for beat in beats.latest(_KIND) if beat.name == name), None)


def beat(name: str, queues: Iterable[str] = ()) -> None:
    """Record that the worker called ``name`` answers, and which queues it takes messages from."""
    beats.record(_KIND, name, " ".join(sorted(queues)))


def stopped(name: str) -> None:
    """Record that it does not answer any more."""
    beats.remove(_KIND, name)
