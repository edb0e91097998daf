"""JSON without surprises: any Unicode encoding, and damage as errors that name the place."""

import codecs
import io
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TextIO

from privacy_engine.core.progress import ROWS, advance
from privacy_engine.errors import FormatError
from privacy_engine.formats.dialect import as_utf8, encoding_of_mark, note_replaced
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Pieces, Source

_NO_BLANK = re.compile(r"[^ \t\r\n\ufeff]")
_PIECE = 1 << 18
_REST_OF_NUMBER = ("", ".", "e", "E", "e+", "e-", "E+", "E-")
"""What is held after a number that goes on in the next piece."""


def parsed(data: bytes, options: ReadOptions, report: Report) -> Any:
    """A whole document; bytes that are not UTF-8, or what the options state, are replaced.

    Raises
    ------
    FormatError
        It is damaged or nested too deeply.
    """
    try:
        text = as_utf8(data, report, in_utf8(options)).decode("utf-8")
        if len(text) < _PIECE:
            return json.loads(text)
        return json.loads(text, parse_float=_reporting(float), parse_int=_reporting(int))
    except RecursionError as error:
        raise FormatError("The JSON is nested too deeply.", code="too_deep") from error
    except json.JSONDecodeError as error:
        message = f"The JSON is damaged at line {error.lineno}, column {error.colno}. Is the file complete?"
        raise FormatError(message, code="bad_json", row=error.lineno, column=str(error.colno)) from error
    except ValueError as error:  # a whole number of more than 4300 digits
        raise FormatError("The JSON holds a number that is too long.", code="bad_json") from error


def in_utf8(options: ReadOptions) -> ReadOptions:
    """The options with the encoding of JSON where they state none: its standard defines it, so nothing is decided."""
    return replace(options, encoding=options.encoding or "UTF-8")


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
            match = _NO_BLANK.search(self._held, self._at)
            if match:
                self._at = match.start()
                return match[0]
            self._at = len(self._held)
            if not self._more():
                return ""

    def take(self, characters: str) -> str:
        """The next character, which must be in ``characters``."""
        character = self.next()
        if not character or character not in characters:
            raise ValueError(f"one of {characters} is missing")
        self._at += 1
        return character

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
                goes_on = self._held[end : end + 3] in _REST_OF_NUMBER and self._held[end - 1] not in '"}]'
                if not (more and goes_on):
                    self._at = end
                    return value
            more = self._more()

    def elements(self) -> Iterator[Any]:
        """The elements of an array whose bracket has been taken, in turn."""
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

    def enter(self, part: str) -> bool:
        """Go to the member or element of this name or number of the next value; whether it exists."""
        if self.next() not in ("{", "["):
            return False
        listed = self.take("{[") == "["
        if listed and self.next() == "]":
            return False
        names = map(str, itertools.count()) if listed else self.members()
        for name in names:
            if name == part:
                return True
            self.skip()
            if listed and self.take(",]") == "]":
                return False
        return False

    def skip(self) -> None:
        """Take the next value, of any length."""
        if self.next() not in ("{", "["):
            self.value()
        elif self.take("{[") == "{":
            for _ in self.members():
                self.skip()
        elif self.next() == "]":
            self.take("]")
        else:
            self.skip()
            while self.take(",]") == ",":
                self.skip()

    def _more(self) -> bool:
        """Read a piece as long as what is held, at least, so that long values are decoded few times."""
        advance()
        held = self._held[self._at :]
        piece = self._text.read(max(_PIECE, len(held)))
        self._held, self._at = held + piece, 0
        return bool(piece)


def text_of(source: Source, options: ReadOptions, report: Report, *, lines: bool = False) -> io.TextIOWrapper:
    """The text of a source, decoded as it is read; what cannot be decoded is replaced."""
    raw = io.BufferedReader(Pieces(lambda: _pieces(source, in_utf8(options), report, lines=lines)))
    return io.TextIOWrapper(raw, "utf-8", newline="\n" if lines else "")


def _pieces(source: Source, options: ReadOptions, report: Report, *, lines: bool) -> Iterator[bytes]:
    """The bytes of a source as UTF-8 without a byte order mark; with a limit on ``lines`` where stated."""
    marked = encoding_of_mark(source.head)
    if (marked or options.encoding) != "UTF-8":
        yield as_utf8(source.read(), report, options)
        return
    report.decide("encoding", "UTF-8")
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    start, whole = 3 if marked else 0, True
    for piece in itertools.chain(source.blocks(1 << 18) if lines else source.chunks(), (b"",)):
        text = decoder.decode(piece[start:], final=not piece)
        start = 0
        if whole and "\ufffd" in text:
            note_replaced(report)
            whole = False
        yield text.encode("utf-8")
