"""Places in the queues of jobs: the first is the next that a free worker takes."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models.functions import Coalesce

from dashboard.jobs.models import Job, State, models_of


def ahead(model: type[Job]) -> int:
    """Return how many entries a new job of this model would wait behind."""
    waiting = (one for one in models_of() if _queue_of(one) == _queue_of(model))
    return sum(
        one._default_manager.filter(state=State.QUEUED).order_by().values(one.QUEUED_AS).distinct().count()
        for one in waiting
    )


def positions() -> dict[Any, int]:
    """Return the place of everything that waits, by id, from 1.

    Parts of an experiment are one entry under the id of that, at the place of its first one. The queues of messages are
    counted separately: workers take from them in turn.
    """
    queues: dict[str, list[tuple[Any, Any]]] = {}
    for model in models_of():
        waiting = model._default_manager.filter(state=State.QUEUED).order_by()
        since = Coalesce("enqueued_at", "created_at")
        queues.setdefault(_queue_of(model), []).extend(waiting.values_list(since, model.QUEUED_AS))
    found: dict[Any, int] = {}
    for entries in queues.values():
        in_order = dict.fromkeys(key for _, key in sorted(entries, key=lambda entry: entry[0]))
        found |= {key: place for place, key in enumerate(in_order, start=1)}
    return found


def _queue_of(model: type[Job]) -> str:
    routes: dict[str, dict[str, str]] = settings.CELERY_TASK_ROUTES
    return routes.get(model.TASK, {}).get("queue", settings.CELERY_TASK_DEFAULT_QUEUE)
