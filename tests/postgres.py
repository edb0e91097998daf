"""A temporary PostgreSQL server, made from the installed programs, on a private socket.

``python -m tests.postgres COMMAND ...`` runs a command with its DATABASE_URL (`make test-postgres`).
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.patience import patience, until

USER = "cairn"


def programs():
    """The folder that holds initdb and postgres, the newest if there are several."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    on_path = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    return next((folder for folder in [*installed, *on_path] if (folder / "initdb").exists()), None)


@contextlib.contextmanager
def cluster(bin_folder):
    with running(bin_folder) as server:
        yield server.url


@contextlib.contextmanager
def running(bin_folder):
    """Start a server that a test may restart."""
    server = Cluster(bin_folder)
    try:
        server.start()
        yield server
        server.stop()
    finally:
        server.remove()


class Cluster:
    def __init__(self, bin_folder):
        self.bin_folder, self.person = bin_folder, _unprivileged()
        self.folder = Path(tempfile.mkdtemp(prefix="cpg-"))
        self.url = f"postgres://{USER}@/{self.folder}/postgres"
        self.process = None
        if self.person:
            os.chown(self.folder, self.person["user"], self.person["group"])
        try:
            options = f"-U {USER} -A trust -E UTF8 --locale=C -N".split()
            command = [bin_folder / "initdb", "-D", self.folder / "data", *options]
            subprocess.run(command, check=True, capture_output=True, cwd=self.folder, **self.person)
        except BaseException:
            self.remove()
            raise

    def start(self):
        # a commit is written, if not to the disk: SIGQUIT must lose none
        options = ["-c", "listen_addresses=", "-c", "fsync=off", "-N", "60"]
        command = [self.bin_folder / "postgres", "-D", self.folder / "data", "-k", self.folder, *options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, **self.person)
        ready = [self.bin_folder / "pg_isready", "-q", "-h", self.folder, "-U", USER]
        until(lambda: not subprocess.run(ready).returncode, 30, lambda: (self.folder / "log").read_text(), every_s=0.1)

    def stop(self, number=signal.SIGTERM):
        """Stop the server: by SIGTERM when its sessions are over, by SIGQUIT at once, as in a crash."""
        self.process.send_signal(number)
        try:
            self.process.wait(timeout=patience(10))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def remove(self):
        if self.process and self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder)


def _unprivileged():
    """Arguments that run a process as another user: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    names = {person.pw_name: person for person in pwd.getpwall()}
    person = names.get("postgres") or names["nobody"]
    return {"user": person.pw_uid, "group": person.pw_gid}


def main(command):
    """Run ``command`` with a server of its own; without PostgreSQL that is an error on CI and skipped elsewhere."""
    bin_folder = programs()
    if bin_folder is None:
        print("PostgreSQL is not installed here: the dashboard's tests were run on SQLite only.", file=sys.stderr)
        return 1 if os.environ.get("CI") == "1" else 0
    with cluster(bin_folder) as url:
        return subprocess.run(command, env=os.environ | {"DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
