"""Accounts are made by invitation: a link of an administrator's command, or of a user where the operator lets them."""

from contextlib import suppress
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client

from dashboard.accounts import attempts, invitations, join_views, services
from dashboard.accounts.models import Invitation, User
from tests.dashboard.conftest import at_once
from tests.dashboard.test_passwords import NEW, is_in, logged_in

FORM = {"username": "newcomer", "password1": NEW, "password2": NEW}


@pytest.fixture
def link(db):
    return invitations.make_invitation()


class TestJoin:
    def test_makes_one_account_and_logs_in(self, link):
        client = Client()
        assert client.get(link).status_code == 200
        assert client.post(link, FORM)["Location"] == "/"
        assert is_in(client)
        user = User.objects.get()
        assert (user.username, user.check_password(NEW), user.is_staff, user.is_superuser) == (
            "newcomer",
            True,
            False,
            False,
        )
        assert Client().get(link).status_code == 410
        assert Client().post(link, FORM | {"username": "second"}).status_code == 410
        assert User.objects.count() == 1

    def test_a_link_is_stored_as_a_digest_only(self, link):
        token = link.split("/")[-2]
        assert len(token) >= 43
        assert token not in [str(value) for value in vars(Invitation.objects.get()).values()]

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

    def test_takes_no_rights_from_the_form(self, link):
        Client().post(link, FORM | {"is_superuser": "on", "is_staff": "on", "id": "1", "email": "a@example.org"})
        user = User.objects.get()
        assert (user.is_superuser, user.is_staff, user.email) == (False, False, "")

    def test_names_that_are_tried_are_limited(self, link, owner, monkeypatch):
        monkeypatch.setattr(join_views, "BY_LINK", 2)
        tried = [Client().post(link, FORM | {"username": "owner"}) for _ in range(3)]
        assert [one.status_code for one in tried] == [400, 400, 429]
        assert int(tried[2]["Retry-After"]) > 0
        assert Client().post(link, FORM).status_code == 429

    def test_links_that_are_none_are_limited(self, db, monkeypatch):
        monkeypatch.setattr(attempts, "BY_ADDRESS", 2)
        assert [Client().get("/join/x/").status_code for _ in range(3)] == [410, 410, 429]
        assert Client().get(invitations.make_invitation()).status_code == 200  # a good one is never refused

    def test_a_name_that_is_taken_meanwhile_leaves_the_link(self, link, owner, monkeypatch):
        monkeypatch.setattr(join_views.JoinForm, "clean_username", lambda self: "owner")
        monkeypatch.setattr(join_views.JoinForm, "validate_unique", lambda self: None)
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


class TestCommand:
    def test_prints_the_link_last(self, db):
        out = StringIO()
        call_command("invite", "--note=Ada", "--days=2", stdout=out)
        address = out.getvalue().split()[-1]
        row = Invitation.objects.get()
        assert (row.note, row.invited_by) == ("Ada", None)
        assert timedelta(days=1, hours=23) < row.expires_at - row.created_at <= timedelta(days=2)
        assert Client().get(address[address.index("/join/") :]).status_code == 200

    def test_refuses_a_validity_with_the_rule(self, db):
        for days in ["0", "-1", "x", "3651"]:
            with pytest.raises(CommandError, match="must be 1 to 3650 days"):
                call_command("invite", f"--days={days}")
            assert not Invitation.objects.exists(), days


class TestUsers:
    def test_do_not_invite_unless_the_operator_lets_them(self, owner):
        here = logged_in(owner)
        assert here.get("/invitations/").status_code == here.post("/invitations/").status_code == 404
        assert "Invitations" not in here.get("/account/").content.decode()
        assert not Invitation.objects.exists()

    def test_invite_where_they_may(self, owner, settings):
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
