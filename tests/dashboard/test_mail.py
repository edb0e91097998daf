"""Forgotten passwords and addresses: a link by mail where that is configured; nothing shows who has an account."""

import re
from unittest.mock import Mock

import pytest
from django.core import mail as outgoing
from django.core import signing
from django.test import Client
from django.utils import timezone

from dashboard.accounts import attempts, mail, password_views, presence, services
from dashboard.accounts.models import User, UserSession
from tests.cases import refreshed
from tests.dashboard.test_passwords import FORM, NEW, OLD, is_in, logged_in, with_password
from tests.dashboard.test_second_factor import app_code, begun, enabled, unused
from tests.server import python

ADDRESS = "owner@example.org"


@pytest.fixture(autouse=True)
def configured(settings):
    settings.CAIRN_MAIL = True
    mail.wait_until_sent()  # those of the test before, whose thread may still send
    outgoing.outbox.clear()


def sent():
    mail.wait_until_sent()
    return outgoing.outbox


def link_in(message):
    found = re.search(r"http://testserver(/\S+)", message.body)
    assert found
    return found[1]


@pytest.fixture
def reachable(owner):
    owner.email = ADDRESS
    return with_password(owner)


class TestForgotten:
    @pytest.mark.parametrize("name", ["owner", ADDRESS, "OWNER@example.org"])
    def test_a_link_is_sent_and_sets_a_password(self, reachable, name):
        assert Client().post("/password/forgotten/", {"name": name}).status_code == 200
        (message,) = sent()
        assert (message.to, message.subject) == ([ADDRESS], "Set a new password of Cairn")
        client = Client()
        client.post(client.get(link_in(message))["Location"], {"new_password1": NEW, "new_password2": NEW})
        assert is_in(client)
        assert refreshed(reachable).check_password(NEW)
        assert Client().get(link_in(message)).status_code == 410

    def test_the_response_is_the_same_for_everyone(self, reachable, stranger):
        User.objects.create_user("inactive", "gone@example.org", is_active=False)
        names = ("owner", "stranger", "unknown", "inactive", "a\0b", "'; --", "x" * 5000, ADDRESS)
        answers = [Client().post("/password/forgotten/", {"name": name}) for name in names]
        hidden = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')
        assert {one.status_code for one in answers} == {200}
        assert len({hidden.sub(b"", one.content) for one in answers}) == 1
        assert [message.to for message in sent()] == [[ADDRESS]] * 2

    def test_mails_under_a_name_and_requests_of_an_address_are_limited(self, reachable, monkeypatch):
        def requested(*names):
            return [Client().post("/password/forgotten/", {"name": name}).status_code for name in names]

        for name in ("owner", "unknown"):
            assert requested(*[name] * 4) == [200, 200, 200, 429]
        assert len(sent()) == 3
        monkeypatch.setattr(attempts, "BY_ADDRESS", 9)
        assert requested("n0", "n1", "n2", "n3")[-1] == 429

    def test_a_server_of_mail_that_fails_is_not_seen(self, reachable, monkeypatch, caplog):
        monkeypatch.setattr(outgoing.EmailMessage, "send", Mock(side_effect=OSError(f"cannot deliver to {ADDRESS}")))
        assert Client().post("/password/forgotten/", {"name": "owner"}).status_code == 200
        mail.wait_until_sent()
        assert "mail not sent: OSError" in caplog.text
        assert ADDRESS not in caplog.text

    def test_without_mail_the_page_names_the_command(self, reachable, settings):
        settings.CAIRN_MAIL = False
        assert b"This server sends no mail" in Client().get("/password/forgotten/").content
        assert b"password_link" in Client().post("/password/forgotten/", {"name": "owner"}).content
        assert sent() == []
        assert b"/password/forgotten/" in Client().get("/login/").content


class TestAddress:
    FORM = {"email": ADDRESS, "password": OLD}

    def test_is_stored_once_its_link_was_opened_and_confirmed(self, owner):
        here = logged_in(with_password(owner))
        assert here.post("/account/address/", self.FORM).status_code == 302
        assert refreshed(owner).email == ""
        (message,) = sent()
        link = link_in(message)
        assert message.to == [ADDRESS]
        assert ADDRESS in here.get(link).content.decode()  # programs that scan mail open links: nothing changes
        assert refreshed(owner).email == ""
        assert here.post(link).status_code == 302
        assert refreshed(owner).email == ADDRESS
        assert here.get(link).status_code == 410

    def test_the_one_before_is_informed_and_a_link_ends_with_a_change_of_the_password(self, reachable):
        here = logged_in(reachable)
        for name in ("new", "newer"):
            here.post("/account/address/", self.FORM | {"email": f"{name}@example.org"})
        first, second = map(link_in, sent())
        here.post(first)
        assert [message.to[0] for message in sent()[2:]] == [ADDRESS]
        assert "changed" in sent()[2].subject
        here.post("/password/", FORM)
        assert here.post(second).status_code == 410

    def test_is_removed(self, reachable):
        here = logged_in(reachable)
        assert here.post("/account/address/", self.FORM | {"email": ""}).status_code == 302
        (message,) = sent()
        assert (refreshed(reachable).email, message.to, "removed" in message.body) == ("", [ADDRESS], True)
        assert here.post("/password/", FORM).status_code == 302
        assert len(sent()) == 1, "nothing is sent without an address"

    def test_refuses_with_the_reason_and_sends_a_user_three(self, owner):
        here = logged_in(with_password(owner))
        for change, message in (
            ({"password": "guess"}, "That is not your password"),
            ({"email": "no address"}, "An address such as"),
            ({"email": "a@b.org\nBcc: c@d.org"}, "An address such as"),
        ):
            answer = here.post("/account/address/", self.FORM | change)
            assert (answer.status_code, message in answer.content.decode()) == (400, True)
        assert sent() == []
        assert [here.post("/account/address/", self.FORM).status_code for _ in range(4)] == [302, 302, 302, 429]
        assert len(sent()) == 3

    def test_a_link_is_for_its_user_alone_and_ends(self, owner, stranger, monkeypatch):
        here = logged_in(with_password(owner))
        here.post("/account/address/", self.FORM)
        link = link_in(sent()[0])
        assert logged_in(stranger).post(link).status_code == 410
        assert Client().post(link)["Location"].startswith("/login/?next=")
        monkeypatch.setattr(password_views, "LIFE_S", -1)
        assert here.post(link).status_code == 410
        forged = signing.dumps({"user": str(owner.pk), "email": "x@example.org", "before": ""}, salt="other")
        assert here.post(f"/account/address/{forged}/").status_code == 410
        assert not User.objects.exclude(email="").exists()

    def test_without_mail_there_is_no_page(self, owner, settings):
        settings.CAIRN_MAIL = False
        assert logged_in(owner).get("/account/address/").status_code == 404
        assert "Mail address" not in logged_in(owner).get("/account/").content.decode()


class TestReports:
    @pytest.mark.parametrize(
        ("path", "form", "text"),
        [
            ("/password/", {"new_password1": NEW, "new_password2": NEW}, "The password was changed"),
            ("/account/second-factor/codes/", {}, "New recovery codes were made"),
            ("/account/second-factor/disable/", {}, "The second factor was disabled"),
            ("/account/address/", {"email": ""}, "This address was removed"),
            ("/tokens/", {"name": "mine", "scopes": ["read"], "days": "7"}, "The API token “mine” was made"),
        ],
    )
    def test_changes_are_reported_to_the_address(self, reachable, path, form, text):
        codes, here = enabled(reachable), logged_in(reachable)
        good = {"password": OLD, "old_password": OLD, "code": codes[0]}
        for wrong in ({"code": "x"}, {"password": "guess", "old_password": "guess"}):
            assert here.post(path, form | good | wrong).status_code == 400
        assert sent() == []
        assert here.post(path, form | good).status_code in (200, 302)
        (message,) = sent()
        assert (message.to, text in message.body, "owner" in message.body) == ([ADDRESS], True, True)

    def test_the_second_factor_and_a_password_by_link_too(self, reachable):
        here = logged_in(reachable)
        here.post("/account/second-factor/", begun(here, reachable))
        reachable.refresh_from_db()
        assert "A second factor was enabled" in sent()[0].body
        unused(reachable)
        client = Client()
        page = client.get(services.make_password_link(user=reachable))["Location"]
        client.post(page, {"new_password1": NEW, "new_password2": NEW, "code": app_code(reachable)})
        assert "set by a link" in sent()[1].body


@pytest.mark.parametrize("path", ["/tokens/", "/password/", "/account/address/"])
def test_an_account_with_neither_needs_a_new_login(owner, path):
    here = logged_in(owner)
    form = {"name": "mine", "scopes": ["read"], "days": "7", "email": ADDRESS}
    form |= {"new_password1": NEW, "new_password2": NEW}
    UserSession.objects.update(created_at=timezone.now() - presence.FRESH)
    answer = here.post(path, form)
    assert (answer.status_code, "login of the last ten minutes" in answer.content.decode()) == (400, True)
    here.get(services.make_login_link(user=owner))  # the same browser: the session is a new one
    assert here.post(path, form).status_code in (200, 302)


def test_settings_come_from_the_environment(tmp_path):
    def read(**more):
        names = "EMAIL_HOST EMAIL_PORT EMAIL_HOST_USER EMAIL_HOST_PASSWORD EMAIL_USE_TLS DEFAULT_FROM_EMAIL CAIRN_MAIL"
        shown = f"print([getattr(s, n, None) for n in '{names}'.split()])"
        code = f"from django.conf import settings as s; {shown}"
        return python("-c", code, CAIRN_HOME=str(tmp_path), **more)

    url = "smtp+tls://cairn:secret@mail.example.org:587"
    found = read(CAIRN_EMAIL_URL=url, CAIRN_EMAIL_FROM="cairn@example.org").stdout
    assert found.strip() == "['mail.example.org', 587, 'cairn', 'secret', True, 'cairn@example.org', True]"
    assert read().stdout.strip().endswith("False]")
    assert "CAIRN_EMAIL_FROM must be the address of the sender" in read(CAIRN_EMAIL_URL=url).stderr
