"""Runs of a release by a worker, in this process: undisturbed, interrupted, or with an expired lease."""

from __future__ import annotations

import numpy as np
from django.utils import timezone

from dashboard.datasets.models import BudgetEntry
from dashboard.releases import execution
from dashboard.releases.models import Release


def executed(release: Release) -> Release:
    """The release after a worker ran it."""
    execution.run(release.pk)
    release.refresh_from_db()
    return release


def charges(release: Release) -> list[int]:
    entries = BudgetEntry.objects.filter(release_id=release.pk).order_by("pk")
    return [np.sign(amount) for amount in entries.values_list("amount", flat=True)]


def interrupted(release: Release, monkeypatch, interrupt) -> Release:
    """The release after a run in which ``interrupt(row)`` happened just before its result was stored."""
    original = execution.draw_release

    def interrupting(row, lease):
        fields = original(row, lease)
        interrupt(row)
        return fields

    monkeypatch.setattr(execution, "draw_release", interrupting)
    execution.run(release.pk)
    monkeypatch.setattr(execution, "draw_release", original)
    return Release.objects.filter(pk=release.pk).first()


def fail(_: Release) -> None:
    raise RuntimeError("48.8703 is a coordinate and must not be shown")


def expire(row: Release) -> None:
    """Let the lease run out."""
    Release.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timezone.timedelta(seconds=1))
