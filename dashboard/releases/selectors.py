"""Reads of the releases app. Answers hold what was published; what was measured against the original is marked so."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, QuerySet, Subquery

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.releases.batches import Batch, batches
from dashboard.releases.models import Release


def visible_releases(user: Any) -> QuerySet[Release]:
    """Those that the user may read, newest first, each with the number of its ``charge``."""
    charges = BudgetEntry.objects.filter(release_id=OuterRef("pk"), amount__gt=0)
    return (
        Release.objects.visible_to(user)
        .select_related("dataset", "landmark_set__dataset", "landmark_set__source")
        .defer("landmark_set__packed", "landmark_set__source__packed")
        .annotate(charge=Subquery(charges.values("pk")[:1]))
    )


def page_of_batches(user: Any, dataset: Dataset, number: str | None, most: int) -> tuple[Page[Release], list[Batch]]:
    """A page of a dataset's releases, newest first, at most ``most``, and these in the batches they came in."""
    rows = visible_releases(user).filter(dataset=dataset).order_by("-created_at", "pk")
    page = Paginator(rows, most).get_page(number)
    return page, batches(page.object_list)
