"""A worker's work on an experiment, whose blocks are its parts (dashboard/jobs/parts.py); no Celery in here.

Blocks that are kept already, by this or another experiment, are left out of the cut. A part computes its blocks in turn
and keeps each; between two of them it gives way to other work that waits. So does the worker that holds the experiment,
between two parts, and after a while in any case, since the whole may take days: it waits then, and is held again by
whoever takes a part of it next.
"""

import time
import uuid
from typing import Any

from django.conf import settings
from django.db.models import Min

from dashboard.core.database_errors import patiently
from dashboard.core.errors import Conflict
from dashboard.core.failures import StoredFailure, stored_failure
from dashboard.experiments import files
from dashboard.experiments.context import Material, data_of, material_of
from dashboard.experiments.models import Experiment, ExperimentPart
from dashboard.experiments.run_results import measured
from dashboard.jobs import fairness, leases, parts
from dashboard.jobs.models import State
from dashboard.jobs.parts import Piece
from privacy_engine import __version__, experiments
from privacy_engine.core.progress import reported
from privacy_engine.experiments import Block, ExperimentSpec, dataset_digest

HELD_S = 60.0
"""A worker that is to end waits for its job, and compose for two minutes for the worker."""


def run(pk: Any) -> bool:
    """Work off an experiment; False if it did not wait."""
    if row := leases.run(Experiment, pk, _table):
        patiently(lambda: files.clear_after(row))
    return row is not None


def run_part(pk: Any) -> bool:
    """Work off a part, or its experiment where that waits; False if neither did."""
    waiting = Experiment.objects.filter(parts=pk, state=State.QUEUED).first()
    return run(waiting.pk) if waiting else _run_part(pk)


def _run_part(pk: Any) -> bool:
    return parts.run_part(ExperimentPart, pk, _computed, lambda part: files.clear_after(part.job))


def _table(row: Experiment, lease: leases.Lease) -> dict[str, Any]:
    """Compute a claimed experiment and write its table; what the row stores as it succeeds."""
    for _ in range(settings.CAIRN_MAX_ATTEMPTS):
        _compute(row, lease)
        material = material_of(row)
        results, missing = material.results(row.data_digest)
        if not missing:
            return finished(row, material.spec, experiments.assemble(material.spec, row.data_digest, results))
        row.parts.all().delete()  # blocks were deleted meanwhile
    raise StoredFailure(stored_failure("crashed"))


def _compute(row: Experiment, lease: leases.Lease) -> None:
    pieces, began = _cut(row, lease), time.monotonic()

    def run(pk: Any) -> None:
        _run_part(pk)
        if time.monotonic() - began > HELD_S or fairness.gives_way(Experiment, row.owner_id):
            raise leases.Preempted

    report = lease.reporting("Computing", row.kept_s / max(row.work_s, 1e-9))
    parts.results(row, lease, "compute", pieces, run=run, report=report)


def finished(row: Experiment, spec: ExperimentSpec, table: Any) -> dict[str, Any]:
    """Write the table; what the row stores of it."""
    digest = files.write(row, spec, table)
    return {"table_sha256": digest, "engine_version": __version__, "measured": measured(spec, table)}


def _changed() -> Conflict:
    return Conflict("The points have changed since the experiment began.", field="dataset", rule="the same points")


def _cut(row: Experiment, lease: leases.Lease) -> list[Piece]:
    """The parts that it was cut into, by this or an earlier worker that held it."""
    data, digest = _loaded(row)
    material = material_of(row)
    sizes = material.spec.sizes(material.spec.cell_type.sizes_of(data))
    if sizes != row.lengths:
        raise _changed()
    pieces = [Piece(*of) for of in row.parts.order_by("number").values_list("weight", "given")]
    if not pieces:
        todo = [i for i, block in enumerate(reported(material.blocks)) if material.kept(block, digest) is None]
        for part in experiments.parts(material.blocks, sizes, todo):
            pieces.append(Piece(part.seconds, {"start": part.start, "stop": part.stop, "digest": digest}))
    row.data_digest, row.kept_s = digest, max(row.work_s - sum(piece.weight for piece in pieces), 0.0)
    row.started_at = row.parts.aggregate(at=Min("created_at"))["at"] or row.started_at
    lease.rows().update(data_digest=digest, kept_s=row.kept_s, started_at=row.started_at)
    return pieces


def _computed(part: ExperimentPart, lease: leases.Lease) -> bool:
    row = part.job
    data, digest = _loaded(row)
    if digest != part.given["digest"]:
        raise _changed()
    material = material_of(row)
    mine = material.blocks[part.given["start"] : part.given["stop"]]
    data = experiments.uncached(data)  # what cells draw alike is cached with the data: this part's, and no more
    for done, block in enumerate(reported(mine)):
        lease.report("Computing", done / len(mine))
        if material.kept(block, digest) is not None:
            continue
        compute(material, block, data, digest)
        if block is not mine[-1] and fairness.gives_way(ExperimentPart, row.owner_id):
            raise leases.Preempted
    return True


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
