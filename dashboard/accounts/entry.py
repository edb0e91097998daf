"""How a user enters after the first factor (password, link): at once, or after a code of the second."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY, login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from rest_framework.exceptions import Throttled

from dashboard.accounts import attempts, second_factor
from dashboard.accounts.models import User

BACKEND = "django.contrib.auth.backends.ModelBackend"
COMMAND = ".venv/bin/python manage.py" if (settings.BASE_DIR / "manage.py").exists() else "cairn"
"""How to call Cairn's commands, as pages show it: without the absolute path, which is not for strangers."""
KEY = "second_factor"
LIFE_S = 600
"""How long the first factor counts without the second."""
NO_CODE = "Enter the code of your authenticator app, or a recovery code."
ONCE = "A code of the app is good once and for a minute, a recovery code is good once."
WRONG_CODE = f"That code is not valid. {ONCE}"


def enter(request: HttpRequest, user: User, there: str) -> HttpResponse:
    """Log ``user`` in and lead ``there``, or lead to the page of the second factor first."""
    if not second_factor.is_enabled(user):
        complete(request, user)
        return redirect(there)
    digest = user.get_session_auth_hash()
    request.session[KEY] = {"user": str(user.pk), "there": there, "at": time.time(), "digest": digest}
    return redirect("accounts:code")


def half_entered(request: HttpRequest) -> tuple[User, str] | None:
    """Who gave the first factor in this session within :data:`LIFE_S`, and where they are led.

    None if no user did, and where the password changed meanwhile.
    """
    known = request.session.get(KEY)
    if not known or not 0 <= time.time() - known["at"] <= LIFE_S:
        return None
    user = User.objects.filter(pk=known["user"], is_active=True).first()
    if user is None or not constant_time_compare(user.get_session_auth_hash(), known["digest"]):
        return None
    return user, str(known["there"])


def check_code(request: HttpRequest, user: User, text: str) -> str:
    """Return what is wrong with a code of the second factor; nothing if it is right.

    Raises
    ------
    Throttled
        The limit of attempts is reached; no code is checked.
    """
    if not text.strip():
        return NO_CODE
    attempts.start_login(request, user_id=user.pk)
    if not second_factor.verify(user=user, text=text):
        return WRONG_CODE
    attempts.login_succeeded(request, user_id=user.pk)
    return ""


def complete(request: HttpRequest, user: User) -> None:
    """Log ``user`` in: both factors were given, or the first is enough. The session gets a new key."""
    request.session.pop(KEY, None)
    if SESSION_KEY in request.session:  # Django gives none to a user who logs in again: copies would be as new
        request.session.cycle_key()
    login(request, user, backend=BACKEND)


@dataclass(frozen=True)
class NoLink:
    """What the page behind a link that is none, used or expired shows: why, and how there is another."""

    why: tuple[str, ...]
    command: str = ""
    login: str = "Log in"
    joins: bool = False


def refuse_link(request: HttpRequest, refused: NoLink) -> HttpResponse:
    """410 for a link that is none, used or expired; 429 after too many of them."""
    template, context = "accounts/no_link.html", {"refused": refused}
    try:
        attempts.count_secret(request)
    except Throttled as error:
        return throttled(request, template, context, error)
    return render(request, template, context, status=410)


def throttled(request: HttpRequest, template: str, context: Mapping[str, Any], refused: Throttled) -> HttpResponse:
    """429 with ``wait``, the text that states when the next attempt is taken."""
    response = render(request, template, {**context, "wait": attempts.wait_text(refused)}, status=429)
    response["Retry-After"] = str(int(refused.wait))
    return response
