"""What readers of public links may take of the server: a rate for each address, and a rendering at a time."""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import HttpRequest
from rest_framework.throttling import SimpleRateThrottle

from dashboard.accounts.attempts import client_address

PATIENCE_S = 10.0
"""How long a request waits for another's rendering."""
_rendering = threading.Lock()


class Busy(Exception):
    """Another file is being rendered."""


class ReaderThrottle(SimpleRateThrottle):
    """Requests of an address to all public links, by ``CAIRN_PUBLIC_THROTTLE``; counted in each web process."""

    scope = "public"

    def get_cache_key(self, request: Any, view: Any = None) -> str:
        return self.cache_format % {"scope": self.scope, "ident": client_address(request)}


def seconds_to_wait(request: HttpRequest) -> int:
    """0 if the request may be answered, or whole seconds until the next request of its address."""
    throttle = ReaderThrottle()
    if throttle.allow_request(request, None):
        return 0
    return max(1, math.ceil(throttle.wait() or 1))


@contextmanager
def one_rendering() -> Iterator[None]:
    """The only rendering in this process.

    Raises
    ------
    Busy
        Another takes longer than :data:`PATIENCE_S`.
    """
    if not _rendering.acquire(timeout=PATIENCE_S):
        raise Busy
    try:
        yield
    finally:
        _rendering.release()
