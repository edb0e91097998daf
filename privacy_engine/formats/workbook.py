"""Excel workbooks (.xlsx, .xlsm): one sheet, row by row, as the text table that it would be as CSV.

Dates are written by ISO 8601, formulas are their stored values; macros are neither run nor kept. Of several sheets the
first with a table is read, one with a column of positions or times before others; the option sheet names another.
"""

import io
import itertools
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, cast

from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import advance
from privacy_engine.data import Trajectory
from privacy_engine.errors import EngineError, FormatError
from privacy_engine.formats import delimited
from privacy_engine.formats.archive import opened
from privacy_engine.formats.column import canonical
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import HEADER_WITHIN
from privacy_engine.formats.head_sample import Head
from privacy_engine.formats.options import COLUMNS, TIMED, ReadOptions
from privacy_engine.formats.position_columns import has_positions
from privacy_engine.formats.report import Report
from privacy_engine.formats.sheet_text import pieces_of, texts_of
from privacy_engine.formats.source import Limits, Meter, Pieces, Source, size_of
from privacy_engine.formats.time_columns import TIME
from privacy_engine.formats.xmltools import Checked

_HEAD_ROWS = 200
_HEAD_SHEETS = 20
_WHOLE_PARTS = ("xl/sharedStrings.xml", "xl/styles.xml", "xl/workbook.xml")
_MAX_WHOLE = 100_000_000  # bytes of the parts that openpyxl holds whole
_DAMAGE = (
    *(KeyError, ValueError, TypeError, AttributeError, IndexError, ArithmeticError, SyntaxError, EOFError, OSError),
    *(RuntimeError, AssertionError, zipfile.BadZipFile, zlib.error),
)


def read(source: Source, options: ReadOptions, report: Report) -> Sequence[Trajectory]:
    """The series of a sheet, whose columns are found as those of a CSV table."""
    text = as_text(source, options, report)
    return delimited.read(text, replace(options, delimiter=","), report)


def as_text(source: Source, options: ReadOptions, report: Report) -> Source:
    """The sheet to read as a text table with commas, a line for each row; the source can be read again.

    Raises
    ------
    FormatError
        The workbook is damaged or too large, or has no table, or no sheet of the name that the options state.
    """
    report.unit = "row"
    file = _file(source)
    with damage():
        book = _workbook(file, source.meter.limits)
        sheet = _chosen(book, options, report)
        report.decide("sheet", sheet.title)
        size = size_of(file)
        return Source(Pieces(lambda: pieces_of(sheet, damage)), source.name, source.meter, packed=size)  # type: ignore[arg-type]


def _file(source: Source) -> BinaryIO:
    return cast(BinaryIO, _Reporting(source.whole_file() or io.BytesIO(source.held())))


class _Reporting:
    """A file that reports each time it is read: openpyxl's loops do not."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """Report, and read."""
        advance()
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def damage() -> Iterator[None]:
    """The errors of openpyxl as ours."""
    try:
        yield
    except _DAMAGE as error:
        if isinstance(error, EngineError):
            raise
        if isinstance(error.__cause__, EngineError):  # openpyxl raises an error of its own from it
            raise error.__cause__ from None
        message = "The workbook is damaged. Open it, save it again as .xlsx or CSV, and upload that."
        raise FormatError(message, code="bad_workbook") from error


def _workbook(file: BinaryIO, limits: Limits) -> Any:
    """The workbook, its sheets not yet read, after a check of the sizes of its parts."""
    from openpyxl.reader.excel import ExcelReader

    with opened(file, Meter(limits)) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        compressed = sum(info.compress_size for info in archive.infolist())
        if any(info.flag_bits & 1 for info in archive.infolist()):
            raise FormatError("The workbook is encrypted. Save it without a password.", code="encrypted")
        mimetype = archive.open("mimetype").read(100) if "mimetype" in sizes else b""
    if "xl/workbook.xml" not in sizes:
        kind = "a spreadsheet as a binary workbook (.xlsb)" if "xl/workbook.bin" in sizes else "no .xlsx workbook"
        if "META-INF/manifest.xml" in sizes:
            kind = f"an OpenDocument {'spreadsheet (.ods)' if b'spreadsheet' in mimetype else 'file'}"
        raise FormatError(f"This is {kind}. Save its table as .xlsx or CSV.", code="other_kind", rule=".xlsx or CSV")
    total, held = sum(sizes.values()), sum(sizes.get(name, 0) for name in _WHOLE_PARTS)
    if total > limits.total * 4 or held > _MAX_WHOLE:
        rule = f"at most {limits.total * 4} bytes of sheets and {_MAX_WHOLE} of texts"
        raise FormatError("The workbook is too large. Save its table as CSV.", code="too_large", rule=rule)
    if total > max(1_000_000, limits.ratio * compressed):
        message = f"The workbook expands to more than {limits.ratio} times its size; such files are not opened."
        raise FormatError(message, code="compression_ratio", rule=f"at most {limits.ratio} to 1")
    warnings.filterwarnings("ignore", module="openpyxl")  # of parts that are not read, and of dates that are none
    file.seek(0)
    reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
    part = reader.archive.open
    reader.archive.open = lambda *named: Checked(part(*named))  # sheets are read later, piece by piece
    reader.read()
    return reader.wb


def _chosen(book: Any, options: ReadOptions, report: Report) -> Any:
    """The sheet that the options name; else the first with a table, those of positions or times before others."""
    sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    names = [sheet.title for sheet in book.worksheets]
    if options.sheet is not None:
        if options.sheet not in names:
            shown = ", ".join(repr(name[:40]) for name in names[:12])
            message = f"There is no sheet {options.sheet[:40]!r}. The sheets are: {shown}."
            raise FormatError(
                message, code="unknown_sheet", field="sheet", rule="a sheet of the workbook", value=options.sheet
            )
        return book.worksheets[names.index(options.sheet)]
    tables = [(sheet, rows) for sheet in sheets if (rows := _table(sheet))]
    if not tables:
        message = (
            f"No sheet of the workbook holds a table: {quantity(len(names), 'sheet')}, none with two rows of cells."
        )
        raise FormatError(message, code="no_rows", rule="a sheet with a header and rows")
    used = next((sheet for sheet, rows in tables if any(map(_has_meaning, rows))), tables[0][0])
    if len(sheets) > 1:
        message = f"Of {len(sheets)} sheets {used.title[:40]!r} was read."
        report.guess("sheet", used.title, message, "sheet")
    return used


def _table(sheet: Any) -> list[list[str]]:
    """The first rows that have several cells, where there are at least two of them."""
    first = itertools.islice(texts_of(sheet), HEADER_WITHIN)
    rows = [row for row in first if sum(map(bool, row)) > 1]
    return rows if len(rows) > 1 else []


def _has_meaning(row: list[str]) -> bool:
    return has_positions(row) or any(canonical(cell) in TIME for cell in row)


def head(source: Source, data: bytes, whole: bool) -> Head:
    """The first rows of the sheets as a workbook of their own."""
    from openpyxl import Workbook

    with damage():
        book, small = _workbook(_file(source), source.meter.limits), Workbook(write_only=True)
        longer = False
        for sheet in [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"][:_HEAD_SHEETS]:
            own = small.create_sheet(sheet.title)
            rows = list(itertools.islice(texts_of(sheet), _HEAD_ROWS + 1))
            longer = longer or len(rows) > _HEAD_ROWS
            for row in rows[:_HEAD_ROWS]:
                own.append([cell or None for cell in row])
        out = io.BytesIO()
        small.save(out)
    return Head(out.getvalue(), not longer)


def of_archive(names: Any) -> bool:
    """Whether an archive has the parts of a workbook, or of an OpenDocument file, which is refused with advice."""
    return any(name.startswith("xl/workbook.") for name in names) or {"content.xml", "META-INF/manifest.xml"} <= {
        *names
    }


def sniff(head: bytes) -> bool:
    """Whether the ZIP holds the parts of a workbook."""
    return head.startswith(b"PK\x03\x04") and b"xl/workbook.xml" in head


XLSX = register(
    Format(
        "xlsx",
        "Excel workbook",
        ("xlsx", "xlsm"),
        sniff,
        read,
        rank=15,
        keeps="times, series, landmarks",
        options=("sheet", "header", "columns", "decimal", "lon", "lat", "clock", "end", "id", "landmark", *TIMED),
        columns=COLUMNS,
        person="a column, as of a CSV table",
        tabular=True,
        source="https://ecma-international.org/publications-and-standards/standards/ecma-376/",
        head=head,
        as_text=as_text,
        of_archive=of_archive,
    )
)
