"""Retention: what is deleted after the days that the operator set. 0 days: it is kept as long as its owner keeps it."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State, listed_models
from dashboard.storage import removals

AT_ONCE = 200
"""Rows of a kind in a round of the sweep."""


def apply() -> dict[str, int]:
    """Delete originals (``CAIRN_ORIGINAL_DAYS``) and failed or cancelled jobs (``CAIRN_FAILED_DAYS``); how many."""
    counts = {"originals": 0, "failed": 0}
    if settings.CAIRN_ORIGINAL_DAYS:
        counts["originals"] = _remove_originals(_before(settings.CAIRN_ORIGINAL_DAYS))
    if settings.CAIRN_FAILED_DAYS:
        counts["failed"] = _delete_failed(_before(settings.CAIRN_FAILED_DAYS))
    return counts


def _before(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _remove_originals(before: datetime) -> int:
    """Files of datasets that were read before; points, releases and the ledger stay."""
    old = Dataset.objects.filter(state=State.READY, finished_at__lt=before, original_removed_at=None)
    removed = 0
    for row in old.filter(aggregation__isnull=True, stay_detection__isnull=True)[:AT_ONCE]:
        # the row first: a dataset that is being read again meanwhile is not ready any more
        with transaction.atomic():
            if old.filter(pk=row.pk).update(original_removed_at=timezone.now()):
                removals.request(str(row.original_path))
                removed += 1
    return removed


def _delete_failed(before: datetime) -> int:
    """Rows of every kind of job; what they were charged stays charged, and their files go with them."""
    deleted = 0
    for model in listed_models():
        old = model._default_manager.filter(state__in=[State.FAILED, State.CANCELLED], finished_at__lt=before)
        for row in old[:AT_ONCE]:
            row.delete()
            deleted += 1
    return deleted
