"""Responses that last: downloads and streams end within seconds once what permitted them has ended.

That is the session or the token of the request, the user, the user's role for the rows that are read, or the public
link. Middleware guards every response that is streamed; a thread of the process looks for all of them, as some
web servers read files in the thread that serves all connections. See docs/explanation/security.md.
"""

import errno
import logging
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from django.db import DatabaseError, InterfaceError, connections
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest

from dashboard.accounts.models import ApiToken, User, UserSession

logger = logging.getLogger(__name__)
LOOK_S = 2.0
"""How often it is looked for what permits the responses that are being sent."""
BLOCK = 65_536
"""Bytes that are read of a file at a time; Django's 4096 are slow."""


def _permit(request: Any) -> QuerySet[Any]:
    """One row as long as the session or token that ``request`` came with is valid and its user active, then none."""
    user, auth = request.user, getattr(request, "auth", None)
    if isinstance(auth, ApiToken):
        unexpired = Q(expiry__isnull=True) | Q(expiry__gt=Now())
        return ApiToken.objects.filter(unexpired, pk=auth.pk, user__is_active=True)
    key = getattr(getattr(request, "session", None), "session_key", None)
    if key is None:
        return User.objects.filter(pk=user.pk, is_active=True)
    rows = UserSession.objects.filter(session_key=key, user=user.pk, user__is_active=True)
    return rows.filter(expire_date__gt=Now())


class Ended(ConnectionResetError):
    """Closes the connection, so that the client does not take what it has for the whole; web servers log no trace."""

    def __init__(self) -> None:
        super().__init__(errno.ECONNRESET, "what permitted this response has ended")


class Guard:
    """What permits a response that is being sent."""

    def __init__(self, request: Any) -> None:
        self._user = request.user if request.user.is_authenticated else None
        self._permit = None if self._user is None else _permit(request)
        accessed = getattr(request, "accessed", None)
        self._rows = list(getattr(request, "read_rows", None) or (accessed.rows if accessed else ()))
        self.ended = False

    def look(self) -> None:
        """Set ``ended`` if something of it has ended; what is deleted meanwhile is sent to its end."""
        if self._permit is not None and not self._permit.all().exists():
            self.ended = True
        for model in {type(row) for row in self._rows}:
            keys = {row.pk for row in self._rows if type(row) is model}
            rows = model._default_manager.filter(pk__in=keys).order_by()
            there = set(rows.values_list("pk", flat=True))
            if self._user is None:
                self.ended |= there != keys  # a public link that was revoked
            elif there and hasattr(rows, "visible_to"):
                self.ended |= there > set(rows.visible_to(self._user).values_list("pk", flat=True))

    def chunks(self, content: Iterable[bytes]) -> Iterator[bytes]:
        """The content, until ``ended``."""
        for chunk in content:
            if self.ended:
                raise Ended
            yield chunk


class GuardedFile:
    """A file that cannot be read once its guard has ended. It has no descriptor, which a web server would send by."""

    def __init__(self, file: Any, guard: Guard) -> None:
        self._file, self._guard = file, guard
        for name in ("seek", "tell", "seekable"):
            with suppress(AttributeError):
                setattr(self, name, getattr(file, name))
        self.close = file.close

    def read(self, size: int = -1) -> Any:
        """As the file's."""
        if self._guard.ended:
            raise Ended
        return self._file.read(size)


class _Watcher:
    """The guards of this process, and the thread that checks them while there are any."""

    def __init__(self) -> None:
        self._guards: WeakSet[Guard] = WeakSet()
        self._lock = threading.Lock()
        self._running = False

    def add(self, guard: Guard) -> None:
        with self._lock:
            self._guards.add(guard)
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="lasting responses", daemon=True).start()

    def remove(self, guard: Guard) -> None:
        with self._lock:
            self._guards.discard(guard)

    def _run(self) -> None:
        try:
            while True:
                time.sleep(LOOK_S)
                with self._lock:
                    guards = [guard for guard in self._guards if not guard.ended]
                    if not self._guards:
                        self._running = False
                        return
                self._look(guards)
        finally:
            connections.close_all()

    def _look(self, guards: list[Guard]) -> None:
        for guard in guards:
            try:
                guard.look()
            except (DatabaseError, InterfaceError) as error:  # busy or away: looked for again
                logger.warning("responses that last are not looked after (%s)", type(error).__name__)
                connections.close_all()
                return


watcher = _Watcher()


def guard(request: HttpRequest, response: Any) -> None:
    """Guard a response that is streamed, where it is to a user or to a reader of a public link."""
    known = request.user.is_authenticated or hasattr(request, "accessed")
    if not known or request.method == "HEAD":
        return
    own, file = Guard(request), getattr(response, "file_to_stream", None)
    response.block_size = BLOCK
    response.streaming_content = own.chunks(response.streaming_content)
    if file is not None:
        response.file_to_stream = GuardedFile(file, own)
    response._resource_closers.append(lambda: watcher.remove(own))
    watcher.add(own)
