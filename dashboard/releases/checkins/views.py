"""The list of models that recommend the next place."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.core.paging import KeyPaginator
from dashboard.datasets.models import Kind
from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.models import State
from dashboard.releases.checkins.selectors import models_of

PER_PAGE = 20
"""Datasets on a page."""


@require_safe
def recommend(request: HttpRequest) -> HttpResponse:
    """The check-ins of the user, with the models that recommend the next place."""
    datasets = visible_datasets(request.user).filter(kind=Kind.CHECKINS, state=State.READY)
    page = KeyPaginator(datasets, PER_PAGE).get_page(request.GET.get("page"))
    rows = [{"dataset": one, "models": models_of(request.user, one)} for one in page]
    return render(request, "releases/checkins/recommend.html", {"page": page, "rows": rows, "section": "recommend"})
