"""What the table of runs shows of results: the range of each measure over the cells, and curves of the first."""

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from dashboard.experiments import files
from dashboard.experiments.models import Experiment
from dashboard.jobs.models import State
from privacy_engine import experiments
from privacy_engine.experiments import ExperimentSpec, presets
from privacy_engine.experiments.table import horizontal

FILE = Path(__file__).with_name("preset_curves.json")
REPETITIONS = 5


@cache
def preset_curves() -> dict[str, list[dict[str, Any]]]:
    """Curves as those of a run, by the name of the preset."""
    curves: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text("utf-8"))
    return curves


def curves_of(name: str) -> list[dict[str, Any]]:
    """Compute the curves of a preset; values have three digits."""
    spec = presets.parse({"name": name, "repetitions": REPETITIONS}).spec()
    curves: list[dict[str, Any]] = measured(spec, experiments.run(spec, None))[0]["curves"]
    return [curve | {"y": [value and float(f"{value:.3g}") for value in curve["y"]]} for curve in curves]


CURVES = 8
POINTS = 24


def measured(spec: ExperimentSpec, table: Any) -> list[dict[str, Any]]:
    """Return ``name``, ``title``, ``unit``, ``low`` and ``high`` of each measure: its means over the cells.

    The first has ``curves`` too, as :func:`_curves` makes them. ``low`` and ``high`` are None where no cell has a
    value.
    """
    means = table.column("mean").to_pylist()
    step, measures = len(spec.metrics), []
    for k, measure in enumerate(spec.metrics):
        known = [value for value in means[k::step] if value is not None]
        about = {"name": str(measure.plain), "title": measure.full_title, "unit": measure.unit}
        measures.append(about | {"low": min(known, default=None), "high": max(known, default=None)})
    measures[0]["curves"] = _curves(spec, means[::step])
    return measures


def _curves(spec: ExperimentSpec, means: list[float | None]) -> list[dict[str, Any]]:
    """Return ``mechanism`` (None without any) and ``y`` along the horizontal axis, of the first values of other axes.

    There is a curve for each value of the axis of releases or mechanisms.
    """
    axes = spec.axes()
    if not axes:
        return []
    along, _ = horizontal(spec)
    lines = next((i for i, axis in enumerate(axes) if i != along and axis.paths[0].startswith("release")), None)
    by_place = dict(zip(product(*(range(len(axis.values)) for axis in axes)), means, strict=True))
    curves = []
    for line in range(len(axes[lines].values) if lines is not None else 1)[:CURVES]:
        at = [0] * len(axes)
        y = []
        for i in range(len(axes[along].values))[:POINTS]:
            at[along] = i
            if lines is not None:
                at[lines] = line
            y.append(by_place[tuple(at)])
        release = spec.cell(at).release
        curves.append({"mechanism": release.mechanism.name if release else None, "y": y})
    return curves


def add_missing(rows: list[Experiment]) -> None:
    """Add :func:`measured` to finished rows from before it was stored."""
    for row in rows:
        if row.state == State.DONE and not row.measured:
            row.measured = measured(row.parsed_spec, files.read(row))
            Experiment.objects.filter(pk=row.pk).update(measured=row.measured)
