"""The tables of docs/results about count streams, from stored runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from benchmarks.stream_errors import EPSILONS, METRICS, WINDOWS, Runs, Store

ARE, MAE, PEARSON, SPEARMAN = range(4)
UNSOUND = ("rescuedp", "adapub text")
OURS = {ARE: "shrink relative", MAE: "shrink absolute"}
NAMES = {"adapub none": "adapub code, no partition", "hieradapub": "hieradapub code, binary"}
WITHIN = 1.05
REFERENCE = {  # ../shared/design/streams.md: ARE at (1, 100) of prototypes, mean of 10 runs
    "zero": (0.199, 0.239, 0.469, 0.154, 0.200),
    "uniform": (0.929, 0.390, 0.492, 5.10, 0.049),
    "sample": (0.187, 0.190, 0.260, 0.408, 0.051),
    "bd": (2.52, 1.45, 1.00, 1.54, 0.046),
    "ba": (0.665, 0.414, 0.679, 2.41, 0.035),
    "pegasus": (0.746, 0.339, 0.442, 4.04, 0.042),
    "adapub text": (0.498, 0.517, 0.682, 0.473, 0.107),
    "adapub svt": (0.548, 0.499, 0.675, 0.474, 0.106),
    "kalman-uniform": (0.217, 0.120, 0.183, 0.349, 0.028),
    "kalman": (0.172, 0.133, 0.186, 0.271, 0.017),
    "shrink relative": (0.170, 0.093, 0.165, 0.157, 0.0164),
}
REFERENCE_SETS = ("Flu", "StateFlu", "Uber", "OnlineRetail", "Syn")
AS_REFERENCE = 0.1

CELLS = list(itertools.product(EPSILONS, WINDOWS))
COLUMNS = ("set", "mechanism", "epsilon", "window", "ARE", "ARE_se", "MAE", "MAE_se", "Pearson", "Spearman")


class Measured:
    """Means and standard errors of a store."""

    def __init__(self, store: Store) -> None:
        self.found = store.found

    def sets(self) -> list[str]:
        return list(dict.fromkeys(key[1] for key in self.found if key[0] == "grid"))

    def rows(self, part: str, name: str, epsilon: float, window: int) -> list[str]:
        return [key[4] for key in self.found if key[:4] == (part, name, epsilon, window)]

    def runs(self, part: str, name: str, epsilon: float, window: int, row: str) -> Runs:
        return self.found[part, name, epsilon, window, row]

    def mean(self, part: str, name: str, epsilon: float, window: int, row: str, which: int = 0) -> float:
        return float(np.mean([run[which] for run in self.runs(part, name, epsilon, window, row)]))

    def error(self, part: str, name: str, epsilon: float, window: int, row: str, which: int = 0) -> float:
        """The standard error of :meth:`mean`."""
        values = [run[which] for run in self.runs(part, name, epsilon, window, row)]
        return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0

    def grid(self, name: str, epsilon: float, window: int, row: str, which: int) -> float:
        return self.mean("grid", name, epsilon, window, row, which)

    def shown(self, part: str, name: str, epsilon: float, window: int, row: str, which: int = 0) -> str:
        """The mean and its standard error."""
        mean, error = (one(part, name, epsilon, window, row, which) for one in (self.mean, self.error))
        return number(mean) if error == 0 else f"{number(mean)} ± {error:.1g}"


def number(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def beside_reference(found: Measured) -> str:
    """How many means are those of the reference, and which are not."""
    apart, number_of = [], 0
    for row, values in REFERENCE.items():
        for name, value in zip(REFERENCE_SETS, values, strict=True):
            number_of += 1
            mean = found.mean("grid", name, 1.0, 100, row)
            if abs(mean - value) > AS_REFERENCE * value:
                apart.append(f"{row} on {name} ({found.shown('grid', name, 1.0, 100, row)}, there {value:g})")
    text = "; ".join(apart) or "none"
    return (
        f"Of {number_of} figures of prototypes in `../shared/design/streams.md` (10 runs) {number_of - len(apart)} are "
        f"within 10 %. Not: {text}."
    )


def whole_grid(found: Measured) -> Iterator[list[object]]:
    """Rows of :data:`COLUMNS`: every mechanism and zeros on every set."""
    for name in found.sets():
        for cell, row in itertools.product(CELLS, found.rows("grid", name, *CELLS[0])):
            errors: list[object] = []
            for which in (ARE, MAE):
                errors += [
                    number(found.grid(name, *cell, row, which)),
                    f"{found.error('grid', name, *cell, row, which):.1g}",
                ]
            correlations = [f"{found.grid(name, *cell, row, which):.2f}" for which in (PEARSON, SPEARMAN)]
            yield [name, NAMES.get(row, row), f"{cell[0]:g}", cell[1], *errors, *correlations]


def shrink(found: Measured, which: int, sets: Sequence[str]) -> str:
    """``stream-shrink`` by the best other sound row, for the objective of the error."""
    head = ["set", f"{METRICS[which].short} (1, 100)", "best other", "ratio", "12 cells: mean (largest)", "within 5 %"]
    lines, everything = [], []
    for name in sets:
        ratios = {cell: ratio(found, which, name, *cell) for cell in CELLS}
        best = best_other(found, which, name, 1.0, 100)
        other = f"{found.shown('grid', name, 1.0, 100, best, which)} {best}"
        ours = found.shown("grid", name, 1.0, 100, OURS[which], which)
        lines.append([name, ours, other, f"{ratios[1.0, 100]:.3f}", *_summary(list(ratios.values()))])
        everything += ratios.values()
    if len(sets) > 1:
        lines.append(["all", "", "", "", *_summary(everything)])
    return table(head, lines)


def best_other(found: Measured, which: int, name: str, epsilon: float, window: int) -> str:
    """The row with the least mean error, of zeros and all sound mechanisms but ours."""
    rows = [row for row in found.rows("grid", name, epsilon, window) if row not in (*UNSOUND, *OURS.values())]
    return min(rows, key=lambda row: found.grid(name, epsilon, window, row, which))


def ratio(found: Measured, which: int, name: str, epsilon: float, window: int) -> float:
    best = best_other(found, which, name, epsilon, window)
    ours, other = (found.grid(name, epsilon, window, row, which) for row in (OURS[which], best))
    return ours / other


def _summary(ratios: list[float]) -> list[str]:
    mean = float(np.exp(np.mean(np.log(ratios))))
    return [f"{mean:.3f} ({max(ratios):.2f})", f"{sum(one <= WITHIN for one in ratios)} of {len(ratios)}"]


def beyond(found: Measured, which: int, sets: Sequence[str]) -> str:
    """The cells where ours is more than 5 % above the best other row, with the standard error of the ratio."""
    cells = []
    for name, cell in itertools.product(sets, CELLS):
        one = ratio(found, which, name, *cell)
        if one > WITHIN:
            rows = OURS[which], best_other(found, which, name, *cell)
            relative = [
                found.error("grid", name, *cell, row, which) / found.grid(name, *cell, row, which) for row in rows
            ]
            cells.append(f"{name} ({cell[0]:g}, {cell[1]}) {one:.2f} ± {one * float(np.hypot(*relative)):.2f}")
    return ", ".join(cells) or "none"


def runtimes(found: Measured) -> Iterator[list[object]]:
    """Set, mechanism and microseconds of CPU for one timestamp, the least of the runs."""
    for name in found.sets():
        for row in found.rows("runtime", name, 1.0, 100):
            yield [name, NAMES.get(row, row), f"{1e6 * least(found, name, row):.1f}"]


def least(found: Measured, name: str, row: str) -> float:
    return min(run[0] for run in found.runs("runtime", name, 1.0, 100, row))
