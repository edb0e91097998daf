"""Commands over a plain socket, against a real Redis, and over TLS against a server that has one reply."""

import datetime
import socket
import ssl
import threading
from contextlib import ExitStack, contextmanager, suppress

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dashboard.core.broker_ping import broker_answers
from dashboard.core.redis_protocol import Refused, query
from tests import redis_server


@pytest.fixture(scope="module")
def address():
    """The socket of a Redis with a password that must be quoted in a URL."""
    with redis_server.running("--requirepass", "p@ss:w/rd") as listens_at:
        yield listens_at


def url(listens_at, more="", password="p%40ss%3Aw%2Frd"):
    return f"redis+socket://:{password}@{listens_at}{more}"


def test_replies_of_every_kind(address):
    commands = ("SET key töxt\r\n", "GET key", "GET none", "STRLEN key", "KEYS *", "KEYS x")
    replies = query(url(address), *(tuple(one.split(" ")) for one in commands))
    assert replies == [b"OK", "töxt\r\n".encode(), None, 7, [b"key"], []]


def test_each_number_is_a_database_of_its_own(address):
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


def test_tls_checks_the_certificate_unless_the_url_turns_it_off(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    for options in ("?ssl_cert_reqs=none", "?ssl_cert_reqs=CERT_NONE", f"?ssl_ca_certs={certificate[0]}"):
        with replying(b"+PONG\r\n", context) as port:
            assert query(f"rediss://localhost:{port}/0{options}", ("PING",)) == [b"PONG"], options
    with replying(b"+PONG\r\n", context) as port, pytest.raises(ssl.SSLCertVerificationError):
        query(f"rediss://localhost:{port}/0", ("PING",))


def test_tls_shows_the_certificate_that_the_url_names(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(certificate[0]))
    context.load_cert_chain(*certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    own = f"&ssl_certfile={certificate[0]}&ssl_keyfile={certificate[1]}"
    for options, answers in ((own, True), ("", False)):
        with replying(b"+PONG\r\n", context) as port:
            address = f"rediss://localhost:{port}/0?ssl_ca_certs={certificate[0]}{options}"
            assert broker_answers(address) is answers


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
