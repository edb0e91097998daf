"""Pages of invitations: where an invited person makes an account, and where a user invites."""

import uuid
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.accounts import entry, invitations, joining
from privacy_engine.errors import EngineError


@joining.behind_link
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind an invitation: choose a name and a password, and be logged in."""
    invitation = invitations.invitation_of(token)
    accept = partial(invitations.accept_invitation, token)
    form, made = joining.new_account(request, invitation, accept)
    if made:
        messages.success(request, f"Your account {made.get_username()} is made.")
        return entry.enter(request, made, "/")
    return render(request, "accounts/join.html", {"form": form}, status=400 if form.errors else 200)


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
