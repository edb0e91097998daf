"""Pages of the account: the trail of access; how sessions end."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from dashboard.accounts import selectors, services
from privacy_engine.core.plurals import counted

PER_PAGE = 50


@never_cache
@require_safe
def access(request: HttpRequest) -> HttpResponse:
    """Who read the user's originals, and downloaded what is theirs."""
    user: Any = request.user
    page = Paginator(selectors.access_to(user), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "accounts/access.html", {"page": page, "days": settings.CAIRN_TRAIL_DAYS})


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End the session of the id in the form, or without an id all but this."""
    text = request.POST.get("session", "")
    if not text:
        ended = services.end_other_sessions(user=request.user, session_key=request.session.session_key)
        messages.success(request, f"{counted(ended, 'other session')} ended.")
        return redirect("accounts:account")
    try:
        done = services.end_session(user=request.user, pk=uuid.UUID(text))
    except ValueError:
        done = False
    if done:
        messages.success(request, "The session is ended: that browser has to log in again.")
    else:
        messages.info(request, "That session had ended already.")
    return redirect("accounts:account")
