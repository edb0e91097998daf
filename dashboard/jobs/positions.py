"""Places in the queues of jobs: the first is the next that a free worker takes, with owners taking turns."""

from collections import Counter, defaultdict
from typing import Any

from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dashboard.jobs import fairness
from dashboard.jobs.models import Job, State, models_of
from privacy_engine.core import kernel_folder


def queue(request: HttpRequest) -> dict[str, Any]:
    """``queue_positions``, the places in the queues by id: counted where a page shows a place, and once.

    ``compiling``: whether a part of the engine may have to be compiled first.
    """
    return {"queue_positions": SimpleLazyObject(positions), "compiling": lambda: not kernel_folder.is_complete()}


def ahead(model: type[Job], owner: Any) -> int:
    """Return how many entries a new job of this model and owner would wait behind."""
    turns, busy = _turns(fairness.same_queue(model))
    return sum(turn <= busy[owner] for turn, *_ in turns)


def positions() -> dict[Any, int]:
    """Return the place of everything that waits, by id, from 1.

    Parts of a job are an entry under its id, at the place of its first part. The queues of messages are
    counted separately: workers take from them in turn.
    """
    queues: dict[str, list[type[Job]]] = defaultdict(list)
    for model in models_of():
        queues[model.QUEUE].append(model)
    places: dict[Any, int] = {}
    for models in queues.values():
        places |= {key: place for place, (*_, key) in enumerate(_turns(models)[0], start=1)}
    return places


def _turns(models: list[type[Job]]) -> tuple[list[tuple[int, Any, Any]], Counter[Any]]:
    """Turn, since when it waits and id of each entry of a queue, in the order that workers take them.

    An owner's first entry has as its turn how many of the owner's jobs run, and each further entry is a turn later.
    Also returned: the turn that the next entry of each owner would have.
    """
    entries: list[tuple[Any, Any, Any]] = []
    turn = fairness.running(models)
    for model in models:
        rows = model._default_manager.filter(state=State.QUEUED).order_by()
        entries += rows.values_list(Coalesce("enqueued_at", "created_at"), model.OWNER, model.QUEUED_AS)
    turns: dict[Any, tuple[int, Any, Any]] = {}
    for waits_since, owner, key in sorted(entries, key=lambda entry: entry[0]):
        if key not in turns:
            turns[key] = (turn[owner], waits_since, key)
            turn[owner] += 1
    return sorted(turns.values(), key=lambda place: place[:2]), turn
