"""Runs of plain GPX track points, read by a regular expression instead of by parser callbacks for every tag.

A plain point is what most recorders and our own export write: an unprefixed ``trkpt`` with numeric ``lat`` and ``lon``,
one ``time``, and children of GPX's own names with simple ASCII text. A run of them is well-formed content and has no
effect on the parser's state, so all but its first point can be left out of the parser's input. The first point is
parsed, and the handlers' state afterwards shows whether points are read at this place (they are not in a comment).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from privacy_engine.core.progress import advance

MOST = 20_000  # points of a run, so that memory is bounded
_NAMES = (
    *("ele", "speed", "course", "magvar", "geoidheight", "name", "cmt", "desc", "src", "sym", "type", "fix", "sat"),
    *("hdop", "vdop", "pdop", "ageofdgpsdata", "dgpsid"),
)
_BLANKS = r"[ \t\r\n]*+"
_CHILD = "(?:" + "|".join(rf"{name}>[\w .:+/\-]*+</{name}" for name in _NAMES) + ")"
_CHILDREN = f"(?:<{_CHILD}>{_BLANKS})*+"


def _point(first: str, other: str) -> str:
    places = " ".join(rf'{name}="([\d.eE+\-]{{1,40}}+)"' for name in (first, other))
    time = r"<time>([\dTZ:.+\-]{0,40}+)</time>"
    return f"<trkpt {places} ?>{_BLANKS}{_CHILDREN}{time}{_BLANKS}{_CHILDREN}</trkpt>"


_POINTS = {order: _point(*order) for order in (("lat", "lon"), ("lon", "lat"))}
_PAIR = re.compile("|".join(f"{point}{_BLANKS}{point}" for point in _POINTS.values()).encode("ascii"))


class _Patterns(NamedTuple):
    """Of a run, of a point, and of the texts of a point."""

    run: re.Pattern[bytes]
    point: re.Pattern[bytes]
    texts: re.Pattern[str]


_PATTERNS = {
    order: _Patterns(
        re.compile(f"{point}(?:{_BLANKS}{point}){{1,{MOST}}}+".encode("ascii")),
        re.compile(point.encode("ascii")),
        re.compile(point, re.ASCII),
    )
    for order, point in _POINTS.items()
}


class Run(NamedTuple):
    """Successive plain points of a document: where the first begins and ends, where the last ends; texts."""

    start: int
    first_end: int
    end: int
    swapped: bool
    points: list[tuple[str, str, str]]

    def columns(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Latitude, longitude and time of every point but the first."""
        first, other, time = zip(*self.points, strict=True)
        return (other, first, time) if self.swapped else (first, other, time)


def runs(data: bytes) -> Iterator[Run]:
    """Runs of at least two plain points in the order of the document.

    The first point of each is left to the parser, so its texts are not among those of the run.
    """
    at = 0
    while pair := _PAIR.search(data, at):
        is_latitude_first = pair[1] is not None  # the first group is of that order
        patterns = _PATTERNS["lat", "lon"] if is_latitude_first else _PATTERNS["lon", "lat"]
        run, first = patterns.run.match(data, pair.start()), patterns.point.match(data, pair.start())
        if run is None or first is None:  # cannot be: the pair is a run of two
            raise AssertionError("a pair of points is no run")
        rest = data[first.end() : run.end()].decode("ascii")
        advance()
        texts = patterns.texts.findall(rest)
        yield Run(run.start(), first.end(), run.end(), swapped=not is_latitude_first, points=texts)
        at = run.end()
