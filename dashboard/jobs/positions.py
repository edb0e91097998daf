"""Places in the queues of jobs: the first is the next that a free worker takes, with owners taking turns."""

from collections import Counter, defaultdict
from typing import Any

from django.db.models.functions import Coalesce

from dashboard.jobs import fairness
from dashboard.jobs.models import OPEN, Job, State, models_of


def ahead(model: type[Job], owner: Any) -> int:
    """Return how many entries a new job of this model and owner would wait behind."""
    turns, busy = _turns(fairness.same_queue(model))
    return sum(turn <= busy[owner] for turn, *_ in turns)


def positions() -> dict[Any, int]:
    """Return the place of everything that waits, by id, from 1.

    Parts of an experiment are an entry under its id, at the place of its first part. The queues of messages are
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
    turn: Counter[Any] = Counter()
    for model in models:
        rows = model._default_manager.filter(state__in=OPEN).order_by()
        since = Coalesce("enqueued_at", "created_at")
        for state, *entry in rows.values_list("state", since, model.OWNER, model.QUEUED_AS):
            if state == State.QUEUED:
                entries.append((entry[0], entry[1], entry[2]))
            else:
                turn[entry[1]] += 1
    turns: dict[Any, tuple[int, Any, Any]] = {}
    for waits_since, owner, key in sorted(entries, key=lambda entry: entry[0]):
        if key not in turns:
            turns[key] = (turn[owner], waits_since, key)
            turn[owner] += 1
    return sorted(turns.values(), key=lambda place: place[:2]), turn
