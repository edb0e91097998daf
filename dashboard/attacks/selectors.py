"""Reads of the attacks app. All of it was measured against originals: for who may read those."""

from typing import Any

from django.db.models import QuerySet

from dashboard.attacks.models import Attack


def visible_attacks(user: Any) -> QuerySet[Attack]:
    """Those that the user may read, newest first."""
    return Attack.objects.visible_to(user).select_related("release__dataset")
