"""Writes of the experiments app: submit, cancel, resume, rename, delete."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from dashboard.core.computing import computed
from dashboard.core.text import one_line
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import require_kind, require_ready
from dashboard.experiments import execution
from dashboard.experiments.common.inputs import inputs
from dashboard.experiments.context import data_of
from dashboard.experiments.models import Experiment
from dashboard.experiments.naming import distinct_name
from dashboard.experiments.stored_blocks import block_store
from dashboard.jobs import models as job_models
from dashboard.jobs import queue
from dashboard.jobs.models import State
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from privacy_engine import experiments
from privacy_engine.errors import ParameterError
from privacy_engine.experiments import ExperimentSpec, Preset

MOST_S = 100 * 3600.0
SMALL = 20_000  # events that a request may read


@dataclass(frozen=True)
class Plan:
    """What an experiment comes to before it is run."""

    spec: ExperimentSpec
    cells: int
    lengths: list[int]
    seconds: float
    at_once: bool

    @property
    def parts(self) -> int:
        """How many messages its work is sent in, where no cell was computed before; 0 if it is computed at once."""
        if self.at_once:
            return 0
        blocks = experiments.in_order(experiments.blocks(self.spec, self.lengths))
        return sum(1 for _ in experiments.parts(blocks, self.lengths))


def plan(*, dataset: Dataset | None, preset: Preset | None, spec: ExperimentSpec | None) -> Plan:
    """What would be computed, and whether a request may wait for it.

    Raises
    ------
    ParameterError
        There is nothing to try it on or nothing to try, or it would take longer than :data:`MOST_S`.
    Conflict
        The dataset is not ready.
    """
    described = _described(dataset, preset, spec)
    adapter = inputs[described.kind]
    placed = adapter.stated(described, preset)
    given, sizes = adapter.sizes(dataset, placed)
    seconds = experiments.predicted_seconds(placed, sizes)
    if seconds > MOST_S:
        rule = f"must come to at most {MOST_S / 3600:g} hours of work"
        message = f"repetitions {rule} with these cells and points, got about {seconds / 3600:,.0f}"
        raise ParameterError(message, field="repetitions", rule=rule, value=placed.repetitions)
    few = all(placed.cell_type.items_of(lengths) <= SMALL for lengths in (given, sizes))
    return Plan(placed, len(placed.cells()), sizes, seconds, few and seconds < experiments.AT_ONCE_S)


def _described(dataset: Dataset | None, preset: Preset | None, spec: ExperimentSpec | None) -> ExperimentSpec:
    """The spec, or that of the preset for the dataset."""
    if spec is not None:
        return spec
    if preset is None:
        field, rule = "spec", "is required where no preset is named"
        if dataset is None:
            field, rule = "dataset", "is required where no preset generates the series"
        raise ParameterError(f"{field} {rule}", field=field, rule=rule)
    if dataset is None:
        return preset.spec()
    require_kind(dataset, preset.kind)
    return preset.spec(inputs[dataset.kind].known(dataset))


def submit_experiment(
    *,
    owner: Any,
    dataset: Dataset | None = None,
    preset: Preset | None = None,
    spec: ExperimentSpec | None = None,
    name: str = "",
    title: str = "",
) -> Experiment:
    """Run a small experiment now; store the description of a larger experiment and queue it for the workers.

    ``preset`` states what the series are: its part of the dataset, or without a dataset what it generates. It also
    gives the spec where there is none. The spec that is stored states what it is tried on (``series``, or ``data`` of
    its cells). Without a ``name`` it gets a name that differs from those of the owner's other runs, beginning with
    ``title`` if any. One of a dataset belongs to whom the dataset belongs to, and is in its project.

    Raises
    ------
    EngineError
        As :func:`plan` does; and where it is run now, what the data lack.
    """
    if dataset is not None:
        require_role(owner, dataset, Role.EDITOR)
    planned = plan(dataset=dataset, preset=preset, spec=spec)
    described = planned.spec.model_dump()
    title = title or (preset.title if preset is not None and spec is None else "")
    row = Experiment(
        owner_id=owner.pk if dataset is None else dataset.owner_id,
        dataset=dataset,
        preset=None if preset is None else preset.model_dump(),
        name=one_line(name) or distinct_name(owner, described, dataset, title),
        spec=described,
        spec_digest=planned.spec.digest,
        lengths=planned.lengths,
        work_s=planned.seconds,
    )
    return _run_now(row, planned.spec) if planned.at_once else _submit(row)


@computed
def _run_now(row: Experiment, spec: ExperimentSpec) -> Experiment:
    data = data_of(row)
    row.lengths, row.data_digest = spec.sizes(spec.cell_type.sizes_of(data)), spec.cell_type.digest_of(data)
    table = experiments.run(spec, data, block_store(row.owner_id))
    for column, value in execution.finished(row, spec, table).items():
        setattr(row, column, value)
    row.state, row.progress = State.DONE, 1.0
    row.started_at = row.finished_at = Now()
    with transaction.atomic():
        _hold_dataset(row)
        row.save(force_insert=True)
    row.refresh_from_db()
    return row


def _hold_dataset(row: Experiment) -> None:
    """Lock it: it is neither deleted nor read again until the transaction ends."""
    if row.dataset_id is not None:
        held = Dataset.objects.select_for_update().get(pk=row.dataset_id)
        require_ready(held)
        if row._state.adding:
            row.project_id = held.project_id


@transaction.atomic
def _submit(row: Experiment) -> Experiment:
    _hold_dataset(row)
    row.save(force_insert=True)
    queue.submit_on_commit(row, row.owner)
    return row


@transaction.atomic
def cancel_experiment(*, experiment: Experiment) -> None:
    """Stop it: at once, though workers go on until the end of their block. What is computed is kept.

    Raises
    ------
    job_models.NotOpen
        It is over already.
    """
    rows = Experiment.objects.filter(pk=experiment.pk, state__in=job_models.OPEN)
    if not rows.update(state=State.CANCELLED, stage="", finished_at=Now(), token=None, lease_until=None):
        raise job_models.NotOpen
    experiment.parts.all().delete()


@transaction.atomic
def resume_experiment(*, experiment: Experiment) -> Experiment:
    """Go on with an experiment that was cancelled or failed, from the blocks that are kept.

    Raises
    ------
    job_models.NotRetryable
        It waits, runs or is done.
    EngineError
        As :func:`plan` does: the dataset may have been read again since.
    """
    _hold_dataset(experiment)
    now = Dataset.objects.filter(pk=experiment.dataset_id).first()
    planned = plan(dataset=now, preset=experiment.parsed_preset, spec=experiment.parsed_spec)
    columns = {"lengths": planned.lengths, "work_s": planned.seconds, "kept_s": 0.0}
    Experiment.objects.filter(pk=experiment.pk).update(**columns)
    experiment.parts.all().delete()
    return queue.retried(experiment)
