"""Passwords are set on a page or by a link, and a new one ends everything else of the account."""

from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core.management import call_command
from django.test import Client

from dashboard.accounts import attempts, services
from dashboard.accounts.models import ApiToken, LoginLink

OLD, NEW = "a long enough phrase", "another phrase of length"
FORM = {"old_password": OLD, "new_password1": NEW, "new_password2": NEW}


def with_password(user):
    user.set_password(OLD)
    user.save()
    return user


def logged_in(user):
    client = Client()
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
        owner.refresh_from_db()
        assert owner.check_password(NEW)

    def test_needs_no_present_one_where_there_is_none(self, owner):
        owner.set_unusable_password()
        owner.save()
        here = logged_in(owner)
        assert b"old_password" not in here.get("/password/").content
        assert here.post("/password/", {"new_password1": NEW, "new_password2": NEW}).status_code == 302
        owner.refresh_from_db()
        assert owner.check_password(NEW)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"old_password": "guess"}, "That is not your password"),
            ({"new_password2": NEW + "x"}, "didn’t match"),
            ({"new_password1": "short", "new_password2": "short"}, "at least 10 characters"),
            ({"new_password1": "password1234", "new_password2": "password1234"}, "too common"),
        ],
    )
    def test_refuses_with_the_reason(self, owner, change, message):
        here = logged_in(with_password(owner))
        services.make_token(user=owner)
        answer = here.post("/password/", FORM | change)
        assert (answer.status_code, message in answer.content.decode()) == (400, True)
        owner.refresh_from_db()
        assert owner.check_password(OLD)
        owner.set_password(OLD)  # Django renews a stored digest at a login when its parameters changed: it ends nothing
        owner._password = None  # as AbstractBaseUser.check_password does
        owner.save(update_fields=["password"])
        assert ApiToken.objects.exists()

    @pytest.mark.parametrize("chosen", ["1029384756102", "  blanks at the ends  ", "Ünï ✓ " * 30, "lower case alone"])
    def test_takes_any_characters_exactly_as_they_are(self, owner, chosen):
        here = logged_in(with_password(owner))
        assert here.post("/password/", FORM | {"new_password1": chosen, "new_password2": chosen}).status_code == 302
        for typed, status in ((chosen.strip() + "x", 200), (chosen.swapcase() + " ", 200), (chosen, 302)):
            assert Client().post("/login/", {"username": "owner", "password": typed}).status_code == status

    def test_limits_guesses_of_the_present_one(self, owner, monkeypatch):
        monkeypatch.setattr(attempts, "BY_NAME", 2)
        here = logged_in(with_password(owner))
        bad = FORM | {"old_password": "guess"}
        assert [here.post("/password/", bad).status_code for _ in range(3)] == [400, 400, 429]
        answer = here.post("/password/", FORM)
        assert (answer.status_code, int(answer["Retry-After"]) > 0) == (429, True)
        owner.refresh_from_db()
        assert owner.check_password(OLD)


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
        answer = here.post(page["Location"], {"new_password1": NEW, "new_password2": NEW})
        assert answer["Location"] == "/"
        assert (is_in(here), is_in(there)) == (True, False)
        assert Client().get(link).status_code == 410
        owner.refresh_from_db()
        assert owner.check_password(NEW)

    def test_ends(self, owner, monkeypatch):
        link, now = self.link(), datetime.now()
        for hours, status in ((11, 302), (13, 410)):
            monkeypatch.setattr(default_token_generator, "_now", lambda after=hours: now + timedelta(hours=after))
            assert Client().get(link).status_code == status

    def test_that_is_none_is_refused_and_counted(self, db, monkeypatch):
        monkeypatch.setattr(attempts, "BY_ADDRESS", 2)
        assert [Client().get("/password/x/x/").status_code for _ in range(3)] == [410, 410, 429]
