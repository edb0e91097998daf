"""How an experiment reads as charts: what its axes and their values are called, which axis lies horizontally."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from privacy_engine.core.arrays import Floats
from privacy_engine.core.component import Component
from privacy_engine.core.params import Param, brief, param_of
from privacy_engine.experiments.cells import Cell, Correlation
from privacy_engine.experiments.generated import Generator
from privacy_engine.experiments.measures import Measure
from privacy_engine.experiments.spec import Axis, ExperimentSpec
from privacy_engine.experiments.table import HIGH, LOW, Results, flattened, horizontal, summary
from privacy_engine.landmarks import LandmarkMethod
from privacy_engine.mechanisms.base.mechanism import Mechanism
from privacy_engine.releases.spec import ReleaseSpec

WHOLE = {
    "release": "Release",
    "release.mechanism": "Mechanism",
    "release.postprocess": "Post-processing",
    "landmarks": "Landmarks",
    "dummies": "Dummy landmarks",
    "correlation": "Correlation",
    "landmarks.share": "Share of landmarks",
    "landmarks.distribution": "Where landmarks lie",
    "data": "Data",
}
NONE = {"correlation": "No correlation", "dummies": "No dummies", "release": "No release", "data": "The dataset"}
STRENGTHS = {1.0: "weak", 0.1: "moderate", 0.01: "strong"}
"""What the paper calls the smoothing of a correlation."""
DECADES = 30.0
"""From the least to the largest value of an axis that is drawn logarithmically, at least."""
LONGEST = 60
"""Letters that may distinguish two values; where it takes more, as between the corners of zones, they are numbered."""


def figure(spec: ExperimentSpec) -> dict[str, Any]:
    """What charts need beside the numbers, as JSON-ready data.

    ``axes`` in the grid's order, each with ``name``, ``title``, ``symbol``, ``unit``, ``log`` and ``values``: each with
    its ``label``, its ``number`` or None, whether it is ``none`` at all, and the name of its ``mechanism`` or None.
    ``along`` is the axis that lies horizontally, or None where there is none; with ``marked`` it is the measured share
    of marked events that is drawn. ``shares`` is whether points have such a share. ``measures`` describes each,
    ``band`` the two quantiles.
    """
    axes = spec.axes()
    along, place = horizontal(spec)
    return {
        "axes": [_axis(spec, axis, i) for i, axis in enumerate(axes)],
        "along": along if axes else None,
        "marked": place == "marked_share",
        "shares": spec.cell_type.has_landmarks,
        "measures": [_measure(metric) for metric in spec.metrics],
        "band": [LOW, HIGH],
    }


def _measure(metric: Measure) -> dict[str, Any]:
    about = {"title": metric.full_title, "unit": metric.unit, "summary": metric.summary, "source": metric.source()}
    return {"name": metric.name, "parameters": metric.parameters, **about, "assumes": list(metric.assumes)}


def points(spec: ExperimentSpec, results: Results) -> list[dict[str, Any]]:
    """A row for each point of the grid: ``at``, which value of each axis; ``share``; ``values``, of each metric.

    ``results`` as in :func:`~privacy_engine.experiments.table.assemble`, or a part of it: a cell may be missing, or
    have fewer repetitions so far. ``share`` and ``values`` are None for a cell that is missing.
    """
    return placed(spec, {cell: summed(values) for cell, values in results.items()})


def placed(spec: ExperimentSpec, by_cell: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """:func:`points`, from what :func:`summed` has made of each cell."""
    unknown = {"share": None, "values": [None] * len(spec.metrics)}
    return [
        {"at": list(point.at), "cell": point.cell.digest, **by_cell.get(point.cell.digest, unknown)}
        for point in spec.points()
    ]


def summed(values: Floats) -> dict[str, Any]:
    """``share`` and ``values`` of a cell, from its landmark share and metrics, (1 + metrics, repetitions)."""
    share, *metrics = map(summary, values)
    return {"share": share["mean"], "values": metrics}


def _axis(spec: ExperimentSpec, axis: Axis, i: int) -> dict[str, Any]:
    at = [0] * len(spec.axes())
    cells = []
    for j in range(len(axis.values)):
        at[i] = j
        cells.append(spec.cell(at))
    param = _param(cells[0], axis.paths[0])
    places = [_place(cell, axis.paths[0]) for cell in cells]
    labels = _distinguished([_label(place, axis.paths[0], param) for place in places], axis.values)
    numbers = [float(place) if _is_number(place) else None for place in places]
    return {
        "name": axis.name,
        "title": WHOLE.get(axis.paths[0]) or (param.label if param else axis.paths[0]),
        "symbol": param.symbol if param else "",
        "unit": param.unit if param else "",
        "log": _is_wide(numbers),
        "values": [
            {
                "label": label,
                "number": number,
                "none": _is_none(thing, axis),
                "mechanism": _mechanism(thing),
            }
            for label, number, thing in zip(labels, numbers, places, strict=True)
        ],
    }


def _is_none(value: Any, axis: Axis) -> bool:
    return value is None and axis.name != "data"  # without data of its own a cell takes the dataset


def _is_wide(numbers: Sequence[float | None]) -> bool:
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and min(known) > 0 and max(known) >= DECADES * min(known)


def _place(cell: Any, path: str) -> Any:
    for part in path.split("."):
        cell = getattr(cell, part, None)
    return cell


def _param(cell: Cell, path: str) -> Param | None:
    *parents, last = path.split(".")
    holder = type(_place(cell, ".".join(parents)) if parents else cell)
    info = getattr(holder, "model_fields", {}).get(last)
    return None if info is None else param_of(info)


def _label(value: Any, path: str, param: Param | None) -> str:
    if value is None:
        return NONE.get(path, "None")
    if isinstance(value, ReleaseSpec):
        return value.title
    if isinstance(value, Correlation):
        strength = STRENGTHS.get(value.smoothing, "correlation")
        apart = "" if value.diameter_m is None else f", states {value.diameter_m:,g} m apart"
        return f"{strength.capitalize()}, s = {value.smoothing:g}{apart}"
    if isinstance(value, LandmarkMethod):
        return value.describe().capitalize()
    if isinstance(value, Generator):
        return value.describe()
    if isinstance(value, Component):
        return value.title
    if isinstance(value, tuple):
        return " + ".join(_label(item, path, None) for item in value) or "Nothing"
    if _is_number(value):
        share = param is not None and (param.lowest, param.highest) == (0, 1)
        return f"{100 * value:g} %" if share else f"{value:g}"
    if isinstance(value, list | dict):
        return brief(value)
    return str(dict(param.options if param else ()).get(value, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _mechanism(value: Any) -> str | None:
    named = getattr(value, "mechanism", value)
    return named.name if isinstance(named, Mechanism) else None


def _distinguished(labels: list[str], values: Sequence[Any]) -> list[str]:
    """Labels that occur twice with the parameters in which their values differ."""
    if len(set(labels)) == len(labels):
        return labels
    rows = [flattened(value) if isinstance(value, dict) else {} for value in values]
    apart = []
    for i, label in enumerate(labels):
        others = [rows[j] for j, other in enumerate(labels) if other == label and j != i]
        own = {name: value for name, value in rows[i].items() if any(other.get(name) != value for other in others)}
        differences = ", ".join(f"{name.split('.')[-1]} {value}" for name, value in own.items())
        if len(differences) > LONGEST:
            differences = str(1 + labels[:i].count(label))
        apart.append(f"{label} ({differences})" if differences else label)
    return apart
