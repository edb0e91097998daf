"""A worker's turn at a release, in this process: honest, disturbed, or run out."""

from __future__ import annotations

import numpy as np
from django.utils import timezone

from dashboard.datasets.models import BudgetEntry
from dashboard.releases import execution
from dashboard.releases.models import Release


def executed(release: Release) -> Release:
    """The release after a worker had its turn."""
    execution.run(release.pk)
    release.refresh_from_db()
    return release


def charges(release: Release) -> list[int]:
    entries = BudgetEntry.objects.filter(release_id=release.pk).order_by("pk")
    return [np.sign(amount) for amount in entries.values_list("amount", flat=True)]


def interrupted(release: Release, monkeypatch, interrupt) -> Release:
    """The release after a turn in which ``interrupt(row)`` happened just before its files were settled."""
    honest = execution.draw_release

    def disturbed(row, lease):
        fields = honest(row, lease)
        interrupt(row)
        return fields

    monkeypatch.setattr(execution, "draw_release", disturbed)
    execution.run(release.pk)
    monkeypatch.setattr(execution, "draw_release", honest)
    return Release.objects.filter(pk=release.pk).first()


def fail(_: Release) -> None:
    raise RuntimeError("48.8703 is a coordinate and must not be told")


def expire(row: Release) -> None:
    """Let the lease run out."""
    Release.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timezone.timedelta(seconds=1))
