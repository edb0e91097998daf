"""Pages of account data: its export, and the deletion of the account."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from rest_framework.exceptions import Throttled

from dashboard.account_data import services
from dashboard.accounts import entry, presence
from dashboard.core.errors import Conflict
from dashboard.datasets.models import Dataset
from dashboard.publications.selectors import visible_publications
from dashboard.streams.models import LiveStream

DELETE = "account_data/delete.html"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def exports(request: HttpRequest) -> HttpResponse:
    """The export, and the button that starts another."""
    problem = ""
    if request.method == "POST":
        try:
            services.request_export(owner=request.user)
            return redirect("accountexports:list")
        except Conflict as error:
            problem = str(error)
    context = {"exports": services.visible_exports(request.user)[:1], "problem": problem}
    return render(request, "account_data/exports.html", context, status=409 if problem else 200)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """The form that deletes the account, after name, password and code; with neither of the two a command does."""
    user: Any = request.user
    needed = presence.needed(request)
    context: dict[str, Any] = {
        "needed": needed,
        "datasets": Dataset.objects.filter(owner=user).count(),
        "links": visible_publications(user).count(),
        "streams": LiveStream.objects.filter(owner=user, published__gt=0).count(),
        "command": entry.COMMAND,
    }
    if request.method != "POST" or not (needed.password or needed.code):
        return render(request, DELETE, context)
    try:
        problems = _problems(request)
    except Throttled as refused:
        return entry.throttled(request, DELETE, context, refused)
    if any(problems.values()):
        return render(request, DELETE, context | {"problems": problems}, status=400)
    services.delete_account(user=user)
    logout(request)
    messages.success(request, "The account is deleted. Its files are removed within two minutes.")
    return redirect("accounts:login")


def _problems(request: HttpRequest) -> dict[str, str]:
    name = request.user.get_username()
    if request.POST.get("name", "") != name:
        return {"name": f"Type the user name as it is: {name}"}
    return {"present": presence.problem(request)}
