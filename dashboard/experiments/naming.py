"""Names: landmark sets that an experiment was tried on have those they are kept under, runs get a name that differs."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.experiments.run_parameters import (
    MECHANISM,
    Values,
    level_text,
    names_of,
    parameters,
    titles_text,
    values_by_path,
)
from dashboard.landmarks.selectors import visible_landmark_sets
from privacy_engine import experiments
from privacy_engine.experiments import ExperimentSpec, cells, kind_of

MOST = 120  # characters of a name, before what differs
LONGEST = 60


def figure_of(spec: ExperimentSpec, dataset: Dataset | None) -> dict[str, Any]:
    """:func:`privacy_engine.experiments.figure`, with sets of ``dataset`` by name."""
    figure = experiments.figure(spec)
    whole = [
        (axis, shown) for axis, shown in zip(spec.axes(), figure["axes"], strict=True) if axis.paths == ("landmarks",)
    ]
    if dataset is None or not whole:
        return figure
    sets = visible_landmark_sets(dataset.owner_id).filter(dataset=dataset, source=None)
    kept = list(sets.values_list("method", "name"))
    for axis, shown in whole:
        names = [next((name for method, name in kept if method == value), None) for value in axis.values]
        for value, name in zip(shown["values"], names, strict=True):
            if name is not None:
                value["label"] = name if names.count(name) == 1 else f"{name}, {value['label']}"
    return figure


def generated_name(spec: Mapping[str, Any], data_title: str, title: str = "") -> str:
    """Return what distinguishes a run: "Skip, Uniform · ε 0.1–2 / 200 m · Taxi day".

    ``spec`` is as it is stored; a ``title``, such as that of a preset, takes the place of mechanisms and levels. A run
    without a mechanism is called by its landmarks.
    """
    by_path = values_by_path(spec)
    if title:
        parts = [title]
    elif names := names_of(by_path, MECHANISM):
        parts = [titles_text(MECHANISM, names), f"ε {level_text(by_path)}"]
    else:
        parts = [f"{titles_text('landmarks', names_of(by_path, 'landmarks'))} landmarks"]
    return " · ".join([*parts, data_title])


def distinct_name(owner: Any, spec: Mapping[str, Any], dataset: Dataset | None, title: str = "") -> str:
    """Return :func:`generated_name`, with what differs from the owner's newest run of that name, or else a number."""
    name = generated_name(spec, dataset.name if dataset else cells[kind_of(spec)].generated, title)[:MOST]
    same = Experiment.objects.filter(owner=owner, name__startswith=name)
    taken = set(same.values_list("name", flat=True))
    if name not in taken:
        return name
    newest = same.filter(name=name).order_by("-created_at").first()
    apart = _differences(parameters(newest.spec), parameters(spec)) if newest else ""
    if apart and (longer := f"{name} · {apart}") not in taken:
        return longer
    return next(numbered for i in count(2) if (numbered := f"{name} ({i})") not in taken)


def _differences(other: Mapping[str, Values], own: Mapping[str, Values]) -> str:
    """Return the first parameters in which two runs differ: "seed 2, repetitions 50"."""
    apart = [value for place, value in own.items() if place not in other or other[place].text != value.text]
    return ", ".join(f"{value.title[0].lower()}{value.title[1:]} {value.text}" for value in apart[:2])[:LONGEST]
