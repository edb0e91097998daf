"""Count streams made of the events of another dataset: how large they would be, and the request for them."""

from typing import Any

import numpy as np
from pydantic.fields import FieldInfo

from dashboard.core.computing import computed_where
from dashboard.datasets import execution
from dashboard.datasets.derived import create_derived
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import require_ready
from privacy_engine.aggregation import AggregationSpec, Size, layout, size_of
from privacy_engine.core.component import form_field, form_fields
from privacy_engine.core.params import Param
from privacy_engine.data import CountStream
from privacy_engine.data.counted import Counted
from privacy_engine.data.grid import Grid
from privacy_engine.errors import ParameterError

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
    layout(execution.read_events(dataset), spec)  # the worker counts
    return create_derived(
        dataset,
        name=name or f"Counts of {dataset.name}",
        kind=CountStream.kind,
        aggregation=spec.model_dump(mode="json"),
    )
