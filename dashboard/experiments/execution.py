"""A worker's work on an experiment; no Celery in here.

The first part cuts the rest: blocks that are kept already, by this or another experiment, are left out. A part
computes its blocks in turn and keeps each; between two of them it gives way to other kinds of work that
wait. Whoever finds the last block done makes the table.

Who changes how an experiment stands together with its parts holds its row meanwhile (:func:`_locked`), so that a
worker that was thought dead cannot take away the parts of its successor, or end what was started again.
"""

import time
import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Sum
from django.db.models.functions import Now

from dashboard.core import failures
from dashboard.core.database_errors import is_transient, patiently
from dashboard.core.errors import Conflict
from dashboard.experiments import files
from dashboard.experiments.context import Material, data_of, material_of
from dashboard.experiments.models import Experiment, Part
from dashboard.experiments.run_results import measured
from dashboard.jobs import fairness, leases, queue
from dashboard.jobs.models import OPEN, State
from privacy_engine import __version__, experiments
from privacy_engine.core.progress import reported
from privacy_engine.experiments import Block, ExperimentSpec, dataset_digest


def run(pk: Any) -> bool:
    """Work off a part, and see whether it was the last; False if it did not wait."""
    part = Part.objects.select_related("experiment").filter(pk=pk).first()
    if part is None:
        return False
    row = leases.run(Part, pk, _work)
    patiently(lambda: _after(part))
    return row is not None


def _after(part: Part) -> None:
    if Experiment.objects.filter(pk=part.experiment_id).exists():
        update_state(part.experiment_id)
    else:  # deleted meanwhile: what was stored since has no owner
        files.forget(part.experiment)


def _work(part: Part, lease: leases.Lease) -> dict[str, Any]:
    row = Experiment.objects.select_related("dataset").filter(pk=part.experiment_id, state__in=OPEN).first()
    if row is None:
        raise leases.Cancelled
    if part.start is None:
        _cut(row, part, lease)
    else:
        _compute(row, part, lease)
    return {}


def _locked(pk: uuid.UUID) -> Experiment | None:
    """The row, held until the transaction ends; None if it is over."""
    return Experiment.objects.select_for_update().filter(pk=pk, state__in=OPEN).first()


def _changed() -> Conflict:
    return Conflict("The points have changed since the experiment began.", field="dataset", rule="the same points")


def _cut(row: Experiment, first: Part, lease: leases.Lease) -> None:
    """Make the parts. Again, if an earlier try at it was lost: then its parts go, and who works on them stops."""
    data, digest = _loaded(row)
    material = material_of(row)
    sizes = material.spec.sizes(material.spec.cell_type.sizes_of(data))
    if sizes != row.lengths:
        raise _changed()
    todo = [i for i, block in enumerate(reported(material.blocks)) if material.kept(block, digest) is None]
    cut = [
        Part(experiment=row, start=part.start, stop=part.stop, weight=part.seconds)
        for part in experiments.parts(material.blocks, sizes, todo)
    ]
    with transaction.atomic():
        if _locked(row.pk) is None:
            raise leases.Cancelled
        lease.confirm()
        row.parts.exclude(pk=first.pk).delete()
        Part.objects.bulk_create(cut)
        Experiment.objects.filter(pk=row.pk).update(
            data_digest=digest,
            kept_s=max(row.work_s - sum(part.weight for part in cut), 0.0),
            state=State.RUNNING,
            stage="Computing",
            started_at=Now(),
        )
        queue.enqueue_on_commit(*cut)


def _compute(row: Experiment, part: Part, lease: leases.Lease) -> None:
    data, digest = _loaded(row)
    if digest != row.data_digest:
        raise _changed()
    material = material_of(row)
    mine = material.blocks[part.start : part.stop]
    data = experiments.uncached(data)  # what cells draw alike is cached with the data: this part's, and no more
    for done, block in enumerate(reported(mine)):
        lease.report("Computing", done / len(mine))
        if material.kept(block, digest) is not None:
            continue
        compute(material, block, data, digest)
        _tally(row.pk)
        if block is not mine[-1] and fairness.gives_way(Part, row.owner_id):
            raise leases.Preempted


def compute(material: Material, block: Block, data: Any, digest: str) -> None:
    """Compute a block and keep it."""
    material.store.put(block.key(digest), experiments.run_block(block, data))


_data: dict[uuid.UUID, tuple[str, Any, str]] = {}


def _loaded(row: Experiment) -> tuple[Any, str]:
    """Its data and their digest; those of the last experiment stay in memory, since its parts come in a row."""
    file = "" if row.dataset is None else row.dataset.points_file
    held = _data.get(row.pk)
    if held is None or held[0] != file:
        data = data_of(row)
        _data.clear()
        held = _data[row.pk] = (file, data, dataset_digest(data, row.kind))
    return held[1], held[2]


# Taking stock ------------------------------------------------------------------------------------

_tallied = {"at": 0.0}


def _tally(pk: uuid.UUID) -> None:
    """Report the progress of the whole, at most four times a second in a process."""
    if time.monotonic() - _tallied["at"] >= 0.25:
        _tallied["at"] = time.monotonic()
        _store_progress(pk)


def _store_progress(pk: uuid.UUID) -> None:
    rows = Experiment.objects.filter(pk=pk, state=State.RUNNING)
    done = Part.objects.filter(experiment=pk).aggregate(s=Sum(F("weight") * F("progress")))["s"] or 0.0
    for work_s, kept_s in rows.values_list("work_s", "kept_s"):
        rows.update(progress=min((done + kept_s) / max(work_s, 1e-9), 1.0))


def update_state(pk: uuid.UUID) -> None:
    """End the experiment if a part of it failed, or if none is left to do; else store its progress."""
    states = set(Part.objects.filter(experiment=pk).values_list("state", flat=True).distinct())
    if State.FAILED in states:
        _fail(pk)
    elif states == {State.DONE}:
        _finish(pk)
    else:
        _tally(pk)


def recover_lost() -> None:
    """Requeue every experiment whose workers died between their last block and its end."""
    rows = Experiment.objects.filter(state__in=OPEN)
    for pk in rows.filter(parts__state=State.FAILED).distinct().values_list("pk", flat=True):
        _fail(pk)
    parts = Part.objects.filter(experiment=OuterRef("pk"))
    just_now = Now() - timedelta(seconds=settings.CAIRN_LEASE_S)  # whoever ended it may be at the table still
    at_work = parts.filter(state__in=OPEN) | parts.filter(finished_at__gt=just_now)
    for pk in rows.filter(~Exists(at_work)).values_list("pk", flat=True):
        _again(pk)


@transaction.atomic
def _fail(pk: uuid.UUID) -> None:
    if _locked(pk) and (failed := Part.objects.filter(experiment=pk, state=State.FAILED).first()):
        _give_up(pk, failed.error)


def _give_up(pk: uuid.UUID, error: Any) -> None:
    rows = Experiment.objects.filter(pk=pk, state__in=OPEN)
    rows.update(state=State.FAILED, error=error, stage="", finished_at=Now())
    stop_parts(pk)


def stop_parts(pk: uuid.UUID) -> None:
    """Let no worker begin another part, and those at work stop after their block."""
    parts = Part.objects.filter(experiment=pk)
    parts.filter(state=State.QUEUED).update(state=State.CANCELLED, finished_at=Now())
    parts.filter(state=State.RUNNING).update(cancel_requested=True)


def _finish(pk: uuid.UUID) -> None:
    row = Experiment.objects.filter(pk=pk, state__in=OPEN).first()
    if row is None:
        return
    material = material_of(row)
    try:
        results, missing = material.results(row.data_digest)
        if missing:  # deleted meanwhile
            _again(pk)
            return
        fields = finished(row, material.spec, experiments.assemble(material.spec, row.data_digest, results))
    except Exception as error:
        if is_transient(error):
            raise
        with transaction.atomic():
            if _locked(pk):
                _give_up(pk, failures.failure(error, f"Experiment {pk}"))
        return
    if Experiment.objects.filter(pk=pk, state__in=OPEN, data_digest=row.data_digest).update(**fields):
        files.remove_others(row, fields["table_sha256"])


def finished(row: Experiment, spec: ExperimentSpec, table: Any) -> dict[str, Any]:
    """Write the table; what the row stores as it succeeds."""
    digest = files.write(row, spec, table)
    over = {"state": State.DONE, "stage": "", "progress": 1.0, "finished_at": Now(), "error": None}
    return over | {"table_sha256": digest, "engine_version": __version__, "measured": measured(spec, table)}


@transaction.atomic
def _again(pk: uuid.UUID) -> None:
    """Start over once more if no worker is at it, but not for ever."""
    row = _locked(pk)
    if row is None or row.parts.filter(state__in=OPEN).exists():
        return
    if row.attempt >= settings.CAIRN_MAX_ATTEMPTS:
        _give_up(pk, failures.stored_failure("crashed"))
        return
    Experiment.objects.filter(pk=pk).update(attempt=F("attempt") + 1)
    start_over(row)


def start_over(row: Experiment) -> None:
    """Cut it into parts again; blocks that are kept are not computed again. The caller holds the row."""
    row.parts.all().delete()
    queue.enqueue_on_commit(Part.objects.create(experiment=row))
