"""Rows of a text table, whose quoted cells may span lines (RFC 4180); a quote that is never closed is refused."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

from privacy_engine.errors import FormatError

_END = "\x1cend of the table\x1c"
_QUOTED = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')
_BREAK = re.compile(r"\r\n|\r|\n")


def rows_of(lines: Iterable[str], delimiter: str, first_row: int = 1) -> Iterator[tuple[int, list[str]]]:
    """The rows of ``lines`` (each with its line end), each with the number of the line that it begins in.

    Raises
    ------
    FormatError
        A quotation mark opens a cell that is never closed, or a cell is too long.
    """
    kept: list[str] = []  # lines of the row that is read
    coming = _with_end(lines, kept)
    reader = csv.reader(coming, delimiter=delimiter, skipinitialspace=delimiter == " ")
    line = first_row
    while True:
        try:
            row = next(reader)
        except csv.Error as error:
            for _ in coming:
                pass
            _refuse_open("".join(kept[:-1]), delimiter, line)
            limit = csv.field_size_limit()
            message = f"A cell of the row that begins in line {line} has more than {limit:,} characters."
            raise FormatError(message, code="line_too_long", row=line, rule=f"at most {limit} characters") from error
        ended = kept[-1] is _END
        if ended and len(kept) == 1:
            return
        if len(kept) > 1:
            _refuse_open("".join(kept[:-1] if ended else kept), delimiter, line)
        yield line, row
        line += len(kept)
        kept.clear()


def _with_end(lines: Iterable[str], kept: list[str]) -> Iterator[str]:
    """The lines and an end, which is a row of its own unless a quoted cell is open; ``kept`` receives them all."""
    last = ""
    for line in lines:
        if last:
            kept.append(last)
            yield last
        last = line
    for line in (last if last.endswith(("\r", "\n")) else f"{last}\n", _END) if last else (_END,):
        kept.append(line)
        yield line


def _refuse_open(row: str, delimiter: str, line: int) -> None:
    """Refuse text that begins with a row of which a quotation mark is never closed."""
    if (at := _open_quote(row, delimiter)) is not None:
        line += len(_BREAK.findall(row, 0, at))
        message = (
            f"The quotation mark in line {line} opens a cell that is never closed. "
            "Close it, or take the mark away: in a quoted cell a mark is written twice."
        )
        raise FormatError(message, code="bad_quoting", row=line, rule="a quotation mark for each that opens a cell")


def _open_quote(text: str, delimiter: str) -> int | None:
    """The place of a quotation mark of the first row that opens a cell which is never closed; None where all are.

    Nor is a cell closed whose closing mark, lines later, is followed by other text: that mark opens another cell.
    """
    at, blanks, ends = 0, re.compile(" *" if delimiter == " " else ""), re.compile(f"[\r\n{re.escape(delimiter)}]")
    while at < len(text):
        at = blanks.match(text, at).end()  # type: ignore[union-attr]
        if text.startswith('"', at):
            if (cell := _QUOTED.match(text, at)) is None:
                return at
            after = text[cell.end() : cell.end() + 64]
            after = after if delimiter == " " else after.lstrip(" ")
            if after and after[0] not in f"\r\n{delimiter}" and _BREAK.search(cell[0]):
                return at
            at = cell.end()
        end = ends.search(text, at)
        if end is None or end[0] != delimiter:
            return None
        at = end.end()
    return None


def require_closed(data: bytes, offset: int, delimiter: str) -> None:
    """Refuse a text whose header, the line that ends at byte ``offset``, has a quotation mark that is never closed."""
    lines = data[:offset].splitlines(keepends=True)
    if lines and lines[-1].count(b'"') % 2:
        _refuse_open(data[offset - len(lines[-1]) :].decode("utf-8", "replace"), delimiter, len(lines))


def require_all_closed(data: bytes, delimiter: str) -> None:
    """Refuse a text with a quotation mark that is never closed, wherever it is."""
    if b'"' in data:
        for _ in rows_of(io.StringIO(data.decode("utf-8", "replace"), newline=""), delimiter):
            pass
