"""A machine that fails: a database or broker that is away, a full disk; and commands to Redis over a plain socket."""

import datetime
import errno
import socket
import sqlite3
import ssl
import threading
import zipfile
from contextlib import ExitStack, contextmanager, suppress
from unittest.mock import Mock

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.db import DataError, OperationalError, connection

from dashboard.core import failures, machine_errors, redis_protocol
from dashboard.core.broker_ping import broker_answers
from dashboard.core.redis_protocol import Refused, query
from dashboard.datasets.models import Dataset
from dashboard.maintenance import health
from dashboard.storage import local_files
from privacy_engine import errors, formats
from tests import redis_server
from tests.dashboard import kinds
from tests.dashboard.conftest import HOME


def of_sqlite(code):
    """What Django raises for an error of SQLite."""
    cause = sqlite3.OperationalError("at secret.example")
    cause.sqlite_errorcode = code
    error = OperationalError("at secret.example")
    error.__cause__ = cause
    return error


def refuses(error):
    return connection.execute_wrapper(Mock(side_effect=error))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (of_sqlite(5), machine_errors.DATABASE_AWAY),
        (of_sqlite(13), machine_errors.DISK_FULL),
        (OperationalError("gone"), machine_errors.DATABASE_AWAY),
        (OSError(errno.ENOSPC, "full"), machine_errors.DISK_FULL),
        (OSError(errno.EDQUOT, "quota"), machine_errors.DISK_FULL),
        (OSError(errno.EACCES, "no"), None),
        (of_sqlite(1), None),  # an error of the statement
        (DataError("too long"), None),
        (ValueError(), None),
        (None, None),
    ],
)
def test_which_errors_are_of_the_machine(error, expected):
    assert machine_errors.machine_error(error) is expected


@pytest.mark.parametrize(("code", "status", "wait"), [(5, 503, 5), (13, 507, 60)], ids=["locked", "full"])
def test_every_address_states_it_and_names_nothing(owner_page, code, status, wait):
    owner_page.raise_request_exception = False
    for address in ("/?page=1", "/published/", "/api/v1/datasets/", "/api/v1/jobs/", "/login/"):
        with refuses(of_sqlite(code)):
            answer = owner_page.get(address)
        assert (answer.status_code, answer["Retry-After"]) == (status, str(wait)), address
        assert "no-store" in answer["Cache-Control"]
        assert b"secret.example" not in answer.content
        if address.startswith("/api/"):
            assert answer["Content-Type"] == "application/problem+json"
            assert answer.json()["errors"][0]["code"] == ("database-away" if code == 5 else "disk-full")
        else:
            assert "Not available at the moment" in answer.content.decode()
            assert f'href="{answer.wsgi_request.get_full_path()}">Try again' in answer.content.decode()
    with refuses(of_sqlite(code)):
        answer = owner_page.post("/password/", {})
    assert (answer.status_code, "Back button returns to the form" in answer.content.decode()) == (status, True)


def test_an_upload_on_a_full_disk_leaves_nothing(owner_api, monkeypatch, files):
    before = files()
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device: /secret/place"))
    monkeypatch.setattr(local_files, "written", full)
    monkeypatch.setattr(local_files, "home", full)
    answer = kinds.sent(owner_api, b"lat,lon\n1,2\n3,4\n")
    assert (answer.status_code, answer["Retry-After"]) == (507, "60")
    assert b"secret" not in answer.content
    assert not Dataset.objects.exists()
    assert files() == before
    described = {"code": "disk-full", "message": "The disk of the server is full."}
    assert failures.failure(OSError(errno.ENOSPC, "No space left on device"), "dataset 1") == described  # of a job


def test_an_archive_that_finds_no_space_is_not_called_damaged(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        for name in ("a.csv", "b.csv"):
            archive.writestr(name, "lat,lon\n1,2\n3,4\n")

    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr(zipfile.ZipExtFile, "read", full)
    monkeypatch.setattr(zipfile.ZipExtFile, "read1", full)
    with (tmp_path / "two.zip").open("rb") as stream, pytest.raises(OSError, match="space") as error:
        formats.read(stream, name="two.zip")
    assert not isinstance(error.value, errors.EngineError)
    assert machine_errors.machine_error(error.value) is machine_errors.DISK_FULL


class TestHealth:
    def test_a_broker_that_is_away_is_reported(self, client, db, settings):
        with redis_server.running("--requirepass", "another") as listens_at:
            settings.CELERY_BROKER_URL = f"redis+socket://:secret@{listens_at}"  # it answers, if only to refuse
            found = client.get("/healthz").json()
            assert (found["broker"], found["workers"]) == (True, 0)
        answer = client.get("/healthz")
        assert (answer.status_code, answer.json()["broker"]) == (200, False)
        assert b"secret" not in answer.content

    def test_a_broker_that_hangs_is_waited_for_once(self, client, db, settings, monkeypatch):
        monkeypatch.setattr(redis_protocol, "WAIT_S", 0.1)
        with socket.create_server(("127.0.0.1", 0)) as broker:
            settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{broker.getsockname()[1]}/0"
            health = client.get("/healthz").json()
            broker.settimeout(0)
            broker.accept()[0].close()
            with pytest.raises(BlockingIOError):
                broker.accept()
        assert (health["broker"], health["workers"], health["sweep_beat_s"]) == (False, 0, None)

    def test_a_nearly_full_disk_is_reported(self, client, db, monkeypatch):
        HOME.mkdir(parents=True, exist_ok=True)
        assert client.get("/healthz").json()["disk_space"] is True
        monkeypatch.setattr(health, "SPARE_BYTES", 2**62)
        answer = client.get("/healthz")
        assert (answer.status_code, answer.json()["disk_space"]) == (200, False)


@pytest.fixture(scope="module")
def address():
    """The socket of a Redis with a password that must be quoted in a URL."""
    with redis_server.running("--requirepass", "p@ss:w/rd") as listens_at:
        yield listens_at


def url(listens_at, more="", password="p%40ss%3Aw%2Frd"):
    return f"redis+socket://:{password}@{listens_at}{more}"


def test_replies_of_every_kind_and_database(address):
    commands = ("SET key töxt\r\n", "GET key", "GET none", "STRLEN key", "KEYS *", "KEYS x")
    replies = query(url(address), *(tuple(one.split(" ")) for one in commands))
    assert replies == [b"OK", "töxt\r\n".encode(), None, 7, [b"key"], []]
    query(url(address, "?virtual_host=3"), ("SET", "third", "3"))
    assert query(url(address), ("GET", "third")) == [None]
    assert query(url(address, "?virtual_host=3"), ("GET", "third")) == [b"3"]


@pytest.mark.parametrize(("password", "why"), [("wrong", "invalid username-password"), ("", "Authentication required")])
def test_a_refusal_has_the_message(address, password, why):
    with pytest.raises(Refused, match=why):
        query(url(address, password=password), ("PING",))


def test_what_is_no_redis_or_away_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        query(f"redis+socket://{tmp_path}/none", ("PING",))
    with replying(b"HTTP/1.1 400 Bad Request\r\n") as port, pytest.raises(OSError, match="not Redis"):
        query(f"redis://127.0.0.1:{port}/0", ("PING",))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of localhost that is its own authority, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - day, now + day)
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(
        key, hashes.SHA256()
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    folder = tmp_path_factory.mktemp("tls")
    (folder / "certificate.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return folder / "certificate.pem", folder / "key.pem"


def test_tls_checks_the_certificate_and_shows_the_one_that_the_url_names(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    for options in ("?ssl_cert_reqs=none", "?ssl_cert_reqs=CERT_NONE", f"?ssl_ca_certs={certificate[0]}"):
        with replying(b"+PONG\r\n", context) as port:
            assert query(f"rediss://localhost:{port}/0{options}", ("PING",)) == [b"PONG"], options
    with replying(b"+PONG\r\n", context) as port, pytest.raises(ssl.SSLCertVerificationError):
        query(f"rediss://localhost:{port}/0", ("PING",))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(certificate[0]))
    context.load_cert_chain(*certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    for options, answers in ((f"&ssl_certfile={certificate[0]}&ssl_keyfile={certificate[1]}", True), ("", False)):
        with replying(b"+PONG\r\n", context) as port:
            assert broker_answers(f"rediss://localhost:{port}/0?ssl_ca_certs={certificate[0]}{options}") is answers


@contextmanager
def replying(reply, context=None):
    """The port of a server that has one reply, over TLS where a context is given."""

    def answer():
        with suppress(OSError):
            line, _ = server.accept()
            with line:
                line.recv(100)
                line.sendall(reply)

    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        if context:
            server = stack.enter_context(context.wrap_socket(server, server_side=True))
        other = threading.Thread(target=answer)
        other.start()
        yield server.getsockname()[1]
        other.join()
