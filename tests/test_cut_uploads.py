"""Connections that break during an upload, or are slow: what arrived is stored, and others are served meanwhile."""

import base64
import contextlib
import hashlib
import json
import os
import re
import signal
import socket
import ssl
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.nginx import MISSING, running_nginx
from tests.patience import patience, until
from tests.server import of_servers, running_gunicorn, running_server

pytestmark = of_servers
TEXT = b"time,lat,lon\n" + b"".join(b"%d,%.5f,2.35\n" % (1_700_000_000 + i, 48 + i * 1e-6) for i in range(60_000))
PATCH = "application/offset+octet-stream"
PIECE = 40_000_000
CUTS = (1, 4, 7)  # pieces of a large upload on which the connection is cut half way
MOST_KB = 200_000  # of the web process, all in all
ROWS = 100_000
HALF_SENT, DRIBBLING = 150, 200
"""Clients that sent half a head, and that send a byte of a body at a time."""


class Address(NamedTuple):
    port: int
    tls: bool = False

    def opened(self):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=patience(60))
        return ssl._create_unverified_context().wrap_socket(plain) if self.tls else plain


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_server(tmp_path_factory.mktemp("cairn")) as running:
        yield running


@pytest.fixture(scope="module")
def token(server):
    return server.token()


@pytest.fixture(scope="module")
def gunicorn(server):
    with running_gunicorn(server) as (port, _):
        yield port


@pytest.fixture(params=["launcher", "image", "image behind the proxy"])
def address(request, server, tmp_path):
    if request.param == "launcher":
        yield Address(server.port)
        return
    port = request.getfixturevalue("gunicorn")
    if request.param == "image":
        yield Address(port)
        return
    if MISSING:
        pytest.skip(MISSING)
    with running_nginx(tmp_path, port) as (tls, _, _):
        yield Address(tls, tls=True)


def head(token, method, path, **headers):
    given = {"Host": "127.0.0.1", "Authorization": f"Token {token}", "Tus-Resumable": "1.0.0", "Connection": "close"}
    given |= {name.replace("_", "-"): str(value) for name, value in headers.items()}
    return "\r\n".join([f"{method} {path} HTTP/1.1", *(f"{one}: {is_}" for one, is_ in given.items()), "", ""]).encode()


def request(address, token, method, path, body=b"", **headers):
    with address.opened() as wire:
        wire.sendall(head(token, method, path, Content_Length=len(body), **headers) + body)
        return b"".join(iter(lambda: wire.recv(65536), b"")).decode()


def begun(address, token, size):
    answer = request(address, token, "POST", "/api/v1/uploads/", Upload_Length=size)
    return re.search(r"^Location: https?://[^/]+(\S+)", answer, re.MULTILINE | re.IGNORECASE)[1]


def stands(address, token, path):
    answer = request(address, token, "HEAD", path)
    return int(re.findall(r"^Upload-Offset: (\d+)", answer, re.MULTILINE | re.IGNORECASE)[0])


def cut_short(address, token, path, piece, offset=0, **more):
    """Announce a piece, send half of it, and close the connection."""
    with address.opened() as wire:
        size = len(piece)
        wire.sendall(head(token, "PATCH", path, Upload_Offset=offset, Content_Type=PATCH, Content_Length=size, **more))
        wire.sendall(piece[: len(piece) // 2])
        wire.settimeout(0.5)
        with contextlib.suppress(TimeoutError):  # what TLS sends of its own, or the close would reset the connection
            wire.recv(1)


def imported(address, token, path, sha256):
    body = json.dumps({"upload": path.split("/")[-2], "sha256": sha256}).encode()
    answer = request(address, token, "POST", "/api/v1/datasets/", body, Content_Type="application/json")
    assert answer.startswith("HTTP/1.1 201"), answer
    return answer


@pytest.mark.parametrize("checked", [False, True], ids=["plain", "with a checksum"])
def test_what_arrived_is_stored_and_the_rest_goes_on(address, token, checked):
    path, half = begun(address, token, len(TEXT)), len(TEXT) // 2
    more = {"Upload_Checksum": f"sha256 {base64.b64encode(hashlib.sha256(TEXT).digest()).decode()}"} if checked else {}
    cut_short(address, token, path, TEXT, **more)
    until(lambda: stands(address, token, path) == half, 20, "what arrived is not stored")
    answer = request(address, token, "PATCH", path, TEXT[half:], Upload_Offset=half, Content_Type=PATCH)
    assert answer.startswith("HTTP/1.1 204"), answer
    imported(address, token, path, hashlib.sha256(TEXT).hexdigest())


def test_a_web_process_that_is_killed_leaves_nothing_that_deletion_does_not_reach(server, gunicorn, token):
    address = Address(gunicorn)
    path = begun(address, token, len(TEXT))
    file = server.home / "uploads" / path.split("/")[-2]
    with address.opened() as wire:
        wire.sendall(head(token, "PATCH", path, Upload_Offset=0, Content_Type=PATCH, Content_Length=len(TEXT)))
        wire.sendall(TEXT[: len(TEXT) // 2])
        until(lambda: file.stat().st_size, 20, "nothing is written")
        for pid, command in server.processes().items():
            if f"127.0.0.1:{gunicorn}" in command and "gunicorn" in command:
                parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
                if f"127.0.0.1:{gunicorn}" in Path(f"/proc/{parent}/cmdline").read_text():
                    os.kill(pid, signal.SIGKILL)
    until(lambda: stands(address, token, path) == 0, 20, "it states more than it stored")
    assert request(address, token, "DELETE", path).startswith("HTTP/1.1 204")
    assert not file.exists()


def test_a_wrong_host_is_one_line_of_the_log(server):
    log = server.home / "log" / "web.log"
    before = len(log.read_text().splitlines())
    with Address(server.port).opened() as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n")
        assert wire.recv(65536).startswith(b"HTTP/1.1 400")
    until(lambda: log.read_text().splitlines()[before:], 10, "no line")
    time.sleep(0.5)
    written = log.read_text().splitlines()[before:]
    [line] = [one for one in written if "Traceback" in one or "other.example" in one]
    assert "Invalid HTTP_HOST header: 'other.example'" in line
    assert not [one for one in written if one.startswith(("Traceback", " "))]


@pytest.fixture
def large(tmp_path):
    """A server of its own, whose web process has done nothing yet."""
    with running_server(tmp_path / "home", CAIRN_UPLOAD_MB="500") as running:
        yield running


def test_four_hundred_megabytes_finish_and_the_web_process_stays_small(large, tmp_path):
    address, file, whole = Address(large.port), tmp_path / "large.csv", hashlib.sha256()
    with file.open("wb") as out:
        for first in range(0, ROWS, 1000):
            numbers = range(first, first + 1000)
            lines = (b"%d,%.5f,2.35,%s\n" % (1_700_000_000 + i, 48 + i * 1e-6, b"x" * 4050) for i in numbers)
            text = b"".join([b"" if first else b"time,lat,lon,note\n", *lines])
            out.write(text)
            whole.update(text)
    token, size, cuts = large.token(), file.stat().st_size, []
    assert size > 400_000_000
    path = begun(address, token, size)
    with file.open("rb") as read:
        while (offset := stands(address, token, path)) < size:
            read.seek(offset)
            piece, number = read.read(PIECE), offset // PIECE
            if number in CUTS and number not in cuts:
                cut_short(address, token, path, piece, offset)
                cuts.append(number)
                until(lambda offset=offset: stands(address, token, path) > offset, 20, "nothing of the piece was kept")
            else:
                request(address, token, "PATCH", path, piece, Upload_Offset=offset, Content_Type=PATCH)
    assert len(cuts) == 3
    answer = imported(address, token, path, whole.hexdigest())
    dataset = large.finished(json.loads(answer[answer.index("{") :])["urls"]["self"], token)
    assert dataset["points"] == ROWS, dataset["error"]
    assert not (large.home / "uploads" / path.split("/")[-2]).exists()
    (pid,) = large.process_ids("[cairn-web]")
    assert int(re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[0]) < MOST_KB


def seconds_of_health(server):
    began = time.perf_counter()
    with urllib.request.urlopen(f"{server.address}/healthz", timeout=patience(20)) as answer:
        assert answer.status == 200
    return time.perf_counter() - began


def test_others_are_served_beside_slow_clients(server):
    quiet = sorted(seconds_of_health(server) for _ in range(10))[8]
    sent = f"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 100000\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(Address(server.port).opened()) for _ in range(HALF_SENT + DRIBBLING)]
        for i, one in enumerate(slow):
            one.sendall(sent[:30] if i < HALF_SENT else sent + b"x")
        busy = []
        for _ in range(20):
            for one in slow[HALF_SENT:]:
                one.sendall(b"x")
            busy.append(seconds_of_health(server))
    assert sorted(busy)[18] < 10 * quiet + patience(1.0)
    assert seconds_of_health(server) < patience(5.0)


def test_a_connection_is_used_again_after_a_pause(server):
    """Proxies and browsers keep connections for a minute; the server must not be the first to close one."""
    with Address(server.port).opened() as kept:
        for pause in (0.0, 5.0):
            time.sleep(pause)
            kept.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
            assert kept.recv(12) == b"HTTP/1.1 200"
            while b"}" not in kept.recv(65536):
                pass
