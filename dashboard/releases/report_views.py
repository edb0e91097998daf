"""Pages to print: a report of a release, or of several beside each other. Public unless the owner's is requested."""

import uuid
from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.core.ids import uuid_or_404
from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.models import State
from dashboard.releases import choice
from dashboard.releases.models import Release
from dashboard.releases.report import in_order, reports
from dashboard.releases.selectors import visible_releases

OWNER = "owner"


@require_safe
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The report of a release."""
    return _answer(request, [get_object_or_404(visible_releases(request.user), pk=pk)])


@require_safe
def comparison(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The report of several releases of a dataset: those requested, or those the comparison shows that are done."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    ids = [uuid_or_404(text) for text in request.GET.getlist("release")]
    if ids:
        rows = choice.requested_releases(request.user, dataset, ids)
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
