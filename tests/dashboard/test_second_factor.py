"""A second factor at the login: codes of an app and recovery codes; tokens are not concerned."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from rest_framework.test import APIClient

from dashboard.accounts import attempts, entry, second_factor, services
from dashboard.accounts.models import User
from tests.cases import refreshed
from tests.dashboard.test_passwords import NEW, OLD, is_in, logged_in, with_password

PAGE = "/account/second-factor/"
LOGIN = {"username": "owner", "password": OLD}
RFC_6238 = b"12345678901234567890"


def half_in(**more):
    """A client that gave the password, and not yet the code."""
    client = Client(**more)
    client.post("/login/", LOGIN)
    return client


def app_code(user, steps=0):
    """What the app of the user shows now, or some steps of 30 s later."""
    return code_of(TOTPDevice.objects.get(user=user), steps)


def code_of(device, steps=0):
    """What an app with the secret of ``device`` shows now, or some steps of 30 s later."""
    totp = TOTP(device.bin_key, device.step, device.t0, device.digits)
    totp.time = timezone.now().timestamp() + steps * device.step
    return f"{totp.token():06d}"


def unused(user):
    """Let the code that the app shows be used again, as if half a minute had passed."""
    TOTPDevice.objects.filter(user=user).update(last_t=-1)


@pytest.fixture
def codes(owner):
    return enabled(with_password(owner))


def enabled(user):
    device = second_factor.device_of(user, second_factor.new_secret(user))
    found = second_factor.confirm(device=device, text=code_of(device))
    unused(user)
    return found


def begun(here, user):
    """Begin to set up the second factor; what an honest user then sends."""
    signed = here.post(f"{PAGE}begin/").context["signed"]
    return {"secret": signed, "password": OLD, "code": code_of(second_factor.device_of(user, signed))}


def test_codes_are_those_of_rfc_6238():
    """Appendix B, SHA-1; the last six of the eight digits that are published."""
    for at, code in ((59, "287082"), (1111111109, "081804"), (20000000000, "353130")):
        totp = TOTP(RFC_6238, 30, 0, 6)
        totp.time = at
        assert f"{totp.token():06d}" == code
    assert (timedelta(minutes=15), 5) == (attempts.PERIOD, attempts.BY_CODE), "as of logins"


class TestEnable:
    def test_shows_qr_code_and_secret_and_enables_with_a_code(self, owner):
        here = logged_in(with_password(owner))
        assert "Disabled" in here.get(PAGE).content.decode()
        assert not TOTPDevice.objects.exists()  # to look changes nothing
        page = here.post(f"{PAGE}begin/")
        assert "data:image/svg+xml" in page.content.decode()
        device = second_factor.device_of(owner, page.context["signed"])
        secret = second_factor.secret_text(device)
        assert secret in page.content.decode()
        assert secret not in here.get(PAGE).content.decode()
        assert device.config_url.startswith("otpauth://totp/Cairn%3Aowner?secret=")
        assert "digits=6&" in f"{device.config_url}&"
        assert "period=30&" in f"{device.config_url}&"
        assert not TOTPDevice.objects.exists()
        answer = here.post(PAGE, {"secret": page.context["signed"], "password": OLD, "code": code_of(device)})
        assert second_factor.is_enabled(owner)
        shown = answer.context["fresh"]
        assert (len(shown), len(set(shown)), {len(one) for one in shown}) == (10, 10, {19})
        assert shown[0] not in here.get(PAGE).content.decode()
        assert "no-store" in answer["Cache-Control"]
        assert is_in(here)

    def test_refuses_with_the_reason_and_limits_guesses(self, owner, monkeypatch):
        here = logged_in(with_password(owner))
        for change, message in (
            ({"password": ""}, "Enter your password"),
            ({"code": ""}, "Enter the six digits"),
            ({"code": "000000x"}, "not the code that the app shows"),
            *[({"password": "guess"}, "That is not your password")] * 2,
        ):
            answer = here.post(PAGE, begun(here, owner) | change)
            assert (answer.status_code, message in answer.content.decode()) == (400, True), change
        monkeypatch.setattr(attempts, "BY_NAME", 2)
        assert here.post(PAGE, begun(here, owner) | {"password": "guess"}).status_code == 429
        assert not second_factor.is_enabled(owner)

    def test_beginning_again_leaves_the_one_that_is_enabled(self, owner, codes):
        before, here = TOTPDevice.objects.get().key, logged_in(owner)
        here.post(f"{PAGE}begin/")
        form = {"secret": second_factor.new_secret(owner), "password": OLD, "code": app_code(owner)}
        assert here.post(PAGE, form).status_code == 302
        assert TOTPDevice.objects.get().key == before

    def test_a_secret_that_was_not_shown_here_is_refused(self, owner, stranger, monkeypatch):
        here = logged_in(with_password(owner))
        form = begun(here, owner)
        for secret in (second_factor.new_secret(stranger), "0" * 40):  # no signature
            assert here.post(PAGE, form | {"secret": secret}).status_code == 302
        monkeypatch.setattr(second_factor, "LIFE_S", -1)
        assert here.post(PAGE, form).status_code == 302
        assert not TOTPDevice.objects.exists()

    def test_ends_other_sessions_and_copies_of_this_one(self, owner):
        here, there, thief = logged_in(with_password(owner)), logged_in(owner), Client()
        thief.cookies.update(here.cookies)
        assert is_in(thief)
        here.post(PAGE, begun(here, owner))
        assert (is_in(here), is_in(there), is_in(thief)) == (True, False, False)


class TestLogin:
    def test_needs_the_code_and_leads_to_the_page(self, owner, codes, monkeypatch):
        client = Client()
        assert client.post("/login/?next=/tokens/", LOGIN | {"next": "/tokens/"})["Location"] == "/login/code/"
        assert not is_in(client)
        before = client.session.session_key
        assert client.get("/login/code/").status_code == 200
        with monkeypatch.context() as patch:
            late = Client()
            late.post("/login/", LOGIN)
            patch.setattr(entry, "LIFE_S", -1)  # the password counts for ten minutes
            assert late.post("/login/code/", {"code": app_code(owner)})["Location"] == "/login/"
        assert client.post("/login/code/", {"code": app_code(owner)})["Location"] == "/tokens/"
        assert is_in(client)
        assert client.session.session_key != before
        assert entry.KEY not in client.session

    def test_a_code_is_good_once(self, owner, codes):
        code = app_code(owner)
        for taken in (True, False):
            client = half_in()
            assert (client.post("/login/code/", {"code": code}).status_code == 302) == is_in(client) == taken

    def test_a_clock_may_differ_by_one_step(self, owner, codes):
        for steps, enters in ((-1, True), (1, True), (-3, False), (3, False)):
            assert second_factor.verify(user=owner, text=app_code(owner, steps)) == enters, steps
            TOTPDevice.objects.update(last_t=-1, drift=0, throttling_failure_count=0)

    def test_a_recovery_code_is_good_once_as_typed(self, owner, codes):
        typed = f" {codes[3].lower().replace('-', ' ')} "
        for taken in (True, False):
            assert (half_in().post("/login/code/", {"code": typed}).status_code == 302) == taken
        assert second_factor.codes_left(owner) == 9

    def test_recovery_codes_are_stored_as_digests(self, owner, codes):
        stored = {row.token for row in StaticToken.objects.all()}
        assert len(stored) == 10
        assert not stored & {code.replace("-", "") for code in codes}
        assert not second_factor.verify(user=owner, text=stored.pop())

    def test_five_wrong_codes_are_checked_and_then_none(self, owner, codes):
        client = half_in()
        assert [client.post("/login/code/", {"code": "x"}).status_code for _ in range(6)] == [400] * 5 + [429]
        other = half_in(REMOTE_ADDR="192.0.2.9")  # by user, not by session or address
        answer = other.post("/login/code/", {"code": app_code(owner)})
        assert (answer.status_code, int(answer["Retry-After"]) > 0, is_in(other)) == (429, True, False)

    def test_the_page_is_for_whoever_gave_the_password_and_refuses_other_texts(self, owner, codes, monkeypatch):
        monkeypatch.setattr(attempts, "BY_CODE", 100)
        client = Client()
        assert client.get("/login/code/")["Location"] == "/login/"
        client.post("/login/", LOGIN | {"password": "guess"})
        assert client.post("/login/code/", {"code": app_code(owner)})["Location"] == "/login/"
        assert not is_in(client)
        client = half_in()
        texts = ["000000", "", "x" * 5000, "１２３４５６", "-1", "0x10", "null\0"]
        for code in texts if app_code(owner) != "000000" else texts[1:]:  # once in 300,000 runs
            assert client.post("/login/code/", {"code": code}).status_code == 400, code[:9]
        assert not is_in(client)

    def test_and_no_longer_than_the_account_is_as_it_was(self, owner, codes):
        for change in ({"password": make_password(NEW)}, {"password": owner.password, "is_active": False}):
            client = half_in()
            User.objects.filter(pk=owner.pk).update(**change)
            assert client.post("/login/code/", {"code": app_code(owner)})["Location"] == "/login/"
            assert not is_in(client)
            User.objects.filter(pk=owner.pk).update(password=owner.password)

    def test_links_need_it_too(self, owner, codes):
        client = Client()
        assert client.get(services.make_login_link(user=owner))["Location"] == "/login/code/"
        assert not is_in(client)
        client, form = Client(), {"new_password1": NEW, "new_password2": NEW}
        page = client.get(services.make_password_link(user=refreshed(owner)))["Location"]
        for code in ({}, {"code": "x"}):
            assert client.post(page, form | code).status_code == 400
        assert not is_in(client)
        assert refreshed(owner).check_password(OLD)
        assert client.post(page, form | {"code": app_code(owner)})["Location"] == "/"
        assert refreshed(owner).check_password(NEW)
        assert (is_in(client), second_factor.is_enabled(owner)) == (True, True)
        page = client.get(services.make_password_link(user=owner))["Location"]
        assert [client.post(page, form | {"code": "x"}).status_code for _ in range(6)][-2:] == [400, 429]

    def test_in_place_as_json(self, owner, stranger, codes):
        client, as_json = Client(), {"HTTP_ACCEPT": "application/json"}
        for code, problem in (("", "Enter the code"), ("x", "not valid")):
            answer = client.post("/login/", LOGIN | {"code": code}, **as_json)
            error = answer.json()["errors"][0]
            assert (answer.status_code, error["code"]) == (400, "second-factor")
            assert problem in error["message"]
        assert not is_in(client)
        assert client.post("/login/", LOGIN | {"code": app_code(owner)}, **as_json).json() == {"user": "owner"}
        assert is_in(client)
        wrong = [{"username": name, "password": "guess"} for name in ("owner", "stranger", "unknown")]
        assert len({Client().post("/login/", one, **as_json).content for one in wrong}) == 1, "which users have one"

    def test_tokens_are_not_concerned(self, owner, codes):
        _, token = services.make_token(user=owner)
        assert APIClient(headers={"Authorization": f"Token {token}"}).get("/api/v1/datasets/").status_code == 200
        assert "API tokens need no code" in logged_in(owner).get(PAGE).content.decode()


class TestDisable:
    @pytest.mark.parametrize("what", ["disable", "codes"])
    def test_needs_password_and_code(self, owner, codes, what):
        here, before = logged_in(owner), set(StaticToken.objects.values_list("token"))
        good = {"password": OLD, "code": app_code(owner)}
        for wrong in ({"password": ""}, {"code": ""}, {"password": "guess"}, {"code": "x"}):
            assert here.post(f"{PAGE}{what}/", good | wrong).status_code == 400
        assert second_factor.is_enabled(owner)
        assert set(StaticToken.objects.values_list("token")) == before
        here.post(f"{PAGE}{what}/", good)  # still good: with a wrong password it was not used up
        assert set(StaticToken.objects.values_list("token")) != before
        assert second_factor.is_enabled(owner) == (what == "codes")

    def test_the_answer_does_not_show_which_was_wrong(self, owner, codes):
        here, hidden = logged_in(owner), re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')
        good = {"password": OLD, "code": app_code(owner)}
        wrong = ({"password": "guess"}, {"code": "x"}, {"password": "guess", "code": "x"})
        answers = [hidden.sub(b"", here.post(f"{PAGE}disable/", good | one).content) for one in wrong]
        assert len(set(answers)) == 1
        assert b"The password or the code is wrong" in answers[0]
        bad = [here.post(f"{PAGE}disable/", good | {"password": "guess"}).status_code for _ in range(3)]
        assert bad == [400, 400, 429], "five attempts are checked and then none"
        assert here.post(f"{PAGE}disable/", good).status_code == 429
        assert second_factor.is_enabled(owner)

    def test_new_recovery_codes_end_those_before_and_without_them_the_password_is_enough(self, owner, codes, capsys):
        here = logged_in(owner)
        fresh = here.post(f"{PAGE}codes/", {"password": OLD, "code": codes[1]}).context["fresh"]
        assert not second_factor.verify(user=owner, text=codes[0])
        assert here.post(f"{PAGE}disable/", {"password": OLD, "code": fresh[0]}).status_code == 302
        assert not second_factor.is_enabled(owner)
        assert not StaticToken.objects.exists()
        assert Client().post("/login/", LOGIN)["Location"] == "/"
        enabled(owner)
        call_command("remove_second_factor", "owner")
        assert "logs in by the password or a link alone" in capsys.readouterr().out
        assert Client().post("/login/", LOGIN)["Location"] == "/"
        with pytest.raises(CommandError, match="'owner' has no second factor"):
            call_command("remove_second_factor", "owner")

    def test_is_of_this_user_alone_and_needs_a_code_where_there_is_no_password(self, owner, stranger, codes):
        there = logged_in(with_password(stranger))
        for what in ("disable", "codes"):
            assert there.post(f"{PAGE}{what}/", {"password": OLD, "code": app_code(owner)})["Location"] == PAGE
        assert not second_factor.verify(user=stranger, text=codes[0])
        owner.set_unusable_password()
        owner.save()
        here = logged_in(owner)
        assert here.post(f"{PAGE}disable/", {"password": "", "code": "x"}).status_code == 400
        assert second_factor.is_enabled(owner)
        assert here.post(f"{PAGE}disable/", {"code": app_code(owner)}).status_code == 302
        assert not second_factor.is_enabled(owner)
