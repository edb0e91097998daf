"""The list of formats, and which of them a file is: by its content first, by its name only where content is silent."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privacy_engine.core.origin import Origin
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats.head_sample import TakeHead
from privacy_engine.formats.options import PLACED, ReadOptions, unusable
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source, extension
from privacy_engine.formats.table_kind import table_kinds
from privacy_engine.formats.xmltools import plain_head
from privacy_engine.plugins import Plugins, Unfit


@dataclass(frozen=True)
class Format:
    """An input format.

    ``sniff`` looks at the first 64 kB; ``read`` returns the series and writes to the report. Formats are
    tried in the order of their registration, ``rank`` first: lower is more particular. ``hidden`` formats only refuse.

    ``keeps`` lists what is read beside the positions, ``options`` names the reading options that it uses
    beside :data:`privacy_engine.formats.options.PLACED`, ``source`` is where it is described; a ``tabular`` format has
    tables, which can be of any kind. With the docstrings of ``sniff``
    ("Whether …"), of ``read`` and of its module they are its part of ``docs/reference/formats.md``.
    ``columns`` are those of ``options``, and ``person``, whose value may name a column (a property, an element); a
    column option that is not among them takes #0 only. ``person`` names what identifies a person.
    ``head`` makes a small file of a large file, for a preview of its columns; None where there are no columns.
    ``table`` gives all columns as an Arrow table, of at least so many rows or of all (None), from a source that can
    then be read again; None for a text.
    ``as_text`` gives the table as a text with commas, for a format that is none, from a source that can be read again.
    ``of_archive`` decides by the names of its members whether a ZIP archive is a single file of the format.
    ``origin`` is the package that it comes from; None for Cairn's own.
    """

    name: str
    title: str
    extensions: Sequence[str]
    sniff: Callable[[bytes], bool]
    read: Callable[[Source, ReadOptions, Report], Sequence[Trajectory]]
    rank: int = 50
    hidden: bool = False
    keeps: str = ""
    options: Sequence[str] = ()
    columns: Sequence[str] = ()
    person: str = ""
    tabular: bool = False
    source: str = ""
    head: TakeHead | None = None
    table: Callable[[Source, int | None], Any] | None = None
    as_text: Callable[[Source, ReadOptions, Report], Source] | None = None
    of_archive: Callable[[Sequence[str]], bool] | None = None
    origin: Origin | None = None

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of data that it can hold."""
        return [kind for kind, table_kind in table_kinds.items() if table_kind.by_format or self.tabular]

    def unusable(self, options: ReadOptions) -> list[ParameterError]:
        """The errors for options that were given and that this format cannot use."""
        return [] if self.hidden else unusable(self.title, (*self.options, *PLACED), self.columns, options)


_REGISTERED: dict[str, Format] = {}


def register(format: Format) -> Format:
    """Add a format to the list."""
    _REGISTERED[format.name] = format
    return format


def _add(format: Any, origin: Origin) -> None:
    """Register a format of another package."""
    if not isinstance(format, Format):
        raise Unfit("is not a Format")
    if taken := _REGISTERED.get(format.name):
        raise Unfit(f"has the name {format.name}, which is that of a format of {taken.origin or 'Cairn'}")
    own: dict[str, Any] = {
        "sniff": _guarded(format.sniff),
        "of_archive": format.of_archive and _guarded(format.of_archive),
    }
    register(replace(format, title=f"{format.title} ({origin.mark})", origin=origin, **own))


def _guarded(decide: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """``decide``, which is false of what it cannot look at: files of other formats are read all the same."""

    def guarded(given: Any) -> bool:
        try:
            return bool(decide(given))
        except Exception:
            return False

    guarded.__doc__ = decide.__doc__  # its part of the documentation
    return guarded


plugins = Plugins("cairn.formats", _add, __package__)


def formats() -> list[Format]:
    """All formats, the most particular first."""
    plugins.load()
    return sorted(_REGISTERED.values(), key=lambda fmt: (fmt.rank, fmt.name))


def detect_archive(names: Sequence[str]) -> Format | None:
    """The format of which a ZIP archive with members of these names is a single file; None for an archive of files."""
    return next((fmt for fmt in formats() if fmt.of_archive is not None and fmt.of_archive(names)), None)


_BLANK = b"\xef\xbb\xbf \t\r\n\x0b\x0c"
_SAVE = "save it as .xlsx or CSV"
_SPREADSHEETS: tuple[tuple[bytes, str], ...] = (
    (
        rb"\xd0\xcf\x11\xe0",
        "a spreadsheet in an old (.xls) or encrypted Office document; save it as .xlsx without a password, or as CSV",
    ),
    (rb"\t[\0\x02\x04\x08][\x04\x06\x08\x10]\0", f"an old spreadsheet (.xls); {_SAVE}"),
    (
        rb"(\xef\xbb\xbf)?\s*<\?xml[^\0]{0,2000}?(urn:schemas-microsoft-com:office:spreadsheet|"
        rb"vnd\.oasis\.opendocument\.spreadsheet)",
        f"a spreadsheet in XML; {_SAVE}",
    ),
)
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (rb"\x89PNG\r\n", "a PNG image"),
    (rb"\xff\xd8\xff", "a JPEG image"),
    (rb"GIF8[79]a", "a GIF image"),
    (rb"II\*\0|MM\0\*", "a TIFF image"),
    (rb"BM....\0\0\0\0", "a BMP image"),
    (rb"RIFF....WEBP", "a WebP image"),
    (rb"RIFF", "a sound or video file"),
    (rb"....ftyp(heic|heix|mif1|avif)", "a HEIC image"),
    (rb"....ftyp", "a video"),
    (rb"ID3|OggS|fLaC|\x1aE\xdf\xa3", "a sound or video file"),
    (rb"%PDF", "a PDF document"),
    (rb"BZh[1-9]", "a bzip2 archive; unpack it first"),
    (rb"\xfd7zXZ\0", "an xz archive; unpack it first"),
    (rb"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (rb"Rar!", "a RAR archive; unpack it first"),
    (rb".{257}ustar", "a tar archive; unpack it first"),
    (rb"\x7fELF|MZ", "a program"),
)
_TEXTS: tuple[tuple[bytes, str], ...] = (
    (rb"\s*(<!doctype html|<html)", "a web page"),
    (rb"\s*\{\\rtf", "an RTF document"),
    (rb"%!PS", "a PostScript document"),
    (rb"[^\0]*?^(INSERT INTO|CREATE TABLE|COPY)\s[^,\n]*[(`\"\[]", "an SQL dump; export its table as CSV"),
)


def kind_of_other(head: bytes) -> str | None:
    """What a file is that is not a location file of ours, as text; None where that is unknown."""
    title = _title_of(head, (*_SPREADSHEETS, *_SIGNATURES), re.DOTALL)
    return title or _title_of(plain_head(head[:4096]), _TEXTS, re.IGNORECASE | re.MULTILINE)


def _title_of(head: bytes, titles: tuple[tuple[bytes, str], ...], flags: re.RegexFlag) -> str | None:
    return next((title for pattern, title in titles if re.match(pattern, head, flags)), None)


def is_packed_spreadsheet(head: bytes) -> bool:
    """Whether a ZIP archive is an Excel workbook or an OpenDocument spreadsheet, by its first bytes."""
    return head.startswith(b"PK") and any(
        mark in head for mark in (b"xl/workbook.", b"xl/worksheets/", b"vnd.oasis.opendocument.spreadsheet")
    )


def detect(source: Source, options: ReadOptions) -> Format:
    """The format of a file.

    Raises
    ------
    FormatError
        The file is empty, or is of a kind that holds no positions.
    """
    head = source.head
    stated = options.format
    if stated is None and not head.strip(_BLANK):
        _only_blank(source)
        raise FormatError("The file is empty.", code="empty")
    if title := _title_of(head, _SPREADSHEETS, re.DOTALL) if stated else kind_of_other(head):
        raise FormatError(f"This is {title}.", code="other_kind", rule="a location file")
    if stated is not None:
        return _REGISTERED[stated]
    for fmt in formats():
        if fmt.sniff(head):
            return fmt
    for _ in source.chunks():  # a bomb of bytes that mean nothing is called a bomb
        pass
    raise FormatError(
        "This is not a text, and no format that is known here. Upload CSV, GPX, GeoJSON, PLT or Parquet.",
        code="unknown_format",
    )


def _only_blank(source: Source) -> None:
    for piece in source.chunks():
        if piece.strip(_BLANK):
            raise FormatError("The file begins with more than 64 kB of blanks.", code="unknown_format")


def misnamed(format: Format, name: str) -> Format | None:
    """The format that the file's extension promises, where that is another format."""
    ending = extension(name)
    if not ending or ending in format.extensions:
        return None
    return next((fmt for fmt in formats() if ending in fmt.extensions), None)
