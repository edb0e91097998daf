"""Results as a tidy table, one row for each cell and metric, and as LaTeX."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from privacy_engine import __version__
from privacy_engine.data import Floats
from privacy_engine.experiments.measures import measures
from privacy_engine.experiments.spec import ExperimentSpec, Point, flattened
from privacy_engine.formats.arrow import pa, pacsv, pq
from privacy_engine.label import NOT_PRIVATE

LOW, HIGH = 0.05, 0.95
"""The quantiles over repetitions that lie beside the mean."""

Results = dict[str, Any]
"""By a cell's digest its landmark share and metrics, (1 + metrics, repetitions)."""


def assemble(spec: ExperimentSpec, dataset: str, results: Results) -> pa.Table:
    """One row for each point of the grid and metric, in the grid's order.

    Columns: ``dataset`` and ``cell`` (digests), every parameter of the cell by its place, ``marked_share`` (mean),
    ``metric``, ``unit``, ``mean``, ``low`` and ``high`` (quantiles over repetitions, :data:`LOW` and :data:`HIGH`) and
    ``n``, the repetitions that have a value. Numbers are null where no repetition has one.
    """
    rows = []
    for point in spec.points():
        share, *values = results[point.cell.digest]
        about = _parameters(point)
        for name, one in zip(point.cell.metrics, values, strict=True):
            ends = {"dataset": dataset, "cell": point.cell.digest}, {"metric": name, "unit": measures[name].unit}
            rows.append(ends[0] | about | {"marked_share": _summary(share)["mean"]} | ends[1] | _summary(one))
    first = ["dataset", "cell"]
    last = ["marked_share", "metric", "unit", "mean", "low", "high", "n"]
    places = dict.fromkeys(name for row in rows for name in row if name not in (*first, *last))
    columns = {name: _column([row.get(name) for row in rows]) for name in (*first, *places, *last)}
    about_all = {"cairn": __version__, "noise": NOT_PRIVATE, "spec": spec.model_dump_json(), "digest": spec.digest}
    return pa.table(columns).replace_schema_metadata(about_all)


def _parameters(point: Point) -> dict[str, Any]:
    description = point.cell.model_dump()
    del description["metrics"]
    if point.cell.release is not None:
        description["release"]["title"] = point.cell.release.title
    return {name: value for name, value in flattened(description).items() if value is not None}


def _summary(values: Floats) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    if not known.size:
        return {"mean": None, "low": None, "high": None, "n": 0}
    low, high = np.quantile(known, [LOW, HIGH]).tolist()
    return {"mean": float(known.mean()), "low": low, "high": high, "n": len(known)}


def _column(values: list[Any]) -> Any:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        values = [None if value is None else float(value) for value in values]
    elif len(kinds) > 1:
        values = [None if value is None else str(value) for value in values]
    return pa.array(values)


def write(table: pa.Table, spec: ExperimentSpec, folder: Path) -> list[Path]:
    """``table.parquet``, ``table.csv``, ``spec.json`` and ``table.tex`` in ``folder``, which is made; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in ("table.parquet", "table.csv", "spec.json", "table.tex")]
    pq.write_table(table, paths[0])
    pacsv.write_csv(table, paths[1])
    paths[2].write_text(spec.model_dump_json(indent=2) + "\n")
    paths[3].write_text(latex(table, spec))
    return paths


def latex(table: pa.Table, spec: ExperimentSpec) -> str:
    r"""One pgfplots table for each metric: ``\addplot table [x=x, y=…] {\cairnError};``.

    The first column, ``x``, has the values of the first axis of plain numbers, or where there is none the measured
    share of marked events along the axis of landmarks. Every combination of the other axes is a curve with its mean;
    ``…-low`` and ``…-high`` lie beside it.
    """
    rows = table.to_pylist()
    axes, points, step = spec.axes(), list(spec.points()), len(spec.metrics)
    along, place = _horizontal(spec)
    parts = [f"% {NOT_PRIVATE}, seed {spec.seed}, {spec.repetitions:,} repetitions. x: {place}. Needs pgfplots."]
    for k, metric in enumerate(spec.metrics):
        lines: dict[int, dict[str, Any]] = {}
        names: dict[str, str] = {}
        for point, row in zip(points, rows[k::step], strict=True):
            at = point.at[along] if axes else 0
            rest = tuple(i for j, i in enumerate(point.at) if j != along)
            title = (
                ", ".join(_value(axis.values[i]) for axis, i in zip(_others(axes, along), rest, strict=True)) or "all"
            )
            curve = "c" + "-".join(map(str, rest)) if rest else "c"
            names[curve] = title
            line = lines.setdefault(at, {"x": row[place]})
            line |= {curve: row["mean"], f"{curve}-low": row["low"], f"{curve}-high": row["high"]}
        unit = f", {measures[metric].unit}" if measures[metric].unit else ""
        parts.append(f"% {measures[metric].title}{unit}")
        parts += [f"%   {curve}: {_comment(title)}" for curve, title in names.items()]
        macro = "".join(word.capitalize() for word in metric.split("-"))
        columns = list(dict.fromkeys(name for line in lines.values() for name in line))
        parts += [r"\pgfplotstableread{", " ".join(columns)]
        parts += [" ".join(_number(line.get(name)) for name in columns) for line in lines.values()]
        parts.append(rf"}}\cairn{macro}")
    return "\n".join(parts) + "\n"


def _horizontal(spec: ExperimentSpec) -> tuple[int, str]:
    """Which axis is the horizontal one, and the column with its values."""
    axes = spec.axes()
    for i, axis in enumerate(axes):
        firsts = [value[0] if len(axis.paths) > 1 else value for value in axis.values]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in firsts):
            return i, axis.paths[0]
    marking = (i for i, axis in enumerate(axes) if axis.paths[0] == "landmarks")
    return next(marking, 0), "marked_share"


def _others(axes: list[Any], along: int) -> list[Any]:
    return [axis for i, axis in enumerate(axes) if i != along]


def _value(value: Any) -> str:
    if isinstance(value, dict):
        named = ((name, one) for name, one in value.items() if one not in (None, [], {}))
        return " ".join(f"{name} {one:g}" if isinstance(one, int | float) else _value(one) for name, one in named)
    if isinstance(value, list):
        return " + ".join(map(_value, value))
    return "none" if value is None else str(value)


def _comment(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _number(value: float | None) -> str:
    return "nan" if value is None else f"{value:.10g}"
