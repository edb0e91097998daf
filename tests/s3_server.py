"""An S3 server of the package moto, in a process of its own; faults are requested by a file beside it.

Each request whose method and path begin with a line of the file ``faults`` ("PUT /bucket/prefix 503 2": status and how
often) is answered with that status; ``cut`` for a status ends the body in its middle.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

from tests.patience import patience, until

ROOT = Path(__file__).resolve().parent.parent
BUCKET = "cairn-test"
KEYS = {"AWS_ACCESS_KEY_ID": "of-a-test", "AWS_SECRET_ACCESS_KEY": "of-a-test", "AWS_DEFAULT_REGION": "us-east-1"}


class S3Server:
    def __init__(self, folder):
        self.folder = folder
        self.faults = folder / "faults"
        self.log = folder / "requests"
        self.port = 0
        self.process = None

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        up = self.folder / "port"
        up.unlink(missing_ok=True)
        with (self.folder / "log").open("ab") as log:
            command = [sys.executable, "-m", "tests.s3_server", str(self.folder), str(self.port)]
            self.process = subprocess.Popen(command, cwd=ROOT, env=os.environ | KEYS, stdout=log, stderr=log)
        until(up.exists, 60, lambda: (self.folder / "log").read_text())
        self.port = int(up.read_text())
        request = urllib.request.Request(f"{self.endpoint}/{BUCKET}", method="PUT")
        with contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(request, timeout=patience(10)).close()

    def stop(self):
        self.process.kill()
        self.process.wait()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def fail(self, *rules):
        self.faults.write_text("\n".join(rules))

    def requests(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def environment(self, prefix):
        return KEYS | {"CAIRN_STORAGE": f"s3://{BUCKET}/{prefix}", "CAIRN_S3_ENDPOINT": self.endpoint}


@contextlib.contextmanager
def running_s3(folder):
    server = S3Server(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class Faulty:
    """The application with the faults that are requested, and a log of what was requested."""

    def __init__(self, application, folder):
        self._application, self._folder = application, folder
        self._left = {}
        self._one_by_one = threading.Lock()

    def __call__(self, environ, start_response):
        request = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        with (self._folder / "requests").open("a") as log:
            condition, source = (environ.get(f"HTTP_{name}", "") for name in ("IF_NONE_MATCH", "X_AMZ_COPY_SOURCE"))
            log.write(f"{request}?{environ.get('QUERY_STRING', '')} copy-source:{source} If-None-Match:{condition}\n")
        fault = self._fault(request)
        if fault == "cut":
            return _cut(self._application(environ, start_response))
        if fault:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            body = f"<Error><Code>{'QuotaExceeded' if fault == '507' else 'SlowDown'}</Code></Error>".encode()
            start_response(f"{fault} Fault", [("Content-Length", str(len(body))), ("Content-Type", "text/xml")])
            return [body if environ["REQUEST_METHOD"] != "HEAD" else b""]
        if environ["REQUEST_METHOD"] == "GET":
            return self._application(environ, start_response)
        with self._one_by_one:  # moto checks for an object and then writes it: S3 does both at once
            return self._application(environ, start_response)

    def _fault(self, request):
        file = self._folder / "faults"
        for rule in file.read_text().splitlines() if file.exists() else []:
            beginning, status, times = rule.rsplit(" ", 2)
            left = self._left.setdefault(f"{file.stat().st_mtime_ns} {rule}", int(times))
            if request.startswith(beginning) and left:
                self._left[f"{file.stat().st_mtime_ns} {rule}"] = left - 1
                return status
        return ""


def _cut(parts):
    whole = b"".join(parts)
    yield whole[: len(whole) // 2]


def main():
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    folder, port, address = Path(sys.argv[1]), int(sys.argv[2]), (sys.argv[3:] or ["127.0.0.1"])[0]
    application = Faulty(DomainDispatcherApplication(create_backend_app), folder)
    server = make_server(address, port, application, threaded=True)
    (folder / "starting").write_text(str(server.port))
    (folder / "starting").rename(folder / "port")
    server.serve_forever()


if __name__ == "__main__":
    main()
