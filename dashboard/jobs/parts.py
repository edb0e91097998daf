"""Big jobs in parts: the worker that holds a job cuts it, any worker takes parts, the first one among them, and joins.

A part is a job row of its own (:class:`dashboard.jobs.models.JobPart`): claimed, fenced and sent again as every other.
What it made is kept by its row, so that a job which is tried again does only what is missing. The worker of the job
waits for no other: it takes parts itself as long as any waits, so a single worker does all of them. A part begins only
while its job is open, and its worker needs nothing of the worker that holds the job.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.db import transaction

from dashboard.core.database_errors import patiently
from dashboard.core.failures import StoredFailure
from dashboard.jobs import leases, queue
from dashboard.jobs.models import OPEN, JobPart, State

PAUSE_S = 0.05
Work = Callable[[Any, leases.Lease], Any]


class Piece(NamedTuple):
    """How much work a part of a job is, and what its worker needs to know beside its number."""

    weight: float
    given: dict[str, Any] = {}


def run_part(model: type[JobPart], pk: Any, work: Work, clear: Callable[[Any], None]) -> bool:
    """Claim a part and do ``work(part, lease)``, whose result its row keeps; False if it did not wait.

    ``clear(part)`` removes its files if nothing waits for them any more: the job is over, or has other parts now.
    """

    def of_open_job(part: JobPart, lease: leases.Lease) -> dict[str, Any]:
        if part.job.state not in OPEN:
            raise leases.Cancelled
        return {"result": work(part, lease)}

    part = leases.run(model, pk, of_open_job)

    def clear_unless_held() -> None:
        if part and part.token and not model._default_manager.filter(pk=pk, job__state__in=OPEN).exists():
            clear(part)

    patiently(clear_unless_held)
    return part is not None


def delete_of_ended(job: Any) -> bool:
    """Delete the parts of a job if it is over; whether it had some."""
    return bool(job.parts.exclude(job__state__in=OPEN).delete()[0])


def results(
    job: Any,
    lease: leases.Lease,
    step: str,
    pieces: Sequence[Piece],
    *,
    run: Callable[[Any], Any],
    report: Callable[[float], None],
    kept: Callable[[Any], bool] = bool,
) -> list[Any]:
    """The results of a step of a claimed job, cut into ``pieces``, in their order.

    ``run(pk)`` works off a part, as workers that receive its message do; ``report(share)`` is called with the share of
    the work that is done. Results of an earlier try are computed again only where ``kept`` finds them gone.

    Raises
    ------
    StoredFailure
        A part failed, with its error.
    LeaseLost, Cancelled
        The job is no longer this worker's, or is to be stopped.
    """
    parts = job.parts.filter(step=step)
    _cut(job, lease, step, pieces, kept)
    while True:
        rows = list(parts.order_by("number").defer("result"))
        for failed in (row for row in rows if row.state == State.FAILED):
            raise StoredFailure(failed.error)
        done = sum(row.weight * (1 if row.state == State.DONE else row.progress) for row in rows)
        report(done / max(sum(row.weight for row in rows), 1e-9))
        waiting = [row.pk for row in rows if row.state == State.QUEUED]
        if waiting:
            run(waiting[-1])  # others take the first
            lease.rows().update(attempt=1)  # it went on: what stopped earlier tries is over
        elif any(row.state == State.RUNNING for row in rows):
            time.sleep(PAUSE_S)
        else:
            break
        lease.check()
    made = list(parts.order_by("number").values_list("state", "result"))
    if [state for state, _ in made] != [State.DONE] * len(pieces):  # taken away or stopped meanwhile
        raise leases.LeaseLost
    return [result for _, result in made]


def _cut(job: Any, lease: leases.Lease, step: str, pieces: Sequence[Piece], kept: Callable[[Any], bool]) -> None:
    """Make the parts that are missing; those of another cut, that failed or whose result is gone are made again."""
    model, parts = job.parts.model, job.parts.filter(step=step)
    with transaction.atomic():
        lease.confirm()
        cut = {number: piece.given for number, piece in enumerate(pieces)}
        if any(cut.get(row.number) != row.given for row in parts):
            parts.delete()
        parts.filter(state__in=[State.FAILED, State.CANCELLED]).delete()
        gone = [row.pk for row in parts.filter(state=State.DONE) if not kept(row.result)]
        parts.filter(pk__in=gone).delete()
        there = set(parts.values_list("number", flat=True))
        numbered = ((number, piece) for number, piece in enumerate(pieces) if number not in there)
        fresh = [model(job=job, step=step, number=number, **piece._asdict()) for number, piece in numbered]
        model.objects.bulk_create(fresh)
        queue.enqueue_on_commit(*fresh)
