"""XML without surprises: UTF-8, no DOCTYPE, no entities, no tree in memory, never a file or the network.

Expat is used directly, because defusedxml parses in Python and builds a tree: :class:`Parser` forbids what defusedxml
would, and is the only place that makes parsers. Expat reads a token that has not ended again with every piece that it
is given, and holds every open element in memory, so both are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import IO
from xml.parsers import expat  # nosec B407

from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import advance
from privacy_engine.errors import FormatError
from privacy_engine.formats.dialect import note_replaced
from privacy_engine.formats.report import Report

_DECLARATION = re.compile(rb"<\?xml\s[^>]{0,200}\?>")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_STEP = 1 << 16
_SHORT = 1 << 12
LONGEST_TOKEN = 1 << 20
"""Bytes of a tag with its attributes, a comment or a processing instruction."""
DEEPEST = 256
"""Elements inside each other."""
_CUT_OFF = (  # what expat finds where a document ends too early, and nowhere else
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
    expat.errors.codes[expat.errors.XML_ERROR_PARTIAL_CHAR],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
)


class _RootFound(Exception):
    """The root element was reached."""


def looks_like_xml(head: bytes) -> bool:
    """Whether bytes begin like XML, after a byte order mark and blanks."""
    return plain_head(head).lstrip()[:1] == b"<"


def plain_head(head: bytes) -> bytes:
    """The first bytes of a text as UTF-8 or something like it, to look at."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", "ignore").encode("utf-8", "ignore")
    return head.removeprefix(b"\xef\xbb\xbf")


def root_name(head: bytes) -> str:
    """The local name of the first element in the first bytes, by looking only; empty where there is none."""
    text = plain_head(head).lstrip()
    while text.startswith((b"<?", b"<!")):
        end = _end_of_declaration(text)
        if end < 0:
            return ""
        text = text[end:].lstrip()
    match = re.match(rb"<(?:[\w.-]{1,200}:)?([\w.-]{1,200})[\s/>]", text)
    return match[1].decode("ascii", "ignore").lower() if match else ""


def _end_of_declaration(text: bytes) -> int:
    """Where the processing instruction, comment or document type at the start of ``text`` ends; -1 if nowhere."""
    closing = b"?>" if text.startswith(b"<?") else b"-->" if text.startswith(b"<!--") else b">"
    start = text.find(b"]") + 1 if closing == b">" and b"[" in text[: text.find(b">")] else 0
    at = text.find(closing, start)
    return at + len(closing) if at >= 0 else -1


def clean(data: bytes, report: Report) -> bytes:
    """A document as UTF-8 without mark, leading blanks or declaration; FormatError for an unknown encoding."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = _decoded(data, "utf-16")
    data = data.removeprefix(b"\xef\xbb\xbf")
    bare = data.lstrip()
    declaration = _DECLARATION.match(bare)
    if declaration:
        if len(bare) != len(data):
            report.note("xml_prolog", "Blanks before the XML declaration were skipped.")
        encoding = _ENCODING.search(declaration[0])
        bare = bare[declaration.end() :]
        if encoding and encoding[1].lower() not in (b"utf-8", b"utf8", b"us-ascii", b"utf-16"):
            bare = _decoded(bare, encoding[1].decode("ascii"))
    try:
        bare.decode("utf-8")
    except UnicodeDecodeError:  # which would end the document there
        note_replaced(report)
        bare = bare.decode("utf-8", "replace").encode("utf-8")
    return bare


def _decoded(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode("utf-8")
    except (LookupError, UnicodeError, TypeError, ValueError) as error:
        message = f"The XML declares the encoding {encoding}, but cannot be read so. Re-save it as UTF-8."
        raise FormatError(message, code="bad_encoding") from error


class BeyondLimit(Exception):
    """A token is too long, or elements are too deep inside each other; :func:`run` states where."""

    def __init__(self, what: str, rule: str) -> None:
        super().__init__(what)
        self.what, self.rule = what, rule


class Parser:
    """A parser that stops at the first sign of a document type; names come as ``namespace}local``.

    ``start(tag, attributes)`` and ``end(tag)`` are called for each element; a reader counts its depth and calls
    :func:`limit_depth`.
    """

    def __init__(
        self,
        start: Callable[[str, dict[str, str]], object],
        end: Callable[[str], object] | None = None,
        encoding: str | None = "utf-8",
    ) -> None:
        self.expat = parser = expat.ParserCreate(encoding, "}")
        self._fed, self._waiting = 0, b""
        parser.buffer_text = True
        if hasattr(parser, "SetReparseDeferralEnabled"):  # it would make finished tokens look unfinished
            parser.SetReparseDeferralEnabled(False)
        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refuse_doctype

    @property
    def line(self) -> int:
        """The line of the tag, or other token, that is read."""
        return int(self.expat.CurrentLineNumber)

    def collect_text(self, handler: Callable[[str], object] | None) -> None:
        """Call ``handler`` with the text from here on; None: with none."""
        self.expat.CharacterDataHandler = handler

    def feed(self, data: bytes, after_step: Callable[[], None] = lambda: None) -> None:
        """Parse a part of a document in steps; raises expat's own error, or :class:`BeyondLimit`.

        Where a long token has not ended, small parts wait until they are as long as that: it is read again with each.
        """
        at = 0
        while at < len(data):
            advance()
            unfinished = self._fed - max(self.expat.CurrentByteIndex, 0)
            step = min(max(_STEP, unfinished), LONGEST_TOKEN - unfinished)
            taken = max(step - len(self._waiting), 1)
            self._waiting += data[at : at + taken]
            at += taken
            if unfinished < _SHORT or len(self._waiting) >= step:
                self._parse()
                after_step()

    def _parse(self) -> None:
        self.expat.Parse(self._waiting, False)
        self._fed += len(self._waiting)
        self._waiting = b""
        if self._fed - self.expat.CurrentByteIndex >= LONGEST_TOKEN:  # and it goes on
            what = "has a tag, comment or processing instruction of more than"
            raise BeyondLimit(f"{what} {LONGEST_TOKEN} bytes", f"at most {LONGEST_TOKEN} bytes")

    def close(self) -> None:
        """End the document; raises expat's own error where that is too early."""
        self.expat.Parse(self._waiting, True)


def limit_depth(depth: int) -> None:
    """Raise :class:`BeyondLimit` where ``depth`` elements are open, nested, and that is too deep."""
    if depth > DEEPEST:
        raise BeyondLimit(f"has more than {DEEPEST} elements inside each other", f"at most {DEEPEST} deep")


def _refuse_doctype(*_: object) -> None:
    raise FormatError(
        "The file has a DOCTYPE. Such files can hide attacks and are not read; remove the DOCTYPE line.",
        code="xml_doctype",
        rule="no DOCTYPE, no ENTITY",
    )


def run(
    parser: Parser,
    data: bytes,
    after_step: Callable[[], None] = lambda: None,
    enough: Callable[[], bool] = lambda: False,
) -> bool:
    """Feed ``data`` through a parser whose handlers do the work; no tree is built, so memory stays small.

    Whether the document is whole; where it is cut off at its end, ``enough`` decides whether what came is kept.

    Raises
    ------
    FormatError
        The text is not well-formed XML, or exceeds a limit of this module.
    """
    try:
        parser.feed(data, after_step)
        parser.close()
        return True
    except BeyondLimit as error:
        raise _refused(error, parser) from error
    except expat.ExpatError as error:
        if error.code in _CUT_OFF and enough():
            return False
        message = f"The XML is not well-formed at line {error.lineno}, column {error.offset + 1}. Is the file complete?"
        raise FormatError(message, code="bad_xml", row=error.lineno) from error


def _refused(error: BeyondLimit, parser: Parser) -> FormatError:
    message = f"The XML {error.what}, at line {parser.line}. No table or track needs that."
    return FormatError(message, code="xml_limit", rule=error.rule, row=parser.line)


class Checked:
    """A file of XML that is refused, while it is read, where it exceeds a limit of this module or has a document type.

    Whatever else is wrong with it is left to the parser of whoever reads it.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._depth = file, 0
        self._parser: Parser | None = Parser(self._start, self._end, encoding=None)

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        if self._parser is not None:
            try:
                self._parser.feed(data)
            except expat.ExpatError:
                self._parser = None
            except BeyondLimit as error:
                raise _refused(error, self._parser) from error
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._parser = None  # which refers to this

    def __enter__(self) -> Checked:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, *_: object) -> None:
        self._depth += 1
        limit_depth(self._depth)

    def _end(self, _: str) -> None:
        self._depth -= 1


def note_cut_off(count: int, report: Report) -> None:
    """Record that a document ends too early, after so many whole points."""
    message = f"The file is cut off: it ends after {quantity(count, 'whole point')}, which were read."
    report.note("cut_off", message, count=count)


def check(data: bytes) -> None:
    """Refuse a document that has a document type or is not well-formed before its root element."""

    def refuse(*_: object) -> None:
        raise _RootFound

    with suppress(_RootFound):
        run(Parser(refuse), data)


def local(tag: str) -> str:
    """An element's name without its namespace."""
    return tag.rpartition("}")[2]


class Text:
    """The text of an element at a time, cut off at a number of characters."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._name = ""
        self._left = 0
        self._parts: list[str] = []

    def collect(self, name: str, most: int) -> None:
        """Begin to collect the text of the element ``name`` that has just opened."""
        self._name, self._left, self._parts = name, most, []
        self._parser.collect_text(self._add)

    def _add(self, text: str) -> None:
        self._parts.append(text[: max(0, self._left)])
        self._left -= len(text)

    def close(self, name: str) -> str | None:
        """The text of ``name``, which has just closed; None where it is not the element collected."""
        if name != self._name:
            return None
        self._name = ""
        self._parser.collect_text(None)
        return "".join(self._parts).strip()
