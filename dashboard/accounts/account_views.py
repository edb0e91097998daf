"""The page of the account: how its user logs in, its sessions, and how they end."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from dashboard.accounts import invitations, second_factor, selectors, services
from privacy_engine.plurals import counted


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Second factor, address, invitations and sessions."""
    user: Any = request.user
    context = {
        "sessions": selectors.sessions_of(user),
        "second_factor": second_factor.is_enabled(user),
        "mail": settings.CAIRN_MAIL,
        "may_invite": invitations.may_invite(user),
        "invited": invitations.open_invitations(user).count,
    }
    return render(request, "accounts/account.html", context)


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End the session of the id in the form, or without one all but this."""
    text = request.POST.get("session", "")
    if not text:
        ended = services.end_other_sessions(user=request.user, session_key=request.session.session_key)
        messages.success(request, f"{counted(ended, 'other session')} ended.")
        return redirect("accounts:account")
    try:
        found = services.end_session(user=request.user, pk=uuid.UUID(text))
    except ValueError:
        found = False
    if found:
        messages.success(request, "The session is ended: that browser has to log in again.")
    else:
        messages.info(request, "That session had ended already.")
    return redirect("accounts:account")
