"""The trail of access: who read originals and downloaded files, when, by which session, token or link.

A view states what it records (``records`` of dashboard/core/rest/views.py); this middleware writes the entry once the
response is there and before it is sent. A database that is busy fails no read: the entry waits in memory, is written
with the next, and its ids are in the log. See docs/explanation/security.md.
"""

import logging
import threading
import time
from collections import deque
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError
from django.http.response import HttpResponseBase

from dashboard.accounts.models import Access, AccessEntry, ApiToken
from dashboard.core.rest.views import Accessed

logger = logging.getLogger(__name__)

REPEAT_S = 600.0
"""In this time, repeated reads of an original by the same session or token and operation are an entry of a process."""
MOST = 10_000
_waiting: deque[AccessEntry] = deque(maxlen=MOST)
_recent: dict[tuple[Any, ...], float] = {}
_lock = threading.Lock()


def record(request: Any, response: HttpResponseBase) -> None:
    """Record what a response has that succeeded."""
    accessed: Accessed = request.accessed
    if response.status_code in (200, 206):
        entries = [_entry(request, accessed, row) for row in accessed.rows]
        write([entry for entry in entries if entry.access == Access.DOWNLOAD or _is_new(entry)])


def _entry(request: Any, accessed: Accessed, row: Any) -> AccessEntry:
    user = accessed.user
    return AccessEntry(
        owner_id=getattr(row, "owner_id", None) or row.dataset.owner_id,
        user=user,
        user_name="" if user is None else user.get_username(),
        access=accessed.access,
        operation=request.resolver_match.view_name.removeprefix("api:")[:60],
        subject=row._meta.model_name,
        subject_id=row.pk,
        subject_name=str(row)[:200],
        **_means(request, accessed, row),
    )


def _means(request: Any, accessed: Accessed, row: Any) -> dict[str, str]:
    if isinstance(accessed.auth, ApiToken):
        token = accessed.auth
        return {"means": "token", "means_id": token.token_key, "means_name": token.name}
    if accessed.user is None:
        return {"means": "link", "means_id": str(row.pk)}
    return {"means": "session", "means_id": str(request.session.row_id or ""), "means_name": request.session.browser}


def _is_new(entry: AccessEntry) -> bool:
    key = (entry.user_id, entry.means_id, entry.operation, entry.subject_id)
    now = time.monotonic()
    with _lock:
        if len(_recent) >= MOST:
            _recent.clear()
        known = _recent.get(key)
        if known is not None and now - known < REPEAT_S:
            return False
        _recent[key] = now
        return True


def write(entries: list[AccessEntry]) -> None:
    """Store entries in a single INSERT, with those that could not be stored before."""
    if not entries:
        return
    with _lock:
        due = [*_waiting, *entries]
        _waiting.clear()
    try:
        AccessEntry.objects.bulk_create(due)
    except (OperationalError, InterfaceError) as error:  # busy or away
        for entry in due[-len(entries) :]:
            logger.warning("access is recorded later (%s): %s", type(error).__name__, _line(entry))
        with _lock:
            _waiting.extend(due)
    except DatabaseError:  # the account of an entry was deleted meanwhile
        for entry in due:
            _write_alone(entry)


def _write_alone(entry: AccessEntry) -> None:
    try:
        entry.save(force_insert=True)
    except DatabaseError as error:
        logger.warning("access is not recorded (%s): %s", type(error).__name__, _line(entry))


def _line(entry: AccessEntry) -> str:
    """Ids and codes: no name of a file or a person."""
    who = f"user {entry.user_id} by {entry.means} {entry.means_id}"
    return f"{entry.operation} of {entry.subject} {entry.subject_id}, {who}, at {entry.created_at:%Y-%m-%dT%H:%M:%SZ}"


def forget_in_memory() -> None:
    """Start afresh, as a new process does."""
    with _lock:
        _waiting.clear()
        _recent.clear()
