"""Pages of public links: those of their readers; the owner’s list, and the form that makes a link."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_date
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.core.errors import as_shown, must_be
from dashboard.core.paging import KeyPaginator
from dashboard.core.palette import palette
from dashboard.core.rest.parsing import attachment
from dashboard.core.rest.views import Accessed
from dashboard.jobs.models import State
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.publications import copies, limits, services
from dashboard.publications.common.public import publics
from dashboard.publications.models import LICENCES, Publication
from dashboard.publications.selectors import open_publication, visible_publications
from dashboard.releases.explanation import certainty, explanations
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases
from privacy_engine.errors import EngineError, ParameterError
from privacy_engine.postprocess import postprocesses

HEADERS = {
    "Cache-Control": "private, no-store",  # a revoked page is gone everywhere at once
    "Referrer-Policy": "no-referrer",  # the address is the key
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}

View = Callable[[HttpRequest, Publication], HttpResponseBase]


def public(view: View) -> Callable[[HttpRequest, str], HttpResponseBase]:
    """A view of an open publication; every link that is not open has the same 404 page."""

    @login_not_required
    @require_safe
    @sensitive_variables("token")
    @wraps(view)
    def respond(request: HttpRequest, token: str) -> HttpResponseBase:
        if wait := limits.seconds_to_wait(request):
            response: HttpResponseBase = _later(request, 429, wait)
        elif not (publication := open_publication(token)):
            response = _closed(request)
        else:
            try:
                response = view(request, publication)
            except (FileNotFoundError, ParameterError):  # revoked meanwhile, or no such format or stream
                response = _closed(request)
            except limits.Busy:
                response = _later(request, 503, round(limits.PATIENCE_S))
        for name, value in HEADERS.items():
            response[name] = value
        return response

    return respond


def _closed(request: HttpRequest) -> HttpResponse:
    return render(request, "publications/closed.html", status=404)


def _later(request: HttpRequest, status: int, wait: int) -> HttpResponse:
    context = {"busy": status == 503, "wait": wait}
    response = render(request, "publications/later.html", context, status=status)
    response["Retry-After"] = str(wait)
    return response


@public
def page(request: HttpRequest, publication: Publication) -> HttpResponse:
    """The public page: what this is, how coarse it is, what it does not hide, downloads, label."""
    label = copies.read_label(publication)
    shown = publics[publication.kind].context(request, publication)
    style = palette(publication.kind).get(publication.mechanism)
    context = {
        "publication": publication,
        "facts": publication.facts,
        "label": label,
        "mechanism": label["spec"]["mechanism"],
        "certainty": certainty(label["epsilon"]),
        "not_hidden": explanations[publication.kind].not_hidden(label, publication.facts),
        "steps": [postprocesses[step["name"]].title for step in label["spec"].get("postprocess", ())],
        "address": request.path,
        "more_formats": [export for export in publication.formats if not export["bundled"]],
        **shown,
    }
    own = {"title": publication.shown_title, "style": style}
    context["page"] = own | shown["drawn"]
    return render(request, f"publications/{publication.kind}/page.html", context)


@public
def track(request: HttpRequest, publication: Publication) -> HttpResponse:
    """Published positions for the map, thinned out evenly; see dashboard/maps/track_encoding.py."""
    return publics[publication.kind].track(publication) or _closed(request)


@public
def data(request: HttpRequest, publication: Publication) -> FileResponse:
    """The release as a file that carries its label."""
    request.accessed = Accessed("download", [publication])
    return attachment(*copies.export(publication, request.GET.get("format", "csv")))


@public
def label(request: HttpRequest, publication: Publication) -> FileResponse:
    """The privacy label."""
    request.accessed = Accessed("download", [publication])
    return attachment(publication.label_path.open(), "application/json", f"{publication.file_stem}.label.json")


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
