"""A temporary PostgreSQL server, made from the installed programs, on a private socket.

``python -m tests.postgres COMMAND ...`` runs a command with its DATABASE_URL (`make test-postgres`).
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.patience import patience

USER = "cairn"
PATIENCE_S = patience(30)


def programs() -> Path | None:
    """The folder that holds initdb and postgres, the newest if there are several."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    on_path = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    return next((folder for folder in [*installed, *on_path] if (folder / "initdb").exists()), None)


@contextlib.contextmanager
def cluster(bin_folder: Path) -> Iterator[str]:
    """Start a server, and yield its DATABASE_URL."""
    folder = Path(tempfile.mkdtemp(prefix="cpg-"))
    person = _unprivileged()
    if person:
        os.chown(folder, person["user"], person["group"])
    try:
        subprocess.run(
            [bin_folder / "initdb", "-D", folder / "data", "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
            check=True,
            capture_output=True,
            cwd=folder,
            **person,
        )
        with _server(bin_folder, folder, person):
            yield f"postgres://{USER}@/{folder}/postgres"
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def _server(bin_folder: Path, folder: Path, person: dict[str, int]) -> Iterator[None]:
    options = [
        "-D",
        folder / "data",
        "-k",
        folder,
        "-c",
        "listen_addresses=",
        "-c",
        "fsync=off",
        "-c",
        "synchronous_commit=off",
        "-N",
        "60",
    ]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([bin_folder / "postgres", *options], stdout=log, stderr=log, cwd=folder, **person)
    try:
        give_up = time.monotonic() + PATIENCE_S
        ready = [bin_folder / "pg_isready", "-q", "-h", folder, "-U", USER]
        while subprocess.run(ready, check=False).returncode:
            assert server.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < give_up, (folder / "log").read_text()
            time.sleep(0.1)
        yield
    finally:
        server.terminate()  # SIGTERM: wait for sessions; they are over
        try:
            server.wait(timeout=patience(10))
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _unprivileged() -> dict[str, int]:
    """Arguments that run a process as another user: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    names = {person.pw_name: person for person in pwd.getpwall()}
    person = names.get("postgres") or names["nobody"]
    return {"user": person.pw_uid, "group": person.pw_gid}


def main(command: list[str]) -> int:
    """Run ``command`` with a server of its own; without PostgreSQL that is an error on CI and skipped elsewhere."""
    bin_folder = programs()
    if bin_folder is None:
        print("PostgreSQL is not installed here: the dashboard's tests were run on SQLite only.", file=sys.stderr)
        return 1 if os.environ.get("CI") == "1" else 0
    with cluster(bin_folder) as url:
        return subprocess.run(command, env=os.environ | {"DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
