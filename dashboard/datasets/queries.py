"""Reads of the datasets room."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from dashboard.datasets import ledger
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, Upload
from dashboard.errors import Conflict
from dashboard.jobs import State


def visible_datasets(user: Any) -> QuerySet[Dataset]:
    """The user's own, newest first."""
    return Dataset.objects.filter(owner=user).order_by("-created_at", "pk")


def visible_uploads(user: Any) -> QuerySet[Upload]:
    """The user's own."""
    return Upload.objects.filter(owner=user)


def with_ledger(datasets: QuerySet[Dataset]) -> QuerySet[Dataset]:
    """The same, each with what its content's budget says: ``spent_micro``, ``spent_releases``, ``total_*``."""
    budget = Budget.objects.filter(owner=OuterRef("owner"), content_digest=OuterRef("content_digest"))
    entries = BudgetEntry.objects.filter(
        budget__owner=OuterRef("owner"), budget__content_digest=OuterRef("content_digest")
    )
    charged = (
        entries.order_by()
        .values("budget")
        .annotate(n=Count("pk", filter=Q(amount__gt=0)) - Count("pk", filter=Q(amount__lt=0)))
    )
    return datasets.annotate(
        spent_micro=Subquery(budget.values("spent")),
        total_epsilon=Subquery(budget.values("total_epsilon")),
        total_radius_m=Subquery(budget.values("total_radius_m")),
        spent_releases=Subquery(charged.values("n")),
    )


def require_ready(dataset: Dataset) -> None:
    """Refuse a dataset that has no points yet.

    Raises
    ------
    Conflict
        The dataset is not ready.
    """
    if dataset.state != State.READY:
        raise Conflict(
            f"The dataset must be ready, it is {dataset.state}.", field="state", rule="ready", value=dataset.state
        )


USUAL_RADIUS_M = 200.0  # where the owner has named none


def spending(dataset: Dataset) -> dict[str, Any]:
    """What the releases leaked together, said as a level within the radius the owner thinks in."""
    spent, budget = ledger.spent(dataset), ledger.budget_of(dataset)
    radius_m = (budget and budget.total_radius_m) or USUAL_RADIUS_M
    return {
        "radius_m": radius_m,
        "total": budget and budget.total_epsilon,
        "spent": spent["per_km"] * radius_m / 1000,
        "releases": spent["releases"],
    }
