"""Writes: datasets come in, are read again, renamed, given a budget, and go."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.core.files.base import File
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.core.computing import computed
from dashboard.core.errors import Conflict, must_be
from dashboard.core.text import one_line, storable
from dashboard.datasets import execution, ledger, lineage, losses, matching, quota, tombstones
from dashboard.datasets.models import Budget, Dataset, SourceFile, Unit
from dashboard.jobs import queue
from dashboard.jobs.models import OPEN, State
from dashboard.storage import local_files, removals
from dashboard.storage.stored_path import Source, located
from privacy_engine.cleaning import CleaningStep
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import FormatError
from privacy_engine.formats import Preview, ReadOptions

# What is read while the browser waits: about a second at the slowest format's rate. Anything larger is a job.
NOW_PLAIN_BYTES = 4_000_000
NOW_PACKED_BYTES = 300_000  # compressors may expand a hundredfold before the reader stops them
OPTION_CHARS = 500
PACKED = (b"\x1f\x8b", b"PK", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PAR1")


def import_dataset(
    *,
    owner: User,
    upload: File[bytes],
    name: str = "",
    kind: str = "",
    options: Mapping[str, Any] = MappingProxyType({}),
    cleaning: Sequence[CleaningStep] = (),
    sample: bool = False,
    keep: bool = False,
    queued: bool = False,
    reserved: int = 0,
) -> Dataset:
    """A dataset from an uploaded file: ready if it is small and need not be ``queued``, else waiting for a worker.

    Without ``kind`` the kind of data is detected by the columns of the table.

    ``reserved`` bytes of an upload that counts in the owner's quota already are these.

    With ``keep`` a small file that cannot be read is kept all the same, as a large file is: the dataset has failed,
    has a reason, and can be read in another way.

    Raises
    ------
    EngineError
        The file cannot be read as it is, or an option is wrong. Nothing stays behind.
    """
    _check_kind(kind)
    chosen = _checked(options)
    file_name = one_line(upload.name or "", 255).encode()[:255].decode(errors="ignore")
    row = Dataset(
        owner=owner,
        requested_kind=kind,
        name=one_line(name) or one_line(file_name) or "Dataset",
        file_name=file_name,
        options=chosen,
        cleaning=[step.model_dump() for step in cleaning],
        sample=sample,
        **({"kind": kind} if kind else {}),
    )
    staging = local_files.home("tmp", f"import-{row.pk}")
    try:
        _keep(upload, staging / "original")
        row.size_bytes = (staging / "original").stat().st_size
        if not queued and _small(staging / "original"):
            return _read_now(row, staging, keep, reserved)
        _publish(row, staging, None, reserved)
    finally:
        local_files.remove(staging)
    return row


@computed
def _read_now(row: Dataset, staging: Path, keep: bool, reserved: int) -> Dataset:
    row.started_at, evidence = timezone.now(), None
    described = {"options": row.options, "cleaning": row.cleaning, "kind": row.requested_kind}
    try:
        fields = execution.import_now(staging / "original", folder=staging, name=row.file_name, **described)
    except FormatError as error:
        if not keep:
            raise
        # the user sees the result now: nothing to list in the jobs drawer
        _assign(row, state=State.FAILED, error=storable(error.as_dict()), dismissed=True)
    else:
        evidence = fields.pop("evidence")
        _assign(row, state=State.READY, progress=1.0, **fields)
    row.finished_at = timezone.now()
    _publish(row, staging, evidence, reserved)
    return row


def _publish(row: Dataset, staging: Path, evidence: lineage.Evidence | None, reserved: int) -> None:
    """Files first, then the row; neither without the other."""
    row.folder.take_folder(staging)
    try:
        if evidence:
            matching.prepare(row.owner_id, evidence)
        with transaction.atomic():
            quota.require(row.owner, row.size_bytes, row.file_name, reserved=reserved)
            if evidence:
                row.source_file = _registered(row, evidence, row.content_digest)
            row.save(force_insert=True)
            if row.open:
                queue.submit_on_commit(row, row.owner)
    except BaseException:
        row.folder.remove_folder()
        raise


def _registered(row: Dataset, evidence: lineage.Evidence, content_digest: str) -> SourceFile:
    return lineage.register(owner_id=row.owner_id, evidence=evidence, content_digest=content_digest)


def _keep(upload: File[bytes], path: Path) -> None:
    """The upload under ``path``: the very file the upload handler wrote, or a copy where there is none."""
    try:
        path.hardlink_to(upload.temporary_file_path())
        path.chmod(0o600)
    except (AttributeError, OSError):
        upload.seek(0)
        with local_files.written(path) as out:
            shutil.copyfileobj(upload, out, 1 << 20)


def _small(path: Source) -> bool:
    with located(path) as local, local.open("rb") as file:
        packed, size = file.read(8).startswith(PACKED), local.stat().st_size
    return size <= (NOW_PACKED_BYTES if packed else NOW_PLAIN_BYTES)


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in options.items():
        if isinstance(value, str) and ("\0" in value or len(value) > OPTION_CHARS):
            rule = f"text of at most {OPTION_CHARS} characters without NUL"
            raise must_be(f"{name:.60}", rule, value, got=False)
    return {name: value for name, value in asdict(ReadOptions.of(options)).items() if value is not None}


def _check_kind(kind: str) -> None:
    if kind and kind not in datatypes:
        raise must_be("kind", f"one of {', '.join(datatypes)}, or empty to detect it", kind)


def _assign(row: Dataset, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(row, name, value)


@computed
def reread_dataset(
    *,
    dataset: Dataset,
    options: Mapping[str, Any],
    cleaning: Sequence[CleaningStep] | None = None,
    kind: str | None = None,
) -> Dataset:
    """Read the kept upload again in another way, as :func:`import_dataset` would.

    Without ``cleaning`` or ``kind`` these stay as they were. What the first reading decided is used again: for another
    kind what is about the file and not about its columns; where the options are others, all else is decided again.

    Raises
    ------
    Conflict
        It is being read, or landmark sets, releases or a running experiment stand on its points.
    EngineError
        It cannot be read this way. Nothing changed.
    """
    chosen = _checked(options)
    _refuse_reread(dataset)
    over = Dataset.objects.filter(pk=dataset.pk, state__in=[State.READY, State.FAILED, State.CANCELLED])
    before = dataset.points_file
    steps = dataset.cleaning if cleaning is None else [step.model_dump() for step in cleaning]
    kind = dataset.requested_kind if kind is None else kind
    _check_kind(kind)
    same = (chosen, kind) == (dataset.options, dataset.requested_kind)
    decided = dataset.decided if same else {}
    if kind and not same and chosen == dataset.options and dataset.decided:
        decided = dataset.decisions.of_file().as_dict()
    changes: dict[str, Any] = {"options": chosen, "cleaning": steps, "requested_kind": kind, "error": None}
    changes |= {"stage": "", "attempt": 0, "cancel_requested": False, "dismissed": False}
    evidence = None
    if _small(dataset.original_path):
        fields = execution.import_now(
            dataset.original_path,
            folder=dataset.folder,
            name=dataset.file_name,
            options=chosen,
            cleaning=steps,
            kind=execution.kind_of_reading(dataset) if same else kind,
            decided=decided,
        )
        evidence = fields.pop("evidence")
        changes |= {"state": State.READY, "progress": 1.0, "finished_at": timezone.now(), **fields}
    else:
        changes |= {
            "state": State.QUEUED,
            "progress": 0.0,
            "finished_at": None,
            "started_at": None,
            "enqueued_at": None,
            "progressed_at": Now(),
            "decided": decided,
        }
    if evidence:
        matching.prepare(dataset.owner_id, evidence)
    with transaction.atomic():
        taken = over.update(**changes) and not in_use(dataset)
        if not taken:
            transaction.set_rollback(True)
        elif evidence:
            over.update(source_file=_registered(dataset, evidence, changes["content_digest"]))
        elif changes["state"] == State.QUEUED:
            queue.submit_on_commit(dataset, dataset.owner)
        if taken and before and changes["state"] == State.READY:
            removals.request(str(dataset.folder / before))
    if not taken:
        if "points_file" in changes:
            (dataset.folder / changes["points_file"]).unlink()
        raise _being_used()
    dataset.refresh_from_db()
    return dataset


@computed
def preview_upload(*, dataset: Dataset, options: Mapping[str, Any], kind: str | None = None) -> Preview:
    """How the kept upload would be read with ``options``, by its first rows; nothing is written.

    Without ``kind`` it is of the kind that was requested; "" detects the kind. With the options of the dataset the
    report is that of the whole file.

    Raises
    ------
    Conflict
        The upload is gone.
    EngineError
        An option is wrong, or no table can be made out.
    """
    chosen = _checked(options)
    _refuse_without_upload(dataset)
    kind = dataset.requested_kind if kind is None else kind
    _check_kind(kind)
    same = (chosen, kind) == (dataset.options, dataset.requested_kind)
    preview = execution.preview(
        dataset.original_path,
        name=dataset.file_name,
        options=chosen,
        kind=execution.kind_of_reading(dataset) if same else kind,
        decided=dataset.decided if same else {},
    )
    if not (same and dataset.report and dataset.state == State.READY):
        return preview
    return replace(preview, report=dataset.report | {"guesses": dataset.decisions.guesses}, whole=True)


@transaction.atomic
def retry_import(*, dataset: Dataset) -> Dataset:
    """Read the kept upload, or make a derived dataset, again in the same way, after that failed or was cancelled.

    Raises
    ------
    Conflict
        The upload is gone.
    job_models.NotRetryable
        It neither failed nor was cancelled.
    """
    if not dataset.derived:
        _refuse_without_upload(dataset)
    return queue.retried(dataset)


def in_use(dataset: Dataset) -> bool:
    """Whether landmark sets, releases or open jobs stand on its events, so that they cannot be read again."""
    counting = dataset.counted_datasets.filter(state__in=OPEN)
    trying = dataset.experiments.filter(state__in=OPEN)  # an experiment that is over has its own digest
    return dataset.landmark_sets.exists() or dataset.releases.exists() or trying.exists() or counting.exists()


def _being_used() -> Conflict:
    return Conflict(
        "Landmark sets, releases or a running experiment use these points, or they are being read now. Delete them to "
        "read the file in another way. What was spent stays spent: the budget belongs to the uploaded file, and every "
        "dataset made from it shares it, however it is read or cleaned.",
        field="state",
        rule="no landmark sets, no releases, no running experiment, not being read",
    )


def _refuse_reread(dataset: Dataset) -> None:
    if dataset.open or in_use(dataset):
        raise _being_used()
    _refuse_without_upload(dataset)


def _refuse_without_upload(dataset: Dataset) -> None:
    if dataset.derived:
        message = "This dataset was made of another one; it has no file. Make it of that one again in another way."
        raise Conflict(message, field="file", rule="kept upload")
    if not dataset.original_path.exists():
        raise Conflict("The upload of this dataset is gone. Upload the file again.", field="file", rule="kept upload")


@transaction.atomic
def set_budget(
    *, dataset: Dataset, epsilon: float | None, radius_m: float | None = None, unit: str | None = None
) -> Budget:
    """What all releases of this lineage together may leak: level ``epsilon`` (within ``radius_m``); None: anything.

    ``unit`` is by default the usual of the kind of data.

    Raises
    ------
    ParameterErrors
        A number outside its domain.
    Conflict
        More than that has been spent already, or the dataset has no points yet.
    """
    if dataset.state != State.READY:
        raise Conflict("The dataset is not ready.", field="state", rule="ready", value=dataset.state)
    total, unit = None, unit or dataset.units[0]
    if epsilon is not None or radius_m is not None:
        described = {"epsilon": epsilon, "radius_m": radius_m} if unit == Unit.EVENT_PER_M else {"epsilon": epsilon}
        parsed = ledger.parse_total(dataset, described)
        total = losses.whole(losses.micro(parsed["epsilon"], parsed["radius_m"]))
    budget, per = ledger.locked(dataset, unit), ledger.PER[unit]
    allowed = Budget.objects.filter(Q(spent__lte=total) if total is not None else Q(), pk=budget.pk)
    if not allowed.update(total=total, total_epsilon=epsilon, total_radius_m=radius_m):
        raise Conflict(
            f"ε = {budget.spent / 1e6:g}{per} has been spent already; the budget cannot be less than that.",
            field="budget",
            rule=f"at least {budget.spent / 1e6:g}{per}",
            value=(total or 0) / 1e6,
        )
    budget.refresh_from_db()
    return budget


def delete_dataset(*, dataset: Dataset) -> None:
    """Remove the dataset with its landmark sets, releases and files. What its releases spent is remembered."""
    source_file = dataset.source_file_id
    dataset.delete()
    tombstones.forget_unless_charged(source_file)
