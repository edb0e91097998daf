"""Passwords, sessions and tokens: how they are set, what they permit, and how they end."""

from datetime import datetime, timedelta
from importlib import import_module
from io import StringIO
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.apps import apps
from django.contrib.auth.tokens import default_token_generator
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from dashboard.accounts import attempts, services, session_store
from dashboard.accounts.models import ApiToken, LoginLink, User, UserSession
from tests.cases import refreshed

OLD, NEW = "a long enough phrase", "another phrase of length"
FORM = {"old_password": OLD, "new_password1": NEW, "new_password2": NEW}


def with_password(user):
    user.set_password(OLD)
    user.save()
    return user


def logged_in(user, **options):
    client = Client(**options)
    client.force_login(user)
    return client


def is_in(client):
    return client.get("/tokens/").status_code == 200


class TestPage:
    def test_sets_it_and_ends_other_sessions_tokens_and_links(self, owner, stranger):
        here, there = logged_in(with_password(owner)), logged_in(owner)
        other = logged_in(stranger)
        services.make_token(user=owner)
        services.make_token(user=stranger)
        services.make_login_link(user=owner)
        assert b"Setting it ends all other sessions" in here.get("/password/").content
        assert here.post("/password/", FORM).status_code == 302
        assert (is_in(here), is_in(there), is_in(other)) == (True, False, True)
        assert [row.user for row in ApiToken.objects.all()] == [stranger]
        assert not LoginLink.objects.exists()
        assert refreshed(owner).check_password(NEW)

    def test_needs_no_present_one_where_there_is_none(self, owner):
        here = logged_in(owner)
        assert b"old_password" not in here.get("/password/").content
        assert here.post("/password/", {"new_password1": NEW, "new_password2": NEW}).status_code == 302
        assert refreshed(owner).check_password(NEW)

    def test_refuses_with_the_reason(self, owner):
        here = logged_in(with_password(owner))
        services.make_token(user=owner)
        for change, message in (
            ({"old_password": "guess"}, "That is not your password"),
            ({"new_password2": NEW + "x"}, "didn’t match"),
            ({"new_password1": "short", "new_password2": "short"}, "at least 10 characters"),
            ({"new_password1": "password1234", "new_password2": "password1234"}, "too common"),
        ):
            answer = here.post("/password/", FORM | change)
            assert (answer.status_code, message in answer.content.decode()) == (400, True)
        assert refreshed(owner).check_password(OLD)
        owner.set_password(OLD)  # Django renews a stored digest at a login when its parameters changed: it ends nothing
        owner._password = None  # as AbstractBaseUser.check_password does
        owner.save(update_fields=["password"])
        assert ApiToken.objects.exists()

    def test_limits_guesses_of_the_present_one(self, owner, monkeypatch):
        monkeypatch.setattr(attempts, "BY_NAME", 2)
        here, bad = logged_in(with_password(owner)), FORM | {"old_password": "guess"}
        assert [here.post("/password/", bad).status_code for _ in range(3)] == [400, 400, 429]
        answer = here.post("/password/", FORM)
        assert (answer.status_code, int(answer["Retry-After"]) > 0) == (429, True)
        assert refreshed(owner).check_password(OLD)

    @pytest.mark.parametrize("chosen", ["1029384756102", "  blanks at the ends  ", "Ünï ✓ " * 30, "lower case alone"])
    def test_takes_any_characters_exactly_as_they_are(self, owner, chosen):
        here = logged_in(with_password(owner))
        assert here.post("/password/", FORM | {"new_password1": chosen, "new_password2": chosen}).status_code == 302
        for typed, status in ((chosen.strip() + "x", 200), (chosen.swapcase() + " ", 200), (chosen, 302)):
            assert Client().post("/login/", {"username": "owner", "password": typed}).status_code == status


class TestLink:
    def link(self, name="owner"):
        out = StringIO()
        call_command("password_link", name, stdout=out)
        address = out.getvalue().split()[-1]
        return str(address[address.index("/password/") :])

    def test_sets_a_password_once_and_logs_in(self, owner):
        there, here, link = logged_in(with_password(owner)), Client(), self.link()
        page = here.get(link)
        answer = here.post(page["Location"], {"new_password1": "short", "new_password2": "short"})
        assert (answer.status_code, b"at least 10 characters" in answer.content) == (400, True)
        assert link.split("/")[-2] not in page["Location"]  # not in the address of the page, nor of its Referer
        assert here.post(page["Location"], {"new_password1": NEW, "new_password2": NEW})["Location"] == "/"
        assert (is_in(here), is_in(there)) == (True, False)
        assert Client().get(link).status_code == 410
        assert refreshed(owner).check_password(NEW)

    def test_ends(self, owner, monkeypatch):
        link, now = self.link(), datetime.now()
        for hours, status in ((11, 302), (13, 410)):
            monkeypatch.setattr(default_token_generator, "_now", lambda after=hours: now + timedelta(hours=after))
            assert Client().get(link).status_code == status

    def test_that_is_none_is_refused_and_counted(self, db, monkeypatch):
        monkeypatch.setattr(attempts, "BY_ADDRESS", 2)
        assert [Client().get("/password/x/x/").status_code for _ in range(3)] == [410, 410, 429]


API = "/api/v1/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"


def test_the_name_of_a_browser():
    phone = f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) {APPLE} CriOS/120.0 Safari/604.1"
    mac = f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {APPLE} Version/17.4 Safari/605.1.15"
    edge = f"Mozilla/5.0 (Windows NT 10.0) {APPLE} Chrome/120.0 Safari/537.36 Edg/120.0"
    android = f"Mozilla/5.0 (Linux; Android 14) {APPLE} Chrome/120.0 Mobile Safari/537.36"
    names = {FIREFOX: "Firefox 128 on Linux", mac: "Safari 17 on macOS", phone: "Chrome 120 on iPhone"}
    names |= {edge: "Edge 120 on Windows", android: "Chrome 120 on Android", "curl/8.5.0": "curl 8"}
    names |= {"<script>alert(1)</script>": "", "": ""}
    assert {agent: session_store.browser_name(agent) for agent in names} == names


class TestRecord:
    def test_has_user_browser_and_address_and_its_last_use_once_a_minute(self, owner):
        with_password(owner)
        client = Client(headers={"User-Agent": "curl/8.5.0"}, REMOTE_ADDR="192.0.2.7")
        client.post("/login/", {"username": "owner", "password": FORM["old_password"]})
        rows = UserSession.objects.all()
        assert (rows.get().user, rows.get().browser, rows.get().address) == (owner, "curl 8", "192.0.2.7")
        fresh = rows.get().last_used_at
        client.get("/account/")
        assert rows.get().last_used_at == fresh
        rows.update(last_used_at=fresh - timedelta(minutes=2))
        client.get("/account/", headers={"User-Agent": FIREFOX}, REMOTE_ADDR="2001:db8::7")
        row = rows.get()
        assert row.last_used_at >= fresh
        assert (row.browser, row.address) == ("Firefox 128 on Linux", "2001:db8::/64")

    def test_what_a_request_stores_keeps_the_login_and_a_busy_database_fails_none(self, owner, monkeypatch):
        client = logged_in(owner)
        before = UserSession.objects.get()
        session = client.session
        session["more"] = 1
        session.save()
        after = UserSession.objects.get()
        assert (after.id, after.created_at, after.user) == (before.id, before.created_at, owner)
        assert client.session["more"] == 1
        UserSession.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
        busy = Mock(side_effect=DatabaseError("database is locked"))
        monkeypatch.setattr(type(UserSession.objects.all()), "update", busy)
        assert client.get("/account/").status_code == 200


class TestSessionsPage:
    def test_lists_the_users_own_and_marks_this_one(self, owner, stranger):
        here, _, other = logged_in(owner), logged_in(owner), logged_in(stranger)
        text = here.get("/account/").content.decode()
        assert text.count("this session") == 1
        assert text.count('<input type="hidden" name="session"') == 1
        assert str(UserSession.objects.get(user=stranger).id) not in text
        for row in UserSession.objects.all():  # the key is the cookie: in no page
            assert row.session_key not in text
        assert "End all other sessions" not in other.get("/account/").content.decode()

    def test_ends_one(self, owner):
        here, there = logged_in(owner), logged_in(owner)
        pk = UserSession.objects.get(session_key=there.session.session_key).id
        assert here.post("/account/sessions/end/", {"session": str(pk)})["Location"] == "/account/"
        assert (is_in(here), is_in(there)) == (True, False)
        answer = here.post("/account/sessions/end/", {"session": str(pk)}, follow=True)
        assert "had ended already" in answer.content.decode()

    def test_ends_all_others(self, owner, stranger):
        here, there, other = logged_in(owner), logged_in(owner), logged_in(stranger)
        assert "1 other session ended." in here.post("/account/sessions/end/", follow=True).content.decode()
        assert (is_in(here), is_in(there), is_in(other)) == (True, False, True)

    def test_ends_none_of_another_user_or_for_an_id_that_is_none(self, owner, stranger):
        here, there = logged_in(owner), logged_in(owner)
        for text in ("x", "f2cb28ee-9bca-4683-bcc4-24e6bfab3db5"):
            assert here.post("/account/sessions/end/", {"session": text}).status_code == 302
        assert (is_in(here), is_in(there)) == (True, True)
        here, other = logged_in(owner), logged_in(stranger)
        here.post("/account/sessions/end/", {"session": str(UserSession.objects.get(user=stranger).id)})
        assert is_in(other)


class TestApi:
    def test_lists_the_users_own(self, owner, stranger):
        here, there, _ = logged_in(owner), logged_in(owner), logged_in(stranger)
        answer = here.get(API).json()
        assert answer["count"] == 2
        by_id = {row["id"]: row["current"] for row in answer["results"]}
        ids = [str(UserSession.objects.get(session_key=one.session.session_key).id) for one in (here, there)]
        assert by_id == {ids[0]: True, ids[1]: False}
        assert here.session.session_key not in str(answer)
        UserSession.objects.filter(session_key=there.session.session_key).update(expire_date=timezone.now())
        assert [row["id"] for row in here.get(API).json()["results"]] == ids[:1], "without those that expired"


def test_end_with_the_account(owner, stranger):
    clients = [logged_in(owner), logged_in(stranger)]
    assert [is_in(one) for one in clients] == [True, True]
    owner.delete()
    User.objects.filter(pk=stranger.pk).update(is_active=False)
    assert {one.get("/tokens/")["Location"][:7] for one in clients} == {"/login/"}


PUBLISHES = {"/api/v1/streams/{id}/events/", "/api/v1/releases/{id}/publications/"}
"""Every route that needs the scope publish."""


def client(owner, *scopes):
    found = APIClient(headers={"Authorization": f"Token {services.make_token(user=owner, scopes=scopes)[1]}"})
    found.raise_request_exception = False
    return found


class TestScopes:
    def test_every_route_and_problem_states_the_scope_that_is_needed(self, owner):
        problem = client(owner, "read").post("/api/v1/projects/", {"name": "Study"}).json()
        assert problem["type"] == "urn:problem-type:cairn:scope"
        assert problem["detail"] == "POST needs a token with the scope write; this one has: read."
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

    def test_page_makes_one_with_name_scopes_and_expiry_or_refuses_with_the_reason(self, owner_page):
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
