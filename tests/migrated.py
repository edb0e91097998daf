"""A database of SQLite with all tables and without rows, made once and copied: migrating takes seconds for each home.

What is made of the same migrations stays in ``build`` for later runs.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import django

from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
MAKE = """
import django; django.setup()
from django.core.management import call_command
from django.db import connection
call_command("migrate", verbosity=0)
connection.close()
"""


def copy_to(path):
    """Copy it; the first process that needs it makes it."""
    sources = sorted(ROOT.glob("dashboard/*/migrations/*.py"))
    texts = [django.__version__, *(f"{one.relative_to(ROOT)}\n{one.read_text()}" for one in sources)]
    made = ROOT / "build" / f"migrated-{hashlib.sha256(''.join(texts).encode()).hexdigest()[:16]}.sqlite3"
    made.parent.mkdir(exist_ok=True)
    with (made.parent / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(made)
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(made, path)


def _make(made):
    for old in made.parent.glob("migrated-*"):
        old.unlink()
    home = made.with_suffix("")
    environment = os.environ | {"CAIRN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    environment |= {"DATABASE_URL": f"sqlite:///{home}/cairn.sqlite3", "CAIRN_SECRET_KEY": "s" * 60}
    try:
        subprocess.run([sys.executable, "-c", MAKE], cwd=ROOT, env=environment, check=True, timeout=patience(120))
        (home / "cairn.sqlite3").rename(made)
    finally:
        shutil.rmtree(home, ignore_errors=True)
