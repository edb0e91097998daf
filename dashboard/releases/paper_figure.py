"""The figure of a release for a paper: as SVG and for pgfplots, with caption, parameters, seed and what to cite."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.template.loader import render_to_string

from dashboard.core.axis import ticks
from dashboard.core.palette import palette
from dashboard.core.text import one_line
from dashboard.releases import downloads
from dashboard.releases.models import Release
from privacy_engine.core.arrays import Floats
from privacy_engine.core.citations import Citation, citation, tex

WIDTH, TALLEST = 480, 480
LEFT, RIGHT, ABOVE, BELOW = 64, 14, 12, 46
CAIRN = "Cairn: a privacy workbench for location histories and other time series"


@dataclass(frozen=True, eq=False)
class Plot:
    """What a figure shows: points (n, 2), on a line or as ``marks`` with these texts.

    ``what`` begins the caption and ``details`` are in it; both axes of a map have the same scale.
    """

    xy: Floats
    titles: tuple[str, str]
    what: str
    details: Sequence[str] = ()
    marks: Sequence[str] = ()
    is_map: bool = False


@dataclass(frozen=True, eq=False)
class Figure:
    """A plot of a release with all texts beside it, each on a line."""

    plot: Plot
    titles: list[str]
    caption: str
    parameters: list[str]
    citations: list[Citation]
    colour: str
    dataset: str

    @classmethod
    def of(cls, row: Release, plot: Plot) -> Figure:
        """The figure of a finished release."""
        label, spec = downloads.label(row), row.parsed_spec
        cairn, digest = label["cairn"] or "of unknown version", label["sha256"][:12]
        seed = "" if row.seeded is False else f" A simulation with seed {spec.seed}, without a guarantee."
        caption = (
            f"{plot.what}: {', '.join([row.title, *plot.details])}.{seed} Drawn by Cairn {cairn}, SHA-256 {digest}."
        )
        lines = [f"{name}: {label[name]}" for name in ("release", "sha256", "noise")]
        chosen = {name: value for name, value in label["spec"].items() if value is not None}
        lines += [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in chosen.items()]
        lines += [f"guarantee: {label['guarantee']['statement']}"] if label["guarantee"] else []
        own = {"author": "Cairn", "title": CAIRN, "year": f"{row.finished_at or row.created_at:%Y}"}
        own["note"] = f"Version {cairn}, release {label['release']}, SHA-256 {label['sha256']}"
        return cls(
            plot=plot,
            titles=[one_line(title) for title in plot.titles],
            caption=one_line(caption, 1000),
            parameters=[one_line(line, 4000) for line in lines],
            citations=[*map(citation, spec.mechanism.references()), Citation("cairn", "misc", own)],
            colour=palette(row.kind)[row.mechanism]["colour"]["light"],  # type: ignore[index]
            dataset=one_line(row.dataset.name),
        )

    def bibtex(self) -> str:
        """What to cite: the references of the mechanism, and the release."""
        return "".join(f"{source.bibtex()}\n" for source in self.citations)

    def svg(self) -> str:
        """A drawing that needs no other file: titles on the axes, the rest in its description and metadata."""
        low, high = _limits(self.plot)
        span, width = high - low, WIDTH - LEFT - RIGHT
        height = 0.6 * width
        if self.plot.is_map:
            height = min(width * span[1] / span[0], TALLEST)
            width = height * span[0] / span[1]

        def places(xy: Any) -> Any:
            return ((xy - low) / span * [width, -height] + [LEFT, ABOVE + height]).round(2).tolist()

        def marks(axis: int) -> list[tuple[float, str]]:
            values = ticks(low[axis], high[axis])
            at = places(np.array(values)[:, None] * [1, 1])
            return [(point[axis], f"{value:,g}".replace("-", "−")) for point, value in zip(at, values, strict=True)]

        at, box = places(self.plot.xy), {"x": LEFT, "y": ABOVE, "width": round(width, 1), "height": round(height, 1)}
        context = {
            "figure": self,
            "width": round(LEFT + width + RIGHT),
            "height": round(ABOVE + height + BELOW),
            "box": box | {"base": round(ABOVE + height, 1), "across": LEFT + width / 2, "down": ABOVE + height / 2},
            "x": marks(0),
            "y": marks(1),
            "points": " ".join(f"{a},{b}" for a, b in at),
            "marks": [(a, b, text) for (a, b), text in zip(at, self.plot.marks, strict=False)],
        }
        return render_to_string("releases/figure.svg", context)

    def pgfplots(self) -> str:
        """A document for LaTeX that holds the figure, its caption and its bibliography."""
        plot, cited = self.plot, ",".join(source.key for source in self.citations)
        points = [f"({a:.6g},{b:.6g})" for a, b in plot.xy.tolist()]
        style = "only marks, mark size=1pt" if plot.marks else "thin"
        scale, (x, y) = "axis equal image, " if plot.is_map else "", map(tex, self.titles)
        nodes = [
            rf"\node[anchor=west, font=\scriptsize] at (axis cs:{a:.6g},{b:.6g}) {{{tex(text)}}};"
            for (a, b), text in zip(plot.xy.tolist(), plot.marks, strict=False)
        ]
        lines = [
            *(f"% {line}" for line in [f"Figure of a release of {self.dataset}", *self.parameters]),
            r"\documentclass{article}",
            r"\usepackage[utf8]{inputenc}",
            r"\usepackage[T1]{fontenc}",
            r"\usepackage{pgfplots}",
            r"\pgfplotsset{compat=1.16}",
            r"\begin{document}",
            r"\begin{figure}",
            r"\centering",
            r"\begin{tikzpicture}",
            rf"\definecolor{{release}}{{HTML}}{{{self.colour.lstrip('#').upper()}}}",
            rf"\begin{{axis}}[width=0.9\linewidth, {scale}xlabel={{{x}}}, ylabel={{{y}}}]",
            rf"\addplot[release, {style}] coordinates {{",
            *(" ".join(points[i : i + 8]) for i in range(0, len(points), 8)),
            "};",
            *nodes,
            r"\end{axis}",
            r"\end{tikzpicture}",
            rf"\caption{{{tex(self.caption)}~\cite{{{cited}}}}}",
            r"\end{figure}",
            r"\begin{thebibliography}{9}",
            *(rf"\bibitem{{{source.key}}} {tex(source.line())}" for source in self.citations),
            r"\end{thebibliography}",
            r"\end{document}",
            *(f"% {line}" for line in self.bibtex().splitlines()),
        ]
        return "\n".join([*lines, ""])


def _limits(plot: Plot) -> tuple[Any, Any]:
    """The ends of both axes, a little beyond the points; of no points and of a single point there are some, too."""
    xy = plot.xy if len(plot.xy) else np.zeros((1, 2))
    low, high = xy.min(axis=0), xy.max(axis=0)
    span = high - low
    span = np.maximum(span, 0.02 * span.max() if span.max() > 0 and plot.is_map else 1e-3)
    middle = (low + high) / 2
    return middle - 0.54 * span, middle + 0.54 * span


FORMS: dict[str, tuple[str, Callable[[Figure], str]]] = {
    "svg": ("image/svg+xml", Figure.svg),
    "tex": ("application/x-tex", Figure.pgfplots),
    "bib": ("application/x-bibtex", Figure.bibtex),
}
"""Media type and writer by the extension of the file."""
