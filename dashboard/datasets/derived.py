"""Datasets that are made of another: counts of its events, and its stays as check-ins."""

from typing import Any

from django.db import transaction

from dashboard.core.text import one_line
from dashboard.datasets import lineage
from dashboard.datasets.models import Dataset
from dashboard.jobs import queue


@transaction.atomic
def create_derived(source: Dataset, *, name: str, kind: str, **columns: Any) -> Dataset:
    """Create a dataset that waits for a worker; it has the source file of ``source``, and with it the same budgets.

    It is in the project of ``source``, too.
    """
    lineage.lock_owner(source.owner_id)
    projects = Dataset.objects.select_for_update().filter(pk=source.pk).values_list("project", flat=True)
    row = Dataset.objects.create(
        owner_id=source.owner_id,
        project_id=projects.first(),
        name=one_line(name, 200),
        kind=kind,
        requested_kind=kind,
        counted_from=source,
        source_file=lineage.source_of(source),
        stability=source.stability,
        **columns,
    )
    queue.submit_on_commit(row, row.owner)
    return row
