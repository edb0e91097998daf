"""Reads of the experiments app. All of it was measured against originals, so it is the owner's alone."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from dashboard.experiments.models import Experiment


def visible_experiments(user: Any) -> QuerySet[Experiment]:
    """The user's own, newest first."""
    return Experiment.objects.filter(owner=user).select_related("dataset")
