"""Four hundred megabytes over a connection that is cut three times, to a server started by `make run`."""

import http.client
import json
import re
import socket
import time
from hashlib import sha256
from pathlib import Path

import pytest

from tests.patience import patience
from tests.server import ROOT, Server, has_terminal_tools

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_terminal_tools(), reason="needs make, git, curl, bash and /proc"),
    pytest.mark.timeout(400),
]

PIECE = 40_000_000
CUTS = (1, 4, 7)  # pieces on which the connection is cut half way
MOST_MB = 200  # of the web process, all in all
NOTE = b"x" * 4050
ROWS = 100_000


def rows(first, last):
    return b"".join(b"%d,%.5f,2.35,%s\n" % (1_700_000_000 + i, 48 + i * 1e-6, NOTE) for i in range(first, last))


@pytest.fixture
def server(tmp_path):
    made = Server(ROOT, home=tmp_path / "home")
    made.env["CAIRN_UPLOAD_MB"] = "500"
    made.start(limit_s=170)
    yield made
    made.clear_away()


def request(server, token, method, path, *, body=b"", **headers):
    wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=patience(60))
    headers = {"Authorization": f"Token {token}", "Tus-Resumable": "1.0.0"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    wire.request(method, path, body, headers)
    answer = wire.getresponse()
    answer.body = answer.read()  # type: ignore[attr-defined]
    wire.close()
    assert answer.status < 300, (method, path, answer.status, answer.body[:300])  # type: ignore[attr-defined]
    return answer


def cut_short(server, token, path, offset, piece):
    """Announce a piece, send half of it, and close the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=patience(60)) as wire:
        head = (
            f"PATCH {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Token {token}\r\nTus-Resumable: 1.0.0\r\n"
            f"Upload-Offset: {offset}\r\nContent-Type: application/offset+octet-stream\r\n"
            f"Content-Length: {len(piece)}\r\n\r\n"
        )
        wire.sendall(head.encode())
        wire.sendall(piece[: len(piece) // 2])


def peak_mb(server, what):
    (pid,) = (pid for pid, command in server.processes().items() if what in command)
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1000


def test_it_finishes_and_the_web_process_stays_small(server, tmp_path):
    token = server.shell(".venv/bin/python manage.py token researcher").split()[-1]
    whole, path = sha256(), tmp_path / "large.csv"
    with path.open("wb") as out:
        for first in range(0, ROWS, 1000):
            text = rows(first, first + 1000) if first else b"time,lat,lon,note\n" + rows(0, 1000)
            out.write(text)
            whole.update(text)
    size = path.stat().st_size
    assert size > 400_000_000
    before = peak_mb(server, "[cairn-web]")
    begun = request(server, token, "POST", "/api/v1/uploads/", Upload_Length=str(size))
    url = begun.headers["Location"].removeprefix(server.address)
    cuts = 0
    with path.open("rb") as file:
        while (offset := _offset(server, token, url)) < size:
            file.seek(offset)
            piece = file.read(PIECE)
            if offset // PIECE in CUTS and cuts == CUTS.index(offset // PIECE):
                cut_short(server, token, url, offset, piece)
                cuts += 1
                _wait_for_what_arrived(server, token, url, offset)
                continue
            headers = {"Upload_Offset": str(offset), "Content_Type": "application/offset+octet-stream"}
            request(server, token, "PATCH", url, body=piece, **headers)
    assert cuts == 3
    body = json.dumps({"upload": url.split("/")[-2], "sha256": whole.hexdigest()}).encode()
    made = request(server, token, "POST", "/api/v1/datasets/", body=body, Content_Type="application/json")
    dataset = _read(server, token, json.loads(made.body)["urls"]["self"])  # type: ignore[attr-defined]
    assert (dataset["state"], dataset["points"]) == ("ready", ROWS), dataset["error"]
    assert not list((server.home / "uploads").iterdir())
    after = peak_mb(server, "[cairn-web]")
    assert after < MOST_MB, (before, after)


def _wait_for_what_arrived(server, token, url, offset):
    """The server reads what is on its way before it stores it; until then it states where it stood."""
    give_up = time.monotonic() + patience(20)
    while _offset(server, token, url) == offset:
        assert time.monotonic() < give_up, "nothing of the piece was kept"
        time.sleep(0.1)


def _offset(server, token, url):
    return int(request(server, token, "HEAD", url).headers["Upload-Offset"])


def _read(server, token, url):
    give_up = time.monotonic() + patience(200)
    while time.monotonic() < give_up:
        dataset = json.loads(request(server, token, "GET", url).body)  # type: ignore[attr-defined]
        if dataset["state"] not in ("queued", "running"):
            return dataset
        time.sleep(0.3)
    return dataset
