"""Reads of the experiments app. All of it was measured against originals, and is published nowhere."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from dashboard.datasets.models import Dataset
from dashboard.experiments import files
from dashboard.experiments.models import Experiment
from dashboard.jobs.models import State

EVALUATION = "recommendation-epsilon"
"""The preset that evaluates models of check-ins over ε."""
GRID = ("west", "south", "east", "north", "side")
COLUMNS = ("model", "privacy_unit", "epsilon", "metric", "unit", "value")
EVALUATIONS = 50
"""The newest ones, of which those on the grids of models are shown."""


def visible_experiments(user: Any) -> QuerySet[Experiment]:
    """Those that the user may read, newest first."""
    return Experiment.objects.visible_to(user).select_related("dataset", "project")


def evaluations(user: Any, dataset: Dataset) -> list[dict[str, Any]]:
    """Return the newest evaluation of models on each public grid: ``grid`` has its edges and side.

    ``rows`` are the table's, shares in place of percents; None until it is done. Experiments that failed or were
    cancelled are left out, and those on the extent of the check-ins, which no release has.
    """
    by_grid: dict[tuple[float, ...], Experiment] = {}
    rows = visible_experiments(user).filter(dataset=dataset, preset__name=EVALUATION)
    for row in rows.exclude(state__in=[State.FAILED, State.CANCELLED])[:EVALUATIONS]:
        grid = tuple((row.preset or {})[name] for name in GRID)
        if None not in grid:
            by_grid.setdefault(grid, row)
    return [_evaluation(row, grid) for grid, row in by_grid.items()]


def evaluations_of_page(request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
    """The evaluations that the comparison of a dataset's models shows beside them."""
    return {"evaluations": evaluations(request.user, dataset)}


def _evaluation(row: Experiment, grid: tuple[float, ...]) -> dict[str, Any]:
    about = {"grid": list(grid), "name": row.name or "Evaluation", "state": row.get_state_display().lower()}
    page = reverse("experiments:detail", args=[row.pk])
    return about | {"page": page, "rows": _rows(row) if row.state == State.DONE else None}


def _rows(row: Experiment) -> list[dict[str, Any]]:
    table = files.read(row).select(COLUMNS).to_pylist()
    rows = []
    for entry in table:
        percent = entry.pop("unit") == "%"
        entry["unit"] = entry.pop("privacy_unit")
        if entry["value"] is not None:
            rows.append(entry | {"value": entry["value"] / 100 if percent else entry["value"]})
    return rows
