"""Reads of the attacks app. All of it was measured against originals, so it is the owner's alone."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from dashboard.attacks.models import Attack


def visible_attacks(user: Any) -> QuerySet[Attack]:
    """The user's own, newest first."""
    return Attack.objects.filter(owner=user).select_related("release__dataset")
