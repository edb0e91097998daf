"""deploy/nginx.conf with a real nginx: slow clients hold no thread of the web server, headers are as documented."""

import http.client
import re
import socket
import ssl
import threading
import time
import uuid
import warnings
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.nginx import CONF, MISSING, running_nginx
from tests.patience import patience, until
from tests.server import ROOT


class Cairn(BaseHTTPRequestHandler):
    seen: list[dict[str, Any]] = []
    protocol_version = "HTTP/1.1"

    def _answer(self):
        began = time.monotonic()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append({"seconds": time.monotonic() - began, "size": len(body), **dict(self.headers)})
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815

    def log_message(self, *_): ...


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """nginx with the file of docker-compose.yml, its addresses and folders changed: ports of TLS and HTTP, log."""
    folder = tmp_path_factory.mktemp("nginx")
    web = ThreadingHTTPServer(("127.0.0.1", 0), Cairn)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    with running_nginx(folder, web.server_port) as found:
        yield found
    web.shutdown()
    web.server_close()


def connect(port):
    context = ssl._create_unverified_context()
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=patience(10), context=context)


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
class TestProxy:
    @pytest.mark.parametrize(("method", "path"), [("POST", "datasets/"), ("PATCH", f"uploads/{uuid.UUID(int=7)}/")])
    def test_passes_on_whole_requests_and_a_piece_of_an_upload_as_it_comes(self, proxy, method, path):
        Cairn.seen.clear()
        with closing(connect(proxy[0])) as client:
            client.putrequest(method, f"/api/v1/{path}")
            client.putheader("Content-Length", "40")
            client.endheaders()
            for _ in range(40):
                assert Cairn.seen == []
                client.send(b"x")
                time.sleep(0.02)
            assert client.getresponse().read() == b"ok"
        (found,) = Cairn.seen
        assert (found["size"], found["X-Forwarded-For"], found["X-Forwarded-Proto"]) == (40, "127.0.0.1", "https")
        assert found["seconds"] < 0.4 if method == "POST" else found["seconds"] > 0.6  # sent over .8 s

    def test_states_address_and_scheme_and_drops_the_clients_claims(self, proxy):
        Cairn.seen.clear()
        claims = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http", "Host": "cairn.example.org"}
        assert get(connect(proxy[0]), "/", claims)[0] == 200
        (found,) = Cairn.seen
        assert (found["X-Forwarded-For"], found["X-Forwarded-Proto"]) == ("127.0.0.1", "https")
        assert found["Host"] == "cairn.example.org"

    def test_sends_plain_http_to_https_and_answers_its_health(self, proxy):
        plain = http.client.HTTPConnection("127.0.0.1", proxy[1], timeout=patience(10))
        status, headers = get(plain, "/datasets/?a=1", {"Host": "cairn.example.org"})
        assert (status, headers["Location"]) == (308, "https://cairn.example.org/datasets/?a=1")
        assert get(plain, "/proxy-health", {})[0] == 204

    def test_takes_tls_1_2_and_1_3_alone(self, proxy):
        agreed = {}
        for version in (ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl._create_unverified_context()
            context.set_ciphers("DEFAULT:@SECLEVEL=0")  # else this side refuses 1.1 itself
            with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
                context.minimum_version = context.maximum_version = version
            with socket.create_connection(("127.0.0.1", proxy[0]), timeout=patience(10)) as plain:
                try:
                    with context.wrap_socket(plain) as secure:
                        agreed[version.name] = secure.version()
                except ssl.SSLError as error:
                    agreed[version.name] = error.reason
        assert agreed == {"TLSv1_1": "TLSV1_ALERT_PROTOCOL_VERSION", "TLSv1_2": "TLSv1.2", "TLSv1_3": "TLSv1.3"}

    def test_logs_neither_query_nor_the_secret_of_a_link(self, proxy):
        get(connect(proxy[0]), "/p/secret-of-a-link/?lat=48.85", {})
        until(lambda: " /p " in proxy[2].read_text(), 5)
        assert "secret" not in proxy[2].read_text()
        assert "48.85" not in proxy[2].read_text()


def get(client, path, headers):
    with closing(client):
        client.request("GET", path, headers=headers)
        answer = client.getresponse()
        answer.read()
        return answer.status, answer.headers


def test_buffers_and_closes_before_the_web_server_does():
    for line in ("proxy_request_buffering on;", "proxy_buffering on;", 'proxy_set_header Connection "";'):
        assert line in CONF
    [kept_s] = re.findall(r"keepalive_timeout (\d+)s; # shorter", CONF)
    [closes_s] = re.findall(r'"--keep-alive", "(\d+)"', (ROOT / "Dockerfile").read_text())
    assert 60 <= int(kept_s) < int(closes_s)
