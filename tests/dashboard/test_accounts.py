"""Authentication: passwords, links that work once, tokens."""

from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from dashboard.accounts import services
from dashboard.accounts.models import ApiToken, LoginLink, User
from tests.dashboard.conftest import at_once

API = "/api/v1/datasets/"


def token_of(path):
    return path.rstrip("/").rsplit("/", 1)[-1]


class TestLoginLink:
    def test_logs_in_once(self, owner):
        path = services.make_login_link(user=owner)
        assert path.startswith("/login/once/")
        assert services.consume_login_link(token=token_of(path)) == owner
        assert services.consume_login_link(token=token_of(path)) is None

    @pytest.mark.django_db
    def test_pages_name_the_command_that_runs_here(self, client):
        for path in ["/login/", "/login/once/none/"]:
            assert ".venv/bin/python manage.py login_link <i>USER</i>" in client.get(path).content.decode(), path

    def test_is_stored_as_a_digest_only(self, owner):
        token = token_of(services.make_login_link(user=owner))
        link = LoginLink.objects.get()
        assert len(token) >= 43
        assert token not in [str(value) for value in vars(link).values()]

    @pytest.mark.parametrize(("left", "enters"), [(timedelta(minutes=1), True), (-timedelta(minutes=1), False)])
    def test_is_valid_for_twelve_hours(self, owner, left, enters):
        path = services.make_login_link(user=owner)
        passed = timedelta(hours=12) - left
        LoginLink.objects.update(created_at=F("created_at") - passed, expires_at=F("expires_at") - passed)
        assert (services.consume_login_link(token=token_of(path)) == owner) == enters

    def test_unknown_is_refused(self, owner):
        services.make_login_link(user=owner)
        for token in ("", "x", "\udcff", "a\0b", "x" * 10_000):
            assert services.consume_login_link(token=token) is None, token[:9]

    def test_of_an_inactive_user_is_refused(self, owner):
        path = services.make_login_link(user=owner)
        User.objects.update(is_active=False)
        assert services.consume_login_link(token=token_of(path)) is None

    @pytest.mark.django_db(transaction=True)
    def test_of_sixteen_at_once_one_enters(self, owner):
        token = token_of(services.make_login_link(user=owner))
        entered = at_once(16, lambda _: services.consume_login_link(token=token))
        assert [one for one in entered if one is not None] == [owner]

    def test_page_logs_in_and_redirects(self, client, owner):
        answer = client.get(services.make_login_link(user=owner))
        assert (answer.status_code, answer["Location"]) == (302, "/")
        assert client.get("/tokens/").status_code == 200

    def test_page_is_not_used_up_by_fetching_ahead(self, client, owner):
        path = services.make_login_link(user=owner)
        assert client.get(path, headers={"Sec-Purpose": "prefetch"}).status_code == 204
        assert client.head(path).status_code == client.post(path).status_code == 405
        assert client.get(path).status_code == 302

    def test_page_states_when_it_was_used(self, client, owner):
        path = services.make_login_link(user=owner)
        Client().get(path)
        assert client.get(path).status_code == 410
        assert client.get("/tokens/").status_code == 302

    def test_command_prints_it_last(self, client, owner):
        out = StringIO()
        call_command("login_link", "owner", stdout=out)
        address = out.getvalue().split()[-1]
        assert address.startswith("http://127.0.0.1:")
        assert client.get(address[address.index("/login") :]).status_code == 302


class TestToken:
    def test_opens_the_api(self, owner):
        _, token = services.make_token(user=owner)
        api = APIClient(headers={"Authorization": f"Token {token}"})
        assert api.get(API).status_code == 200

    def test_needs_no_csrf_token(self, owner):
        _, token = services.make_token(user=owner)
        api = APIClient(enforce_csrf_checks=True, headers={"Authorization": f"Token {token}"})
        assert api.post(API, {}, format="multipart").status_code == 400

    def test_is_stored_as_a_digest_only(self, owner):
        _, token = services.make_token(user=owner)
        assert token not in [str(value) for value in vars(ApiToken.objects.get()).values()]

    def test_that_is_none_is_refused(self, db):
        for header in ("Token x", "Token", "Token a b", "Bearer x", "Basic b3duZXI6eA==", "Token \xff"):
            answer = APIClient(headers={"Authorization": header}).get(API)
            assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Token"), header
            assert answer.json()["errors"]

    def test_is_refused_once_it_is_revoked_or_expired_or_its_user_may_not_enter(self, owner, stranger):
        past = timezone.now() - timedelta(seconds=1)
        for end in (
            lambda row: services.revoke_token(user=owner, token_key=row.token_key),
            lambda row: ApiToken.objects.filter(pk=row.pk).update(expiry=past),
            lambda row: User.objects.update(is_active=False),
        ):
            row, token = services.make_token(user=owner)
            api = APIClient(headers={"Authorization": f"Token {token}"})
            assert not services.revoke_token(user=stranger, token_key=row.token_key)
            assert api.get(API).status_code == 200
            assert end(row)
            assert api.get(API).status_code == 401
        assert ApiToken.objects.count() == 1

    def test_command_prints_it_last(self, owner):
        out = StringIO()
        call_command("token", "owner", stdout=out)
        token = out.getvalue().split()[-1]
        assert APIClient(headers={"Authorization": f"Token {token}"}).get(API).status_code == 200

    def test_page_shows_a_new_one_once(self, owner_page):
        answer = owner_page.post("/tokens/", {"name": "script", "scopes": ["read"], "days": "30"})
        token = answer.context["fresh"]
        assert token in answer.content.decode()
        assert token not in owner_page.get("/tokens/").content.decode()
        assert "no-store" in answer["Cache-Control"]
        assert APIClient(headers={"Authorization": f"Token {token}"}).get(API).status_code == 200

    def test_page_revokes(self, owner, owner_page):
        row, _ = services.make_token(user=owner)
        assert owner_page.post(f"/tokens/{row.token_key}/revoke/").status_code == 302
        assert not ApiToken.objects.exists()


@pytest.mark.parametrize("command", ["token", "login_link", "password_link"])
@pytest.mark.parametrize("inactive", [False, True])
def test_command_names_a_user_that_is_not_there(db, command, inactive):
    if inactive:
        User.objects.create_user("inactive", is_active=False)
    with pytest.raises(CommandError, match="There is no user 'inactive'"):
        call_command(command, "inactive")


class TestPassword:
    @pytest.fixture(autouse=True)
    def with_password(self, owner):
        owner.set_password("a long enough phrase")
        owner.save()

    def test_logs_in_and_out(self, client):
        form = {"username": "owner", "password": "a long enough phrase"}
        assert client.post("/login/", form).status_code == 302
        assert client.get("/tokens/").status_code == 200
        assert client.get("/logout/").status_code == 405
        assert client.post("/logout/").status_code == 302
        assert client.get("/tokens/").status_code == 302

    def test_wrong_is_refused_with_the_same_message(self, client):
        for username in ("owner", "unknown"):
            answer = client.post("/login/", {"username": username, "password": "wrong"})
            assert answer.status_code == 200
            assert "sessionid" not in answer.cookies
            assert b"Wrong user name or password" in answer.content


class TestLoginInPlace:
    """The login view as JSON: what a page that is open needs to log in again."""

    JSON = {"HTTP_ACCEPT": "application/json"}

    def test_returns_who_is_logged_in_with_a_csrf_cookie(self, client, owner):
        answer = client.get("/login/", **self.JSON)
        assert answer.json() == {"user": None}
        assert answer.cookies[settings.CSRF_COOKIE_NAME].value
        assert "no-store" in answer["Cache-Control"]
        client.force_login(owner)
        assert client.get("/login/", **self.JSON).json() == {"user": "owner"}

    def test_logs_in_and_renews_token_and_session(self, owner):
        owner.set_password("a long walk")
        owner.save()
        client = Client(enforce_csrf_checks=True)
        client.get("/login/", **self.JSON)
        before = client.cookies[settings.CSRF_COOKIE_NAME].value
        body = {"username": owner.username, "password": "a long walk"}
        assert client.post("/login/", body, **self.JSON).status_code == 403  # without the token
        answer = client.post("/login/", body, HTTP_X_CSRFTOKEN=before, **self.JSON)
        assert answer.json() == {"user": owner.username}
        assert client.cookies[settings.CSRF_COOKIE_NAME].value != before
        assert client.get(API, **self.JSON).status_code == 200

    def test_refuses_a_wrong_password(self, client, owner):
        answer = client.post("/login/", {"username": owner.username, "password": "guess"}, **self.JSON)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["message"].startswith("Wrong user name or password")
        assert client.get(API, **self.JSON).status_code == 401

    def test_logout_without_a_session_leads_to_the_login_page(self, client):
        assert client.post("/logout/").headers["Location"] == "/login/"
