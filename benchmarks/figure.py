"""Curves over shares of landmarks as an SVG: panels side by side, a logarithmic axis of metres, bands around means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 200, 72, 26, 92
DOWN, LEGEND, SIZE = 60, 26, 11


@dataclass(frozen=True)
class Curve:
    """``points`` are (share, mean, low, high), ascending; shares from 0 to 1, metres above 0."""

    points: Sequence[tuple[float, float, float, float]]
    colour: str
    dash: str

    @property
    def stroke(self) -> str:
        """Its line, as attributes."""
        return f'stroke="{self.colour}" stroke-width="1.6"' + (f' stroke-dasharray="{self.dash}"' if self.dash else "")


def svg(panels: Mapping[str, Mapping[str, Curve]], columns: int = 2) -> str:
    """All panels by title, each with its curves by name; axes are the same in all of them."""
    curves = [curve for panel in panels.values() for curve in panel.values()]
    low = math.floor(math.log10(min(point[2] for curve in curves for point in curve.points)))
    high = math.ceil(math.log10(max(point[3] for curve in curves for point in curve.points)))
    rows = math.ceil(len(panels) / columns)
    width, height = LEFT + columns * (WIDTH + GAP) - GAP + 24, rows * (HEIGHT + DOWN) + LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="{SIZE}" fill="#22201c">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for i, (title, panel) in enumerate(panels.items()):
        x, y = LEFT + (i % columns) * (WIDTH + GAP), TOP + (i // columns) * (HEIGHT + DOWN)
        parts += [f'<g transform="translate({x} {y})">', *_axes(title, low, high)]
        parts += [_drawn(curve, low, high) for curve in panel.values()]
        parts.append("</g>")
    named = {name: curve for panel in panels.values() for name, curve in panel.items()}
    parts += _legend(named, height - LEGEND / 2)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes(title: str, low: int, high: int) -> list[str]:
    found = [f'<text x="0" y="-9" font-weight="bold">{escape(title)}</text>']
    for power in range(low, high + 1):
        y = _down(10.0**power, low, high)
        found.append(f'<path d="M0 {y}H{WIDTH}" stroke="#ddd"/>')
        found.append(f'<text x="-6" y="{y + 4}" text-anchor="end">{10.0**power:,g} m</text>')
    for share in range(0, 101, 20):
        x = _num(WIDTH * share / 100)
        found.append(f'<text x="{x}" y="{HEIGHT + 16}" text-anchor="middle">{share} %</text>')
    found.append(f'<path d="M0 0V{HEIGHT}H{WIDTH}" fill="none" stroke="#22201c"/>')
    return found


def _drawn(curve: Curve, low: int, high: int) -> str:
    across = [_num(WIDTH * point[0]) for point in curve.points]
    line, under, over = (
        [f"{x} {_down(point[k], low, high)}" for x, point in zip(across, curve.points, strict=True)] for k in (1, 2, 3)
    )
    band = f'<path d="M{"L".join(over + under[::-1])}Z" fill="{curve.colour}" fill-opacity=".15"/>'
    dots = "".join(f"M{place}h0" for place in line)
    round_ = f'<path d="{dots}" stroke="{curve.colour}" stroke-width="5" stroke-linecap="round"/>'
    return f'{band}<path d="M{"L".join(line)}" fill="none" {curve.stroke}/>{round_}'


def _legend(named: Mapping[str, Curve], y: float) -> list[str]:
    found, x = [], float(LEFT)
    for name, curve in named.items():
        found.append(f'<path d="M{_num(x)} {_num(y - 4)}h22" {curve.stroke}/>')
        found.append(f'<text x="{_num(x + 27)}" y="{_num(y)}">{escape(name)}</text>')
        x += 46 + 5.9 * len(name)
    return found


def _down(value: float, low: int, high: int) -> float:
    return float(_num(HEIGHT * (1 - (math.log10(max(value, 10.0**low)) - low) / (high - low))))


def _num(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
