"""Pages of the releases app: the form that requests releases, the comparison, the reports to print, the explanation."""

import uuid
from collections.abc import Sequence
from io import BytesIO
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.core.ids import uuid_or_404
from dashboard.core.rest.parsing import attachment
from dashboard.core.rest.views import Accessed
from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.models import State
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.releases import selectors
from dashboard.releases.common.pages import pages
from dashboard.releases.explanation import explanations, plot_of
from dashboard.releases.models import Release
from dashboard.releases.paper_figure import FORMS, Figure
from dashboard.releases.report import in_order, reports
from dashboard.releases.selectors import visible_releases


@require_safe
def explain(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
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


OWNER = "owner"


@require_safe
def report(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The report of a release."""
    return _answer(request, [get_object_or_404(visible_releases(request.user), pk=pk)])


@require_safe
def comparison(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The report of several releases of a dataset: those requested, or those the comparison shows that are done."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    ids = [uuid_or_404(text) for text in request.GET.getlist("release")]
    if ids:
        rows = selectors.requested_releases(request.user, ids, dataset=dataset)
    else:
        rows = reports[dataset.kind].usual(request.user, dataset)
    if not rows or len({row.landmark_set_id for row in rows if row.landmark_set_id}) > 1:
        raise Http404("There are no releases of one landmark set to report on.")
    return _answer(request, rows)


@require_safe
def home(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Where a release is looked at."""
    return redirect(_compared([get_object_or_404(visible_releases(request.user), pk=pk)]))


def _compared(rows: Sequence[Release]) -> str:
    of_set = [("landmark_set", row.landmark_set_id) for row in rows if row.landmark_set_id]
    query = [*of_set[:1], *(("release", row.pk) for row in rows)]
    return f"{reverse('releases:compare', args=[rows[0].dataset_id])}?{urlencode(query)}"


def _answer(request: HttpRequest, rows: Sequence[Release]) -> HttpResponse:
    if any(row.state != State.DONE for row in rows):
        return redirect(_compared(rows))
    kind, owner = rows[0].kind, request.GET.get("for") == OWNER
    return render(request, f"releases/{kind}/report.html", reports[kind].context(request, in_order(rows), owner=owner))


@require_safe
def new(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The form that requests releases."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    require_role(request.user, dataset, Role.EDITOR)
    if dataset.state != State.READY:
        return redirect("datasets:detail", pk)
    return render(request, f"releases/{dataset.kind}/new.html", pages[dataset.kind].form(request, dataset))


@require_safe
def compare(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Original and releases beside each other."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    if dataset.state != State.READY:
        return redirect("datasets:detail", pk)
    return render(request, f"releases/{dataset.kind}/compare.html", pages[dataset.kind].comparison(request, dataset))
