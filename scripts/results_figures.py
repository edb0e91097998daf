"""The figures of docs/results, drawn from the tables in docs/results/data when the site is built."""

from collections.abc import Callable, Sequence
from itertools import product
from math import ceil
from typing import Any, NamedTuple

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from benchmarks.recommendation_claims import baseline
from benchmarks.recommendation_rates import hit_rates
from benchmarks.written import saved
from dashboard.core.palette import HUES
from scripts.svg import svg

MARKERS = "osD^xPv<>*"
STREAMS = (
    "zero", "uniform", "sample", "bd", "ba", "fast 10", "pegasus", "adapub code", "adapub text", "kalman",
    "shrink relative", "shrink absolute",
)  # fmt: skip
SCHEMES = ("Uniform", "Skip", "Adaptive, literal", "Adaptive", "Planned", "Joint", "Planned + OU", "Joint + OU")
HOLD = {"user": "each user protected", "record": "each check-in protected"}


class Point(NamedTuple):
    """A measured value with its bounds, in which panel and of which line or group; ``at`` is its place on the axis."""

    panel: str
    line: str
    at: Any
    value: float
    low: float
    high: float


def figures() -> dict[str, bytes]:
    """Every figure, by its path below docs/."""
    made = {
        "landmarks": _landmarks,
        "landmark-quotients": _quotients,
        "streams-are": lambda: _streams("ARE"),
        "streams-mae": lambda: _streams("MAE"),
        "stream-families": _families,
        "recommendation": _hit_rates,
        "recommendation-nearest": _beside_nearest,
        "recommendation-sweeps": _sweeps,
        "attacks": _attacks,
        "population": _population,
    }
    return {f"results/{name}.svg": draw() for name, draw in made.items()}


def _landmarks() -> bytes:
    points = [
        _point(row["series"], row["scheme"], float(row["share_percent"]), row["mae_m"])
        for row in saved("landmarks")
        if row["scheme"] in SCHEMES
    ]
    return _lines(points, 3, "landmarks, %", "mean absolute error, m", y="log")


def _streams(error: str) -> bytes:
    points = [
        _point(row["set"], row["mechanism"], float(row["epsilon"]), row[error], row[f"{error}_se"])
        for row in saved("streams")
        if row["window"] == "100" and row["mechanism"] in STREAMS
    ]
    return _lines(points, 4, "ε, w = 100", error, x="log", y="log")


def _hit_rates() -> bytes:
    points = [
        _point(f"{row['set']}, {HOLD[row['protected']]}", row["mechanism"], float(row["epsilon"]), row["hit_rate"])
        for unit in HOLD
        for row in saved("recommendation")
        if row["side"] == "16" and row["protected"] == unit
    ]
    return _lines(points, 3, "ε", "HR@10, 16 × 16 cells", x="log")


def _beside_nearest() -> bytes:
    points = [
        Point(f"{place.set}, {place.side} × {place.side} cells", place.model, place.epsilon, *found)
        for place, found in baseline(hit_rates()).items()
        if place.unit == "user"
    ]
    return _lines(points, 3, "ε", "HR@10 less that of the nearest cell", x="log", zero=True)


def _sweeps() -> bytes:
    points = []
    for unit, row in product(HOLD, saved("recommendation-sweeps")):
        if row["protected"] == unit:
            panel, at = f"{row['study']}, {HOLD[unit]}", f"{row['study'][0]} = {row['value']}"
            points.append(_point(panel, row["mechanism"], at, row["hit_rate"], row["half_interval"]))
    return _lines(points, 3, "", "HR@10, ε = 1, 16 × 16 cells")


def _families() -> bytes:
    points = [
        _point(
            row["error"],
            f"ε {row['epsilon']}, w {row['window']}",
            row["family"].partition(":")[0],
            row["ratio"],
            row["half_interval"],
        )
        for row in saved("stream-families")
    ]
    return _dots(points, "error of stream shrink by the least of all others")


def _quotients() -> bytes:
    points = [
        Point(row["quotient"], "", f"{row['trace']}, {row['share_percent']} %", *_bounds(row, "value"))
        for row in saved("landmark-quotients")
        if not row["step_variance_m2"]
    ]
    return _dots(points, "quotient of mean errors")


def _attacks() -> bytes:
    points = [
        Point(
            "", f"{row['series']}, r = {row['radius_m']} m", row["mechanism"], *_bounds(row, "factor", "least", "most")
        )
        for row in saved("attacks")
    ]
    return _dots(points, "distance by chance over that of the attack, least to most")


def _population() -> bytes:
    points = [
        _point(f"{row['side']} × {row['side']} cells", name, float(row["epsilon"]), row[name])
        for row in saved("population")
        for name in ("laplace", "gravity", "posterior")
    ]
    return _lines(points, 3, "ε", "total variation distance", x="log")


def _point(panel: str, line: str, at: Any, value: str, half: str = "0") -> Point:
    mean, apart = float(value), float(half)
    return Point(panel, line, at, mean, mean - apart, mean + apart)


def _bounds(row: dict[str, str], value: str, low: str = "low", high: str = "high") -> tuple[float, ...]:
    return tuple(float(row[name]) for name in (value, low, high))


def _lines(
    points: Sequence[Point], columns: int, across: str, up: str, *, x: str = "", y: str = "", zero: bool = False
) -> bytes:
    """A panel each, with lines over the places of the points and bars from low to high."""

    def draw(axes: Axes, line: str, style: dict[str, Any], some: list[Point]) -> None:
        at, values = [point.at for point in some], [point.value for point in some]
        apart = [[point.value - point.low for point in some], [point.high - point.value for point in some]]
        axes.errorbar(at, values, apart, label=line, linewidth=1.1, elinewidth=0.7, **style)

    figure, panels = _figure(points, columns, (8.4 / columns, 2.3), draw, sharey=y != "log" or columns == 3)
    for axes in panels:
        if x:
            axes.set_xscale(x)
            axes.set_xticks(
                sorted({point.at for point in points}), [f"{at:g}" for at in sorted({p.at for p in points})]
            )
            axes.minorticks_off()
        if y:
            axes.set_yscale(y)
        if zero:
            axes.axhline(0, color="black", linewidth=0.7)
        axes.set_xlabel(across)
    figure.supylabel(up, fontsize=9)
    return svg(figure)


def _dots(points: Sequence[Point], across: str) -> bytes:
    """A panel each, with a row for each place and intervals from low to high on a logarithmic axis."""
    places = list(dict.fromkeys(point.at for point in points))
    groups = list(dict.fromkeys(point.line for point in points))

    def draw(axes: Axes, line: str, style: dict[str, Any], some: list[Point]) -> None:
        shift = 0.6 * (groups.index(line) - (len(groups) - 1) / 2) / len(groups)
        down = [places.index(point.at) + shift for point in some]
        low = [point.value - max(point.low, point.value / 20) for point in some]
        apart = [low, [point.high - point.value for point in some]]
        axes.errorbar(
            [point.value for point in some], down, xerr=apart, label=line, linestyle="", elinewidth=0.8, **style
        )

    titles = len(dict.fromkeys(point.panel for point in points))
    size = (8.4 / titles, 0.8 + len(places) * (0.16 + 0.02 * len(groups)))
    figure, panels = _figure(points, titles, size, draw, sharey=True)
    for axes in panels:
        low, high = axes.get_xlim()
        if high > 3 * low:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 60 * low else (1,)))
            axes.minorticks_off()
        axes.xaxis.set_major_formatter("{x:g}")
        axes.axvline(1, color="black", linewidth=0.7)
        axes.set_yticks(range(len(places)), places)
        axes.set_ylim(len(places) - 0.4, -0.6)
        axes.set_xlabel(across)
    return svg(figure)


def _figure(
    points: Sequence[Point], columns: int, size: tuple[float, float], draw: Callable[..., None], *, sharey: bool
) -> tuple[Any, list[Axes]]:
    """Panels side by side, their lines drawn in order, and one legend below."""
    titles, lines = (list(dict.fromkeys(point[i] for point in points)) for i in (0, 1))
    rows = ceil(len(titles) / columns)
    figure, grid = pyplot.subplots(
        rows,
        columns,
        figsize=(size[0] * columns, size[1] * rows + 0.6),
        squeeze=False,
        sharey=sharey,
        layout="constrained",
    )
    panels = list(grid.flat)
    for axes, title in zip(panels, titles, strict=False):
        axes.set_title(title.replace(" / ", " /\n"), fontsize=9)
        axes.grid(color="#dddddd", linewidth=0.5)
        for i, line in enumerate(lines):
            style = {"color": HUES[i % len(HUES)][1], "marker": MARKERS[i % len(MARKERS)], "markersize": 3.5}
            if some := [point for point in points if point.panel == title and point.line == line]:
                draw(axes, line, style, some)
    for axes in panels[len(titles) :]:
        axes.remove()
    if len(lines) > 1:
        named: dict[str, Any] = {}
        for axes in panels[: len(titles)]:
            named |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        across = int(size[0] * columns * 13 / (max(map(len, lines)) + 9))
        figure.legend(named.values(), named, loc="outside lower center", ncols=across, frameon=False, fontsize=8)
    return figure, panels[: len(titles)]
