"""XML without surprises: UTF-8, no DOCTYPE, no entities, no tree in memory, never a file or the network.

Expat is used directly, because defusedxml parses in Python and builds a tree: :func:`new_parser` forbids what
defusedxml would, and is the only place that makes parsers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from xml.parsers import expat  # nosec B407

from privacy_engine.errors import FormatError
from privacy_engine.formats.report import Report
from privacy_engine.plurals import counted
from privacy_engine.progress import advance

_DECLARATION = re.compile(rb"<\?xml\s[^>]{0,200}\?>")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_STEP = 1 << 16
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
    return bare


def _decoded(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode("utf-8")
    except (LookupError, UnicodeError, TypeError, ValueError) as error:
        message = f"The XML declares the encoding {encoding}, but cannot be read so. Re-save it as UTF-8."
        raise FormatError(message, code="bad_encoding") from error


def new_parser() -> expat.XMLParserType:
    """A parser that stops at the first sign of a document type; names come as ``namespace}local``."""
    parser = expat.ParserCreate("utf-8", "}")
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise FormatError(
            "The file has a DOCTYPE. Such files can hide attacks and are not read; remove the DOCTYPE line.",
            code="xml_doctype",
            rule="no DOCTYPE, no ENTITY",
        )

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    return parser


def run(
    parser: expat.XMLParserType,
    data: bytes,
    after_step: Callable[[], None] = lambda: None,
    enough: Callable[[], bool] = lambda: False,
) -> bool:
    """Feed ``data`` through a parser whose handlers do the work; no tree is built, so memory stays small.

    Whether the document is whole; of one that is cut off at its end, ``enough`` decides whether what came is kept.

    Raises
    ------
    FormatError
        The text is not well-formed XML.
    """
    try:
        feed(parser, data, after_step)
        parser.Parse(b"", True)
        return True
    except expat.ExpatError as error:
        if error.code in _CUT_OFF and enough():
            return False
        message = f"The XML is not well-formed at line {error.lineno}, column {error.offset + 1}. Is the file complete?"
        raise FormatError(message, code="bad_xml", row=error.lineno) from error


def note_cut_off(count: int, report: Report) -> None:
    """Record that a document ends too early, after so many whole points."""
    message = f"The file is cut off: it ends after {counted(count, 'whole point')}, which were read."
    report.note("cut_off", message, count=count)


def feed(parser: expat.XMLParserType, data: bytes, after_step: Callable[[], None]) -> None:
    """Parse a part of a document in steps; raises expat's own error."""
    for start in range(0, len(data), _STEP):
        advance()
        parser.Parse(data[start : start + _STEP], False)
        after_step()


def check(data: bytes) -> None:
    """Refuse a document that has a document type or is not well-formed before its root element."""
    parser = new_parser()

    def found(*_: object) -> None:
        raise _RootFound

    parser.StartElementHandler = found
    with suppress(_RootFound):
        run(parser, data)


def local(tag: str) -> str:
    """An element's name without its namespace."""
    return tag.rpartition("}")[2]


class Text:
    """The text of one element at a time, cut off at a number of characters."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self._parser = parser
        self._name = ""
        self._left = 0
        self._parts: list[str] = []

    def collect(self, name: str, most: int) -> None:
        """Begin to collect the text of the element ``name`` that has just opened."""
        self._name, self._left, self._parts = name, most, []
        self._parser.CharacterDataHandler = self._add

    def _add(self, text: str) -> None:
        self._parts.append(text[: max(0, self._left)])
        self._left -= len(text)

    def taken(self, name: str) -> str | None:
        """The text of ``name``, which has just closed; None where it is not the one collected."""
        if name != self._name:
            return None
        self._name = ""
        self._parser.CharacterDataHandler = None
        return "".join(self._parts).strip()
