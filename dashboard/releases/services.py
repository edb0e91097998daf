"""Writes of the releases app: submit, derive, cancel, retry, discard."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction

from dashboard.core.errors import Conflict, require_state
from dashboard.core.idempotency import check_key, earlier_row, once
from dashboard.core.text import one_line
from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset, Unit, kind_text
from dashboard.datasets.people import people_of
from dashboard.datasets.selectors import has_venues, require_releasable
from dashboard.jobs import queue
from dashboard.jobs.models import State
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import lock_dataset
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.releases.common.drawing import drawings
from dashboard.releases.models import Release
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError
from privacy_engine.mechanisms.base.mechanism import Mechanism
from privacy_engine.postprocess import PostProcess
from privacy_engine.releases.spec import ReleaseSpec


def submit_release(
    *,
    owner: Any,
    dataset: Dataset,
    landmark_set: LandmarkSet | None = None,
    spec: ReleaseSpec,
    name: str = "",
    idempotency_key: str = "",
) -> Release:
    """Reserve what the release will leak, keep its description, and enqueue it once both are committed.

    A seeded release leaks nothing that may be published and is charged nothing. With an ``idempotency_key`` the
    same request may be sent any number of times for a single release and charge. ``owner`` is the user who submits
    it; the release belongs to whom the dataset belongs to, and so does the charge.

    Raises
    ------
    Conflict
        The dataset is not ready, the budget does not suffice, the key was used for another request, or a publishable
        release is to be over dummies that a seed drew.
    ParameterError
        The mechanism is for another kind of data or a smaller sensitivity than the counts', or none can release these
        data; a landmark set is missing that the mechanism reads, not wanted or another dataset's; or the key is not
        1 to 100 visible ASCII characters.
    """
    require_role(owner, dataset, Role.EDITOR)
    check_key(idempotency_key)
    _check_kind(dataset, spec)
    spec = spec.model_copy(update={"mechanism": spec.mechanism.for_counts(dataset.counted, dataset.tree)})
    if dataset.state == State.READY:
        require_releasable(dataset)
    if landmark_set is None:
        require_landmarks([spec.mechanism])
    require_set_of(dataset, landmark_set)
    subject = {"owner_id": dataset.owner_id, "dataset": dataset, "landmark_set": landmark_set}
    fresh = _described(spec, name=name, idempotency_key=idempotency_key, **subject)
    _check_dummies(fresh)
    return _once(fresh, dataset, spec.mechanism)


def derive_release(
    *, source: Release, steps: Sequence[PostProcess], name: str = "", idempotency_key: str = ""
) -> Release:
    """A new release out of a finished release: ``steps`` read what that published, so nothing more is charged.

    It carries the same guarantee; it stays when its source is discarded. Idempotency as in :func:`submit_release`.

    Raises
    ------
    Conflict
        The source is not done, or the key was used for another request.
    ParameterError
        There is no step, they are too many together, or the key is no key.
    """
    check_key(idempotency_key)
    if not steps:
        rule = "at least 1 step"
        raise ParameterError(f"postprocess must have {rule}", field="postprocess", rule=rule, value=[])
    require_state(source, State.DONE, "release")
    spec = source.parsed_spec.then(steps)
    _check_kind(source.dataset, spec)
    same = {field: getattr(source, field) for field in ("owner_id", "dataset", "landmark_set")}
    fresh = _described(spec, name=name, idempotency_key=idempotency_key, **same)
    fresh.derived_from = source
    fresh.source = {"release": str(source.pk), "sha256": source.data_sha256}
    return _once(fresh, source.dataset, spec.mechanism)


def _described(spec: ReleaseSpec, *, name: str, **columns: Any) -> Release:
    return Release(
        name=one_line(name),
        spec=spec.model_dump(),
        spec_digest=spec.digest,
        kind=spec.mechanism.kind,
        mechanism=spec.mechanism.name,
        seeded=not spec.private,
        **columns,
    )


def _once(fresh: Release, dataset: Dataset, mechanism: Mechanism) -> Release:
    """The row, written unless the same request wrote it before."""
    return once(partial(earlier_row, fresh, _request), partial(_create, fresh, dataset, mechanism))[0]


def _check_kind(dataset: Dataset, spec: ReleaseSpec) -> None:
    for i, step in enumerate(spec.postprocess):
        if step.kind != dataset.kind:
            rule = f"a step for {kind_text(dataset.kind)}"
            field = f"postprocess.{i}.name"
            raise ParameterError(f"{field} must be {rule}, got {step.name}", field=field, rule=rule, value=step.name)
    require_mechanism(dataset, spec.mechanism)


def require_mechanism(dataset: Dataset, mechanism: Mechanism) -> None:
    """Refuse a mechanism for another kind of data, or for what these data are not, with a ParameterError."""
    if mechanism.kind != dataset.kind:
        rule = f"a mechanism for {kind_text(dataset.kind)}"
        name = mechanism.name
        raise ParameterError(f"mechanism must be {rule}, got {name}", field="mechanism.name", rule=rule, value=name)
    if mechanism.needs_venues and not has_venues(dataset):
        rule = "one that needs no list of venues: these check-ins came without one"
        message = f"mechanism must be {rule}, got {mechanism.name}"
        raise ParameterError(message, field="mechanism.name", rule=rule, value=mechanism.name)
    most = mechanism.most_events or dataset.points
    if dataset.points > most and (largest := max(map(len, people_of(dataset)))) > most:
        rule = f"one for more than {most:,} events of a person, of whom one has {largest:,}"
        message = f"mechanism must be {rule}, got {mechanism.name}"
        raise ParameterError(message, field="mechanism.name", rule=rule, value=mechanism.name)
    level = mechanism.protected_level()
    if dataset.stay_detection is not None and level != Unit.USER:
        rule = "user: one event of the trajectories can change any number of stays"
        raise ParameterError(
            f"privacy_unit must be {rule}, got {level}", field="mechanism.privacy_unit", rule=rule, value=level
        )


def require_set_of(dataset: Dataset, landmark_set: LandmarkSet | None) -> None:
    """Refuse the landmark set of another dataset, with a ParameterError."""
    if landmark_set is None or landmark_set.dataset_id == dataset.pk:
        return
    marked = datatypes[dataset.kind].has_landmarks
    rule = "a landmark set of this dataset" if marked else "left out: only releases of trajectories have one"
    raise ParameterError(f"landmark_set must be {rule}", field="landmark_set", rule=rule, value=str(landmark_set.pk))


def require_landmarks(mechanisms: Sequence[Mechanism]) -> None:
    """Refuse mechanisms that read landmarks, where there is no landmark set, with a ParameterError."""
    if names := [mechanism.name for mechanism in mechanisms if mechanism.reads_landmarks]:
        rule = f"a landmark set of this dataset: {', '.join(names)} {'reads' if len(names) == 1 else 'read'} landmarks"
        raise ParameterError(f"landmark_set must be {rule}", field="landmark_set", rule=rule, value=None)


def _check_dummies(release: Release) -> None:
    """Refuse a publishable release that reads dummies a seed drew: whoever tries seeds finds the landmarks."""
    read = release.set_read if release.charged else None
    if read is None or read.selection is None or read.selection["private"]:
        return
    raise Conflict(
        "The dummies of this landmark set were drawn from a seed: whoever tries seeds can take them away and is left "
        "with the landmarks. Draw the dummies again without a seed, or run a simulation with a seed of its own.",
        field="landmark_set",
        rule="dummies drawn without a seed, in a release without a seed",
        value=str(read.pk),
    )


def _request(release: Release) -> tuple[Any, ...]:
    return release.dataset_id, release.landmark_set_id, release.spec_digest, release.source


@transaction.atomic
def _create(fresh: Release, dataset: Dataset, mechanism: Mechanism) -> Release:
    require_state(lock_dataset(dataset), State.READY, "dataset")
    if fresh.landmark_set_id and not LandmarkSet.objects.filter(pk=fresh.landmark_set_id).exists():
        raise Conflict("The landmark set was deleted meanwhile.", field="landmark_set", rule="still there")
    if fresh.source:
        lock_finished_release(fresh.derived_from_id)
    if fresh.charged:
        context = drawings[fresh.kind].charged_context(fresh)
        ledger.reserve(dataset=dataset, release_id=fresh.pk, mechanism=mechanism, context=context)
    fresh.save(force_insert=True)
    queue.submit_on_commit(fresh, fresh.owner)
    return fresh


def lock_finished_release(pk: Any) -> None:
    """Lock the row of a finished release until the transaction ends: it is not discarded meanwhile.

    Raises
    ------
    Conflict
        It is discarded, or not finished.
    """
    held = Release.objects.select_for_update().filter(pk=pk).first()
    if held is None:
        raise Conflict("The release is discarded.", field="release", rule=str(State.DONE))
    require_state(held, State.DONE, "release")


@transaction.atomic
def cancel_release(*, release: Release) -> None:
    """Stop a release: at once if it waits, within a lease if it runs.

    Its charge is given back only if no worker ever claimed it: then the data were never read.

    Raises
    ------
    job_models.NotOpen
        It is over already.
    """
    queue.request_cancel(release)
    release.refresh_from_db()
    if release.state == State.CANCELLED and not release.claimed and release.charged:
        ledger.refund(release_id=release.pk)


@transaction.atomic
def retry_release(*, release: Release) -> Release:
    """Try a release again that failed or was cancelled: the same release, on the charge it has.

    Noise that an earlier attempt may have drawn was never stored or shown, so drawing afresh leaks nothing more, and
    of all attempts at most a single is published. Where the charge was given back (cancelled before any worker had it)
    the row cannot be charged twice: it is left, and a new release of the same description is charged and returned.

    Raises
    ------
    Conflict
        The dataset or the release it is made from is gone, or the budget does not suffice for the new release.
    job_models.NotRetryable
        It neither failed nor was cancelled.
    """
    require_state(lock_dataset(release.dataset), State.READY, "dataset")
    if release.source and release.derived_from is None:
        rule = "a release whose source is there"
        raise Conflict("The release it was made from is discarded.", field="derived_from", rule=rule)
    release.refresh_from_db()
    _check_dummies(release)
    if release.charged and not release.claimed and release.state == State.CANCELLED:
        return _submit_again(release)
    return queue.retried(release)


def _submit_again(release: Release) -> Release:
    same = {field: getattr(release, field) for field in ("owner", "dataset", "landmark_set", "name")}
    return submit_release(spec=release.parsed_spec, **same)


@transaction.atomic
def discard_release(*, release: Release) -> None:
    """Forget a release and its files. What it leaked stays charged, unless no worker ever claimed it.

    Releases made from it stay, and name it still; those that are not yet made will fail.
    """
    held = Release.objects.select_for_update().get(pk=release.pk)
    if not held.claimed and held.state == State.QUEUED:
        cancel_release(release=held)
    held.delete()
