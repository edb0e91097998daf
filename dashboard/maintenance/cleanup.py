"""What the sweep does: requeue lost jobs every few seconds; remove files that no row names every minute."""

import logging
import re
import socket
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.account_data import services as account_data
from dashboard.accounts import services as accounts
from dashboard.accounts.models import UserSession
from dashboard.core import beats
from dashboard.core.storage_errors import StorageUnavailable
from dashboard.datasets import earlier_readings, resumable
from dashboard.datasets.models import Dataset, Reading
from dashboard.experiments.models import Experiment
from dashboard.jobs import models as job_models
from dashboard.jobs import reaper
from dashboard.jobs.models import State, listed_models
from dashboard.maintenance import file_check, objects, orphans
from dashboard.releases.downloads import KEPT
from dashboard.storage import installation, local_files, removals, trash
from dashboard.storage.stored_path import stored_files
from privacy_engine.core import progress

AT_ONCE = 200
"""Rows of a kind in a round of the sweep."""


def apply_retention() -> dict[str, int]:
    """Delete originals (``CAIRN_ORIGINAL_DAYS``) and failed or cancelled jobs (``CAIRN_FAILED_DAYS``); how many."""
    counts = {"originals": 0, "failed": 0}
    if settings.CAIRN_ORIGINAL_DAYS:
        counts["originals"] = _remove_originals(_before(settings.CAIRN_ORIGINAL_DAYS))
    if settings.CAIRN_FAILED_DAYS:
        counts["failed"] = _delete_failed(_before(settings.CAIRN_FAILED_DAYS))
    return counts


def _before(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _remove_originals(before: datetime) -> int:
    """Files of datasets that were read before; points, releases and the ledger stay."""
    old = Dataset.objects.filter(state=State.READY, finished_at__lt=before, original_removed_at=None)
    removed = 0
    for row in old.filter(aggregation__isnull=True, stay_detection__isnull=True)[:AT_ONCE]:
        # the row first: a dataset that is being read again meanwhile is not ready any more
        with transaction.atomic():
            if old.filter(pk=row.pk).update(original_removed_at=timezone.now()):
                removals.request(str(row.original_path))
                removed += 1
    return removed


def _delete_failed(before: datetime) -> int:
    """Rows of every kind of job; what they were charged stays charged, and their files go with them."""
    deleted = 0
    for model in listed_models():
        old = model._default_manager.filter(state__in=[State.FAILED, State.CANCELLED], finished_at__lt=before)
        for row in old[:AT_ONCE]:
            row.delete()
            deleted += 1
    return deleted


logger = logging.getLogger(__name__)

TIDY_EVERY_S = 60.0
LIST_EVERY_S = 3600.0  # a list of all objects of a storage that hosts share costs a request for each thousand
ABANDONED_S = 60.0  # a folder is made in the same breath as its row; without a row after this long it has none
STALE_S = 3600.0  # twice the longest job: no worker writes to this file any more
_TOKEN = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")


def last_sweep_s() -> float | None:
    """Seconds since the last sweep on any host; None where there was none in the last hour, or the broker is away."""
    return next((beat.age_s for beat in beats.latest("sweep")), None)


def loop_path() -> Path:
    """The file whose age is that of the last turn of this host's loop, whether database and broker answered or not."""
    return Path(settings.CAIRN_HOME, "run", "sweep.loop")


class Cleanup:
    """One sweep after another; a database that is away is tried again at the next.

    After it was away no lease is taken as expired for as long as a lease lasts: living workers extend theirs first.
    """

    def __init__(self) -> None:
        self._tidied = -TIDY_EVERY_S
        self._listed = -LIST_EVERY_S
        self._lenient_until = 0.0
        self._files = file_check.PacedCheck()

    def round(self) -> dict[str, int] | None:
        """Sweep once, and tidy when it is time; what was done, or None if the database did not answer.

        Raises
        ------
        installation.Refused
            Database and files do not belong together (any more). Nothing was done.
        """
        if not connection.in_atomic_block:
            close_old_connections()
        local_files.home("run")
        loop_path().touch()
        tidies = time.monotonic() - self._tidied >= TIDY_EVERY_S
        try:
            lists = tidies and time.monotonic() - self._listed >= LIST_EVERY_S and stored_files().answers()
            if tidies:
                installation.require(whole=lists)
            done = _added(self._sweep(model) for model in job_models.models_of())
            with progress.listening(loop_path().touch):
                if not tidies:
                    removals.finish()
                else:
                    done |= tidy(list_objects=lists)
                    self._tidied = time.monotonic()
                    if lists:
                        self._listed = time.monotonic()
        except (DatabaseError, OSError, StorageUnavailable, installation.Unanswered) as error:
            logger.warning("sweep missed: %s", type(error).__name__)
            self._lenient_until = time.monotonic() + settings.CAIRN_LEASE_S
            return None
        beats.record("sweep", socket.gethostname())
        self._files.go_on()
        return done

    @property
    def _lenient(self) -> bool:
        return time.monotonic() < self._lenient_until

    def _sweep(self, model: type[job_models.Job]) -> dict[str, int]:
        return {"enqueued": reaper.resend(model)} if self._lenient else reaper.sweep(model)


def sweep_until(stop: threading.Event) -> None:
    """Sweep every CAIRN_SWEEP_S seconds; errors of :meth:`Cleanup.round`."""
    cleanup = Cleanup()
    while not stop.is_set():
        cleanup.round()
        stop.wait(settings.CAIRN_SWEEP_S)


def _added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for count in counts:
        for name, n in count.items():
            total[name] = total.get(name, 0) + n
    return total


def tidy(*, list_objects: bool = False) -> dict[str, int]:
    """Clear away expired links, tokens and sessions, and files without a row; with ``list_objects`` shared ones too."""
    sessions, _ = UserSession.objects.filter(expire_date__lt=Now()).delete()
    uploads = resumable.forget_expired()
    account_data.forget_expired()
    apply_retention()
    earlier_readings.request_next()
    removals.finish()
    removals.conclude()
    done = orphans.remove(
        local=[*_abandoned(), *_stale(), *_unneeded()],
        stored=objects.orphans() if list_objects else (),
        most=0 if installation.is_older_copy() else orphans.MOST,
    )
    if list_objects or not stored_files().shared:  # else objects that an older copy does not know are not listed yet
        installation.record_sweep()
    for path in (temporary := list(_temporary())):
        local_files.remove(path)
    trash.purge(shared=list_objects)
    stored_files().maintain()
    if list_objects:
        done["objects"] += stored_files().abort_forgotten()
    return done | {"expired": accounts.forget_expired() + sessions + uploads, "files": done["files"] + len(temporary)}


def _abandoned() -> Iterator[Path]:
    """Files and folders of rows that are no more: of datasets, releases, uploads, base maps and so on."""
    for folder, model in removals.folders().items():
        if folder == "blocks":  # which are those of experiments: _unneeded()
            continue
        old = {path.name: path for path in _inside(folder) if _age_s(path) > ABANDONED_S}
        alive = installation.known_ids(model, old)
        yield from (path for name, path in old.items() if name not in alive)


def _unneeded() -> Iterator[Path]:
    """Blocks of results on data that no experiment is about any more, and halves of blocks."""
    for owner in _inside("blocks"):
        mine = Experiment.objects.filter(owner=_uuid(owner.name))
        needed = set(mine.values_list("data_digest", flat=True))
        old = {path for path in owner.iterdir() if path.name not in needed and _age_s(path) > ABANDONED_S}
        empty = not needed and _age_s(owner) > ABANDONED_S and old == set(owner.iterdir())
        yield from [owner] if empty else sorted(old)


def _temporary() -> Iterator[Path]:
    """Halves of files and stored exports, by their names alone, whatever the database names."""
    yield from (path for path in _inside("tmp") if _age_s(path) > STALE_S)
    yield from (path for path in _of_rows() if _is_temporary(path.name) and _age_s(path) > STALE_S)


def _stale() -> Iterator[Path]:
    """Whole files of attempts that published nothing."""
    current = _current_tokens()
    for path in (path for path in _of_rows() if not _is_temporary(path.name)):
        tokens = {token.replace("-", "") for token in _TOKEN.findall(path.name)}
        if tokens and not tokens & current and _age_s(path) > STALE_S:
            yield path


def _is_temporary(name: str) -> bool:
    return name.endswith(".part") or name.startswith(KEPT)


def _of_rows() -> Iterator[Path]:
    """The files in folders of rows that are jobs, and of readings."""
    for model in (*job_models.listed_models(), Reading):
        if folder := getattr(model, "STORED_IN", ""):
            yield from (path for inner in _inside(folder) for path in inner.glob("*"))


def _current_tokens() -> set[str]:
    """Tokens of the attempts whose files the rows name."""
    columns = [(model, model.FILE_COLUMN) for model in removals.folders().values() if hasattr(model, "FILE_COLUMN")]
    columns += [(Reading, "labels_file"), (Experiment, "table_sha256")]
    names = (name for model, of in columns for name in model.objects.exclude(**{of: ""}).values_list(of, flat=True))
    return {token.replace("-", "") for name in names for token in _TOKEN.findall(name)}


def _inside(name: str) -> list[Path]:
    folder = Path(settings.CAIRN_HOME, name)
    return list(folder.iterdir()) if folder.is_dir() else []


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def _uuid(name: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(name)
    except ValueError:
        return None
