"""What tokens permit: scopes, expiry, last use, and tokens of earlier versions; see also test_access_matrix.py."""

from datetime import timedelta
from importlib import import_module
from io import StringIO
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from rest_framework.test import APIClient

from dashboard.accounts import services
from dashboard.accounts.models import ApiToken

PUBLISHES = {"/api/v1/streams/{id}/events/", "/api/v1/releases/{id}/publications/"}
"""Every route that needs the scope publish."""


def client(owner, *scopes):
    found = APIClient(headers={"Authorization": f"Token {services.make_token(user=owner, scopes=scopes)[1]}"})
    found.raise_request_exception = False
    return found


class TestScopes:
    def test_the_problem_names_the_scope_that_is_needed(self, owner):
        problem = client(owner, "read").post("/api/v1/projects/", {"name": "Study"}).json()
        assert problem["type"] == "urn:problem-type:cairn:scope"
        assert problem["detail"] == "POST needs a token with the scope write; this one has: read."

    def test_every_route_states_its_scope_in_the_schema(self, owner):
        schema = client(owner, "read").get("/api/v1/schema/", headers={"Accept": "application/json"}).json()
        for path, item in schema["paths"].items():
            for method, operation in item.items():
                publishes = method == "post" and path in PUBLISHES
                needed = "read" if method in ("get", "head", "options") else "publish" if publishes else "write"
                assert operation["x-required-scope"] == needed, (method, path)
                assert f"scope: `{needed}`" in operation["description"]


class TestToken:
    def test_records_its_use_to_the_minute(self, owner):
        api = client(owner, "read")
        assert ApiToken.objects.get().last_used_at is None
        api.get("/api/v1/mechanisms/")
        first = ApiToken.objects.get().last_used_at
        api.get("/api/v1/mechanisms/")
        assert ApiToken.objects.get().last_used_at == first
        ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
        api.get("/api/v1/mechanisms/")
        assert ApiToken.objects.get().last_used_at > first

    def test_page_makes_one_with_name_scopes_and_expiry_and_lists_it(self, owner_page):
        form = {"name": "nightly <import>", "scopes": ["publish", "read"], "days": "7"}
        assert owner_page.post("/tokens/", form).status_code == 200
        row = ApiToken.objects.get()
        assert (row.name, row.scopes) == ("nightly <import>", ["read", "publish"])
        assert timedelta(days=6) < row.expiry - timezone.now() <= timedelta(days=7)
        body = owner_page.get("/tokens/").content.decode()
        assert "nightly &lt;import&gt;" in body
        assert "read, publish" in body
        owner_page.post("/tokens/", {"name": "sensor", "scopes": ["publish"], "days": "0"})
        assert ApiToken.objects.get(name="sensor").expiry is None

    def test_page_refuses_with_the_reason(self, owner_page):
        for change, message in (
            ({"name": " "}, "Enter a name"),
            ({"name": "x" * 101}, "at most 100 characters"),
            ({"scopes": []}, "Choose at least one permission"),
            ({"scopes": ["admin"]}, "not one of the available choices"),
            ({"days": "8"}, "not one of the available choices"),
        ):
            answer = owner_page.post("/tokens/", {"name": "script", "scopes": ["read"], "days": "30"} | change)
            assert (answer.status_code, message in answer.content.decode()) == (400, True), change
        assert not ApiToken.objects.exists()

    def test_command_takes_name_scopes_and_days(self, owner):
        call_command("token", "owner", "--name=backup", "--scope=read", "--scope=write", "--days=7", stdout=StringIO())
        row = ApiToken.objects.get()
        assert (row.name, row.scopes) == ("backup", ["read", "write"])
        assert row.expiry - timezone.now() <= timedelta(days=7)
        with pytest.raises(CommandError, match="must be 1 to 3650 days, got '0'"):
            call_command("token", "owner", "--days=0")


class TestEarlierTokens:
    def test_stay_valid_with_every_scope(self, owner):
        """The migration, on the table of knox as an earlier version left it."""
        row, token = services.make_token(user=owner)
        created = timezone.now() - timedelta(days=3)
        ApiToken.objects.all().delete()
        state = MigrationExecutor(connection).loader.project_state([("knox", "0009_extend_authtoken_field")])
        earlier = state.apps.get_model("knox", "AuthToken")
        earlier.objects.create(digest=row.digest, token_key=row.token_key, user_id=owner.pk, expiry=row.expiry)
        earlier.objects.update(created=created)
        migration = import_module("dashboard.accounts.migrations.0004_tokens_and_attempts")
        both = SimpleNamespace(get_model=lambda app, name: earlier if app == "knox" else apps.get_model(app, name))
        migration.take_over_tokens(both, SimpleNamespace(connection=connection))
        moved = ApiToken.objects.get()
        assert (moved.scopes, moved.created, moved.expiry) == (["read", "write", "publish"], created, row.expiry)
        assert not earlier.objects.exists()
        api = APIClient(headers={"Authorization": f"Token {token}"})
        assert api.patch("/api/v1/base-map/", {"choice": "none"}).status_code == 200
        migration.give_tokens_back(both, SimpleNamespace(connection=connection))
        assert earlier.objects.get().digest == row.digest
