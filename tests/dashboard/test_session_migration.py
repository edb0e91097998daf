"""Sessions of Django's own table are kept by an upgrade: no user is logged out."""

import pytest

from tests.dashboard.test_ledger_migration import migrated

pytestmark = pytest.mark.thorough  # changed no more; a process that migrates a database of its own
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


def test_users_stay_logged_in(tmp_path):
    moved = migrated(PROGRAM, tmp_path)
    assert moved["owner"] == [moved["user"], 200]
    assert (moved["anonymous"], moved["ids"]) == (["None", 302], 2), "those before a login are kept"
    assert moved["past"] == moved["gone"] == [None, 302], "expired ones and those of no user are left out"
