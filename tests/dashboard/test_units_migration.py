"""Budgets become budgets by unit: every amount and limit stays, forwards and backwards, on both databases."""

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests import postgres
from tests.dashboard.units_migration import LARGE, LINEAGES

pytestmark = pytest.mark.thorough  # changed no more; processes that migrate a database of their own

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["sqlite", "postgresql"])
def found(request, tmp_path):
    """The ledger after each migration, as tests/dashboard/units_migration.py reports it."""
    programs = postgres.programs() if request.param == "postgresql" else None
    if request.param == "postgresql" and programs is None:
        pytest.skip("PostgreSQL is not installed")
    with postgres.cluster(programs) if programs else nullcontext("") as url:
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        environment |= {"CAIRN_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
        environment |= {"DATABASE_URL": url} if url else {}
        command = [sys.executable, "-m", "tests.dashboard.units_migration"]
        run = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True)
    assert run.returncode == 0, run.stderr[-4000:]
    return dict(json.loads(run.stdout))


def test_what_is_migrated_holds_amounts_limits_refunds_and_shared_lineages(found):
    filled = found["filled"]
    assert [one["files"] for one in filled["budgets"]] == [sorted(one["files"]) for one in LINEAGES.values()]
    assert [one["amounts"] for one in filled["budgets"]] == [list(one["budget"]) for one in LINEAGES.values()]
    assert len(filled["entries"]) == 8
    assert sum(entry[1] for entry in filled["entries"]) == sum(one["amounts"][0] for one in filled["budgets"])
    assert len(filled["releases"]) == len(filled["datasets"]) == 6
    assert LARGE in [fact[4] for fact in filled["facts"]]
    for after in ("migrated", "back", "again"):  # forwards, backwards and forwards again
        assert found[after] == filled, "every amount and limit stays"
    assert found["without a budget"] == 0
    assert found["kinds"] == [["trajectory", "trajectory"]]
    assert found["kinds of releases"] == ["trajectory"]
    assert "another unit" in found["refused"]["message"]
    assert found["refused"]["kept"] == [["event_per_m", 0, 1], ["user", 5, None]]
