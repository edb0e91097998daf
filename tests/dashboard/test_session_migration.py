"""Sessions of Django's own table are kept by an upgrade: no user is logged out."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough  # changed no more; a process that migrates a database of its own

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
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

before = ("accounts", "0004_tokens_and_attempts")
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


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """The sessions of a database of the version before, after migrating."""
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment = kept | {
        "CAIRN_HOME": str(tmp_path_factory.mktemp("home")), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"
    }  # fmt: skip
    run = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, text=True, capture_output=True)
    assert run.returncode == 0, run.stderr[-4000:]
    return dict(json.loads(run.stdout.splitlines()[-1]))


def test_users_stay_logged_in(moved):
    assert moved["owner"] == [moved["user"], 200]


def test_those_before_a_login_are_kept(moved):
    assert moved["anonymous"] == ["None", 302]
    assert moved["ids"] == 2


@pytest.mark.parametrize("name", ["past", "gone"])
def test_expired_ones_and_those_of_no_user_are_left_out(moved, name):
    assert moved[name] == [None, 302]
