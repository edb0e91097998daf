"""Checks that the user is present, before a change that a stolen session must not make.

A change of what logs in, and the end of the account, need all that the account has: the password, a code of the second
factor, or both; where it has neither, a login of the last :data:`FRESH`. See docs/explanation/security.md.
"""

from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from dashboard.accounts import attempts, entry, mail, second_factor, services

FRESH = timedelta(minutes=10)
"""How long after a login an account with neither password nor second factor can be changed."""
OLD_LOGIN = (
    "Log in again: your account has neither a password nor a second factor, and its login was more than "
    f"{FRESH.seconds // 60} minutes ago. The administrator of this server makes a new link with: {entry.COMMAND} "
    "login_link"
)


class Needed(NamedTuple):
    """What a change needs: password, code of the second factor, a new login."""

    password: bool
    code: bool
    login: bool


def needed(request: HttpRequest) -> Needed:
    """What a change of the account of ``request.user`` needs in this session."""
    user: Any = request.user
    password, code = user.has_usable_password(), second_factor.is_enabled(user)
    age = timezone.now() - request.session.created_at  # the login gives the session a new key, which is a new row
    return Needed(password, code, not (password or code) and age > FRESH)


def problem(request: HttpRequest, field: str = "password") -> str:
    """Return why ``request.user`` is not known to be present; nothing if they are.

    Where both password and code are needed, both are checked, and the text does not show which of them is wrong; a
    code stays good if the password is wrong. ``field`` is the form's field of the password.

    Raises
    ------
    Throttled
        The limit of attempts is reached, which is that of logins; nothing is checked.
    """
    user: Any = request.user
    password, code = request.POST.get(field, ""), request.POST.get("code", "")
    need = needed(request)
    if need.login:
        return OLD_LOGIN
    if need.password and not password:
        return "Enter your password."
    if need.code and not code.strip():
        return entry.NO_CODE
    if not (need.password or need.code):
        return ""
    counted = {"name": user.get_username() if need.password else None, "user_id": user.pk if need.code else None}
    attempts.start_login(request, **counted)
    right = not need.password or check_password(password, user.password)
    if need.code:
        with transaction.atomic():
            if not second_factor.verify(user=user, text=code) or not right:
                right = False
                transaction.set_rollback(True)
    if right:
        attempts.login_succeeded(request, **counted)
        return ""
    if need.password and need.code:
        return f"The password or the code is wrong. {entry.ONCE}"
    return "That is not your password." if need.password else entry.WRONG_CODE


def changed(request: Any, what: str) -> None:
    """End all other sessions, and copies of this session, after a change of what logs in; report it by mail.

    ``what`` is a sentence. The address of the mail is that before the change.
    """
    request.session.cycle_key()
    services.end_other_sessions(user=request.user, session_key=request.session.session_key)
    mail.report(request.user, what)
