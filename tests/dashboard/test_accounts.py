"""Authentication: passwords, links that work once, tokens."""

from contextlib import suppress
from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from dashboard.accounts import attempts, invitations, joining, services
from dashboard.accounts.models import ApiToken, Invitation, LoginLink, User
from tests.dashboard.conftest import at_once
from tests.dashboard.test_passwords import NEW, is_in, logged_in

API = "/api/v1/datasets/"


def token_of(path):
    return path.rstrip("/").rsplit("/", 1)[-1]


def api_with(token, **more):
    return APIClient(headers={"Authorization": f"Token {token}"}, **more)


def test_commands_print_a_link_and_a_token_last(client, owner):
    out = StringIO()
    call_command("login_link", "owner", stdout=out)
    address = out.getvalue().split()[-1]
    assert address.startswith("http://127.0.0.1:")
    assert client.get(address[address.index("/login") :]).status_code == 302
    call_command("token", "owner", stdout=out)
    assert api_with(out.getvalue().split()[-1]).get(API).status_code == 200


class TestLoginLink:
    def test_logs_in_once(self, owner):
        path = services.make_login_link(user=owner)
        assert path.startswith("/login/once/")
        assert len(token_of(path)) >= 43
        assert token_of(path) not in [str(value) for value in vars(LoginLink.objects.get()).values()]
        assert services.consume_login_link(token=token_of(path)) == owner
        for token in (token_of(path), "", "x", "\udcff", "a\0b", "x" * 10_000):
            assert services.consume_login_link(token=token) is None, token[:9]

    def test_page_logs_in_once_and_is_not_used_up_by_fetching_ahead(self, client, owner):
        path = services.make_login_link(user=owner)
        assert client.get(path, headers={"Sec-Purpose": "prefetch"}).status_code == 204
        assert client.head(path).status_code == client.post(path).status_code == 405
        answer = client.get(path)
        assert (answer.status_code, answer["Location"]) == (302, "/")
        assert client.get("/tokens/").status_code == 200
        other = Client()
        assert (other.get(path).status_code, other.get("/tokens/").status_code) == (410, 302)

    @pytest.mark.django_db
    def test_pages_name_the_command_that_runs_here(self, client):
        for path in ["/login/", "/login/once/none/"]:
            assert ".venv/bin/python manage.py login_link <i>USER</i>" in client.get(path).content.decode(), path

    @pytest.mark.parametrize(("left", "enters"), [(timedelta(minutes=1), True), (-timedelta(minutes=1), False)])
    def test_is_valid_for_twelve_hours(self, owner, left, enters):
        path = services.make_login_link(user=owner)
        passed = timedelta(hours=12) - left
        LoginLink.objects.update(created_at=F("created_at") - passed, expires_at=F("expires_at") - passed)
        assert (services.consume_login_link(token=token_of(path)) == owner) == enters

    def test_of_an_inactive_user_is_refused(self, owner):
        path = services.make_login_link(user=owner)
        User.objects.update(is_active=False)
        assert services.consume_login_link(token=token_of(path)) is None

    @pytest.mark.django_db(transaction=True)
    def test_of_sixteen_at_once_one_enters(self, owner):
        token = token_of(services.make_login_link(user=owner))
        entered = at_once(16, lambda _: services.consume_login_link(token=token))
        assert [one for one in entered if one is not None] == [owner]


class TestToken:
    def test_opens_the_api_without_a_csrf_token_and_is_stored_as_a_digest_only(self, owner):
        _, token = services.make_token(user=owner)
        api = api_with(token, enforce_csrf_checks=True)
        assert api.get(API).status_code == 200
        assert api.post(API, {}, format="multipart").status_code == 400
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
            api = api_with(token)
            assert not services.revoke_token(user=stranger, token_key=row.token_key)
            assert api.get(API).status_code == 200
            assert end(row)
            assert api.get(API).status_code == 401
        assert ApiToken.objects.count() == 1

    def test_page_shows_a_new_one_once_and_revokes_it(self, owner_page):
        answer = owner_page.post("/tokens/", {"name": "script", "scopes": ["read"], "days": "30"})
        token = answer.context["fresh"]
        assert token in answer.content.decode()
        assert token not in owner_page.get("/tokens/").content.decode()
        assert "no-store" in answer["Cache-Control"]
        assert api_with(token).get(API).status_code == 200
        assert owner_page.post(f"/tokens/{ApiToken.objects.get().token_key}/revoke/").status_code == 302
        assert not ApiToken.objects.exists()


@pytest.mark.parametrize("inactive", [False, True])
def test_command_names_a_user_that_is_not_there(db, inactive):
    if inactive:
        User.objects.create_user("inactive", is_active=False)
    for command in ("token", "login_link", "password_link"):
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
        for _ in range(2):  # also without a session
            assert client.post("/logout/")["Location"] == "/login/"
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
        answer = client.get("/login/", **self.JSON)
        assert answer.json() == {"user": None}
        assert answer.cookies[settings.CSRF_COOKIE_NAME].value
        assert "no-store" in answer["Cache-Control"]
        client.force_login(owner)
        assert client.get("/login/", **self.JSON).json() == {"user": "owner"}


FORM = {"username": "newcomer", "password1": NEW, "password2": NEW}


@pytest.fixture
def link(db):
    return invitations.make_invitation()


class TestJoin:
    def test_makes_one_account_without_rights_and_logs_in(self, link):
        client = Client()
        text = " ".join(client.get(link).content.decode().split())
        assert "The operator of this Cairn invites you to make an account. The link makes one, until" in text
        token = link.split("/")[-2]
        rights = {"is_superuser": "on", "is_staff": "on", "id": "1", "email": "a@example.org"}
        assert len(token) >= 43
        assert token not in [str(value) for value in vars(Invitation.objects.get()).values()]
        assert client.post(link, FORM | rights)["Location"] == "/"
        assert is_in(client)
        user = User.objects.get()
        assert (user.username, user.check_password(NEW)) == ("newcomer", True)
        assert (user.is_superuser, user.is_staff, user.email) == (False, False, "")
        assert Client().get(link).status_code == 410
        assert Client().post(link, FORM | {"username": "second"}).status_code == 410
        assert User.objects.count() == 1

    @pytest.mark.parametrize(("left", "status"), [(timedelta(minutes=1), 200), (-timedelta(minutes=1), 410)])
    def test_ends_after_seven_days(self, link, left, status):
        passed = timedelta(days=7) - left
        Invitation.objects.update(created_at=F("created_at") - passed, expires_at=F("expires_at") - passed)
        assert Client().get(link).status_code == status
        services.forget_expired()
        assert Invitation.objects.count() == (status == 200)

    def test_refuses_with_the_reason_and_the_link_stays(self, link, owner):
        for change, message in [
            ({"username": "OWNER"}, "already exists"),
            ({"username": "a b"}, "Enter a valid username"),
            ({"username": ""}, "This field is required"),
            ({"password1": "short", "password2": "short"}, "at least 10 characters"),
            ({"password1": "newcomer-1", "password2": "newcomer-1"}, "too similar to the username"),
            ({"password1": "password1234", "password2": "password1234"}, "too common"),
            ({"password2": NEW + "x"}, "didn’t match"),
        ]:
            answer = Client().post(link, FORM | change)
            assert (answer.status_code, message in answer.content.decode()) == (400, True), change
            assert User.objects.count() == 1, change
        assert Client().post(link, FORM).status_code == 302

    def test_names_that_are_tried_are_limited(self, link, owner, monkeypatch):
        monkeypatch.setattr(joining, "BY_LINK", 2)
        tried = [Client().post(link, FORM | {"username": "owner"}) for _ in range(3)]
        assert [one.status_code for one in tried] == [400, 400, 429]
        assert int(tried[2]["Retry-After"]) > 0
        assert Client().post(link, FORM).status_code == 429

    def test_links_that_are_none_are_limited(self, db, monkeypatch):
        monkeypatch.setattr(attempts, "BY_ADDRESS", 2)
        assert [Client().get("/join/x/").status_code for _ in range(3)] == [410, 410, 429]
        assert Client().get(invitations.make_invitation()).status_code == 200  # a good one is never refused

    def test_a_name_that_is_taken_meanwhile_leaves_the_link(self, link, owner, monkeypatch):
        monkeypatch.setattr(joining.JoinForm, "clean_username", lambda self: "owner")
        monkeypatch.setattr(joining.JoinForm, "validate_unique", lambda self: None)
        answer = Client().post(link, FORM | {"username": "owner"})
        assert (answer.status_code, b"already exists" in answer.content) == (400, True)
        assert Invitation.objects.get().used_at is None

    @pytest.mark.django_db(transaction=True)
    def test_of_eight_at_once_one_makes_an_account(self):
        token = invitations.make_invitation().split("/")[-2]

        def attempt(i):
            with suppress(invitations.Gone):
                invitations.accept_invitation(token=token, user=User(username=f"user-{i}"))
                return True
            return False

        assert sum(at_once(8, attempt)) == 1
        assert User.objects.count() == 1


def test_the_command_invites_and_refuses_a_validity(db):
    for days in ["0", "-1", "x", "3651"]:
        with pytest.raises(CommandError, match="must be 1 to 3650 days"):
            call_command("invite", f"--days={days}")
        assert not Invitation.objects.exists(), days
    out = StringIO()
    call_command("invite", "--note=Ada", "--days=2", stdout=out)
    address = out.getvalue().split()[-1]
    row = Invitation.objects.get()
    assert (row.note, row.invited_by) == ("Ada", None)
    assert timedelta(days=1, hours=23) < row.expires_at - row.created_at <= timedelta(days=2)
    assert Client().get(address[address.index("/join/") :]).status_code == 200


class TestUsers:
    def test_do_not_invite_unless_the_operator_lets_them(self, owner, settings):
        here = logged_in(owner)
        assert here.get("/invitations/").status_code == here.post("/invitations/").status_code == 404
        assert "Invitations" not in here.get("/account/").content.decode()
        assert not Invitation.objects.exists()
        settings.CAIRN_USERS_INVITE = True
        here = logged_in(owner)
        link = here.post("/invitations/", {"note": "Ada <x>"}).context["fresh"]
        assert link.startswith("http://testserver/join/")
        page = here.get("/invitations/").content.decode()
        assert "Ada &lt;x&gt;" in page
        assert link not in page
        assert Client().post(link.removeprefix("http://testserver"), FORM).status_code == 302
        assert "No link waits" in here.get("/invitations/").content.decode()

    def test_revoke_their_own_alone(self, owner, stranger, settings):
        settings.CAIRN_USERS_INVITE = True
        link = invitations.make_invitation(invited_by=owner)
        address = f"/invitations/{Invitation.objects.get().pk}/revoke/"
        assert "No link waits" in logged_in(stranger).get("/invitations/").content.decode()
        assert logged_in(owner).post(address).status_code == 302
        assert Client().get(link).status_code == 410
        assert logged_in(owner).post(address).status_code == 404

    def test_have_a_limit_of_open_ones(self, owner, settings, monkeypatch):
        settings.CAIRN_USERS_INVITE = True
        monkeypatch.setattr(invitations, "MOST_OPEN", 2)
        here = logged_in(owner)
        assert [here.post("/invitations/").status_code for _ in range(3)] == [200, 200, 409]
        assert "2 of your invitations are not used yet" in here.post("/invitations/").content.decode()
        assert Invitation.objects.count() == 2

    def test_end_with_whoever_invited(self, owner):
        link = invitations.make_invitation(invited_by=owner)
        owner.delete()
        assert Client().get(link).status_code == 410
