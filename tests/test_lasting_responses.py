"""Real web servers end streams and downloads within seconds of what permitted them: the launcher's, and the image's."""

import http.client
import json
import socket
import sqlite3
import time
from contextlib import closing

import pytest

from tests.patience import patience
from tests.server import of_servers, python, running_gunicorn, running_server

pytestmark = of_servers
SIZE = 400_000_000
"""Of a download, whose reader takes 4 MB a second."""
PASSWORD, NEW = "a phrase of length", "another phrase of length"
SETUP = f"""
import json, django; django.setup()
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest
from django.utils import timezone
from dashboard.account_data.models import AccountExport
from dashboard.accounts.entry import BACKEND
from dashboard.accounts.models import User
from dashboard.accounts.services import make_token
from dashboard.accounts.session_store import SessionStore
from dashboard.projects.services import add_member, create_project, move_row
from dashboard.streams.services import open_stream
from privacy_engine.releases.spec import ReleaseSpec

def session(user):
    request = HttpRequest()
    request.session = SessionStore()
    login(request, user, backend=BACKEND)
    request.session.save()
    return request.session.session_key

lead = User.objects.create_user("lead")
project = create_project(owner=lead, name="Visits")
spec = ReleaseSpec.parse({{"mechanism": {{"name": "stream-uniform", "epsilon": 1.0, "window": 4}}}})
stream, _ = open_stream(owner=lead, name="Visits", dimensions=["a"], spec=spec)
move_row(user=lead, row=stream, project=project.pk)
found, password = [], make_password({PASSWORD!r})  # once: it is made to be slow
for i in range(40):
    user = User.objects.create(username=f"u{{i}}", password=password)
    add_member(project=project, username=user.username, role="viewer")
    row = AccountExport.objects.create(
        owner=user, state="done", finished_at=timezone.now(), size_bytes={SIZE}, sha256="0" * 64
    )
    with row.path.written() as file:
        file.truncate({SIZE})
    found.append({{
        "id": user.pk.hex, "session": session(user), "other": session(user), "token": make_token(user=user)[1],
        "live": f"/api/v1/streams/{{stream.pk}}/live/", "download": f"/api/v1/account-exports/{{row.pk}}/data/",
    }})
print(json.dumps(found))
"""
CSRF = "x" * 32


class Web:
    def __init__(self, server, port, people):
        self.port, self.people, self.database = port, people, server.home / "cairn.sqlite3"
        self.cookie, self.csrf = f"cairn_{server.port}", f"csrf_{server.port}"  # by CAIRN_PORT

    def send(self, person, session, path, form=""):
        headers = {"Cookie": f"{self.cookie}={person[session]}; {self.csrf}={CSRF}", "X-CSRFToken": CSRF}
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience(30))) as connection:
            connection.request("POST", path, form, headers)
            assert connection.getresponse().status == 302

    def end(self, person, how):
        if how in FORMS:
            session, path, *form = FORMS[how]
            self.send(person, session, path.format(person["token"][:15]), *form)
            return
        with closing(sqlite3.connect(self.database, timeout=patience(30))) as connection, connection:
            assert connection.execute(STATEMENTS[how], [person["id"]]).rowcount > 0


FORMS = {
    "log out": ("session", "/logout/"),
    "end it from another": ("other", "/account/sessions/end/"),
    "revoke": ("other", "/tokens/{}/revoke/"),
    "change the password": ("other", "/password/", f"old_password={PASSWORD}&new_password1={NEW}&new_password2={NEW}"),
}
STATEMENTS = {
    "expire": "UPDATE accounts_apitoken SET expiry = '2020-01-01 00:00:00' WHERE user_id = ?",
    "deactivate": "UPDATE accounts_user SET is_active = 0 WHERE id = ?",
    "remove from project": "DELETE FROM projects_membership WHERE user_id = ?",
}
OF_SESSION, OF_TOKEN = ("log out", "end it from another"), ("revoke", "expire")
ALWAYS = ("deactivate", "change the password")
CASES = [
    *(("live", "session", end) for end in (*OF_SESSION, "remove from project", *ALWAYS)),
    *(("live", "token", end) for end in (*OF_TOKEN, "remove from project", *ALWAYS)),
    *(("download", "session", end) for end in (*OF_SESSION, *ALWAYS)),
    *(("download", "token", end) for end in (*OF_TOKEN, *ALWAYS)),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_server(tmp_path_factory.mktemp("cairn")) as running:
        yield running


@pytest.fixture(scope="module")
def people(server):
    """Users with two sessions, a token, an export and the role of a viewer; each is used by one case."""
    done = python("-c", SETUP, env=server.env, limit_s=300)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.fixture(scope="module", params=["waitress", pytest.param("gunicorn", marks=pytest.mark.thorough)])
def web(request, server, people):
    if request.param == "waitress":
        yield Web(server, server.port, people)
        return
    with running_gunicorn(server) as (port, _):
        yield Web(server, port, people)


def opened(web, path, header):
    """A connection whose response has begun, with small buffers."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    connection.settimeout(patience(30))
    connection.connect(("127.0.0.1", web.port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\n{header}\r\n\r\n".encode())
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


def seconds_to_the_end(connection, begun, *, after_s):
    """Read slowly, call ``begun`` after some time; how long after it the connection ends, and what came in all."""
    start, ended, read = time.monotonic(), 0.0, 0
    while True:
        if not ended and time.monotonic() - start > after_s:
            begun()
            ended = time.monotonic()
        try:
            chunk = connection.recv(65_536)
        except ConnectionResetError:
            chunk = b""
        if not chunk or (read < 100_000 and chunk.endswith(b"0\r\n\r\n")):
            assert ended, "it ended before"
            return time.monotonic() - ended, read
        read += len(chunk)
        time.sleep(len(chunk) / 4e6)
        assert not ended or time.monotonic() - ended < patience(25), f"{read:,} bytes, and no end"


@pytest.mark.parametrize(("what", "by", "end"), CASES)
def test_ends_within_seconds(web, what, by, end):
    person = web.people.pop()
    by_cookie, by_token = f"Cookie: {web.cookie}={person['session']}", f"Authorization: Token {person['token']}"
    with closing(opened(web, person[what], by_cookie if by == "session" else by_token)) as connection:
        found, read = seconds_to_the_end(connection, lambda: web.end(person, end), after_s=1.5)
    print(f"{what} by {by}, {end}: {found:.2f} s, {read:,} bytes")
    assert found < patience(5.0)
    assert read < SIZE


def test_a_download_that_nothing_ends_is_whole(web):
    person = web.people.pop()
    headers = {"Authorization": f"Token {person['token']}"}
    with closing(http.client.HTTPConnection("127.0.0.1", web.port, timeout=patience(60))) as connection:
        began = time.monotonic()
        connection.request("GET", person["download"], headers=headers)
        answer, read = connection.getresponse(), 0
        while chunk := answer.read(1 << 20):
            read += len(chunk)
    print(f"{read / 1e6 / (time.monotonic() - began):,.0f} MB/s")
    assert read == SIZE
