"""Reads of the releases app. Answers hold what was published; what was measured against the original is marked so."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from dashboard.datasets.models import BudgetEntry
from dashboard.releases.models import Release


def visible_releases(user: Any) -> QuerySet[Release]:
    """The user's own, newest first, each with the number of its ``charge``."""
    charges = BudgetEntry.objects.filter(release_id=OuterRef("pk"), amount__gt=0)
    return (
        Release.objects.filter(owner=user)
        .select_related("dataset", "landmark_set__dataset", "landmark_set__source")
        .defer("landmark_set__packed", "landmark_set__source__packed")
        .annotate(charge=Subquery(charges.values("pk")[:1]))
    )
