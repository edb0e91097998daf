"""The embedded web server: waitress on the socket that the supervisor already listens on, with the sweep in a thread.

Usage: ``python -m dashboard.launcher.web DESCRIPTOR``
"""

import logging
import os
import re
import resource
import signal
import socket
import sys
import threading
from typing import Any

from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import WSGITask

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


CONNECTIONS = 2000
SWEEP_ENDS_S = 5.0
logger = logging.getLogger(__name__)


def main(listener: socket.socket) -> None:
    """Serve until SIGTERM; end, to be started again, if the sweep ends."""
    from django.conf import settings

    from dashboard.config.wsgi import REQUESTS, application
    from dashboard.streams.live import MOST_CONNECTIONS

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # waitress lets the current answers finish, then returns
    behind_proxy = (
        {"trusted_proxy": "127.0.0.1", "trusted_proxy_headers": {"x-forwarded-proto"}}
        if settings.SECURE_SSL_REDIRECT
        else {}
    )
    server = create_server(
        application,
        sockets=[listener],
        threads=REQUESTS + MOST_CONNECTIONS,
        ident=None,
        # clients that send slowly hold a connection each, and no thread: with the default of 100 they keep others out
        connection_limit=_connections(),
        # what is sent after a download has ended (dashboard/accounts/lasting.py): a slow client has so much to come
        outbuf_high_watermark=1_000_000,
        asyncore_use_poll=True,  # select() takes no descriptor above 1023
        # the upload handler refuses first and in JSON; this bound only keeps the disk from filling
        max_request_body_size=2 * settings.CAIRN_UPLOAD_BYTES + 10_000_000,
        **behind_proxy,
    )
    server.channel_class = Channel
    stop = threading.Event()
    sweep = threading.Thread(target=_sweep, args=(stop,), name="sweep", daemon=True)
    sweep.start()
    server.run()
    stop.set()
    sweep.join(SWEEP_ENDS_S)


def _sweep(stop: threading.Event) -> None:
    from dashboard.maintenance.cleanup import sweep_until

    try:
        sweep_until(stop)
    except Exception:
        logger.exception("the sweep ended")
        os.kill(os.getpid(), signal.SIGTERM)


def _connections() -> int:
    """At most half of the files that the process may have open."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if allowed == resource.RLIM_INFINITY else min(CONNECTIONS, max(allowed // 2, 50))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
