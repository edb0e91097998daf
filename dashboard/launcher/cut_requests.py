"""Connections of waitress that pass on what arrived of a piece of an upload when they break.

waitress calls the application once a request is whole, so that clients which send slowly hold no thread, and forgets
what came of a request that is cut. Of a piece of a resumable upload that part is of use: it need not be sent again.
"""

import logging
import re
from typing import Any

from waitress.channel import HTTPChannel
from waitress.task import WSGITask

logger = logging.getLogger(__name__)

PIECES = re.compile(r"/api/v1/uploads/[0-9a-f-]{36}/")
"""Where requests are of use in part."""


class CutRequest:
    """A request of a connection that is closed, as a task of waitress: its answer is received by no client."""

    def __init__(self, channel: HTTPChannel, request: Any) -> None:
        self.channel, self.request = channel, request

    def service(self) -> None:
        """Call the application with the part of the body that arrived."""
        environ = WSGITask(self.channel, self.request).get_environment()
        answer = self.channel.server.application(environ, _ignored)
        try:
            for _ in answer:
                pass
        finally:
            if hasattr(answer, "close"):
                answer.close()
            self.cancel()

    def cancel(self) -> None:
        """Forget it."""
        self.request.close()


class Channel(HTTPChannel):
    """A connection that passes on a piece which is cut."""

    passed_on = False

    def handle_close(self) -> None:
        """Close it; a piece of which something arrived becomes a task of its own."""
        request = self.request
        super().handle_close()
        if self.passed_on or request is None or request.completed or not request.headers_finished:
            return
        if request.command == "PATCH" and PIECES.fullmatch(request.path) and len(request.body_rcv or ()):
            self.passed_on = True
            logger.info("a piece of an upload was cut")
            self.server.task_dispatcher.add_task(CutRequest(self, request))


def _ignored(status: str, headers: Any, exc_info: Any = None) -> Any:
    """Take the head of an answer that no client receives."""
    return lambda body: None
