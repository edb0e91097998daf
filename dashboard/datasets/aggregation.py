"""Datasets that are made of another: counts of its events, and its stays as check-ins."""

from typing import Any

import numpy as np
from django.db import transaction
from pydantic.fields import FieldInfo

from dashboard.core.computing import computed_where
from dashboard.core.text import one_line
from dashboard.datasets import execution, lineage
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import require_kind, require_ready
from dashboard.jobs import queue
from privacy_engine.aggregation import AggregationSpec, Size, extent_of, layout, size_of
from privacy_engine.aggregation.stays import StaySpec
from privacy_engine.core.component import form_field, form_fields
from privacy_engine.core.params import Param
from privacy_engine.data import CheckIns, CountStream
from privacy_engine.data.counted import Counted
from privacy_engine.data.grid import Grid
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError


def stay_fields() -> list[dict[str, Any]]:
    """Return the fields of the form."""
    return list(form_fields(StaySpec).values())


def has_stays(dataset: Dataset) -> bool:
    """Return whether stays can be detected in a dataset that is ready."""
    return dataset.data_type.has_stays and dataset.has_time


def stays_dataset(*, dataset: Dataset, spec: StaySpec, name: str = "") -> Dataset:
    """Make check-ins of a dataset's stays: a dataset that waits for a worker, with the budget of the same upload.

    Raises
    ------
    Conflict
        The dataset is not ready.
    ParameterError
        It holds no trajectories, or they have no times.
    """
    require_ready(dataset)
    require_kind(dataset, *(kind for kind, datatype in datatypes.items() if datatype.has_stays))
    if not has_stays(dataset):
        rule = "events with times"
        raise ParameterError(f"dataset must hold {rule}", field="dataset", rule=rule, value=str(dataset.pk))
    return create_derived(
        dataset,
        name=name or f"Stays of {dataset.name}",
        kind=CheckIns.kind,
        stay_detection=spec.model_dump(mode="json"),
    )


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


SIDES = ("west", "south", "east", "north")


def form_groups(dataset: Dataset) -> dict[str, list[dict[str, Any]]]:
    """Return the fields of the form by group; the sides of the box are four numbers."""
    fields = form_fields(AggregationSpec)
    if dataset.data_type.users:
        choices = fields["unit"]["choices"]
        fields["unit"]["choices"] = [choice for choice in choices if choice["value"] != "series"]
    return {
        "unit": [fields[name] for name in ("unit", "most", "pick", "neighbours")],
        "cell": [fields["cell_m"]],
        "box": [_side(name) for name in SIDES],
        "time": [fields[name] for name in ("step", "start", "end", "time_zone")],
    }


def _side(name: str) -> dict[str, Any]:
    reach = 180.0 if name in ("west", "east") else 90.0
    param = Param(label=name.capitalize(), unit="°", lowest=-reach, highest=reach)
    return form_field(name, FieldInfo(annotation=float, default=None), param)


def require_countable(dataset: Dataset) -> None:
    """Refuse what has no events with times and positions.

    Raises
    ------
    Conflict
        The dataset is not ready.
    ParameterError
        It holds counts already, or its events have no times or no positions.
    """
    require_ready(dataset)
    if why := uncountable(dataset):
        raise ParameterError(f"dataset must hold {why}", field="dataset", rule=why, value=dataset.kind)


def uncountable(dataset: Dataset) -> str:
    """Return what a dataset that is ready lacks to be counted; empty where it lacks nothing."""
    if dataset.stay_detection is not None:  # an event can change any number of stays, and what it is charged for
        return "trajectories or uploaded check-ins: count the events that its stays were detected in"
    return dataset.data_type.uncountable(dataset.summary or {})


@computed_where(lambda dataset, _: dataset.is_large)
def expected(dataset: Dataset, spec: AggregationSpec) -> dict[str, Any]:
    """Return how large the counts of a dataset would be, and the sensitivity; nothing is stored.

    Raises
    ------
    ParameterError
        The dataset cannot be counted, or not in so many cells or steps.
    """
    require_countable(dataset)
    events = execution.read_events(dataset)
    size = size_of(events, spec)
    counted = _counted(dataset, spec, size)
    return size._asdict() | {
        "events": len(events),
        "people": len(np.unique(events.person)),
        "cells": size.rows * size.columns,
        "sensitivity": counted.sensitivity,
        "statement": counted.sensitivity_text,
        "not_covered": list(counted.not_covered),
    }


def _counted(dataset: Dataset, spec: AggregationSpec, size: Size) -> Counted:
    """The description of the counts before they are made; of the grid only the number of cells is known."""
    grid = Grid(0.0, 0.0, 1.0, 1.0, size.columns, size.rows)
    cleaned = tuple(execution.cleaning_names(dataset))
    return Counted(grid, spec.unit, spec.most, spec.changed, spec.box is None, len(spec.given_times()) < 2, cleaned)


@computed_where(lambda dataset, **_: dataset.is_large)
def aggregate_dataset(*, dataset: Dataset, spec: AggregationSpec, name: str = "") -> Dataset:
    """Make a count stream of a dataset's events: a dataset that waits for a worker, with the budget of the same upload.

    Raises
    ------
    Conflict
        The dataset is not ready.
    ParameterError
        The dataset cannot be counted, or not in so many cells or steps.
    """
    require_countable(dataset)
    layout(extent_of(execution.read_events(dataset)), spec)  # the worker counts
    return create_derived(
        dataset,
        name=name or f"Counts of {dataset.name}",
        kind=CountStream.kind,
        aggregation=spec.model_dump(mode="json"),
    )
