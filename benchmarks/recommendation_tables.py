"""The tables of docs/results about recommendation, from stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from benchmarks.recommendation_runs import LEVELS, METRICS, UNITS, Line, Runs
from privacy_engine.core.arrays import Floats

USUAL = 16
BLEND, GRAVITY, NEAREST, MARKOV = "Blend", "Gravity", "Nearest cell", "Markov, not private"
PUBLIC = (NEAREST, MARKOV)
DESIGN = {  # ../shared/design/recommendation.md: HR@10 at ε = 1, m = 1, 16 by 16 cells, user and record level
    "Quadtree, seed": (0.231, 0.465),
    "Quadtree, wide": (0.263, 0.473),
    "kd-tree": (0.221, 0.411),
    "N-grams": (0.126, 0.241),
    "PrivTree": (0.330, 0.477),
    "Popularity": (0.285, 0.294),
    GRAVITY: (0.463, 0.480),
    BLEND: (0.462, 0.489),
    NEAREST: (0.447, 0.447),
    MARKOV: (0.490, 0.490),
}
PERCENT = 100.0
BETTER = ("set", "side", "protected", "epsilon", "better", "blend", "blend_sd", "difference", "difference_se")
COLUMNS = (
    "set",
    "side",
    "protected",
    "epsilon",
    "mechanism",
    *(f"{one.replace('-', '_')}{part}" for one in METRICS for part in ("", "_sd")),
)


def number(values: Floats) -> str:
    """Mean and standard deviation over runs."""
    return " ± ".join(decimals(values)).replace("0.", ".")


def rate(found: Runs, line: Line, epsilon: float, metric: str = "hit-rate") -> Floats:
    """Values of all runs, hit rates as shares, (runs,)."""
    values = found.of(line, epsilon, metric)
    return values / PERCENT if metric.startswith("hit-rate") else values


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines)


def grids(found: Runs) -> Iterator[list[object]]:
    """Rows of :data:`COLUMNS`: every set, grid, mechanism, unit and level."""
    for name in found.sets():
        for side, unit, epsilon in product(found.sides(name), UNITS, LEVELS):
            for line in found.lines(name, side, unit):
                values = [rate(found, line, epsilon, metric) for metric in METRICS]
                yield [
                    name,
                    side,
                    unit,
                    f"{epsilon:g}",
                    line.model,
                    *(text for one in values for text in decimals(one)),
                ]


def decimals(values: Floats) -> list[str]:
    """Mean and standard deviation over runs with three decimals; empty where nothing was measured."""
    if np.isnan(values).all():
        return ["", ""]
    return [f"{np.nanmean(values):.3f}", f"{np.nanstd(values, ddof=1):.3f}"]


def design(found: Runs) -> str:
    """The figures of the design beside those that were measured."""
    if "Manhattan" not in found.sets():
        return ""
    rows = []
    for model, figures in DESIGN.items():
        lines = [Line("Manhattan", USUAL, unit, model) for unit in UNITS]
        if (lines[0], 1.0) not in found.found:
            continue
        cells = [number(rate(found, one, 1.0)) for one in lines]
        rows.append(
            [model, *(f"{one} (.{round(1000 * figure):03})" for one, figure in zip(cells, figures, strict=True))]
        )
    head = ["HR@10 at ε = 1 (design)", *(f"{unit} level" for unit in UNITS)]
    return f"### The design's figures, Manhattan, {USUAL} × {USUAL} cells\n\n{table(head, rows)}"


def losses(found: Runs) -> tuple[str, list[list[str]]]:
    """In how many combinations the blend has at least the mean of others, and rows of :data:`BETTER` of the rest."""
    known = {line.model for line, _ in found.found} - {*PUBLIC, BLEND, GRAVITY}
    literature, gravity = beside(found, known), beside(found, {GRAVITY})
    combinations = len(every(found))
    held = [f"{combinations - len(rows)} of {combinations}" for rows in (literature, gravity)]
    text = (
        f"The mean HR@10 of the blend is at least that of every mechanism of the literature in {held[0]} combinations "
        f"of set, grid, unit and ε, and at least that of gravity in {held[1]}."
    )
    return text, literature + gravity


def beside(found: Runs, others: set[str]) -> list[list[str]]:
    """The combinations in which one of ``others`` has a greater mean than the blend.

    Differences are of runs on the same users, with the standard error of their mean.
    """
    listed = []
    for name, side, unit, epsilon in every(found):
        ours = Line(name, side, unit, BLEND)
        best = max((ours._replace(model=one) for one in others), key=lambda one: rate(found, one, epsilon).mean())
        mine, its = rate(found, ours, epsilon), rate(found, best, epsilon)
        if its.mean() > mine.mean():
            apart = mine - its
            shown = f"{apart.mean():.3f}", f"{apart.std(ddof=1) / np.sqrt(len(apart)):.3f}"
            listed.append([name, f"{side}", unit, f"{epsilon:g}", best.model, *decimals(mine), *shown])
    return listed


def every(found: Runs) -> list[tuple[str, int, str, float]]:
    """Every combination of set, grid, unit and level."""
    places = [(name, side) for name in found.sets() for side in found.sides(name)]
    return [(*place, unit, epsilon) for place, unit, epsilon in product(places, UNITS, LEVELS)]
