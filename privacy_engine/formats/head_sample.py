"""The beginning of a table as a small, whole table of the same format, so that it is read by the very same code."""

from collections.abc import Callable
from dataclasses import dataclass

from privacy_engine.formats.source import Source

BYTES = 512 * 1024  # all that separator, header and columns are detected from, in every encoding but the widest
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


@dataclass(frozen=True)
class Head:
    """A small file, whether it is all there is, and its rows as text where its reader cannot cut them from a text."""

    data: bytes
    whole: bool
    rows: list[list[str]] | None = None


TakeHead = Callable[[Source, bytes, bool], Head | None]


def of_text(source: Source, data: bytes, whole: bool) -> Head:
    """The lines that end within ``data``, the first bytes of a text."""
    return Head(data if whole else whole_lines(data), whole)


def whole_lines(data: bytes) -> bytes:
    """``data`` up to its last line end, where there is any.

    >>> whole_lines(b"a,b\\n1,2\\n3")
    b'a,b\\n1,2\\n'
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "ascii")
    for line_end in ("\n", "\r"):
        end = line_end.encode(encoding)
        at = data.rfind(end)
        while at >= 0 and at % len(end):
            at = data.rfind(end, 0, at + len(end) - 1)
        if at >= 0:
            return data[: at + len(end)]
    return data
