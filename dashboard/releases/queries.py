"""Reads of the releases room. Answers hold what was published; what was measured against the original is marked so."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from dashboard.releases.models import Release


def visible_releases(user: Any) -> QuerySet[Release]:
    """The user's own, newest first."""
    return Release.objects.filter(owner=user).select_related("dataset", "landmark_set").defer("landmark_set__packed")
