"""The page that explains a release to readers without mathematics, and its figure for a paper."""

import uuid
from io import BytesIO

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from dashboard.core.rest.parsing import attachment
from dashboard.core.rest.views import Accessed
from dashboard.jobs.models import State
from dashboard.releases.explanation import explanations, plot_of
from dashboard.releases.models import Release
from dashboard.releases.paper_figure import FORMS, Figure
from dashboard.releases.selectors import visible_releases


@require_safe
def page(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The explanation of a release; a release that is not finished is looked at in the comparison."""
    row = get_object_or_404(visible_releases(request.user), pk=pk)
    if row.state != State.DONE:
        return redirect(row.page_url)
    return render(request, f"releases/{row.kind}/explain.html", explanations[row.kind].context(request, row))


@require_safe
def figure(request: HttpRequest, pk: uuid.UUID, form: str) -> HttpResponseBase:
    """The figure of a release in a form, or what it cites, as a file."""
    row: Release = get_object_or_404(visible_releases(request.user), pk=pk)
    if row.state != State.DONE:
        return redirect(row.page_url)
    made = Figure.of(row, plot_of(row, request.GET.get("series", "")))
    request.accessed = Accessed("download", [row], request.user)
    media_type, write = FORMS[form]
    return attachment(BytesIO(write(made).encode()), media_type, row.file_name(form, "figure"))
