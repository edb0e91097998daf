"""Figures of matplotlib as SVG without style sheets and style attributes, which Cairn's policy refuses."""

import io
import re
from typing import Any

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update({"svg.hashsalt": "cairn", "svg.fonttype": "none", "font.size": 9})
_STYLES = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
_FONT = re.compile(r"font: (?:(?P<weight>\w+) )?(?P<size>[\d.]+)px (?P<family>[^;]+)")


def svg(figure: Any) -> bytes:
    """The figure as a file, the same whenever it is drawn; the figure is closed."""
    from matplotlib import pyplot

    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    text = _STYLES.sub("", out.getvalue()).replace("<svg ", '<svg stroke-linejoin="round" stroke-linecap="butt" ', 1)
    return re.sub(r'style="([^"]*)"', _attributes, text).encode()


def _attributes(style: re.Match[str]) -> str:
    """Properties of a style attribute as attributes of their own."""
    text = _FONT.sub(_font, style[1])
    pairs = (pair.split(":", 1) for pair in text.split(";") if ":" in pair)
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)


def _font(font: re.Match[str]) -> str:
    weight = f"font-weight: {font['weight']}; " if font["weight"] else ""
    return f"{weight}font-size: {font['size']}px; font-family: {font['family']}"
