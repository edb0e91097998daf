"""Pages of the second factor: the code at a login, and how it is enabled and disabled."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.exceptions import Throttled

from dashboard.accounts import entry, second_factor
from dashboard.accounts.presence import password_problem

PAGE = "accounts/second_factor.html"


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def code(request: HttpRequest) -> HttpResponse:
    """The second page of a login: a code of the app, or a recovery code."""
    found = entry.half_entered(request)
    if found is None:
        return redirect("datasets:list" if request.user.is_authenticated else "accounts:login")
    user, there = found
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
    """Whether the second factor is enabled; a POST confirms the device whose QR code is shown."""
    if request.method != "POST":
        return _page(request)
    if second_factor.pending(request.user) is None:
        return redirect("accounts:second-factor")
    try:
        problems = {"password": password_problem(request, request.POST.get("password", ""))}
        if not problems["password"]:
            problems["code"] = _code_problem(request)
    except Throttled as refused:
        return entry.throttled(request, PAGE, _context(request), refused)
    if not any(problems.values()):
        fresh = second_factor.confirm(user=request.user, text=request.POST.get("code", ""))
        if fresh is not None:
            return _page(request, fresh=fresh)
        problems["code"] = "That is not the code that the app shows now. Check the time of your phone."
    return _page(request, status=400, problems=problems)


def _code_problem(request: HttpRequest) -> str:
    return "" if request.POST.get("code", "").strip() else "Enter the six digits that the app shows."


@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Make a new secret, which the page then shows as a QR code. The second factor that is enabled stays."""
    if not second_factor.is_enabled(request.user):
        second_factor.begin(user=request.user)
    return redirect("accounts:second-factor")


@never_cache
@sensitive_post_parameters()
@require_POST
def renew_codes(request: HttpRequest) -> HttpResponse:
    """Make new recovery codes, after the password; those before are no longer valid."""
    refused = _refused(request, "codes")
    if refused is not None:
        return refused
    return _page(request, fresh=second_factor.make_codes(user=request.user))


@never_cache
@sensitive_post_parameters()
@require_POST
def disable(request: HttpRequest) -> HttpResponse:
    """Log in by the password alone from now on, after the password."""
    refused = _refused(request, "disable")
    if refused is not None:
        return refused
    second_factor.remove(user=request.user)
    messages.success(request, "The second factor is disabled: logging in needs the password or a link alone.")
    return redirect("accounts:second-factor")


def _refused(request: HttpRequest, what: str) -> HttpResponse | None:
    """The response to a request that may not be done; None if it may.

    An account without a password proves itself by a code.
    """
    if not second_factor.is_enabled(request.user):
        return redirect("accounts:second-factor")
    try:
        if request.user.has_usable_password():
            problem = password_problem(request, request.POST.get("password", ""))
        else:
            problem = entry.check_code(request, request.user, request.POST.get("code", ""))
    except Throttled as refused:
        return entry.throttled(request, PAGE, _context(request), refused)
    return _page(request, status=400, problems={what: problem}) if problem else None


def _page(request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
    return render(request, PAGE, _context(request) | more, status=status)


def _context(request: HttpRequest) -> dict[str, Any]:
    enabled = second_factor.is_enabled(request.user)
    device = None if enabled else second_factor.pending(request.user)
    found: dict[str, Any] = {"enabled": enabled, "has_password": request.user.has_usable_password()}
    if enabled:
        found["left"] = second_factor.codes_left(request.user)
    if device:
        found |= {"qr": second_factor.qr_code(device), "secret": second_factor.secret_text(device)}
    return found
