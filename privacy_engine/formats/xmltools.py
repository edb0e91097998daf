"""XML without surprises: UTF-8, no DOCTYPE, no entities, bounded depth and memory, never a file or the network."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET  # nosec B405: prolog() has refused every document type before
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat  # nosec B407: used to refuse document types

from privacy_engine.errors import FormatError
from privacy_engine.formats.report import Report

MAX_DEPTH = 100
_DECLARATION = re.compile(rb"<\?xml\s[^>]{0,200}\?>")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_STEP = 1 << 16


class _RootFound(Exception):  # noqa: N818 (it is good news)
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
    text = re.sub(
        rb"<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?:[^\[>]*\[.*?\]\s*>|[^>]*>)", b"", plain_head(head), flags=re.DOTALL
    )
    match = re.match(rb"\s*<(?:[\w.-]+:)?([\w.-]+)[\s/>]", text)
    return match[1].decode("ascii", "ignore").lower() if match else ""


def clean(data: bytes, report: Report) -> bytes:
    """A document as UTF-8 without mark, leading blanks or declaration; refused if it has a document type.

    Raises
    ------
    FormatError
        A DOCTYPE or entity, an unknown encoding, or text that is not XML.
    """
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
    _refuse_document_type(bare)
    return bare


def _decoded(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode("utf-8")
    except (LookupError, UnicodeError, TypeError, ValueError) as error:
        message = f"The XML says it is written in {encoding}, but cannot be read so. Re-save it as UTF-8."
        raise FormatError(message, code="bad_encoding") from error


def _refuse_document_type(data: bytes) -> None:
    """Run the parser up to the root element, and stop at the first sign of a document type."""
    parser = expat.ParserCreate("utf-8")

    def refuse(*_: object) -> None:
        raise FormatError(
            "The file has a DOCTYPE. Such files can hide attacks and are not read; remove the DOCTYPE line.",
            code="xml_doctype",
            rule="no DOCTYPE, no ENTITY",
        )

    def found(*_: object) -> None:
        raise _RootFound

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = found
    try:
        for start in range(0, len(data), _STEP):
            parser.Parse(data[start : start + _STEP], False)
        parser.Parse(b"", True)
    except _RootFound:
        return
    except expat.ExpatError as error:
        raise broken(error.lineno, error.offset) from error


def broken(line: int, column: int) -> FormatError:
    """The error for text that is not well-formed XML."""
    message = f"The XML is not well-formed at line {line}, column {column + 1}. Is the file complete?"
    return FormatError(message, code="bad_xml", row=line)


def walk(data: bytes, keep: frozenset[str]) -> Iterator[tuple[str, str, ET.Element, int]]:
    """Start and end events of a clean document: (event, local name, element, depth).

    Elements are thrown away as the walk goes on, except inside elements whose local name is in ``keep``.
    """
    parser: Any = ET.XMLPullParser(("start", "end"))
    local: dict[str, str] = {}
    stack: list[ET.Element] = []
    kept_at = 0  # depth of the outermost kept element, 0 outside of one
    try:
        for start in range(0, len(data) + _STEP, _STEP):
            if start < len(data):
                parser.feed(data[start : start + _STEP])
            else:
                parser.close()
            for event, element in parser.read_events():
                name = local.get(element.tag)
                if name is None:
                    name = local[element.tag] = element.tag.rpartition("}")[2]
                if event == "start":
                    stack.append(element)
                    depth = len(stack)
                    if depth > MAX_DEPTH:
                        raise FormatError("The XML is nested too deeply.", code="too_deep")
                    if not kept_at and name in keep:
                        kept_at = depth
                    yield "start", name, element, depth
                else:
                    depth = len(stack)
                    stack.pop()
                    yield "end", name, element, depth
                    if kept_at == depth:
                        kept_at = 0
            for element in stack[: kept_at - 1] if kept_at else stack:
                del element[:]
            if kept_at and len(stack[kept_at - 1]) > 1000:
                del stack[kept_at - 1][:]
            if len(local) > 10_000:
                raise FormatError("The XML has too many kinds of elements.", code="bad_xml")
    except ET.ParseError as error:
        raise broken(*error.position) from error
