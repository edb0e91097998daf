"""The colour, dash and marker of every mechanism, for light and dark: the description that all pages draw from.

Every mechanism of a kind of data has a colour, and a dash, that no other of its kind has. Further releases of a
mechanism have its hue in another lightness, with another dash. Hues are those of Okabe and Ito with six more, moved
until they differ most for three kinds of sight; each has the contrast of graphics to its ground.
"""

from functools import cache
from itertools import count
from typing import Literal, TypedDict, TypeVar

from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)
from privacy_engine.mechanisms.base.mechanism import mechanisms


class Colour(TypedDict):
    """A hue by its name, on light and on dark ground."""

    name: str
    light: str
    dark: str


class LineStyle(TypedDict):
    """How a line is drawn: ``dash`` has the lengths of dashes and gaps in pixels, none for a whole line.

    A line that is no mechanism's has a token of the style sheets as its colour, and no marker.
    """

    colour: Colour | str
    dash: str
    pattern: str
    marker: str | None


HUES = (
    ("orange", "#a16800", "#eba300"),
    ("blue", "#0054a5", "#5c94ff"),
    ("green", "#4c9478", "#2dcf93"),
    ("pink", "#cb5eb7", "#e796d7"),
    ("sky blue", "#3988e7", "#b3daef"),
    ("vermilion", "#d76458", "#f76752"),
    ("slate", "#646f84", "#6478a0"),
    ("magenta", "#79117c", "#d51673"),
    ("olive", "#5c5a00", "#c5e13e"),
    ("indigo", "#564ef2", "#8e58e1"),
    ("brown", "#5f3a32", "#9d622e"),
    ("teal", "#326460", "#51a09d"),
)
DASHES = {
    "solid": "",
    "dash": "7 4",
    "dot": "2 3",
    "dash dot": "7 3 2 3",
    "long dash": "13 4",
    "long dash dot": "13 3 2 3",
    "dash dot dot": "7 3 2 3 2 3",
    "short dash": "4 3",
    "dash dash dot": "7 3 7 3 2 3",
    "sparse dot": "2 7",
    "long dash dot dot": "13 3 2 3 2 3",
    "long dash dash": "13 3 5 3",
}
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
FIRST = ("landmark-skip", "landmark-uniform", "landmark-adaptive")  # the trio of the paper leads
GROUND = {"light": "#f1eee8", "dark": "#1e1c1a"}  # the darkest of the light, the lightest of the dark
CONTRASTS = {"light": (3.3, 5.0, 7.5), "dark": (3.3, 5.5, 10.0)}  # of the lightnesses of a hue
SEEN = 3.0  # the contrast of graphics, WCAG 2.2 1.4.11
Style = TypeVar("Style")
TURN = 5  # dashes from a release of a mechanism to the next, with no divisor in common with their number


def palette(kind: str) -> dict[str, LineStyle]:
    """Name to style of the mechanisms of a kind of data; the same mechanism always has the same."""
    return Styles({name: styles[0] for name, styles in variants(kind).items()})


@cache
def variants(kind: str) -> dict[str, list[LineStyle]]:
    """Name to the styles of the first, second, … release of a mechanism: its own hue, each with a dash of its own."""
    names = [cls.registered_name() for cls in mechanisms.of(kind)]
    first = [name for name in FIRST if name in names]
    ordered = [*first, *(name for name in names if name not in first)]
    return Styles({name: [_style(i, k) for k in range(len(DASHES))] for i, name in enumerate(ordered)})


class Styles(dict[str, Style]):
    """Styles by name; a mechanism that is not installed any more has those of the last one."""

    def __missing__(self, name: str) -> Style:
        return next(reversed(self.values()))


class Assignment:
    """Styles for releases of a kind, in turn: a mechanism's own, then those of its variants."""

    def __init__(self, kind: str) -> None:
        self._styles = variants(kind)
        self._counts: dict[str, count[int]] = {}

    def next(self, mechanism: str) -> LineStyle:
        """The style of the next release of a mechanism."""
        styles = self._styles[mechanism]
        return styles[next(self._counts.setdefault(mechanism, count())) % len(styles)]


def neutral(token: str, pattern: str) -> LineStyle:
    """The style of a line that is no mechanism's: ``neutral("--muted", "long dash")``."""
    return {"colour": token, "dash": DASHES[pattern], "pattern": pattern, "marker": None}


def _style(i: int, k: int) -> LineStyle:
    """Style k of mechanism i; after as many mechanisms as there are hues they come again with other dashes."""
    turn, place = divmod(i, len(HUES))
    name, light, dark = HUES[place]
    shade = k % len(CONTRASTS["light"])
    pattern = list(DASHES)[(place + turn + k * TURN) % len(DASHES)]
    return {
        "colour": {"name": name, "light": _shades(light, "light")[shade], "dark": _shades(dark, "dark")[shade]},
        "dash": DASHES[pattern],
        "pattern": pattern,
        "marker": MARKERS[(place + turn + k) % len(MARKERS)],
    }


@cache
def _shades(colour: str, theme: Literal["light", "dark"]) -> tuple[str, ...]:
    """The colour itself and its hue in the two of :data:`CONTRASTS` that differ most from it."""
    own = contrast(colour, GROUND[theme])
    others = sorted(CONTRASTS[theme], key=lambda ratio: max(ratio / own, own / ratio))[1:]
    return (colour, *(_with_contrast(colour, GROUND[theme], ratio) for ratio in reversed(others)))


def _with_contrast(colour: str, ground: str, wanted: float) -> str:
    """The hue with the contrast ``wanted`` to the ground, by as much black or white as that needs."""
    more = contrast(colour, ground) < wanted
    end = "#000000" if more == (_luminance(ground) > 0.5) else "#ffffff"
    mixed = (_mixed(colour, end, percent / 100) for percent in range(101))
    return next(shade for shade in mixed if (contrast(shade, ground) >= wanted) == more)


def contrast(colour: str, other: str) -> float:
    """The contrast of two colours ``#rrggbb``, 1 to 21, as WCAG 2.2 defines it."""
    low, high = sorted((_luminance(colour), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def _luminance(colour: str) -> float:
    shares = (part / 255 for part in _parts(colour))
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(colour: str, other: str, share: float) -> str:
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
