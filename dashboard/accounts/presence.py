"""Checks that the user is present: the password once more, before something that a stolen session must not do."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.hashers import check_password
from django.http import HttpRequest

from dashboard.accounts import attempts


def password_problem(request: HttpRequest, text: str) -> str:
    """Return what is wrong with the password that ``request.user`` typed; nothing if it is theirs or they have none.

    Raises
    ------
    Throttled
        The limit of attempts is reached, which is that of logins; no password is checked.
    """
    user: Any = request.user
    if not user.has_usable_password():
        return ""
    if not text:
        return "Enter your password."
    attempts.start_login(request, user.get_username())
    if not check_password(text, user.password):
        return "That is not your password."
    attempts.login_succeeded(request, user.get_username())
    return ""
