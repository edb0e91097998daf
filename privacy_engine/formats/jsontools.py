"""JSON without surprises: any Unicode encoding, and damage as errors that name the place."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from privacy_engine.errors import FormatError
from privacy_engine.formats.dialect import as_utf8
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source
from privacy_engine.progress import ROWS, advance

_NO_BLANK = re.compile(r"[^ \t\r\n\ufeff]")
_PIECE = 1 << 18


def parsed(data: bytes) -> Any:
    """A whole document.

    Raises
    ------
    FormatError
        It is damaged, nested too deeply, or in another encoding.
    """
    try:
        text = data.decode("utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else data.decode("utf-8-sig")
        if len(text) < _PIECE:
            return json.loads(text)
        return json.loads(text, parse_float=_reporting(float), parse_int=_reporting(int))
    except RecursionError as error:
        raise FormatError("The JSON is nested too deeply.", code="too_deep") from error
    except json.JSONDecodeError as error:
        message = f"The JSON is damaged at line {error.lineno}, column {error.colno}. Is the file complete?"
        raise FormatError(message, code="bad_json", row=error.lineno, column=str(error.colno)) from error
    except UnicodeError as error:
        raise FormatError("The JSON is not UTF-8. Re-save it as UTF-8.", code="bad_encoding") from error
    except ValueError as error:  # a whole number of more than 4300 digits
        raise FormatError("The JSON holds a number that is too long.", code="bad_json") from error


def _reporting(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """``read`` with a report at every some thousandth call, at which other threads run: the decoder lets none run."""
    left = 0

    def number(text: str) -> Any:
        nonlocal left
        if not left:
            advance()
            left = ROWS
        left -= 1
        return read(text)

    return number


def parsed_line(line: str) -> Any:
    """One line of a file of JSON lines; None where it is damaged."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def begins_like_json(head: bytes) -> bool:
    """Whether the text begins like JSON."""
    return re.match(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*[{\[][\s\0]*[\"\[{\]}]", head) is not None


class JsonReader:
    """A JSON text that is read piece by piece: what has been decoded is not held.

    Its methods raise ValueError where the text is damaged, and RecursionError where it is nested too deeply.
    """

    def __init__(self, text: TextIO, *, longest: int, decoder: json.JSONDecoder | None = None) -> None:
        self._text, self._longest = text, longest
        self._decoder = decoder or json.JSONDecoder()
        self._held, self._at = "", 0

    def next(self) -> str:
        """The next character that is no blank, which is not consumed; empty at the end."""
        while True:
            found = _NO_BLANK.search(self._held, self._at)
            if found:
                self._at = found.start()
                return found[0]
            self._at = len(self._held)
            if not self._more():
                return ""

    def take(self, characters: str) -> str:
        """The next character, which must be one of ``characters``."""
        found = self.next()
        if not found or found not in characters:
            raise ValueError(f"one of {characters} is missing")
        self._at += 1
        return found

    def value(self) -> Any:
        """The next value, of little more than ``longest`` characters at most."""
        self.next()
        more = True
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
            except json.JSONDecodeError:
                if not more or len(self._held) - self._at > self._longest:
                    raise
            else:
                if not more or end < len(self._held) or self._held[end - 1] in '"}]':  # a number may go on
                    self._at = end
                    return value
            more = self._more()

    def elements(self) -> Iterator[Any]:
        """The elements of an array whose bracket has been taken, one at a time."""
        if self.next() == "]":
            self.take("]")
            return
        while True:
            yield self.value()
            if self.take(",]") == "]":
                return

    def members(self) -> Iterator[str]:
        """The keys of an object whose bracket has been taken; the value of each is to be taken before the next."""
        if self.next() == "}":
            self.take("}")
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise ValueError("a key that is no text")
            self.take(":")
            yield key
            if self.take(",}") == "}":
                return

    def _more(self) -> bool:
        """Read a piece as long as what is held, at least, so that long values are decoded few times."""
        advance()
        held = self._held[self._at :]
        piece = self._text.read(max(_PIECE, len(held)))
        self._held, self._at = held + piece, 0
        return bool(piece)


def text_of(source: Source, *, lines: bool = False) -> io.TextIOWrapper:
    """The text of a source, decoded as it is read; of ``lines`` what is no UTF-8 is replaced, else a ValueError."""
    raw = io.BufferedReader(_Utf8(source, lines=lines))
    return io.TextIOWrapper(raw, "utf-8-sig", "replace" if lines else "strict", newline="\n" if lines else "")


class _Utf8(io.RawIOBase):
    """The bytes of a source as a file of UTF-8, without a byte order mark; with a limit on ``lines`` where stated."""

    def __init__(self, source: Source, *, lines: bool = False) -> None:
        super().__init__()
        if source.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            self._pieces = iter([as_utf8(source.read(), Report())])
        else:
            self._pieces = source.blocks(1 << 18) if lines else source.chunks()
        self._left = next(self._pieces, b"").removeprefix(b"\xef\xbb\xbf")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the bytes that come next; how many there were."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = piece
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size
