"""Pages of invitations: the one where an invited person makes an account, and the one where a user invites."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import UserCreationForm
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.exceptions import Throttled

from dashboard.accounts import attempts, entry, invitations
from dashboard.accounts.models import User
from privacy_engine.errors import EngineError

BY_LINK = 20
"""Names that may be tried with one link in a period: each answer shows whether a name is taken."""


class JoinForm(UserCreationForm):
    """Name and password of a new account."""

    class Meta:
        model = User
        fields = ("username",)


@login_not_required
@never_cache
@sensitive_variables("token")
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind an invitation: choose a name and a password, and be logged in."""
    try:
        found = invitations.invitation_of(token)
        form = JoinForm(request.POST or None)
        if request.method == "POST":
            attempts.count_attempt("invitation", str(found.pk), BY_LINK)
            if form.is_valid() and (made := _accepted(token, form)):
                messages.success(request, f"Your account {made.get_username()} is made.")
                return entry.enter(request, made, "/")
    except invitations.Gone:
        return entry.refuse_link(request, "accounts/join.html", {})
    except Throttled as refused:
        return entry.throttled(request, "accounts/join.html", {"form": JoinForm()}, refused)
    return render(request, "accounts/join.html", {"form": form}, status=400 if form.errors else 200)


def _accepted(token: str, form: JoinForm) -> User | None:
    user: User = form.save(commit=False)
    try:
        invitations.accept_invitation(token=token, user=user)
    except IntegrityError:  # another person took the name between the check and now
        form.add_error("username", "A user with that username already exists.")
        return None
    return user


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest) -> HttpResponse:
    """The user's invitations; a new link is in this answer and nowhere else."""
    if not invitations.may_invite(request.user):
        raise Http404
    context: dict[str, Any] = {"days": invitations.DAYS}
    if request.method == "POST":
        try:
            path = invitations.make_invitation(invited_by=request.user, note=request.POST.get("note", ""))
            context["fresh"] = request.build_absolute_uri(path)
        except EngineError as error:
            context["problem"] = str(error)
    context["invitations"] = invitations.open_invitations(request.user)
    return render(request, "accounts/invitations.html", context, status=409 if "problem" in context else 200)


@require_POST
def revoke(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """End an invitation that is not used yet."""
    if not invitations.may_invite(request.user) or not invitations.revoke_invitation(user=request.user, pk=pk):
        raise Http404
    messages.success(request, "The invitation is revoked: its link makes no account.")
    return redirect("accounts:invitations")
