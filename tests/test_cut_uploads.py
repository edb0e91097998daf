"""A piece of an upload whose connection breaks: every web server stores what arrived, and the rest goes on there."""

import base64
import contextlib
import hashlib
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.image import DOCKERFILE, instructions
from tests.nginx import MISSING, running_nginx
from tests.patience import patience
from tests.server import ROOT, free_port, has_terminal_tools, running_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not has_terminal_tools(), reason="needs make, git, curl, bash and /proc"),
]
TEXT = b"time,lat,lon\n" + b"".join(b"%d,%.5f,2.35\n" % (1_700_000_000 + i, 48 + i * 1e-6) for i in range(60_000))
PATCH = "application/offset+octet-stream"


class Address(NamedTuple):
    """Where a web server listens, and whether by TLS."""

    port: int
    tls: bool = False

    def opened(self):
        """A connection."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=patience(60))
        return ssl._create_unverified_context().wrap_socket(plain) if self.tls else plain


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_server(tmp_path_factory.mktemp("cairn")) as running:
        yield running


@pytest.fixture(scope="module")
def token(server):
    return server.shell(".venv/bin/python manage.py token researcher").split()[-1]


@pytest.fixture(scope="module")
def gunicorn(server):
    """The port of the image's web server, with the files and the database of the other one."""
    port = free_port()
    [command] = [rest for name, rest in instructions(DOCKERFILE.read_text()) if name == "CMD"]
    parts = json.loads(command.replace("0.0.0.0:8000", f"127.0.0.1:{port}"))
    with subprocess.Popen([sys.executable, "-m", *parts], cwd=ROOT, env=server.env) as process:
        give_up = time.monotonic() + patience(60)
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=patience(5)).close()
                break
            except OSError:
                assert time.monotonic() < give_up
                time.sleep(0.2)
        yield port
        process.terminate()


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
    """The head of the answer."""
    with address.opened() as wire:
        wire.sendall(head(token, method, path, Content_Length=len(body), **headers) + body)
        return b"".join(iter(lambda: wire.recv(65536), b"")).decode()


def begun(address, token):
    """The path of a new upload of TEXT."""
    answer = request(address, token, "POST", "/api/v1/uploads/", Upload_Length=len(TEXT))
    found = re.search(r"^Location: https?://[^/]+(\S+)", answer, re.MULTILINE | re.IGNORECASE)
    assert found, answer
    return found[1]


def stands(address, token, path):
    answer = request(address, token, "HEAD", path)
    return int(re.findall(r"^Upload-Offset: (\d+)", answer, re.MULTILINE | re.IGNORECASE)[0])


def until(address, token, path, offset):
    give_up = time.monotonic() + patience(20)
    while (found := stands(address, token, path)) != offset:
        assert time.monotonic() < give_up, f"it stands at {found}, and {offset} bytes arrived"
        time.sleep(0.1)


@pytest.mark.parametrize("checked", [False, True], ids=["plain", "with a checksum"])
def test_what_arrived_is_stored_and_the_rest_goes_on(address, token, checked):
    path, half = begun(address, token), len(TEXT) // 2
    more = {"Upload_Checksum": f"sha256 {base64.b64encode(hashlib.sha256(TEXT).digest()).decode()}"} if checked else {}
    with address.opened() as wire:
        announced = head(token, "PATCH", path, Upload_Offset=0, Content_Type=PATCH, Content_Length=len(TEXT), **more)
        wire.sendall(announced + TEXT[:half])
        wire.settimeout(0.5)
        with contextlib.suppress(TimeoutError):  # what TLS sends of its own, or the close would reset the connection
            wire.recv(1)
    until(address, token, path, half)
    answer = request(address, token, "PATCH", path, TEXT[half:], Upload_Offset=half, Content_Type=PATCH)
    assert answer.startswith("HTTP/1.1 204"), answer
    body = json.dumps({"upload": path.split("/")[-2], "sha256": hashlib.sha256(TEXT).hexdigest()}).encode()
    answer = request(address, token, "POST", "/api/v1/datasets/", body, Content_Type="application/json")
    assert answer.startswith("HTTP/1.1 201"), answer


def test_a_web_process_that_is_killed_leaves_nothing_that_deletion_does_not_reach(server, gunicorn, token):
    address = Address(gunicorn)
    path = begun(address, token)
    file = server.home / "uploads" / path.split("/")[-2]
    with address.opened() as wire:
        wire.sendall(head(token, "PATCH", path, Upload_Offset=0, Content_Type=PATCH, Content_Length=len(TEXT)))
        wire.sendall(TEXT[: len(TEXT) // 2])
        give_up = time.monotonic() + patience(20)
        while not file.stat().st_size:
            assert time.monotonic() < give_up
            time.sleep(0.05)
        for pid, command in server.processes().items():
            if f"127.0.0.1:{gunicorn}" in command and "gunicorn" in command:
                parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
                if f"127.0.0.1:{gunicorn}" in Path(f"/proc/{parent}/cmdline").read_text():
                    os.kill(pid, signal.SIGKILL)
    until(address, token, path, 0)
    assert request(address, token, "DELETE", path).startswith("HTTP/1.1 204")
    assert not file.exists()


def test_a_wrong_host_is_one_line_of_the_log(server):
    log = server.home / "log" / "web.log"
    before = len(log.read_text().splitlines())
    with Address(server.port).opened() as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n")
        assert wire.recv(65536).startswith(b"HTTP/1.1 400")
    give_up = time.monotonic() + patience(10)
    while len(written := log.read_text().splitlines()[before:]) < 1:
        assert time.monotonic() < give_up
        time.sleep(0.05)
    time.sleep(0.5)
    [line] = [one for one in log.read_text().splitlines()[before:] if "Traceback" in one or "other.example" in one]
    assert "Invalid HTTP_HOST header: 'other.example'" in line
    assert not [one for one in written if one.startswith(("Traceback", " "))]
