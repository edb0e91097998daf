"""Writes of the attacks app: submit, cancel, retry, delete."""

import hashlib
import json
import uuid
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from dashboard.attacks import execution, files
from dashboard.attacks.models import Attack
from dashboard.core.computing import computed
from dashboard.core.errors import Conflict, must_be, require_state
from dashboard.core.idempotency import once
from dashboard.datasets.models import Kind
from dashboard.datasets.selectors import require_kind
from dashboard.jobs import queue
from dashboard.jobs.models import State
from dashboard.landmarks.selectors import series_bounds
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.releases.files import people_of_release
from dashboard.releases.models import Release
from dashboard.releases.services import lock_finished_release
from privacy_engine.attacks import Attack as Description
from privacy_engine.experiments import AT_ONCE_S


def visible_attacks(user: Any) -> QuerySet[Attack]:
    """Those that the user may read, newest first."""
    return Attack.objects.visible_to(user).select_related("release__dataset")


MOST_S = 1200.0  # well below the limit of a job
SMALL = 20_000  # events that a request may read


def submit_attack(
    *, owner: Any, release: Release, attack: Description, series: int | None = None
) -> tuple[Attack, bool]:
    """Attack a finished release: now if it is small, else by a worker. The row, and whether it is new.

    An equal attack on the same release returns the existing row; if that failed or was cancelled it
    is tried again. ``series`` counts from 0, the first where none is named; attacks on all series take none.

    Raises
    ------
    Conflict
        The release is not done, or not of the sort that the attack can read.
    ParameterError
        There is no such series, or the work is too much for a job.
    EngineError
        Where it is run now: what the points lack.
    """
    require_role(owner, release, Role.EDITOR)
    require_state(release, State.DONE, "release")
    require_kind(release.dataset, Kind.TRAJECTORY)
    _must_be_readable(release, attack)
    lengths = release.dataset.series_lengths
    series = _series(lengths, attack, series)
    seconds = attack.seconds_once(_events(release, series))
    if seconds > MOST_S:
        rule = f"such that it takes at most {MOST_S / 60:g} minutes"
        raise must_be("attack", rule, attack.name, got=f"about {seconds / 60:,.0f}")
    fresh = Attack(
        owner_id=release.owner_id,
        release=release,
        attack=attack.model_dump(),
        series=series,
        digest=_digest(attack, series),
        work_s=seconds,
    )
    create = _run_now if seconds < AT_ONCE_S and sum(lengths) <= SMALL else _submit
    return once(partial(_earlier, fresh), partial(create, fresh))


def _events(release: Release, series: int | None) -> list[int]:
    """How many events each person has whose release is attacked: all, or the person whose ``series`` it is."""
    return [len(person) for person in people_of_release(release) if series is None or series in person.members]


def _digest(attack: Description, series: int | None) -> str:
    """Equal attacks have equal ones, however their numbers and the order of their fields were written."""
    text = json.dumps({"attack": attack.model_dump(), "series": series}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _must_be_readable(release: Release, attack: Description) -> None:
    what = f"{attack.title} on this release"
    if attack.reads_draws and release.spec.get("postprocess"):
        rule = "a release without post-processing steps"
        advice = f"{attack.title} reads the sampled noise: attack the release that this one was derived from."
        raise Conflict(advice, field="release", rule=rule, value=release.title)
    if attack.needs_time and not release.dataset.has_time:
        rule = "a release with times"
        raise Conflict(f"{what} needs times, and there are none.", field="release", rule=rule, value=release.title)
    if attack.population and len(people_of_release(release)) < 2:
        rule = "a release of at least 2 people"
        raise Conflict(f"{what} needs the series of several people.", field="release", rule=rule, value=release.title)


def _series(lengths: list[int], attack: Description, series: int | None) -> int | None:
    if not attack.population:
        series_bounds(lengths, series or 0)
        return series or 0
    if series is not None:
        raise must_be("series", "left out: the attack reads all series", series, got=False)
    return None


def _earlier(fresh: Attack) -> Attack | None:
    attack = Attack.objects.filter(release=fresh.release, digest=fresh.digest).first()
    if attack is not None and attack.state in (State.FAILED, State.CANCELLED):
        return retry_attack(attack=attack)
    return attack


@computed
def _run_now(row: Attack) -> Attack:
    try:
        for column, value in execution.attacked(row, uuid.uuid4(), lambda *_: None).items():
            setattr(row, column, value)
        row.state, row.progress = State.DONE, 1.0
        row.started_at = row.finished_at = Now()
        with transaction.atomic():
            lock_finished_release(row.release_id)
            row.save(force_insert=True)
    except BaseException:
        files.forget(row)
        raise
    row.refresh_from_db()
    return row


@transaction.atomic
def _submit(row: Attack) -> Attack:
    lock_finished_release(row.release_id)
    row.save(force_insert=True)
    queue.submit_on_commit(row, row.owner)
    return row


@transaction.atomic
def retry_attack(*, attack: Attack) -> Attack:
    """Try an attack again that failed or was cancelled.

    Raises
    ------
    job_models.NotRetryable
        It neither failed nor was cancelled.
    """
    lock_finished_release(attack.release_id)
    return queue.retried(attack)
