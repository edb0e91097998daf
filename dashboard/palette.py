"""The colour, dash and marker of every mechanism: Okabe-Ito in the registry's order, for light and dark."""

from typing import TypedDict

from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)
from privacy_engine.registry import mechanisms


class Ink(TypedDict):
    """How one mechanism is drawn."""

    colour: dict[str, str]
    dash: str
    marker: str


LIGHT = ("#e69f00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
DARK = ("#f4b423", "#56b4e9", "#34cfa0", "#e794c4", "#8fd0f5", "#f0804a")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
FIRST = ("landmark-skip", "landmark-uniform", "landmark-adaptive")  # the trio of the paper leads


def palette() -> dict[str, Ink]:
    """Name to ink; the same mechanism always has the same."""
    rest = [cls.registered_name() for cls in mechanisms if cls.registered_name() not in FIRST]
    return {
        name: {
            "colour": {"light": LIGHT[i % len(LIGHT)], "dark": DARK[i % len(DARK)]},
            "dash": DASHES[(i + i // len(LIGHT)) % len(DASHES)],  # a colour that comes again has another dash
            "marker": MARKERS[(i + i // len(LIGHT)) % len(MARKERS)],
        }
        for i, name in enumerate([*FIRST, *rest])
    }
