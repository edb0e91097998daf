"""What the sweep does: requeue lost jobs every few seconds; delete what has no owner every minute."""

from __future__ import annotations

import logging
import re
import socket
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection
from django.db.models.functions import Now

from dashboard.account_data import services as account_data
from dashboard.accounts import services as accounts
from dashboard.accounts.models import MapFile, UserSession
from dashboard.attacks.models import Attack
from dashboard.core import beats
from dashboard.core.storage_errors import StorageUnavailable
from dashboard.datasets import resumable
from dashboard.datasets.models import Dataset, Upload
from dashboard.experiments.execution import recover_lost
from dashboard.experiments.models import Experiment
from dashboard.jobs import models as job_models
from dashboard.jobs import reaper
from dashboard.maintenance import file_check, objects, retention
from dashboard.publications.models import Publication
from dashboard.releases.downloads import KEPT
from dashboard.releases.models import Release
from dashboard.storage import integrity, local_files
from dashboard.storage.stored_path import stored_files

logger = logging.getLogger(__name__)

TIDY_EVERY_S = 60.0
LIST_EVERY_S = 3600.0  # a list of all objects of a storage that hosts share costs a request for each thousand
ABANDONED_S = 60.0  # a folder is made in the same breath as its row; without one after this long it has none
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
        """Sweep once, and tidy when it is time; what was done, or None if the database did not answer."""
        if not connection.in_atomic_block:
            close_old_connections()
        local_files.home("run")
        loop_path().touch()
        try:
            done = _added(self._sweep(model) for model in job_models.models_of())
            if not self._lenient:
                recover_lost()
            if time.monotonic() - self._tidied >= TIDY_EVERY_S:
                done |= tidy()
                self._tidied = time.monotonic()
            if time.monotonic() - self._listed >= LIST_EVERY_S:
                done |= objects.remove_orphans()
                self._listed = time.monotonic()
        except (DatabaseError, OSError, StorageUnavailable) as error:
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


def _added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for count in counts:
        for name, n in count.items():
            total[name] = total.get(name, 0) + n
    return total


def tidy() -> dict[str, int]:
    """Clear away expired links, tokens and sessions, abandoned folders and stale files."""
    sessions, _ = UserSession.objects.filter(expire_date__lt=Now()).delete()
    uploads = resumable.forget_expired()
    account_data.forget_expired()
    retention.apply()
    files = list(_abandoned()) + list(_stale()) + list(_strays()) + list(_unneeded())
    for path in files:
        local_files.remove(path)
    gone = [str(path.relative_to(settings.CAIRN_HOME)) for path in files]
    for start in range(0, len(gone), objects.BATCH):
        some = gone[start : start + objects.BATCH]
        integrity.forget(some, folders=some)
    stored_files().maintain()
    return {"expired": accounts.forget_expired() + sessions + uploads, "files": len(files)}


def _strays() -> Iterator[Path]:
    """Pieces of uploads, base maps and copies of published releases without a row."""
    for folder, model in (("uploads", Upload), ("base-maps", MapFile), ("publications", Publication)):
        old = {path.name: path for path in _inside(folder) if _age_s(path) > ABANDONED_S}
        alive = {str(pk) for pk in model._default_manager.in_bulk([pk for pk in map(_uuid, old) if pk])}
        yield from (path for name, path in old.items() if name not in alive)


def _abandoned() -> Iterator[Path]:
    """Folders of datasets, releases, experiments and attacks that are no more."""
    for folder, model in _folders().items():
        old = {path.name: path for path in _inside(folder) if _age_s(path) > ABANDONED_S}
        ids = [pk for pk in map(_uuid, old) if pk]
        alive = {str(pk) for pk in model._default_manager.in_bulk(ids)}
        yield from (path for name, path in old.items() if name not in alive)


def _unneeded() -> Iterator[Path]:
    """Blocks of results on data that no experiment is about any more, and halves of blocks."""
    for owner in _inside("blocks"):
        mine = Experiment.objects.filter(owner=_uuid(owner.name))
        needed = set(mine.values_list("data_digest", flat=True))
        old = {path for path in owner.iterdir() if path.name not in needed and _age_s(path) > ABANDONED_S}
        empty = not needed and _age_s(owner) > ABANDONED_S and old == set(owner.iterdir())
        yield from [owner] if empty else sorted(old)


def _stale() -> Iterator[Path]:
    """Halves of files, whole ones of attempts that published nothing, and stored exports."""
    yield from (path for path in _inside("tmp") if _age_s(path) > STALE_S)
    current = _current_tokens()
    for path in (path for name in _folders() for folder in _inside(name) for path in folder.glob("*")):
        tokens = {found.replace("-", "") for found in _TOKEN.findall(path.name)}
        passing = path.name.endswith(".part") or path.name.startswith(KEPT)
        if (passing or (tokens and not tokens & current)) and _age_s(path) > STALE_S:
            yield path


def _current_tokens() -> set[str]:
    """Tokens of the attempts whose files the rows name."""
    names = [
        *Dataset.objects.exclude(points_file="").values_list("points_file", flat=True),
        *Release.objects.exclude(data_file="").values_list("data_file", flat=True),
        *Attack.objects.exclude(data_file="").values_list("data_file", flat=True),
        *Experiment.objects.exclude(table_sha256="").values_list("table_sha256", flat=True),
    ]
    return {found.replace("-", "") for name in names for found in _TOKEN.findall(name)}


def _folders() -> dict[str, type[job_models.JobStatus]]:
    """The models whose rows have a folder each, by the name of the folder of those folders."""
    return {f"{model._meta.model_name}s": model for model in job_models.listed_models()}


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
