"""Whether workers answer: each records so in the broker every few seconds while it takes messages from it."""

from collections.abc import Iterable, Sequence

from django.conf import settings

from dashboard.core import beats
from dashboard.core.beats import Beat

BEAT_S = 2.0
SILENT_S = 10.0
"""A worker whose last beat is older does not answer."""
_KIND = "worker"


def latest() -> list[Beat]:
    """The last beat of each worker, the latest first. No message is sent."""
    return beats.latest(_KIND)


def answering(seen: Sequence[Beat] | None = None) -> int:
    """How many workers answer, of those that :func:`latest` found or finds now."""
    return sum(beat.age_s <= SILENT_S for beat in (latest() if seen is None else seen))


def answering_by_queue(seen: Sequence[Beat] | None = None) -> dict[str, int]:
    """As :func:`answering`, of those that take messages of each queue; 0 of a queue that none takes from."""
    counts = dict.fromkeys((queue.name for queue in settings.CELERY_TASK_QUEUES), 0)
    for beat in latest() if seen is None else seen:
        for queue in beat.text.split() if beat.age_s <= SILENT_S else ():
            counts[queue] = counts.get(queue, 0) + 1
    return counts


def age_s(name: str) -> float | None:
    """Seconds since the last beat of the worker called ``name``; None if it does not answer at all."""
    return next((beat.age_s for beat in latest() if beat.name == name), None)


def beat(name: str, queues: Iterable[str] = ()) -> None:
    """Record that the worker called ``name`` answers, and which queues it takes messages from."""
    beats.record(_KIND, name, " ".join(sorted(queues)))


def stopped(name: str) -> None:
    """Record that it does not answer any more."""
    beats.remove(_KIND, name)
