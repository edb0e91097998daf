"""Small drawings in SVG for notebooks: a map of tracks, a line of counts, cells of a grid. Text is escaped."""

from collections.abc import Sequence
from html import escape

import numpy as np

from privacy_engine.analysis import outline
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.geo import LocalPlane
from privacy_engine.data import CountStream, Trajectory
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.recommender import Recommender

WIDTH, HEIGHT, MARGIN = 280, 180, 10
TRACKS, POINTS, MOST_DOTS = 12, 600, 200
CELLS = 400
"""Cells that are drawn at most, those with the largest mass."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's, which colour-blind people distinguish."""
LANDMARK = "#d55e00"


def card(title: str, facts: Sequence[tuple[str, str]], drawing: str, note: str = "") -> str:
    """A drawing beside facts, each a name and a value, as HTML."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left;padding-right:12px;font-weight:normal;opacity:.75;'
        f'vertical-align:top">{escape(name)}</th><td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in facts
    )
    below = f'<p style="max-width:60em;margin:6px 0 0">{escape(note)}</p>' if note else ""
    return (
        f"<div><strong>{escape(title)}</strong>"
        f'<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start">{drawing}'
        f"<table>{rows}</table></div>{below}</div>"
    )


def svg(shapes: Sequence[str], label: str) -> str:
    """Shapes as an SVG with a text for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" fill="none" stroke="currentColor" '
        f'stroke-opacity=".25"/>{"".join(shapes)}</svg>'
    )


def track_map(series: Sequence[Trajectory], masks: Sequence[Mask] = ()) -> str:
    """The longest series in the plane with a scale; the events that ``masks`` mark, a mask for each series, as dots."""
    order = sorted((i for i, track in enumerate(series) if len(track)), key=lambda i: -len(series[i]))[:TRACKS]
    if not order:
        return svg([], "an empty map")
    lon, lat = (np.concatenate([getattr(series[i], axis) for i in order]) for axis in ("lon", "lat"))
    plane = LocalPlane.around(lon, lat).project(lon, lat)
    low, high = plane.min(axis=0), plane.max(axis=0)
    per_m = _pixels_per_unit(high - low)
    xy = (plane - (low + high) / 2) * (per_m, -per_m) + (WIDTH / 2, HEIGHT / 2)
    shapes = []
    for number, part in enumerate(np.split(xy, np.cumsum([len(series[i]) for i in order])[:-1])):
        shapes += _track(part, COLOURS[number % len(COLOURS)], masks[order[number]] if len(masks) else None)
    return svg([*shapes, *_scale(per_m)], f"map of {len(order)} of {len(series)} series")


def _pixels_per_unit(size: Floats) -> float:
    spans = ((WIDTH - 2 * MARGIN) / max(size[0], 1e-9), (HEIGHT - 3 * MARGIN) / max(size[1], 1e-9))
    return float(min(*spans, 1.0))  # a single point, or a few metres, would be drawn without a limit


def _track(xy: Floats, colour: str, mask: Mask | None) -> list[str]:
    chosen = np.unique(np.linspace(0, len(xy) - 1, POINTS // 2).astype(np.int64))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in xy[chosen].tolist())
    shapes = [
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.2" stroke-linejoin="round" '
        'stroke-linecap="round"/>'
    ]
    marked = np.empty((0, 2)) if mask is None else np.unique(xy[mask].round(), axis=0)[:MOST_DOTS]
    return shapes + [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{LANDMARK}"/>' for x, y in marked.tolist()]


def _scale(per_m: float) -> list[str]:
    """A bar of 1, 2 or 5 times a power of ten metres, at most a third of the width."""
    most = WIDTH / 3 / per_m
    power = 10.0 ** np.floor(np.log10(most))
    metres = max(step * power for step in (1, 2, 5) if step * power <= most)
    text = f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"
    y = HEIGHT - 8
    return [
        f'<line x1="8" y1="{y}" x2="{8 + metres * per_m:.1f}" y2="{y}" stroke="currentColor" stroke-width="2"/>',
        f'<text x="8" y="{y - 4}" font-size="10" fill="currentColor">{text}</text>',
    ]


def count_line(stream: CountStream | StreamRelease) -> str:
    """The total of all dimensions in time."""
    lines = []
    for line in outline.of_counts(stream) if len(stream) else []:
        low = min(float(line[:, 1].min()), 0.0)
        height = (line[:, 1] - low) / max(float(line[:, 1].max()) - low, 1e-12)
        across = MARGIN + line[:, 0] * (WIDTH - 2 * MARGIN)
        points = np.column_stack([across, HEIGHT - MARGIN - height * (HEIGHT - 2 * MARGIN)])
        lines += _track(points, COLOURS[0], None)
    return svg(lines, "the total of all dimensions in time")


def box_map(boxes: Floats, share: Floats, label: str) -> str:
    """Boxes (n, 4) of west, south, east and north in degrees, each shaded by its ``share`` from 0 to 1, (n,)."""
    if not len(boxes):
        return svg([], label)
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    narrow = np.cos(np.radians((low[1] + high[1]) / 2))
    size = (high - low) * (narrow, 1.0)
    per_degree = min((WIDTH - 2 * MARGIN) / size[0], (HEIGHT - 2 * MARGIN) / size[1])
    left, top = (WIDTH - size[0] * per_degree) / 2, (HEIGHT - size[1] * per_degree) / 2
    shapes = []
    for (west, south, east, north), part in zip(boxes.tolist(), share.tolist(), strict=True):
        x, y = left + (west - low[0]) * narrow * per_degree, top + (high[1] - north) * per_degree
        across, down = (east - west) * narrow * per_degree, (north - south) * per_degree
        shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{down:.1f}" fill="{COLOURS[0]}" '
            f'fill-opacity="{0.08 + 0.92 * part:.2f}"/>'
        )
    return svg(shapes, label)


def model_map(model: Recommender) -> str:
    """The cells with the largest published mass; empty of a model that publishes none."""
    mass = model.densities()
    if mass is None:
        return ""
    most = np.sort(np.argsort(-mass, kind="stable")[:CELLS])
    share = np.clip(mass[most] / max(float(mass.max()), 1e-12), 0.0, 1.0)
    return box_map(model.grid.boxes(most), share, "mass of the cells of the grid")
