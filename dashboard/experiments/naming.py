"""How an experiment reads to its owner: landmark sets that it was tried on have the names they are kept under."""

from __future__ import annotations

from typing import Any

from dashboard.datasets.models import Dataset
from dashboard.landmarks.selectors import visible_landmark_sets
from privacy_engine import experiments
from privacy_engine.experiments import ExperimentSpec


def figure_of(spec: ExperimentSpec, dataset: Dataset | None) -> dict[str, Any]:
    """:func:`privacy_engine.experiments.figure`, with sets of ``dataset`` by name."""
    found = experiments.figure(spec)
    whole = [
        (axis, shown) for axis, shown in zip(spec.axes(), found["axes"], strict=True) if axis.paths == ("landmarks",)
    ]
    if dataset is None or not whole:
        return found
    sets = visible_landmark_sets(dataset.owner_id).filter(dataset=dataset, source=None)
    kept = list(sets.values_list("method", "name"))
    for axis, shown in whole:
        names = [next((name for method, name in kept if method == value), None) for value in axis.values]
        for value, name in zip(shown["values"], names, strict=True):
            if name is not None:
                value["label"] = name if names.count(name) == 1 else f"{name}, {value['label']}"
    return found
