"""The list of models that recommend the next place."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.core.paging import KeyPaginator
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.models import State
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases

PER_PAGE = 20
"""Datasets on a page."""
MODELS = 12
"""Models of a dataset in the list."""


@require_safe
def recommend(request: HttpRequest) -> HttpResponse:
    """The check-ins of the user, with the models that recommend the next place."""
    datasets = visible_datasets(request.user).filter(kind=Kind.CHECKINS, state=State.READY)
    page = KeyPaginator(datasets, PER_PAGE).get_page(request.GET.get("page"))
    rows = [{"dataset": dataset, "models": _models_of(request.user, dataset)} for dataset in page]
    return render(request, "releases/checkins/recommend.html", {"page": page, "rows": rows, "section": "recommend"})


def _models_of(user: Any, dataset: Dataset) -> list[Release]:
    """The newest finished releases of check-ins, at most :data:`MODELS`: published models before simulations."""
    done = visible_releases(user).filter(dataset=dataset, state=State.DONE).order_by("seeded", "-created_at")
    return list(done[:MODELS])
