"""Pages of the second factor: the code at a login, and how it is enabled and disabled."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.exceptions import Throttled

from dashboard.accounts import entry, presence, second_factor

PAGE = "accounts/second_factor.html"


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def code(request: HttpRequest) -> HttpResponse:
    """The second page of a login: a code of the app, or a recovery code."""
    entered = entry.half_entered(request)
    if entered is None:
        return redirect("datasets:list" if request.user.is_authenticated else "accounts:login")
    user, there = entered
    if request.method != "POST":
        return render(request, "accounts/code.html")
    try:
        problem = entry.check_code(request, user, request.POST.get("code", ""))
    except Throttled as refused:
        return entry.throttled(request, "accounts/code.html", {}, refused)
    if problem:
        return render(request, "accounts/code.html", {"problem": problem}, status=400)
    entry.complete(request, user)
    return redirect(there)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def second_factor_page(request: HttpRequest) -> HttpResponse:
    """Whether the second factor is enabled; a POST confirms the secret that the form has."""
    user: Any = request.user
    secret = request.POST.get("secret", "")
    device = second_factor.device_of(user, secret or "")
    if request.method != "POST":
        return _page(request)
    if device is None or second_factor.is_enabled(user):
        return redirect("accounts:second-factor")
    problems, code = {}, request.POST.get("code", "").strip()
    if not code:
        problems["code"] = "Enter the six digits that the app shows."
    else:
        try:
            problems["confirm"] = presence.problem(request)
        except Throttled as refused:
            return entry.throttled(request, PAGE, _context(request, secret), refused)
    if not any(problems.values()):
        fresh = second_factor.confirm(device=device, text=code)
        if fresh is not None:
            presence.changed(request, "A second factor was enabled: logging in needs a code of an authenticator app.")
            return _page(request, fresh=fresh)
        problems["code"] = "That is not the code that the app shows now. Check the time of your phone."
    return _page(request, secret, status=400, problems=problems)


@never_cache
@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Show a new secret as a QR code. It is in this response alone: a stolen session does not read it later."""
    user: Any = request.user
    if second_factor.is_enabled(user):
        return redirect("accounts:second-factor")
    return _page(request, second_factor.new_secret(user))


@never_cache
@sensitive_post_parameters()
@require_POST
def renew_codes(request: HttpRequest) -> HttpResponse:
    """Make new recovery codes; those before are no longer valid."""
    refused = _refused(request, "codes")
    if refused is not None:
        return refused
    fresh = second_factor.make_codes(user=request.user)
    presence.changed(request, "New recovery codes were made: those before are no longer valid.")
    return _page(request, fresh=fresh)


@never_cache
@sensitive_post_parameters()
@require_POST
def disable(request: HttpRequest) -> HttpResponse:
    """Log in by the password or a link alone from now on."""
    refused = _refused(request, "disable")
    if refused is not None:
        return refused
    second_factor.remove(user=request.user)
    presence.changed(request, "The second factor was disabled: logging in needs the password or a link alone.")
    messages.success(request, "The second factor is disabled: logging in needs the password or a link alone.")
    return redirect("accounts:second-factor")


def _refused(request: HttpRequest, what: str) -> HttpResponse | None:
    """The response to a request that may not be done; None if it may."""
    if not second_factor.is_enabled(request.user):
        return redirect("accounts:second-factor")
    try:
        problem = presence.problem(request)
    except Throttled as refused:
        return entry.throttled(request, PAGE, _context(request), refused)
    return _page(request, status=400, problems={what: problem}) if problem else None


def _page(request: HttpRequest, secret: str | None = None, *, status: int = 200, **more: Any) -> HttpResponse:
    return render(request, PAGE, _context(request, secret) | more, status=status)


def _context(request: HttpRequest, secret: str | None = None) -> dict[str, Any]:
    user: Any = request.user
    needed = presence.needed(request)
    context: dict[str, Any] = {"enabled": needed.code, "needed": needed}
    if needed.code:
        context["left"] = second_factor.codes_left(user)
    elif device := second_factor.device_of(user, secret or ""):
        shown = {"qr": second_factor.qr_code(device), "secret": second_factor.secret_text(device)}
        context |= shown | {"signed": secret}
    return context
