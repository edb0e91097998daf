"""A small drawing of curves: of a run in the table of runs, of a preset on its card."""

import math
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dashboard.core.templatetags.display import stroke

register = template.Library()
WIDTH, HEIGHT, MARGIN = 88, 24, 2
SVG = '<svg class="sparkline" viewBox="{}" preserveAspectRatio="none" aria-hidden="true">{}</svg>'


@register.simple_tag
def sparkline(curves: list[dict[str, Any]]) -> SafeString | str:
    """Return the curves as SVG, decoration beside their numbers; on a logarithmic axis where they span decades."""
    known = [value for curve in curves for value in curve["y"] if value is not None]
    if len(known) < 2 or max(len(curve["y"]) for curve in curves) < 2:
        return "–"
    wide = min(known) > 0 and max(known) > 30 * min(known)
    low, high = _place(min(known), wide), _place(max(known), wide)
    paths = [(stroke(curve["mechanism"] or ""), _path(curve["y"], wide, low, high)) for curve in curves]
    lines = format_html_join("", '<path{} d="{}"/>', (path for path in paths if path[1]))
    box = f"0 0 {WIDTH} {HEIGHT}"
    return format_html(SVG, box, lines)


def _place(value: float, wide: bool) -> float:
    return math.log10(value) if wide else value


def _path(values: list[float | None], wide: bool, low: float, high: float) -> str:
    span = high - low or 1.0
    points = []
    for i, value in enumerate(values):
        if value is not None:
            x = MARGIN + i * (WIDTH - 2 * MARGIN) / max(len(values) - 1, 1)
            y = MARGIN + (1 - (_place(value, wide) - low) / span) * (HEIGHT - 2 * MARGIN)
            points.append(f"{x:.1f} {y:.1f}")
    return f"M{'L'.join(points)}" if len(points) > 1 else ""
