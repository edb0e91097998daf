"""Experiments in a notebook: a preset or a spec, run to a table and drawn as the pages draw it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from privacy_engine import experiments as engine
from privacy_engine.core.optional import required
from privacy_engine.experiments import ExperimentSpec, FolderStore
from privacy_engine.experiments.presets import Preset, presets
from privacy_engine.experiments.table import horizontal
from privacy_engine.fluent.base import Original
from privacy_engine.fluent.plotting import axes_of
from privacy_engine.formats.arrow import pa
from privacy_engine.releases.label import NOT_PRIVATE

STYLES = ("-", "--", "-.", ":")
COLOURS = 10


class Experiment:
    """The results of an experiment: simulated releases, whose seed is known, so that they protect no person."""

    def __init__(self, spec: ExperimentSpec, table: pa.Table) -> None:
        self.spec, self.table = spec, table

    def __repr__(self) -> str:
        counts = f"{len(self.spec.cells()):,} cells, {self.spec.repetitions:,} repetitions"
        return f"<Experiment: {counts}. {NOT_PRIVATE}, seed {self.spec.seed}.>"

    def to_dataframe(self) -> Any:
        """A row for each cell and metric as a pandas.DataFrame: parameters, ``mean``, ``low``, ``high`` and ``n``."""
        required("pandas", "to_dataframe()")
        return self.table.to_pandas(ignore_metadata=True)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write table.parquet, table.csv, table.tex and spec.json to ``folder``, and return their paths."""
        return engine.write(self.table, self.spec, Path(folder))

    def lines(self, metric: int = 0) -> list[dict[str, Any]]:
        """The curves of a metric: ``label``, ``x``, ``mean``, ``low`` and ``high``, a value for each point.

        ``x`` are numbers of the horizontal axis, of trajectories the measured share of landmarks where it has none.
        """
        about, rows = engine.figure(self.spec), self.table.to_pylist()[metric :: len(self.spec.metrics)]
        axes, (along, place) = about["axes"], horizontal(self.spec)
        lines: dict[tuple[int, ...], dict[str, Any]] = {}
        for point, row in zip(self.spec.points(), rows, strict=True):
            rest = tuple(i for j, i in enumerate(point.at) if j != along)
            others = [axis for j, axis in enumerate(axes) if j != along]
            label = ", ".join(axis["values"][i]["label"] for axis, i in zip(others, rest, strict=True))
            line = lines.setdefault(rest, {"label": label, "x": [], "mean": [], "low": [], "high": []})
            number = axes[along]["values"][point.at[along]]["number"] if axes else None
            x = number if number is not None else row.get(place)
            for name, value in {"x": x, "mean": row["mean"], "low": row["low"], "high": row["high"]}.items():
                line[name].append(float("nan") if value is None else value)
        return list(lines.values())

    def plot(self, ax: Any = None, *, metric: int = 0) -> Any:
        """Draw the curves of a metric with the band of its quantiles by matplotlib, and return the axes."""
        ax = axes_of(ax)
        about = engine.figure(self.spec)
        for number, line in enumerate(self.lines(metric)):
            style = {"linestyle": STYLES[number // COLOURS % len(STYLES)], "color": f"C{number % COLOURS}"}
            ax.plot(line["x"], line["mean"], marker="o", markersize=3, label=line["label"] or None, **style)
            ax.fill_between(line["x"], line["low"], line["high"], color=style["color"], alpha=0.12, linewidth=0)
        measure = about["measures"][metric]
        ax.set_ylabel(f"{measure['title']}, {measure['unit']}" if measure["unit"] else measure["title"])
        if about["axes"]:
            axis = about["axes"][about["along"]]
            ax.set_xlabel("Measured share of landmarks" if about["marked"] else axis["title"])
            ax.set_xscale("log" if axis["log"] else "linear")
            ax.legend(fontsize="small")
        return ax


def experiment(
    what: str | Mapping[str, Any],
    data: Original | None = None,
    *,
    workers: int = 1,
    keep: str | os.PathLike[str] | None = None,
    watch: Callable[[int, int], None] | None = None,
    **parameters: Any,
) -> Experiment:
    """Run an experiment.

    Parameters
    ----------
    what : str or mapping
        A preset's name with its ``parameters`` (``error-geolife``, repetitions=20), or a spec as JSON-ready data.
    data : Original, optional
        What it is run on; without any it is generated.
    workers : int
        Processes that compute.
    keep : path, optional
        A folder where finished parts are kept: an experiment that was stopped goes on there.
    watch : callable, optional
        ``watch(done, blocks)`` is called after each part.

    Raises
    ------
    ParameterErrors
        The preset or a parameter is not known, or outside its domain.
    """
    given = None if data is None else data.data
    if isinstance(what, str):
        preset: Preset = presets.parse({"name": what, **parameters})
        spec = preset.spec(engine.given_of(preset.kind, given))
    else:
        spec = ExperimentSpec.parse({**what, **parameters})
    store = None if keep is None else FolderStore(Path(keep))
    return Experiment(spec, engine.run(spec, given, store, workers=workers, watch=watch))
