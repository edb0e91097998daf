"""Budgets that were stored by content move to source files: every charge remains."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough  # changed no more; processes that migrate a database of their own

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, uuid
import django; django.setup()
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from dashboard.storage import local_files
from dashboard.datasets import execution, ledger, services
from privacy_engine.datatypes import datatypes
from tests.dashboard.test_lineage import csv, lines
from tests.dashboard.conftest import upload

before = ("datasets", "0003_uploads_and_cleaning")
from tests.earlier_migrations import one_by_one
with one_by_one():
    call_command("migrate", *before, verbosity=0)
    old = MigrationExecutor(connection).loader.project_state([before]).apps
User, Dataset, Budget, Entry = (old.get_model(*name.split(".")) for name in (
    "accounts.User", "datasets.Dataset", "datasets.Budget", "datasets.BudgetEntry"))
owner = User.objects.create(username="owner")

def dataset(name, body, spent, cleaning=(), original=True):
    row = Dataset(owner=owner, name=name, file_name="w.csv", state="ready", progress=1, finished_at=timezone.now(),
                  cleaning=list(cleaning))
    folder = local_files.home("datasets", str(row.pk))
    (folder / "original").write_bytes(body)
    series = execution.read(folder / "original", name="w.csv", options={}, cleaning=row.cleaning).data
    for column, value in execution.store(folder, series, token=uuid.uuid4()).items():
        setattr(row, column, value)
    if not original:
        (folder / "original").unlink()
    row.save(force_insert=True)
    charged(row.content_digest, spent)
    return row

def charged(digest, spent):
    if spent:
        budget, _ = Budget.objects.get_or_create(owner=owner, content_digest=digest)
        budget.spent += spent * 1_000_000
        budget.save()
        Entry.objects.create(budget=budget, release_id=uuid.uuid4(), mechanism="landmark-uniform", level="landmark",
                             amount=spent * 1_000_000, epsilon=spent, radius_m=1000.0)

resample = {"name": "resample", "every_s": 20.0}
dataset("first", csv(lines()), 100)
dataset("cleaned", csv(lines()), 50, [{"name": "first-events", "events": 3}])
dataset("semicolons", csv(lines()).replace(b",", b";"), 0)
dataset("without its last row", csv(lines(count=59)), 25)
dataset("gone", csv(lines(start=500)), 10, original=False)
dataset("resampled", csv(lines(start=1000)), 3, [resample])
dataset("resampled, gone", csv(lines(start=1500)), 0, [resample], original=False)
dataset("never released", csv(lines(start=2000)), 0)
deleted = local_files.home("tmp", "deleted") / "original"
deleted.write_bytes(csv(lines(start=3000)))
series = execution.read(deleted, name="w.csv", options={}).data
charged(datatypes["trajectory"].keyed_digest(series, settings.SECRET_KEY), 7)

call_command("migrate", verbosity=0)
from dashboard.accounts.models import User
from dashboard.datasets.models import Budget, BudgetEntry, Dataset
owner = User.objects.get()
def columns(row):
    return [ledger.spent(row)["per_km"], row.stability]
found = {row.name: columns(row) for row in Dataset.objects.all()}
for name, body in {"gone again": csv(lines(start=500)), "deleted again": csv(lines(start=3000)),
                   "part of never released": csv(lines(start=2010, count=30))}.items():
    found[name] = columns(services.import_dataset(owner=owner, upload=upload(body)))
found["sums"] = all(b.spent == sum(e.amount for e in b.entries) for b in Budget.objects.all())
found["entries"] = BudgetEntry.objects.count()
found["spent"] = sum(b.spent for b in Budget.objects.all()) / 1e6
print(json.dumps(found))
"""


def migrated(program, home):
    """What a program prints last, in a process with a database of its own."""
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment = kept | {"CAIRN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, text=True, capture_output=True)
    assert run.returncode == 0, run.stderr[-4000:]
    return dict(json.loads(run.stdout.splitlines()[-1]))


def test_every_charge_remains(tmp_path):
    moved = migrated(PROGRAM, tmp_path)
    assert (moved["entries"], moved["spent"], moved["sums"]) == (6, 195.0, True)
    for name in ("first", "cleaned", "semicolons", "without its last row"):
        assert moved[name] == [175.0, 1], "the same bytes and shared events have one budget"
    assert (moved["gone"], moved["never released"]) == ([10.0, 1], [0.0, 1])
    assert (moved["gone again"], moved["deleted again"]) == ([10.0, 1], [7.0, 1]), "found by their points"
    assert moved["part of never released"] == [0.0, 1], "later uploads are compared with earlier ones"
    assert (moved["resampled"], moved["resampled, gone"]) == ([3.0, 5], [0.0, 178]), "stability"
