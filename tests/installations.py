"""Installations that tests start with databases, homes and buckets of their choice."""

import hashlib
import json
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests import migrated, postgres
from tests.server import clean_environment, python

OF_A_PROCESS = ("tmp", "run", "log", "broker", "cache")
COMMANDS = """
import contextlib, io, json, sys, traceback
import django; django.setup()
from django.db import connection
from dashboard.launcher.commands import Commands
from dashboard.maintenance import objects
objects.STALE_S = -1.0  # objects have the times of the server
found = []
for command in json.loads(sys.argv[1]):
    out, code = io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        sys.argv = ["manage.py", *command]
        try:
            Commands(sys.argv).execute()
        except SystemExit as ended:
            code = ended.code
        except BaseException:
            code = 99
            traceback.print_exc()
    connection.close()
    found.append([code, out.getvalue()])
print(json.dumps(found))
"""
"""Runs commands as manage.py does, in one process: starting Django takes longer than all else."""
SET_UP = """
from django.core.files.base import ContentFile
from dashboard.accounts.models import User
from dashboard.datasets.services import import_dataset
owner = User.objects.create(username="owner")
for minute in range(10, 10 + {datasets}):
    body = "time,lat,lon\\n" + "".join(f"2024-06-15T10:{{minute}}:0{{i}}Z,52.5{{i}},13.4\\n" for i in range(3))
    import_dataset(owner=owner, upload=ContentFile(body.encode(), "run.csv"))
"""
DATASETS = 11
"""Two files each: more than a round of the sweep removes."""


@dataclass(frozen=True)
class Cairn:
    home: Path
    url: str = ""
    storage: dict | None = None

    @property
    def env(self):
        digits = "0123456789-" * 5
        keys = {"CAIRN_SECRET_KEY": "a" + digits, "CAIRN_LEDGER_KEY": "b" + digits}
        found = clean_environment(CAIRN_HOME=str(self.home), DJANGO_SETTINGS_MODULE="dashboard.config.settings", **keys)
        found |= {"REDIS_URL": "redis://127.0.0.1:1/0"} | (self.storage or {})
        return found | ({"DATABASE_URL": self.url} if self.url else {})

    def python(self, *arguments):
        return python(*arguments, env=self.env)

    def commands(self, *commands):
        done = self.python("-c", COMMANDS, json.dumps([command.split("|") for command in commands]))
        assert done.returncode == 0, done.stdout + done.stderr
        return [(code, output) for code, output in json.loads(done.stdout.splitlines()[-1])]

    def manage(self, *commands):
        found = self.commands(*commands)
        assert [code for code, _ in found] == [0] * len(found), found
        return "".join(output for _, output in found)

    def set_up(self, datasets=DATASETS):
        if not self.url:
            migrated.copy_to(self.home / "cairn.sqlite3")
        self.manage("migrate|-v0", f"shell|-v0|-c|{SET_UP.format(datasets=datasets)}")
        age(self.home)
        return self

    def id(self):
        return (self.home / "installation").read_text().strip()

    def forget_ids(self):
        """Leave it as installations were before there were ids."""
        (self.home / "installation").unlink()
        with closing(sqlite3.connect(self.home / "cairn.sqlite3")) as database, database:
            for table in ("installation", "removal", "storedfile"):
                database.execute(f"DROP TABLE storage_{table}")
            database.execute("DELETE FROM django_migrations WHERE app = 'storage'")

    def files(self):
        """The SHA-256 of every file that is stored in the home."""
        found = {str(path.relative_to(self.home)): path for path in sorted(self.home.rglob("*")) if path.is_file()}
        kept = {name: path for name, path in found.items() if name.split("/")[0] not in OF_A_PROCESS}
        return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in kept.items()}


def age(home):
    """Make everything older than what the sweep leaves alone."""
    for path in home.rglob("*"):
        os.utime(path, (time.time() - 7200.0,) * 2)


def stored(home, *folders):
    """The files of datasets, or in other ``folders``."""
    found = (path for folder in folders or ["datasets"] for path in (home / folder).rglob("*"))
    return sorted(str(path.relative_to(home)) for path in found if path.is_file())


def assert_refused(cairn, *texts):
    """Every command ends with 1, writes nothing and states what differs and what to do, as doctor does."""
    before = cairn.files()
    *refused, (code, report) = cairn.commands("migrate|-v0", "sweep|--once", "run", "doctor")
    for found, output in refused:
        assert found == 1, output
        for text in (*texts, "manage.py adopt", "Nothing was written"):
            assert text in output
    assert code == 1
    assert "ERROR installation: " in report
    assert texts[0] in report
    assert cairn.files() == before


def fresh_database(cluster, name, template="template1"):
    folder, programs = cluster.partition("@/")[2].rpartition("/")[0], postgres.programs()
    command = [programs / "createdb", "-h", folder, "-U", postgres.USER, "-T", template, name]
    subprocess.run(command, check=True, cwd="/")
    return f"{cluster.rpartition('/')[0]}/{name}"
