"""State machine: an account whose owner changes how they log in, and a thief who holds one thing of it.

The thief, who holds one session, token, mailbox or link, tries every change. Then the account requires no less.
"""

import base64
import re
from contextlib import nullcontext
from datetime import timedelta
from itertools import product
from urllib.parse import urlsplit

import pytest
from django.core import mail as outgoing
from django.db import transaction
from django.test import Client
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from hypothesis import HealthCheck, Phase, settings, stateful
from hypothesis import strategies as st

from dashboard.accounts import entry, mail, presence, second_factor, services
from dashboard.accounts.models import ApiToken, AttemptCount, LoginLink, User, UserSession
from dashboard.accounts.presence import FRESH

MINE, OTHERS = "owner@example.org", "thief@example.org"
PASSWORDS = [f"a phrase of the owner, number {i}" for i in range(3)]
THEIRS = "a phrase of the thief"
FACTOR, ADDRESS = "/account/second-factor/", "/account/address/"
LINK = re.compile(r"http://testserver(/\S+)")
HOLDINGS = (
    *("own session", "copied session", "read token", "token of all scopes", "mailbox", "login link", "reset link"),
    *("session and password", "session and mailbox"),
)


def is_all(holding, password, factor, email):
    """Whether what a thief holds is, of such an account, all that it requires: then they have it by right."""
    if "mailbox" in holding and not email:
        return False
    if holding == "login link":
        return not (password or factor)
    return not factor and any(one in holding for one in ("mailbox", "reset", "password"))


STARTS = [
    start
    for start in product(["", PASSWORDS[0]], [False, True], ["", MINE], HOLDINGS)
    if not is_all(start[3], *start[:3]) and (start[0] or "password" not in start[3])
]
"""Password, factor, address and what the thief holds."""


def code_of(key):
    totp = TOTP(bytes.fromhex(key), 30, 0, 6)
    totp.time = timezone.now().timestamp()
    return f"{totp.token():06d}"


def shown_key(page):
    text = str((page.context or {}).get("secret") or "").replace(" ", "")
    return base64.b32decode(text + "=" * (-len(text) % 8)).hex()


class Credentials(stateful.RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.block = transaction.atomic()
        self.block.__enter__()
        outgoing.outbox.clear()
        self.user = User.objects.create_user("owner")
        self.owner, self.thief = Client(), Client()
        self.password = self.key = self.email = self.began = ""
        self.codes = []
        self.tokens = set()
        self.holding = self.token = self.link = ""
        self.known_codes, self.known_password = ["x"], THEIRS
        self.known_keys = {}  # by what the form of the page has signed
        self.seen = 0  # mails

    def teardown(self):
        mail.wait_until_sent()
        transaction.set_rollback(True)
        self.block.__exit__(None, None, None)

    @stateful.initialize(start=st.sampled_from(STARTS))
    def an_account(self, start):
        password, factor, email, holding = start
        self.holding = holding
        if "password" in holding:
            self.known_password = password
        if password:
            self.user.set_password(password)
        self.user.email = email
        self.user.save()
        self.password, self.email = password, email
        if factor:
            signed = second_factor.new_secret(self.user)
            device = second_factor.device_of(self.user, signed)
            assert device is not None
            self.codes = second_factor.confirm(device=device, text=code_of(device.key)) or []
            self.key = device.key
        if "session" in holding:
            (self.owner if holding == "copied session" else self.thief).force_login(self.user)
            self.thief.cookies.update(self.owner.cookies)
            if not (password or factor):
                self.ten_minutes_pass()
        elif "token" in holding:
            scopes = ["read"] if holding == "read token" else ["read", "write", "publish"]
            row, self.token = services.make_token(user=self.user, scopes=scopes)
            self.tokens.add(row.token_key)
        elif holding == "login link":
            self.link = services.make_login_link(user=self.user)
        elif holding == "reset link":
            self.link = services.make_password_link(user=self.user)

    @stateful.invariant()
    def check(self):
        user = User.objects.get(pk=self.user.pk)
        assert user.has_usable_password() == bool(self.password)
        assert not self.password or user.check_password(self.password)
        assert user.email == self.email
        assert [row.key for row in TOTPDevice.objects.all() if row.confirmed] == [self.key] * bool(self.key)
        assert StaticToken.objects.count() == len(self.codes)
        assert {row.token for row in StaticToken.objects.all()} == {
            second_factor._digest(second_factor._plain(one)) for one in self.codes
        }
        assert {row.token_key for row in ApiToken.objects.all()} <= self.tokens
        assert LoginLink.objects.filter(used_at=None).count() <= 1

    def look(self, answer):
        if getattr(answer, "context", None):
            if answer.context.get("secret"):
                self.known_keys[str(answer.context.get("signed"))] = shown_key(answer)
            self.known_codes += answer.context.get("fresh") or [] if "codes" in answer.request["PATH_INFO"] else []
        if not answer.streaming:
            body = answer.content.decode(errors="replace")
            assert not self.password or self.password not in body
            assert not any(one in body for one in self.codes)
        return answer

    def request(self, verb, path, form=None):
        headers = {"Authorization": f"Token {self.token}"} if self.token else {}
        return self.look(getattr(self.thief, verb)(path, form or {}, headers=headers))

    def post(self, path, form=None):
        return self.request("post", path, form)

    def get(self, path):
        return self.request("get", path)

    def post_all(self, path, **form):
        """Post it with all that is known."""
        for known in self.all_known():
            self.post(path, known | form)

    def all_known(self):
        """Forms with the password that the thief sets where they can, and the last codes that they know."""
        AttemptCount.objects.all().delete()
        codes = [self.known_codes[-1], *(code_of(key) for key in list(self.known_keys.values())[-1:])]
        return [{"password": self.known_password, "old_password": self.known_password, "code": code} for code in codes]

    @stateful.rule()
    def steal_the_password_page(self):
        self.get("/password/")
        self.post_all("/password/", new_password1=THEIRS, new_password2=THEIRS)

    @stateful.rule(again=st.booleans())
    def look_at_the_factor(self, again):
        self.get(FACTOR)
        if again:
            self.post(f"{FACTOR}begin/")
        for signed in list(self.known_keys)[-1:]:  # a wrong code may show it again
            self.post(FACTOR, {"secret": signed, "code": "x"})

    @stateful.rule()
    def enable_a_factor(self):
        self.post(f"{FACTOR}begin/")
        known = list(self.known_keys.items())[-1:] or [("", "00" * 20)]
        for form in self.all_known():
            for signed, key in known:
                self.post(FACTOR, form | {"secret": signed, "code": code_of(key)})

    @stateful.rule(what=st.sampled_from(["disable", "codes"]))
    def change_the_factor(self, what):
        self.post_all(f"{FACTOR}{what}/")

    @stateful.rule(email=st.sampled_from(["", OTHERS, MINE]))
    def change_the_address(self, email):
        self.post_all(ADDRESS, email=email)
        self.read_mails()

    @stateful.rule()
    def make_a_token(self):
        self.post_all("/tokens/", name="x", scopes=["read", "write", "publish"], days="0")

    @stateful.rule()
    def delete_the_account(self):
        self.post_all("/account/delete/", name="owner")

    @stateful.rule()
    def request_a_reset(self):
        AttemptCount.objects.all().delete()
        self.post("/password/forgotten/", {"name": "owner"})
        self.read_mails()

    @stateful.rule()
    def log_in(self):
        AttemptCount.objects.all().delete()
        self.post("/login/", {"username": "owner", "password": self.known_password})
        self.post_all("/login/code/")

    @stateful.precondition(lambda self: bool(self.link))
    @stateful.rule()
    def use_the_link(self):
        self.open(self.link)

    @stateful.rule()
    def end_what_can_be_ended(self):
        self.post("/account/sessions/end/")
        for key in self.tokens:
            self.post(f"/tokens/{key}/revoke/")

    @stateful.precondition(lambda self: bool(self.token))
    @stateful.rule()
    def call_the_api(self):
        listed = self.get("/api/v1/sessions/").json()
        for row in listed.get("results", []):
            self.thief.delete(f"/api/v1/sessions/{row['id']}/", headers={"Authorization": f"Token {self.token}"})
        self.post("/api/v1/account-exports/")

    def read_mails(self):
        mail.wait_until_sent()
        mails, self.seen = outgoing.outbox[self.seen :], len(outgoing.outbox)
        mine = [OTHERS] + [MINE] * ("mailbox" in self.holding)
        for message in mails:
            if message.to[0] in mine:
                for path in LINK.findall(message.body):
                    self.open(path)

    def open(self, path):
        answer = self.get(path)
        there = urlsplit(answer.get("Location", path)).path
        self.post_all(there, new_password1=THEIRS, new_password2=THEIRS)

    def ten_minutes_pass(self):
        UserSession.objects.update(created_at=timezone.now() - FRESH - timedelta(seconds=1))

    def proof(self):
        """Password and code, in a session of the owner that is new where that is required."""
        AttemptCount.objects.all().delete()
        TOTPDevice.objects.update(last_t=-1)  # as if half a minute had passed
        if not (self.password or self.key) or self.owner.get("/account/").status_code == 302:
            answer = self.owner.get(services.make_login_link(user=self.user))
            if answer["Location"] == "/login/code/":
                self.owner.post("/login/code/", {"code": code_of(self.key)})
            TOTPDevice.objects.update(last_t=-1)
            LoginLink.objects.exclude(used_at=None).delete()
        code = code_of(self.key) if self.key else ""
        return {"password": self.password, "old_password": self.password, "code": code}

    @stateful.rule(new=st.sampled_from(PASSWORDS))
    def owner_sets_a_password(self, new):
        form = self.proof() | {"new_password1": new, "new_password2": new}
        assert self.owner.post("/password/", form).status_code == 302
        self.password = new
        self.tokens.clear()

    @stateful.precondition(lambda self: not self.key)
    @stateful.rule()
    def owner_begins_a_factor(self):
        self.proof()
        page = self.owner.post(f"{FACTOR}begin/", follow=True)
        self.began = f"{page.context.get('signed', '')} {shown_key(page)}"

    @stateful.precondition(lambda self: self.began and not self.key)
    @stateful.rule()
    def owner_enables_the_factor(self):
        signed, key = self.began.split(" ")
        form = self.proof() | {"secret": signed, "code": code_of(key)}
        answer = self.owner.post(FACTOR, form)
        self.codes, self.key, self.began = answer.context["fresh"], key, ""
        assert key not in self.known_keys.values()

    @stateful.precondition(lambda self: self.key and not is_all(self.holding, self.password, "", self.email))
    @stateful.rule()
    def owner_disables_the_factor(self):
        assert self.owner.post(f"{FACTOR}disable/", self.proof()).status_code == 302
        self.codes, self.key = [], ""

    @stateful.precondition(lambda self: self.key)
    @stateful.rule()
    def owner_renews_the_codes(self):
        self.codes = self.owner.post(f"{FACTOR}codes/", self.proof()).context["fresh"]

    @stateful.rule(email=st.sampled_from(["", MINE]))
    def owner_changes_the_address(self, email):
        if is_all(self.holding, self.password, self.key, email) or email == self.email:
            return
        assert self.owner.post(ADDRESS, self.proof() | {"email": email}).status_code == 302
        if email:
            mail.wait_until_sent()
            (path,) = LINK.findall(outgoing.outbox[-1].body)
            assert self.owner.post(path).status_code == 302
        self.email, self.seen = email, len(outgoing.outbox)

    @stateful.rule()
    def owner_makes_a_token(self):
        form = self.proof() | {"name": "mine", "scopes": ["read"], "days": "7"}
        before = {row.token_key for row in ApiToken.objects.all()}
        assert self.owner.post("/tokens/", form).status_code == 200
        self.tokens |= {row.token_key for row in ApiToken.objects.all()} - before

    @stateful.precondition(lambda self: self.email)
    @stateful.rule(new=st.sampled_from(PASSWORDS))
    def owner_resets_a_forgotten_password(self, new):
        form = {"code": code_of(self.key) if self.key else "", "new_password1": new, "new_password2": new}
        client = Client()
        client.post("/password/forgotten/", {"name": "owner"})
        mail.wait_until_sent()
        (path,) = LINK.findall(outgoing.outbox[-1].body)
        if "mailbox" in self.holding:  # the thief is first
            self.open(path)
            self.check()
        AttemptCount.objects.all().delete()
        TOTPDevice.objects.update(last_t=-1)
        assert client.post(client.get(path)["Location"], form)["Location"] == "/"
        self.owner, self.password, self.seen = client, new, len(outgoing.outbox)
        self.tokens.clear()

    @stateful.rule()
    def time_passes(self):
        self.ten_minutes_pass()


class TestNotices:
    """Where an account requires less, as it did before, the machine fails."""

    P = PASSWORDS[0]

    @pytest.mark.parametrize(
        ("less", "start", "act", "given"),
        [
            ("/password/", ("", True, "", "own session"), "steal_the_password_page", ()),
            ("new login", ("", False, "", "copied session"), "steal_the_password_page", ()),
            ("code beside password", (P, True, "", "session and password"), "change_the_factor", ("disable",)),
            ("/tokens/", (P, False, "", "own session"), "make_a_token", ()),
            (ADDRESS, (P, False, "", "own session"), "change_the_address", (OTHERS,)),
            ("/account/delete/", (P, False, "", "own session"), "delete_the_account", ()),
            ("code of a link", ("", True, "", "reset link"), "use_the_link", ()),
            ("code of a link", (P, True, MINE, "mailbox"), "request_a_reset", ()),
        ],
    )
    def test_that_less_is_required(self, db, settings, monkeypatch, less, start, act, given):
        settings.CAIRN_MAIL = True
        for lowered in (False, True):
            machine = Credentials()
            try:
                machine.an_account(start=start)
                if lowered:
                    require_less(monkeypatch, less)
                arguments = dict(zip({"change_the_factor": ["what"]}.get(act, ["email"]), given, strict=False))
                with pytest.raises((AssertionError, User.DoesNotExist)) if lowered else nullcontext():
                    getattr(machine, act)(**arguments)
                    machine.check()
            finally:
                machine.teardown()


def require_less(monkeypatch, less):
    needed, problem = presence.needed, presence.problem

    def fewer(request):
        found = needed(request)
        return found._replace(code=found.code and not found.password, login=False)

    def nothing_here(request, *given):
        return "" if request.path == less else problem(request, *given)

    if less == "code of a link":
        monkeypatch.setattr(entry, "check_code", lambda *given: "")
    elif less.startswith("/"):
        monkeypatch.setattr(presence, "problem", nothing_here)
    else:
        monkeypatch.setattr(presence, "needed", fewer)


@pytest.mark.slow
@pytest.mark.parametrize("examples", [40, pytest.param(2000, marks=[pytest.mark.thorough, pytest.mark.timeout(3600)])])
def test_no_order_of_actions_lowers_what_is_required(db, settings, examples):
    settings.CAIRN_MAIL = True
    stateful.run_state_machine_as_test(Credentials, settings=profile(examples))


def profile(examples):
    """Actions of an example enough for three changes of the owner and as many of the thief."""
    run = {"max_examples": examples, "stateful_step_count": 10, "phases": [Phase.generate]}
    return settings(**run, deadline=None, suppress_health_check=list(HealthCheck), report_multiple_bugs=False)
