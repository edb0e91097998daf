"""A real nginx with deploy/nginx.conf, its addresses and folders changed."""

import re
import shutil
import socket
import subprocess
from contextlib import closing, contextmanager

from tests.patience import patience, until
from tests.server import ROOT, free_port

CONF = (ROOT / "deploy" / "nginx.conf").read_text()
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
MISSING = "" if NGINX and shutil.which("openssl") else "nginx or openssl is not installed: the proxy is not run"


def _configured(folder, web_port, tls, plain):
    """The text of deploy/nginx.conf for a folder, a web server and two ports of this machine."""
    changes = {
        "web:8000 resolve": f"127.0.0.1:{web_port}",
        "resolver 127.0.0.11 valid=10s;": "",
        "pid /tmp": f"pid {folder}",
        "/run/secrets": str(folder),
        "/var/cache/nginx": str(folder),
        "listen 8443": f"listen 127.0.0.1:{tls}",
        "listen 8080": f"listen 127.0.0.1:{plain}",
        "/dev/stdout": str(folder / "access.log"),
        "/etc/nginx/mime.types": str(folder / "mime.types"),
    }
    version = subprocess.run([str(NGINX), "-v"], capture_output=True, text=True, check=True).stderr
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < (1, 25):
        changes["http2 on;"] = ""
    text = CONF
    for written, changed in changes.items():
        text = text.replace(written, changed)
    return text


def listens(port):
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running_nginx(folder, web_port):
    """nginx before a web server until the block ends: its ports of TLS and HTTP, and its log."""
    subject = ["-subj", "/CN=localhost", "-keyout", folder / "tls_key", "-out", folder / "tls_certificate"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject]
    subprocess.run(command, check=True, capture_output=True)
    tls, plain = free_port(), free_port()
    (folder / "mime.types").write_text("types { text/html html; }")
    (folder / "nginx.conf").write_text(_configured(folder, web_port, tls, plain))
    command = [str(NGINX), "-c", folder / "nginx.conf", "-e", folder / "error.log", "-g", "daemon off;"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            until(lambda: listens(tls), 10, lambda: (folder / "error.log").read_text())
            yield tls, plain, folder / "access.log"
        finally:
            process.terminate()
            process.wait(timeout=patience(10))
