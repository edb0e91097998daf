"""Clients that send slowly, or nothing: others are served meanwhile by the launcher's own web server."""

import socket
import time
import urllib.request
from contextlib import ExitStack

import pytest

from tests.patience import patience
from tests.server import has_terminal_tools, running_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not has_terminal_tools(), reason="needs make, git, curl, bash and /proc"),
]
HALF_SENT = 150
"""Clients that sent half a head."""
DRIBBLING = 200
"""Clients that send a byte of a body at a time."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_server(tmp_path_factory.mktemp("cairn")) as running:
        yield running


def _seconds(address):
    """How long the health page takes on a new connection."""
    began = time.perf_counter()
    with urllib.request.urlopen(f"{address}/healthz", timeout=patience(20)) as answer:
        assert answer.status == 200
    return time.perf_counter() - began


def test_others_are_served_meanwhile(server):
    host, port = server.address.removeprefix("http://").split(":")
    quiet = sorted(_seconds(server.address) for _ in range(10))[8]
    head = f"POST /login/ HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 100000\r\n\r\n".encode()
    with ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(HALF_SENT + DRIBBLING)]
        for one in slow[:HALF_SENT]:
            one.sendall(head[:30])
        for one in slow[HALF_SENT:]:
            one.sendall(head + b"x")
        busy = []
        for _ in range(20):
            for one in slow[HALF_SENT:]:
                one.sendall(b"x")
            busy.append(_seconds(server.address))
    assert sorted(busy)[18] < 10 * quiet + patience(1.0)
    assert _seconds(server.address) < patience(5.0)


def test_a_connection_is_used_again_after_a_pause(server):
    """Proxies and browsers keep connections for a minute; the server must not be the first to close one."""
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=patience(20)) as kept:
        for pause in (0.0, 5.0):
            time.sleep(pause)
            kept.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert kept.recv(12) == b"HTTP/1.1 200"
            while b"}" not in kept.recv(65536):
                pass
