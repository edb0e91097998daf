"""Reads of the releases app. Answers hold what was published; what was measured against the original is marked so."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, QuerySet, Subquery

from dashboard.core.errors import require_state
from dashboard.datasets.models import BudgetEntry, Dataset, Kind
from dashboard.datasets.selectors import require_kind
from dashboard.jobs.models import State
from dashboard.releases.batches import Batch, batches
from dashboard.releases.models import Release

MODELS = 12
"""Models of a dataset in a list."""


def visible_releases(user: Any) -> QuerySet[Release]:
    """Those that the user may read, newest first, each with the number of its ``charge``."""
    charges = BudgetEntry.objects.filter(release_id=OuterRef("pk"), amount__gt=0)
    return (
        Release.objects.visible_to(user)
        .select_related("dataset", "landmark_set__dataset", "landmark_set__source")
        .defer("landmark_set__packed", "landmark_set__source__packed")
        .annotate(charge=Subquery(charges.values("pk")[:1]))
    )


def published_model(user: Any, pk: Any) -> Release:
    """One finished release of check-ins that the user may read, with what reading its model needs alone: a fast query.

    Raises
    ------
    Release.DoesNotExist
        The user has no such release.
    Conflict
        It is not done.
    ParameterError
        It is of another kind of data.
    """
    rows = Release.objects.visible_to(user).select_related("dataset")
    row = rows.only("state", "kind", "mechanism", "data_file", "dataset__kind", "dataset__points_file").get(pk=pk)
    require_state(row, State.DONE, "release")
    require_kind(row.dataset, Kind.CHECKINS)
    return row


def models_of(user: Any, dataset: Dataset) -> list[Release]:
    """The newest finished releases of check-ins, at most :data:`MODELS`: published models before simulations."""
    done = visible_releases(user).filter(dataset=dataset, state=State.DONE).order_by("seeded", "-created_at")
    return list(done[:MODELS])


def page_of_batches(user: Any, dataset: Dataset, number: str | None, most: int) -> tuple[Page[Release], list[Batch]]:
    """A page of a dataset's releases, newest first, at most ``most``, and these in the batches they came in."""
    rows = visible_releases(user).filter(dataset=dataset).order_by("-created_at", "pk")
    page = Paginator(rows, most).get_page(number)
    return page, batches(page.object_list)
