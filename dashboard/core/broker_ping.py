"""Whether the message broker answers, by a plain socket: a connection of Celery's would stay in the process."""

from __future__ import annotations

import socket
from urllib.parse import SplitResult, unquote, urlsplit

BROKER_S = 1.0


def broker_answers(url: str) -> bool:
    """Return whether Redis answers at once; with TLS, whether it accepts a connection."""
    parts = urlsplit(url)
    try:
        with _connected(parts) as broker:
            if parts.scheme == "rediss":
                return True
            broker.sendall(b"PING\r\n")
            return broker.recv(1) in (b"+", b"-")  # it may refuse a client without a password, and answers then
    except OSError:
        return False


def broker_refuses(url: str) -> str | None:
    """Return why Redis refuses the password of ``url``, as its message; None if it does not, or is away."""
    parts = urlsplit(url)
    if parts.scheme == "rediss":
        return None
    try:
        with _connected(parts) as broker:
            if parts.password:
                user, password = unquote(parts.username or "default"), unquote(parts.password)
                broker.sendall(_command("AUTH", user, password))
                if (reply := broker.recv(200)).startswith(b"-"):
                    return reply[1:].decode(errors="replace").strip()
            broker.sendall(_command("PING"))
            reply = broker.recv(200)
            return reply[1:].decode(errors="replace").strip() if reply.startswith(b"-") else None
    except OSError:
        return None


def _command(*parts: str) -> bytes:
    """A command in Redis's protocol."""
    encoded = [part.encode() for part in parts]
    return b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in encoded)


def _connected(url: SplitResult) -> socket.socket:
    if url.scheme != "redis+socket":
        return socket.create_connection((url.hostname or "localhost", url.port or 6379), timeout=BROKER_S)
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        line.settimeout(BROKER_S)
        line.connect(url.path)
    except BaseException:
        line.close()
        raise
    return line
