"""What holds on SQLite holds on PostgreSQL: the same tests, run against a server of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import postgres

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = (
    "test_postgres.py",
    *("test_worker.py", "test_experiments_worker.py", "test_audits_worker.py"),  # their house names its own database
)


PARTS = 3


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="these are the tests that run against another database")
def test_the_dashboards_tests_pass_on_postgresql(part: int) -> None:
    """In parts of about as many files, so that the processes of a run can share them."""
    files = sorted(str(path) for path in Path(__file__).parent.glob("test_*.py") if path.name not in ELSEWHERE)
    with postgres.cluster() as url:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *files[part::PARTS]],
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
            | {"DATABASE_URL": url},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-8000:]
    assert "database: postgresql" in run.stdout
