"""Pages and files behind a public link: for whoever has it, the same with and without a login."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_safe

from dashboard.core.palette import palette
from dashboard.core.rest.parsing import attachment
from dashboard.core.rest.views import Accessed
from dashboard.publications import copies, limits
from dashboard.publications.common.public import publics
from dashboard.publications.models import Publication
from dashboard.publications.selectors import open_publication
from dashboard.releases.explanation import certainty, explanations
from privacy_engine.errors import ParameterError
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
