"""Files that are removed on request: of an owner, an expiry, retention, the end of an account.

A row names them in the transaction of the request: what a process that is killed afterwards leaves undone, the sweep
does. They are removed for good, from the trash too. A model whose rows have files states the folder that those
are in, as ``STORED_IN``; what goes with a row is ``STORED_IN/pk``, or what its ``removed_with()`` lists.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from functools import partial
from typing import Any

from django.apps import apps
from django.db import DatabaseError, models, transaction
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.core.storage_errors import StorageUnavailable
from dashboard.storage import integrity, trash
from dashboard.storage.models import Removal
from dashboard.storage.stored_path import stored_files
from privacy_engine.core import progress

logger = logging.getLogger(__name__)

REMEMBERED = timedelta(hours=1)
"""Twice the longest job: until then a worker that began before may write another of these files."""
AT_ONCE = 50
"""Requests that are done at a time: a storage on another host takes a tenth of a second for each."""
REMOVERS: dict[str, Callable[[str], None]] = {}
"""How what lies in a folder is removed, where its rows share files."""
_later: ContextVar[bool] = ContextVar("removals_later", default=False)


def folders() -> dict[str, type[models.Model]]:
    """The models whose rows have files, by the folder that those are in."""
    return {model.STORED_IN: model for model in apps.get_models() if hasattr(model, "STORED_IN")}


def request(*keys: str) -> None:
    """Remove these files once the transaction is committed; errors leave them to the sweep."""
    for row in Removal.objects.bulk_create(Removal(key=key) for key in keys):
        if not _later.get():
            transaction.on_commit(partial(_finish, row))


@contextmanager
def left_to_the_sweep() -> Iterator[None]:
    """Let the sweep remove what is requested in this block: there may be too many files for a single request."""
    token = _later.set(True)
    try:
        yield
    finally:
        _later.reset(token)


def request_with_row(instance: Any, **_: Any) -> None:
    """Handle ``post_delete``: request the files of a row, whatever it was deleted with."""
    listed = getattr(instance, "removed_with", None)
    request(*(listed() if listed else [f"{instance.STORED_IN}/{instance.pk}"]))


def finish() -> int:
    """Remove what is still to be removed, oldest first; how many requests are done now."""
    return sum(map(_finish, Removal.objects.filter(done_at=None).order_by("requested_at")[:AT_ONCE]))


def conclude() -> None:
    """Remove a last time what was requested an hour ago, and forget the requests."""
    old = Removal.objects.filter(done_at__isnull=False, requested_at__lt=timezone.now() - REMEMBERED)
    for row in old[:AT_ONCE]:
        if _finish(row):
            row.delete()


def requested(names: Iterable[str]) -> set[str]:
    """Those of the files or folders whose removal was requested."""
    names, keys = list(names), set(Removal.objects.values_list("key", flat=True)) if names else set()
    beginnings = tuple(key for key in keys if key.endswith("-"))
    return {name for name in names if name.startswith(beginnings) or not keys.isdisjoint(_with_parents(name))}


def _with_parents(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition("/")[0]


def _finish(row: Removal) -> bool:
    progress.advance()
    try:
        REMOVERS.get(row.key.partition("/")[0], remove)(row.key)
        Removal.objects.filter(pk=row.pk).update(done_at=Now())
    except (StorageUnavailable, OSError, DatabaseError) as error:
        logger.warning("removing files is left to the sweep: %s", type(error).__name__)
        return False
    return True


def remove(key: str) -> None:
    """Remove a file or a folder, or all files of a folder whose names begin so, from the trash too."""
    files, names = stored_files(), [key]
    for place in (key, *trash.places_of(key)):
        if place.endswith("-"):
            for file in list(files.listed(place)):
                files.remove(file.name)
                names.append(file.name)
        else:
            files.remove_folder(place)
            files.remove(place)
    integrity.forget(names, folders=[key])
    folder = key.rpartition("/")[0]
    if "/" in folder:  # those of rows alone: the folders of those stay
        files.remove_empty(folder)
