"""Reads of the releases room. Answers hold what was published; what was measured against the original is marked so."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from dashboard.errors import Conflict
from dashboard.jobs import State
from dashboard.releases.models import Release


def visible_releases(user: Any) -> QuerySet[Release]:
    """The user's own, newest first."""
    return Release.objects.filter(owner=user).select_related("dataset", "landmark_set").defer("landmark_set__packed")


def require_done(release: Release) -> None:
    """Refuse a release that has nothing to show (yet).

    Raises
    ------
    Conflict
        Names the state it is in.
    """
    if release.state != State.DONE:
        rule = "done"
        raise Conflict(
            f"The release must be {rule}, it is {release.state}.", field="release", rule=rule, value=release.state
        )
