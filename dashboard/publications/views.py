"""The owner's pages of public links: all of them, and those of a release with the form that makes a link."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_date
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.core.errors import as_shown, must_be
from dashboard.core.paging import KeyPaginator
from dashboard.jobs.models import State
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.publications import services
from dashboard.publications.models import LICENCES
from dashboard.publications.selectors import visible_publications
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases
from privacy_engine.errors import EngineError

PER_PAGE = 50
OTHER = "other"


@require_safe
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """All public links of the user."""
    return _listed(request, None)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def publish(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The links of a release, and the form that makes another."""
    release = get_object_or_404(visible_releases(request.user), pk=pk)
    if request.method != "POST":
        return _listed(request, release)
    require_role(request.user, release, Role.EDITOR)
    try:
        made = services.publish_release(
            release=release,
            title=request.POST.get("title", ""),
            author=request.POST.get("author", ""),
            licence=request.POST.get("terms" if request.POST.get("licence") == OTHER else "licence", ""),
            expires_on=_day(request.POST.get("expires_on", "")),
        )
    except EngineError as error:
        return _listed(request, release, as_shown(error, expires_on="Last day of the link"))
    messages.success(request, f"{made.shown_title} is published. Whoever has the link can read it.")
    return redirect("publications:new", pk=pk)


@require_POST
def revoke(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """End a link at once."""
    publication = get_object_or_404(visible_publications(request.user), pk=pk)
    require_role(request.user, publication, Role.EDITOR)
    services.revoke_publication(publication=publication)
    messages.success(request, f"The link of {publication.shown_title} is revoked: its page and its files are gone.")
    return redirect("publications:list")


def _day(text: str) -> Any:
    try:
        day = parse_date(text.strip())
    except ValueError:
        day = None
    if text.strip() and day is None:
        raise must_be("expires_on", "a day such as 2027-11-22, or empty", text[:60], got=False)
    return day


def _listed(request: HttpRequest, release: Release | None, error: str = "") -> HttpResponse:
    rows = visible_publications(request.user)
    if release is not None:
        rows = rows.filter(release=release)
    context = {
        "release": release,
        "publishable": release is not None and release.state == State.DONE and not release.seeded,
        "page": KeyPaginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "origin": f"{request.scheme}://{request.get_host()}",
        "error": error,
        "chosen": request.POST,
        "licences": LICENCES,
        "other": OTHER,
    }
    return render(request, "publications/list.html", context, status=400 if error else 200)
