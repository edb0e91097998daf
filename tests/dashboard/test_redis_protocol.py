"""Commands over a plain socket, against a real Redis, and over TLS against a server that has one reply."""

import datetime
import socket
import ssl
import threading
from contextlib import suppress

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
    commands = (
        ("SET", "key", "töxt\r\n"),
        ("GET", "key"),
        ("GET", "none"),
        ("STRLEN", "key"),
        ("KEYS", "*"),
        ("KEYS", "x"),
    )
    assert query(url(address), *commands) == [b"OK", "töxt\r\n".encode(), None, 7, [b"key"], []]


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
    with socket.create_server(("127.0.0.1", 0)) as server:
        other = threading.Thread(target=lambda: _answer(server, b"HTTP/1.1 400 Bad Request\r\n"))
        other.start()
        with pytest.raises(OSError, match="not Redis"):
            query(f"redis://127.0.0.1:{server.getsockname()[1]}/0", ("PING",))
        other.join()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of localhost that is its own authority, and its key."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]),
    )
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    (folder / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    text = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "key.pem").write_bytes(text)
    return folder / "certificate.pem", folder / "key.pem"


@pytest.mark.parametrize("options", ["", "?ssl_cert_reqs=none", "?ssl_cert_reqs=CERT_NONE", "CA"])
def test_tls_checks_the_certificate_unless_the_url_turns_it_off(certificate, options):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    options = options if options != "CA" else f"?ssl_ca_certs={certificate[0]}"
    with socket.create_server(("127.0.0.1", 0)) as plain, context.wrap_socket(plain, server_side=True) as server:
        other = threading.Thread(target=lambda: _answer(server, b"+PONG\r\n"))
        other.start()
        address = f"rediss://localhost:{server.getsockname()[1]}/0{options}"
        if options:
            assert query(address, ("PING",)) == [b"PONG"]
        else:
            with pytest.raises(ssl.SSLCertVerificationError):
                query(address, ("PING",))
        other.join()


def test_tls_shows_the_certificate_that_the_url_names(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(certificate[0]))
    context.load_cert_chain(*certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    own = f"&ssl_certfile={certificate[0]}&ssl_keyfile={certificate[1]}"
    for options, answers in ((own, True), ("", False)):
        with socket.create_server(("127.0.0.1", 0)) as plain, context.wrap_socket(plain, server_side=True) as server:
            other = threading.Thread(target=lambda at=server: _answer(at, b"+PONG\r\n"))
            other.start()
            address = f"rediss://localhost:{server.getsockname()[1]}/0?ssl_ca_certs={certificate[0]}{options}"
            assert broker_answers(address) is answers
            other.join()


def _answer(server, reply):
    with suppress(OSError):
        line, _ = server.accept()
        with line:
            line.recv(100)
            line.sendall(reply)
