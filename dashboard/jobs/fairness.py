"""Which waiting row a message stands for: owners take turns, whoever of them sent more.

A message means that a row waits, and a worker that receives it takes a row of the same queue: of the owner with the
fewest running jobs in it; among equals, of the owner whom this process served longest ago; among equals, who waits
longest. Nothing is stored for it: what waits and runs is in the rows, and the turns are in each worker process.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.db.models import Count, Min
from django.db.models.functions import Coalesce

from dashboard.jobs.models import Job, State, models_of

MOST_TRIES = 100
_served: dict[tuple[str, Any], float] = {}


def same_queue(model: type[Job]) -> list[type[Job]]:
    """Every job model whose messages are in the queue of ``model``."""
    return [other for other in models_of() if other.QUEUE == model.QUEUE]


def running(models: Iterable[type[Job]]) -> Counter[Any]:
    """How many jobs of these models run, by owner; a job whose parts run does not count beside them.

    The worker that holds it works on one of them.
    """
    counts: Counter[Any] = Counter()
    models = list(models)
    for model in models:
        rows = model._default_manager.filter(state=State.RUNNING).order_by()
        parts = getattr(model, "parts", None)
        if parts and parts.rel.related_model in models:
            rows = rows.exclude(parts__state=State.RUNNING)
        counts.update(dict(rows.values_list(model.OWNER).annotate(n=Count("pk"))))
    return counts


def at_limit() -> set[Any]:
    """Owners who have as many running jobs as an owner may have (CAIRN_OWNER_RUNNING)."""
    most = settings.CAIRN_OWNER_RUNNING
    return {owner for owner, n in running(models_of()).items() if n >= most} if most else set()


def choices(model: type[Job], pk: Any, models: Iterable[type[Job]]) -> Iterator[tuple[type[Job], Any]]:
    """Rows of ``models`` to claim for a message about the row ``pk``: the next row each time that a claim failed."""
    models = list(models)
    for _ in range(MOST_TRIES):  # another worker was quicker at each, and works on it
        owner = _next_owner(model.QUEUE, models)
        if owner is None:
            return
        _served[model.QUEUE, owner] = time.monotonic()
        chosen = _row_of(owner, model, pk, models)
        if chosen is not None:
            yield chosen


def _next_owner(queue: str, models: list[type[Job]]) -> Any:
    waits_since = _waiting(models)
    for owner in at_limit() if waits_since else ():
        waits_since.pop(owner, None)
    if len(waits_since) <= 1:
        return next(iter(waits_since), None)
    busy = running(models)
    return min(waits_since, key=lambda who: (busy[who], _served.get((queue, who), 0.0), waits_since[who]))


def _waiting(models: Iterable[type[Job]]) -> dict[Any, Any]:
    """Since when the first waiting job of each owner waits."""
    earliest: dict[Any, Any] = {}
    for model in models:
        rows = model._default_manager.filter(state=State.QUEUED).order_by()
        for owner, since in rows.values_list(model.OWNER).annotate(since=Min(Coalesce("enqueued_at", "created_at"))):
            earliest[owner] = min(earliest.get(owner, since), since)
    return earliest


def _row_of(owner: Any, model: type[Job], pk: Any, models: Iterable[type[Job]]) -> tuple[type[Job], Any] | None:
    """The row of the message if it is this owner's and waits; else the row of the owner that waits longest."""
    mine = {model.OWNER: owner, "state": State.QUEUED}
    if model._default_manager.filter(pk=pk, **mine).exists():
        return model, pk
    first: list[tuple[Any, int, type[Job], Any]] = []
    for i, kind in enumerate(models):
        rows = kind._default_manager.filter(**{kind.OWNER: owner, "state": State.QUEUED})
        rows = rows.annotate(since=Coalesce("enqueued_at", "created_at")).order_by("since")
        oldest = rows.values_list("since", "pk").first()
        if oldest is not None:
            first.append((oldest[0], i, kind, oldest[1]))
    return min(first, key=lambda entry: entry[:2])[2:] if first else None


def gives_way(model: type[Job], owner: Any) -> bool:
    """Whether a job in parts of ``owner`` should wait again, between two parts of its work.

    True while a job of another queue waits, or a job of this queue whose owner has fewer running jobs.
    """
    others = [other for other in models_of() if other.QUEUE != model.QUEUE]
    if any(other._default_manager.filter(state=State.QUEUED).exists() for other in others):
        return True
    models = same_queue(model)
    waiting = _waiting(models).keys() - {owner}
    if not waiting:
        return False
    busy = running(models)
    return any(busy[other] < busy[owner] for other in waiting)
