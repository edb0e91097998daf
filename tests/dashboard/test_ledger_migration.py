"""Data of earlier versions after their migrations: budgets, sessions and live streams are as they were."""

import json
import os
from contextlib import nullcontext

import pytest

from tests import postgres
from tests.dashboard.units_migration import LARGE, LINEAGES
from tests.server import ROOT, python

pytestmark = pytest.mark.thorough  # changed no more; processes that migrate a database of their own


def migrated(*command, home, **environment):
    """What a program prints last, in a process with a database of its own."""
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"CAIRN_HOME": str(home), "PYTHONPATH": str(ROOT)}
    run = python(*command, env=kept, limit_s=600, **environment)
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request):
    """The setting of a database of either kind."""
    programs = postgres.programs() if request.param == "postgresql" else None
    if request.param == "postgresql" and programs is None:
        pytest.skip("PostgreSQL is not installed")
    with postgres.cluster(programs) if programs else nullcontext("") as url:
        yield {"DATABASE_URL": url} if url else {}


LEDGER = """
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

def read(path, cleaning=()):
    return execution.read(path, name="w.csv", options={}, cleaning=cleaning, kind="trajectory").data

def dataset(name, body, spent, cleaning=(), original=True):
    row = Dataset(owner=owner, name=name, file_name="w.csv", state="ready", progress=1, finished_at=timezone.now(),
                  cleaning=list(cleaning))
    folder = local_files.home("datasets", str(row.pk))
    (folder / "original").write_bytes(body)
    series = read(folder / "original", row.cleaning)
    for column, value in execution.store(folder, series, token=uuid.uuid4(), kind="trajectory").items():
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
series = read(deleted)
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


def test_every_charge_remains(tmp_path):
    moved = migrated("-c", LEDGER, home=tmp_path)
    assert (moved["entries"], moved["spent"], moved["sums"]) == (6, 195.0, True)
    for name in ("first", "cleaned", "semicolons", "without its last row"):
        assert moved[name] == [175.0, 1], "the same bytes and shared events have one budget"
    assert (moved["gone"], moved["never released"]) == ([10.0, 1], [0.0, 1])
    assert (moved["gone again"], moved["deleted again"]) == ([10.0, 1], [7.0, 1]), "found by their points"
    assert moved["part of never released"] == [0.0, 1], "later uploads are compared with earlier ones"
    assert (moved["resampled"], moved["resampled, gone"]) == ([3.0, 5], [0.0, 178]), "stability"


def test_what_is_migrated_holds_amounts_limits_refunds_and_shared_lineages(database, tmp_path):
    found = migrated("-m", "tests.dashboard.units_migration", home=tmp_path, **database)
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


SESSIONS = """
import json, uuid
from datetime import timedelta
import django; django.setup()
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone

from dashboard.core import static_files

before = ("accounts", "0004_tokens_and_attempts")
static_files.collect()
call_command("migrate", *before, verbosity=0)
call_command("migrate", "sessions", verbosity=0)
old = MigrationExecutor(connection).loader.project_state([before]).apps
row = old.get_model("accounts.User").objects.create(username="owner", password=make_password("a long enough phrase"))

from dashboard.accounts.models import User, UserSession
owner = User(pk=row.pk, password=row.password)  # not read: its table lacks the columns of today
login = {"_auth_user_id": str(owner.pk), "_auth_user_backend": settings.AUTHENTICATION_BACKENDS[0],
         "_auth_user_hash": owner.get_session_auth_hash()}

def session(data):
    store = SessionStore()
    store.update(data)
    store.save()
    return store.session_key

keys = {"owner": session(login), "anonymous": session({"of": "no user"}), "past": session(login),
        "gone": session(login | {"_auth_user_id": str(uuid.uuid4())})}
Session.objects.filter(pk=keys["past"]).update(expire_date=timezone.now() - timedelta(days=1))

call_command("migrate", verbosity=0)
found = {}
for name, key in keys.items():
    client = Client(HTTP_HOST="localhost")
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    row = UserSession.objects.filter(pk=key).first()
    found[name] = [row and str(row.user_id), client.get("/account/").status_code]
found["ids"] = len(set(UserSession.objects.values_list("id", flat=True)))
found["user"] = str(owner.pk)
print(json.dumps(found))
"""


def test_users_stay_logged_in(tmp_path):
    moved = migrated("-c", SESSIONS, home=tmp_path)
    assert moved["owner"] == [moved["user"], 200]
    assert (moved["anonymous"], moved["ids"]) == (["None", 302], 2), "those before a login are kept"
    assert moved["past"] == moved["gone"] == [None, 302], "expired ones and those of no user are left out"


STREAMS = """
import hashlib, io, json, sys
from pathlib import Path
import django; django.setup()
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
import numpy as np

call_command("migrate", verbosity=0)
call_command("migrate", "streams", "0004", verbosity=0)
before = ("streams", "0004_closed_without_state")
old = MigrationExecutor(connection).loader.project_state([before]).apps
from dashboard.accounts.models import User
from dashboard.streams import services
from dashboard.streams.models import LiveStream
from privacy_engine import noise

owner = User.objects.create_user("owner")
spec = services.live_spec({"name": "stream-uniform", "epsilon": 10000, "window": 2, "sensitivity": 1})
file = Path(sys.argv[1]) / "counts.csv"
same = json.dumps([str(file.resolve()), str(file), ["a", "b"], spec.digest, None])

def published(name, times, **columns):
    run = spec.mechanism.start(2, noise.publishable(), ["a", "b"])
    counts = np.array([[5.0 + t, 6.0] for t in range(len(times))])
    values = run.publish_all(counts) if times else counts
    row = old.get_model("streams.LiveStream").objects.create(
        owner_id=owner.pk, name=name, dimensions=["a", "b"], spec=spec.model_dump(), spec_digest=spec.digest,
        mechanism="stream-uniform", published=len(times), publisher=run.state() if times else None,
        clock="number" if times else "", last_time=times[-1] if times else None,
        last_label=str(times[-1]) if times else "", **columns)
    for i, time in enumerate(times):
        old.get_model("streams.PublishedTimestamp").objects.create(
            stream=row, position=i, time=time, label=str(time), digest="0" * 64,
            values=values[i].astype("<i8").tobytes(), whole=True, budget=run.budgets[i])
    return row.pk

line = published(str(file), [1, 2], idempotency_key="publish:" + hashlib.sha256(same.encode()).hexdigest())
sent, empty = published("sent", [1, 2]), published("empty", [])
call_command("migrate", verbosity=0)

def post(pk, time, **headers):
    from tests.dashboard.conftest import client_of
    body = {"events": [{"time": time, "counts": [5, 6]}]}
    answer = client_of(owner).post(f"/api/v1/streams/{pk}/events/", body, headers=headers, HTTP_HOST="127.0.0.1")
    return [answer.status_code, answer.json()]

file.write_text("time,a,b\\n1,5,6\\n2,0,0\\n3,7,8\\n")
out = io.StringIO()
call_command("publish", str(file), "--user", "owner", "--mechanism", "stream-uniform", "--set", "epsilon=10000",
             "--set", "window=2", "--set", "sensitivity=1", stdout=out, stderr=io.StringIO())
table = connection.introspection.get_table_description(connection.cursor(), "streams_publishedtimestamp")
print(json.dumps({
    "lines": out.getvalue(), "streams": LiveStream.objects.count(),
    "line": LiveStream.objects.get(pk=line).published, "columns": [one.name for one in table],
    "again": post(sent, 1), "with a key": post(sent, 2, **{"Idempotency-Key": "k"}), "next": post(sent, 3),
    "empty": post(empty, 1)[0]}))
"""


def test_streams_continue_after_the_upgrade(database, tmp_path):
    moved = migrated("-c", STREAMS, tmp_path, home=tmp_path, CAIRN_ALLOWED_HOSTS="127.0.0.1", **database)
    assert "digest" not in moved["columns"]
    assert moved["lines"] == "time,a,b\n1,5,6\n2,6,6\n3,7,8\n"  # without noise; the second line was changed since
    assert (moved["streams"], moved["line"]) == (3, 3)
    for name, time in (("again", "1"), ("with a key", "2")):
        status, body = moved[name]
        assert (status, body["errors"][0]["published"][0]["time"]) == (409, time)
    assert moved["next"][0] == moved["empty"] == 201


EXPERIMENTS = """
import json, uuid
import django; django.setup()
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

call_command("migrate", verbosity=0)
from dashboard.accounts.models import User
from dashboard.experiments import context, execution
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from dashboard.jobs import reaper
from privacy_engine import experiments

preset = experiments.presets.parse({"name": "correlated-loss", "repetitions": 20, "events": 60})
owner = User.objects.create_user("owner")
rows = [submit_experiment(owner=owner, preset=preset) for _ in range(3)]
data, digest = execution._loaded(rows[0])
material = context.material_of(rows[0])
for block in material.blocks[:50]:
    execution.compute(material, block, data, digest)

call_command("migrate", "experiments", "0001_squashed", verbosity=0)
old = MigrationExecutor(connection).loader.project_state([("experiments", "0001_squashed")]).apps
old_rows, Part = (old.get_model("experiments", name) for name in ("Experiment", "Part"))
running, queued, cancelled = (old_rows.objects.get(pk=row.pk) for row in rows)
now = {"state": "running", "started_at": timezone.now()}
old_rows.objects.filter(pk=running.pk).update(
    data_digest=digest, attempt=2, progress=0.4, stage="Computing", **now)
Part.objects.create(experiment=running, start=0, stop=50, state="done", finished_at=timezone.now())
Part.objects.create(experiment=running, start=50, stop=60, token=uuid.uuid4(), lease_until=timezone.now(), **now)
Part.objects.create(experiment=running, start=60, stop=120)
Part.objects.create(experiment=queued)
old_rows.objects.filter(pk=cancelled.pk).update(state="cancelled", finished_at=timezone.now())

call_command("migrate", verbosity=0)
found = {"states": [Experiment.objects.get(pk=row.pk).state for row in rows]}
found["waiting"] = sorted(str(row.pk) for row in reaper._not_delivered(Experiment)) == sorted(
    str(row.pk) for row in rows[:2])
computed, plain = [], execution.compute
execution.compute = lambda *of: computed.append(of[1]) or plain(*of)
for row in rows:
    execution.run(row.pk)
found["computed"] = [len(computed), len(material.blocks)]
found["after"] = [Experiment.objects.get(pk=row.pk).state for row in rows]
found["tables"] = len(set(Experiment.objects.exclude(table_sha256="").values_list("table_sha256", flat=True)))
print(json.dumps(found))
"""


def test_an_experiment_that_ran_goes_on_after_the_upgrade(database, tmp_path):
    moved = migrated("-c", EXPERIMENTS, home=tmp_path, **database)
    assert (moved["states"], moved["waiting"]) == (["queued", "queued", "cancelled"], True)
    assert moved["computed"] == [70, 120], "what was kept is not computed again"
    assert (moved["after"], moved["tables"]) == (["done", "done", "cancelled"], 1)
