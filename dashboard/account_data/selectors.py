"""Reads of account data."""

from typing import Any

from django.db.models import QuerySet

from dashboard.account_data.models import AccountExport


def visible_exports(user: Any) -> QuerySet[AccountExport]:
    """The user's own, newest first."""
    return AccountExport.objects.filter(owner=user).order_by("-created_at", "pk")
