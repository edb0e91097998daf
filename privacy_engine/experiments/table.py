"""Results as a tidy table, a row for each cell and metric, and as LaTeX."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any, BinaryIO

import numpy as np

from privacy_engine import __version__
from privacy_engine.core.arrays import Floats
from privacy_engine.experiments.measures import Measure
from privacy_engine.experiments.spec import ExperimentSpec, Point
from privacy_engine.formats.arrow import pa, pacsv, pq
from privacy_engine.releases.label import NOT_PRIVATE

LOW, HIGH = 0.05, 0.95
"""The quantiles over repetitions that lie beside the mean."""

Results = dict[str, Any]
"""By a cell's digest its landmark share and metrics, (1 + metrics, repetitions)."""


def assemble(spec: ExperimentSpec, dataset: str, results: Results) -> pa.Table:
    """One row for each point of the grid and metric, in the grid's order.

    Columns: ``dataset`` and ``cell`` (digests), :attr:`Cell.short_columns`, every parameter of the cell by its place,
    ``marked_share`` (mean, of trajectories only), ``metric``, its parameters as ``metric.<parameter>`` where it has
    some, ``unit``, ``value`` (the mean, where there are short columns), ``mean``, ``low`` and ``high`` (quantiles over
    repetitions, :data:`LOW` and :data:`HIGH`) and ``n``, the repetitions that have a value. Numbers are null where no
    repetition has any.
    """
    rows, marked, short = [], spec.cell_type.has_landmarks, False
    for point in spec.points():
        share, *values = results[point.cell.digest]
        about = {"dataset": dataset, "cell": point.cell.digest} | point.cell.short_columns | _parameters(point)
        about |= {"marked_share": _mean(share[~np.isnan(share)])} if marked else {}
        short = bool(point.cell.short_columns)
        for measure, value in zip(point.cell.metrics, values, strict=True):
            named = {"metric": measure.column_name, **_metric_parameters(measure), "unit": measure.unit}
            figures = summary(value)
            rows.append(about | named | ({"value": figures["mean"]} if short else {}) | figures)
    first = ["dataset", "cell"]
    params = dict.fromkeys(name for measure in spec.metrics for name in _metric_parameters(measure))
    last = [*["marked_share"] * marked, "metric", *params, "unit", *["value"] * short, "mean", "low", "high", "n"]
    places = dict.fromkeys(name for row in rows for name in row if name not in (*first, *last))
    columns = {name: _column([row.get(name) for row in rows]) for name in (*first, *places, *last)}
    about_all = {"cairn": __version__, "noise": NOT_PRIVATE, "spec": spec.model_dump_json(), "digest": spec.digest}
    return pa.table(columns).replace_schema_metadata(about_all)


def _metric_parameters(measure: Measure) -> dict[str, Any]:
    return {f"metric.{name}": value for name, value in measure.parameters.items()}


def _parameters(point: Point) -> dict[str, Any]:
    description = point.cell.model_dump(exclude={"metrics", "kind"})
    description |= {name: description.pop(name) for name in ("seed", "common")}  # after what some kinds have
    if point.cell.release is not None:
        description["release"]["title"] = point.cell.release.title
    return {name: value for name, value in flattened(description).items() if value is not None}


def flattened(description: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A description as a row: ``{"release.mechanism.epsilon": 1.0, …}``; lists of plain values as JSON text."""
    row: dict[str, Any] = {}
    for name, value in description.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            value = {str(i): item for i, item in enumerate(value)}
        if isinstance(value, dict):
            row |= flattened(value, f"{prefix}{name}.")
        else:
            row[prefix + name] = json.dumps(value) if isinstance(value, list) else value
    return row


def summary(values: Floats) -> dict[str, Any]:
    """Mean and quantiles of the repetitions that have a value, and how many these are."""
    known = values[~np.isnan(values)]
    if not known.size:
        return {"mean": None, "low": None, "high": None, "n": 0}
    low, high = np.quantile(known, [LOW, HIGH]).tolist()
    return {"mean": _mean(known), "low": low, "high": high, "n": len(known)}


def _mean(known: Floats) -> float | None:
    return float(known.mean()) if known.size else None


def _column(values: list[Any]) -> Any:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        values = [None if value is None else float(value) for value in values]
    elif len(kinds) > 1:
        values = [None if value is None else str(value) for value in values]
    return pa.array(values)


def write(table: pa.Table, spec: ExperimentSpec, folder: Path) -> list[Path]:
    """Every file of :data:`FILES` in ``folder``, which is made; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for kind in FILES.values():
        paths.append(folder / kind.name)
        with paths[-1].open("wb") as out:
            kind.write(table, spec, out)
    return paths


@dataclass(frozen=True)
class FileKind:
    """A file an experiment is written as: its name, its media type, and how ``write(table, spec, out)`` does it."""

    name: str
    media_type: str
    write: Callable[[pa.Table, ExperimentSpec, BinaryIO], Any]


FILES = {
    "parquet": FileKind(
        "table.parquet", "application/vnd.apache.parquet", lambda table, _, out: pq.write_table(table, out)
    ),
    "csv": FileKind("table.csv", "text/csv", lambda table, _, out: pacsv.write_csv(table, out)),
    "json": FileKind("spec.json", "application/json", lambda _, spec, out: out.write(_described(spec))),
    "tex": FileKind("table.tex", "application/x-tex", lambda table, spec, out: out.write(latex(table, spec).encode())),
}


def _described(spec: ExperimentSpec) -> bytes:
    return (spec.model_dump_json(indent=2) + "\n").encode()


def latex(table: pa.Table, spec: ExperimentSpec) -> str:
    r"""One pgfplots table for each metric: ``\addplot table [x=x, y=…] {\cairnError};``.

    The first column, ``x``, has the values of the first axis of plain numbers; where there is none, of trajectories the
    measured share of marked events along the axis of landmarks. Every combination of the other axes is a curve with its
    mean; ``…-low`` and ``…-high`` lie beside it.
    """
    rows = table.to_pylist()
    axes, points, step = spec.axes(), list(spec.points()), len(spec.metrics)
    along, place = horizontal(spec)
    parts = [f"% {NOT_PRIVATE}, seed {spec.seed}, {spec.repetitions:,} repetitions. x: {place}. Needs pgfplots."]
    macros = _macros([metric.name for metric in spec.metrics])
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
            line = lines.setdefault(at, {"x": row.get(place)})
            line |= {curve: row["mean"], f"{curve}-low": row["low"], f"{curve}-high": row["high"]}
        parts.append(f"% {metric.full_title}{metric.unit and ', '}{metric.unit}")
        parts += [f"%   {curve}: {_comment(title)}" for curve, title in names.items()]
        columns = list(dict.fromkeys(name for line in lines.values() for name in line))
        parts += [r"\pgfplotstableread{", " ".join(columns)]
        parts += [" ".join(_number(line.get(name)) for name in columns) for line in lines.values()]
        parts.append(rf"}}\cairn{macros[k]}")
    return "\n".join(parts) + "\n"


def _macros(names: list[str]) -> list[str]:
    """A macro's name for each metric; a letter distinguishes those of the same name, as TeX has no digits in names."""
    macros = ["".join(part.capitalize() for part in name.split("-")) for name in names]
    return [
        macro + (ascii_uppercase[macros[:i].count(macro)] if macros.count(macro) > 1 else "")
        for i, macro in enumerate(macros)
    ]


def horizontal(spec: ExperimentSpec) -> tuple[int, str]:
    """Which axis is horizontal, and the column with its values."""
    axes = spec.axes()
    for i, axis in enumerate(axes):
        firsts = [value[0] if len(axis.paths) > 1 else value for value in axis.values]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in firsts):
            return i, axis.paths[0]
    marking = (i for i, axis in enumerate(axes) if axis.paths[0] == "landmarks")
    return next(marking, 0), "marked_share" if spec.cell_type.has_landmarks else ""


def _others(axes: list[Any], along: int) -> list[Any]:
    return [axis for i, axis in enumerate(axes) if i != along]


def _value(value: Any) -> str:
    if isinstance(value, dict):
        named = ((name, item) for name, item in value.items() if item not in (None, [], {}))
        return " ".join(f"{name} {item:g}" if isinstance(item, int | float) else _value(item) for name, item in named)
    if isinstance(value, list):
        return " + ".join(map(_value, value))
    return "none" if value is None else str(value)


def _comment(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _number(value: float | None) -> str:
    return "nan" if value is None else f"{value:.10g}"
