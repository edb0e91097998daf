"""Reads of the audits app."""

from typing import Any

from django.db.models import QuerySet

from dashboard.audits.models import Audit


def visible_audits(user: Any) -> QuerySet[Audit]:
    """The user's own, newest first."""
    return Audit.objects.visible_to(user)
