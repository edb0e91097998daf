"""A few commands of Redis over a plain socket: its client takes 6 MB of every web process.

It serves to find out whether the broker answers, and which processes are alive. Jobs go through Celery.
"""

import socket
import ssl
from collections.abc import Sequence
from typing import Any, BinaryIO
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

WAIT_S = 1.0


class Refused(OSError):
    """Redis answers with an error, which is the message."""


def query(url: str, *commands: Sequence[str]) -> list[Any]:
    """Return the replies to ``commands``, which are sent together: bytes, whole numbers, None or lists of them.

    Raises
    ------
    Refused
        One of the replies is an error.
    OSError
        Redis does not answer within a second.
    """
    parts = urlsplit(url)
    first = list(_login(parts))
    with _connected(parts) as connection, connection.makefile("rb") as replies:
        connection.sendall(b"".join(_encoded(command) for command in (*first, *commands)))
        return [_reply(replies) for _ in range(len(first) + len(commands))][len(first) :]


def _login(url: SplitResult) -> Sequence[Sequence[str]]:
    """Commands that a connection begins with: the password, and the number of the database."""
    number = parse_qs(url.query).get("virtual_host", ["0"])[0] if _local(url) else url.path.strip("/") or "0"
    select = [("SELECT", number)] if number != "0" else []
    if not url.password:
        return select
    return [("AUTH", unquote(url.username or "default"), unquote(url.password)), *select]


def _encoded(command: Sequence[str]) -> bytes:
    encoded = [part.encode() for part in command]
    return b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in encoded)


def _reply(replies: BinaryIO) -> Any:
    head = replies.readline()
    kind, text = head[:1], head[1:].rstrip(b"\r\n")
    if not head.endswith(b"\n"):
        raise ConnectionError("the broker closed the connection")
    if kind == b"-":
        raise Refused(text.decode(errors="replace"))
    if kind == b"+":
        return text
    if kind == b":":
        return int(text)
    if kind == b"$":
        return None if text == b"-1" else replies.read(int(text) + 2)[:-2]
    if kind == b"*":
        return [_reply(replies) for _ in range(int(text))]
    raise ConnectionError("what answers is not Redis")


def _local(url: SplitResult) -> bool:
    return url.scheme == "redis+socket"


def _connected(url: SplitResult) -> socket.socket:
    """A connection to the Redis that a URL of Celery's names; errors are OSError."""
    if not _local(url):
        connection = socket.create_connection((url.hostname or "localhost", url.port or 6379), timeout=WAIT_S)
        return _with_tls(connection, url) if url.scheme == "rediss" else connection
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(WAIT_S)
        connection.connect(url.path)
    except BaseException:
        connection.close()
        raise
    return connection


def _with_tls(connection: socket.socket, url: SplitResult) -> socket.socket:
    """The connection with TLS, as the options ``ssl_…`` of the URL state it."""
    options = {name: texts[0] for name, texts in parse_qs(url.query).items()}
    try:
        context = ssl.create_default_context(cafile=options.get("ssl_ca_certs"))
        if options.get("ssl_cert_reqs", "").lower().removeprefix("cert_") == "none":
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate := options.get("ssl_certfile"):
            context.load_cert_chain(certificate, options.get("ssl_keyfile"))
        return context.wrap_socket(connection, server_hostname=url.hostname or "localhost")
    except BaseException:
        connection.close()
        raise
