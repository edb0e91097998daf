"""The colour, dash and marker of every mechanism: Okabe-Ito in the registry's order, for light and dark.

Distinct without colour too: no two have both dash and marker in common. What is too pale for the light map ground
has a rim around its markers that is not.
"""

from functools import cache
from typing import TypedDict

from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)


class LineStyle(TypedDict):
    """How one mechanism is drawn; ``colour`` on light and on dark ground, and ``rim`` around it on light."""

    colour: dict[str, str]
    dash: str
    marker: str


LIGHT = ("#e69f00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
DARK = ("#f4b423", "#56b4e9", "#34cfa0", "#e794c4", "#8fd0f5", "#f0804a")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
FIRST = ("landmark-skip", "landmark-uniform", "landmark-adaptive")  # the trio of the paper leads
GROUND = "#f1eee8"  # of the light map, the darkest that the light colours lie on
FOREGROUND = "#22201c"
SEEN = 3.0  # the contrast of graphics, WCAG 2.2 1.4.11


def palette(kind: str = "trajectory") -> dict[str, LineStyle]:
    """Name to style of the mechanisms of one kind of data; the same mechanism always has the same."""
    names = [cls.registered_name() for cls in mechanisms.of(kind)]
    first = [name for name in FIRST if name in names]
    return {name: _style(i) for i, name in enumerate([*first, *(name for name in names if name not in first)])}


def _style(i: int) -> LineStyle:
    turn, place = divmod(i, len(LIGHT))  # a colour that comes again has another dash, and that dash another marker
    return {
        "colour": {"light": LIGHT[place], "dark": DARK[place], "rim": _rim(LIGHT[place])},
        "dash": DASHES[(place + turn) % len(DASHES)],
        "marker": MARKERS[(place + 2 * turn) % len(MARKERS)],
    }


def contrast(one: str, other: str) -> float:
    """The contrast of two colours ``#rrggbb``, 1 to 21, as WCAG 2.2 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@cache
def _rim(colour: str) -> str:
    """The colour itself if its contrast to the ground suffices, else with as much :data:`FOREGROUND` as it needs."""
    mixed = (_mixed(colour, FOREGROUND, percent / 100) for percent in range(101))
    return next(one for one in mixed if contrast(one, GROUND) >= SEEN)


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def _luminance(colour: str) -> float:
    shares = (part / 255 for part in _parts(colour))
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(one: str, other: str, share: float) -> str:
    pairs = zip(_parts(one), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
