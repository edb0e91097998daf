"""An account with all orders of password, factor, address, links and tokens gives a thief with one of them no more."""

from contextlib import nullcontext

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from dashboard.accounts import entry, presence
from dashboard.accounts.models import User
from tests.dashboard.credentials_machine import ADDRESS, MINE, OTHERS, PASSWORDS, Credentials


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


@pytest.mark.parametrize("examples", [40, pytest.param(2000, marks=[pytest.mark.thorough, pytest.mark.timeout(3600)])])
def test_no_order_of_actions_lowers_what_is_required(db, settings, examples):
    settings.CAIRN_MAIL = True
    run_state_machine_as_test(Credentials, settings=profile(examples))


def profile(examples):
    """Actions of an example enough for three changes of the owner and as many of the thief."""
    run = {"max_examples": examples, "stateful_step_count": 10, "phases": [Phase.generate]}
    return settings(**run, deadline=None, suppress_health_check=list(HealthCheck), report_multiple_bugs=False)
