"""The embedded web server: waitress on the socket that the supervisor already listens on.

Usage: ``python -m dashboard.launcher.web DESCRIPTOR``
"""

import signal
import socket
import sys

from waitress import serve


def main(descriptor: int) -> None:
    from django.conf import settings

    from dashboard.config.wsgi import application

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # waitress lets the current answers finish, then returns
    behind_proxy = (
        {"trusted_proxy": "127.0.0.1", "trusted_proxy_headers": {"x-forwarded-proto"}}
        if settings.SECURE_SSL_REDIRECT
        else {}
    )
    serve(
        application,
        sockets=[socket.socket(fileno=descriptor)],
        threads=8,
        ident=None,
        # the upload handler refuses first and in JSON; this bound only keeps the disk from filling
        max_request_body_size=2 * settings.CAIRN_UPLOAD_BYTES + 10_000_000,
        **behind_proxy,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
