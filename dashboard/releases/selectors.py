"""Reads of the releases app. Answers hold what was published; what was measured against the original is marked so."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.releases.batches import batches
from dashboard.releases.models import Release

SHOWN = 30  # on the page of a dataset


def visible_releases(user: Any) -> QuerySet[Release]:
    """Those that the user may read, newest first, each with the number of its ``charge``."""
    charges = BudgetEntry.objects.filter(release_id=OuterRef("pk"), amount__gt=0)
    return (
        Release.objects.visible_to(user)
        .select_related("dataset", "landmark_set__dataset", "landmark_set__source")
        .defer("landmark_set__packed", "landmark_set__source__packed")
        .annotate(charge=Subquery(charges.values("pk")[:1]))
    )


def releases_of_page(request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
    """The releases that the page of a dataset shows, newest first, in the batches they came in."""
    rows = visible_releases(request.user).filter(dataset=dataset).order_by("-created_at", "pk")
    page = Paginator(rows, SHOWN).get_page(request.GET.get("page"))
    grouped = batches(page.object_list)
    return {
        "releases": [row for batch in grouped for row in batch.releases],
        "batches": grouped,
        "release_page": page,
        "release_count": page.paginator.count,
    }
