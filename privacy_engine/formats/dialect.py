"""How a text table is written: encoding, separator, header line, decimal mark. Detected from its first lines."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats.column import canonical
from privacy_engine.formats.columns import Roles, assign, named_roles, no_positions
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.numbers import GOOD, number
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.position_columns import has_positions
from privacy_engine.formats.quoting import require_all_closed, require_closed
from privacy_engine.formats.report import Report
from privacy_engine.formats.row_names import note_row_names, with_row_names

OUR_COLUMN = "privacy_label"
SAMPLE_LINES = 60
HEADER_WITHIN = 30
MARKS = {"tab": "\t", "space": " "}
_TITLES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
_BOMS = (
    (b"\xef\xbb\xbf", "UTF-8"),
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


@dataclass
class Dialect:
    """Where the data rows of a table begin (byte ``offset``, 1-based line ``first_row``) and how they are cut."""

    delimiter: str
    offset: int
    first_row: int
    width: int
    roles: Roles
    decimal: str = "."
    e7: bool = False
    names: list[str] = field(default_factory=list)
    sample: list[list[str]] = field(default_factory=list)

    @property
    def ours(self) -> bool:
        """Whether the table is an export of Cairn, whose names are kept to the letter."""
        return OUR_COLUMN in self.names


def as_utf8(data: bytes, report: Report, options: ReadOptions | None = None) -> bytes:
    """The bytes of a text as UTF-8 without a byte order mark: in the encoding of its mark, or that the options state.

    What cannot be decoded in a stated encoding is replaced, one character at a time.

    Raises
    ------
    FormatError
        The text is UTF-16 without a mark, or its marked encoding is damaged; with a stated encoding neither.
    """
    stated = None if options is None else options.encoding
    marked = encoding_of_mark(data)
    if marked is None and stated is None and bare_utf16(data[:4096]):
        raise FormatError(
            "This seems to be UTF-16 without a byte order mark. Re-save it as UTF-8.", code="utf16_without_bom"
        )
    encoding = report.encoding = marked or stated or "UTF-8"
    report.decide("encoding", encoding)
    if encoding == "UTF-8":
        data = data.removeprefix(b"\xef\xbb\xbf")
        if data.isascii():
            return data
    try:
        text = data.decode(encoding)
        if encoding == "UTF-8":
            return data
    except UnicodeError as error:
        if stated is not None or marked == "UTF-8":
            text = data.decode(encoding, "replace")
            note_replaced(report)
        elif marked is not None:
            message = f"The text declares the encoding {marked} but is damaged. Re-save it as UTF-8."
            raise FormatError(message, code="bad_encoding") from error
        else:
            report.encoding = "Latin-1"
            report.decide("encoding", "Latin-1")
            message = "The text is not UTF-8 and was read as Latin-1."
            report.note("encoding", message, level="info")
            text = data.decode("latin-1")
    return text.encode("utf-8", "replace")


def lines_of(data: bytes, report: Report, options: ReadOptions | None = None) -> list[str]:
    """The lines of such a text, as editors number them: ``str.splitlines`` ends them at characters of texts too."""
    return [line.decode("utf-8", "replace") for line in as_utf8(data, report, options).splitlines()]


def note_replaced(report: Report) -> None:
    """Record that some characters of a text are not in its encoding."""
    message = f"Some characters are not {report.encoding}; each was replaced by \ufffd in its own record."
    report.note("replaced", message)


def encoding_of_mark(data: bytes) -> str | None:
    """The encoding that the byte order mark at the start of a text states; None where there is none."""
    return next((encoding for mark, encoding in _BOMS if data.startswith(mark)), None)


def bare_utf16(head: bytes) -> bool:
    """Whether every second byte is NUL, as in UTF-16 without a byte order mark."""
    zeros = sorted((head[::2].count(0), head[1::2].count(0)))
    return len(head) > 8 and zeros[1] * 5 > len(head) * 2 and zeros[0] * 10 < len(head)


def looks_like_text(head: bytes) -> bool:
    """Whether bytes may be a text: marked as Unicode, or with few control characters."""
    if encoding_of_mark(head) not in (None, "UTF-8") or bare_utf16(head[:4096]):
        return True
    controls = sum(head.count(code) for code in range(32) if code not in (9, 10, 11, 12, 13, 27))
    return controls * 20 <= len(head)


def first_lines(data: bytes) -> list[str]:
    """The first lines of a text, whole ones only, each with its line end."""
    head = data[: 256 * 1024]
    text = head.decode("utf-8", "replace")
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    if len(data) > len(head) and len(lines) > 1:
        lines.pop()
    return [line for line in lines if line][: SAMPLE_LINES + HEADER_WITHIN]


_SINGLE = re.compile(r"[ \t]*'(?:[^']|'')*'[ \t]*")


def requoted(data: bytes) -> bytes:
    """A text whose cells stand in single quotes, as of MySQL, with double ones; others as they are."""
    lines = first_lines(data)
    mark = next((mark for mark in _TITLES if any(f"'{mark}" in line for line in lines[1:])), None)
    if mark is None or not all(_is_single(line, mark) for line in lines[1:]):
        return data
    header, rest = data[: len(lines[0].encode())], data[len(lines[0].encode()) :]
    text, rows = io.StringIO(rest.decode("utf-8", "replace"), newline=""), io.StringIO()
    writer = csv.writer(rows, delimiter=mark, lineterminator="\n")
    writer.writerows(csv.reader(text, delimiter=mark, quotechar="'", skipinitialspace=True))
    return header + rows.getvalue().encode()


def _is_single(line: str, mark: str) -> bool:
    """Whether half of the cells of a line stand in single quotes."""
    cells = line.rstrip("\r\n").split(mark)
    return sum(_SINGLE.fullmatch(cell) is not None for cell in cells) * 2 >= len(cells)


def cut(lines: list[str], delimiter: str) -> list[list[str]]:
    """Lines as rows of cells; a line is a row here, since this is only for looking."""
    rows = []
    for line in lines:
        try:
            reader = csv.reader([line], delimiter=delimiter, skipinitialspace=delimiter == " ")
            rows.append(next(reader, []))
        except csv.Error:
            rows.append([])
    return rows


def cuts(
    lines: list[str], options: ReadOptions, marks: Sequence[str]
) -> tuple[Sequence[str], dict[str, list[list[str]]]]:
    """The separator that the options state, or ``marks``, and the rows that each of them makes of lines."""
    marks = [MARKS.get(options.delimiter, options.delimiter)] if options.delimiter else marks
    return marks, {mark: cut(lines, mark) for mark in marks}


def mark_name(mark: str) -> str:
    """A separator as reading options name it."""
    return next((name for name, known in MARKS.items() if known == mark), mark)


def rows_from(data: bytes, offset: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows from byte ``offset`` on, each with the number of its first line; a cell may span lines."""
    before = data.count(b"\n", 0, offset) + 1
    text = io.StringIO(data[offset:].decode("utf-8", "replace"), newline="")
    reader = csv.reader(text, delimiter=delimiter, skipinitialspace=delimiter == " ")
    with suppress(csv.Error):
        begun = 0
        for row in reader:
            if any(cell.strip() for cell in row):
                yield before + begun, row
            begun = reader.line_num


def sniff(data: bytes, options: ReadOptions, report: Report) -> Dialect:
    """The dialect of a table, from its options and its first lines.

    Raises
    ------
    FormatError
        No data rows, no columns of positions, or a quotation mark of the header that is never closed.
    ChoiceNeeded
        Several columns can play a role.
    """
    lines = first_lines(data)
    marks, tables = cuts(lines, options, list(_TITLES))
    usual = max(marks, key=lambda mark: regular(tables[mark]))
    header_at = {mark: _header(tables[mark], options, usual=mark == usual) for mark in marks}
    headers = {mark: at for mark, at in header_at.items() if at is not None}
    if headers:
        rows = {mark: tables[mark][at] for mark, at in headers.items()}
        mark = max(headers, key=lambda mark: (has_positions(rows[mark]), mark != " ", len(rows[mark])))
    else:
        mark = usual
    try:
        if headers:
            dialect = _with_header(lines, tables[mark], headers[mark], mark, options, report)
        else:
            dialect = _without_header(lines, tables[mark], mark, options, report)
    except FormatError:  # of a cell that takes in those after it
        require_all_closed(data, mark)
        raise
    require_closed(data, dialect.offset, mark)
    report.decided.setdefault("clock", "#0")
    report.decide("header", str(headers[mark] + 1 if headers else 0))
    report.decide("delimiter", mark_name(mark))
    if options.delimiter is None and mark != ",":
        message = f"Cells are separated by a {_TITLES[mark]}."
        report.guess("delimiter", _TITLES[mark], message, "delimiter")
    places = (dialect.roles["lon"], dialect.roles["lat"])
    cells = (row[place] for row in dialect.sample for place in places if place < len(row))
    dialect.decimal = decimal_of(cells, options, report)
    if report.layout is not None:
        report.layout.decimal = dialect.decimal
    return dialect


def _header(rows: list[list[str]], options: ReadOptions, *, usual: bool) -> int | None:
    """The place of the first line that names the positions' columns, or of the line that the options state.

    Other names are taken for a header where the lines are cut as is ``usual``.
    """
    if options.header is not None:
        at = int(options.header) - 1
        return at if 0 <= at < len(rows) else None
    wanted = [canonical(name) for name in (options.lon, options.lat) if name and not name.startswith("#")]
    for i, row in enumerate(rows[:HEADER_WITHIN]):
        names = {canonical(cell) for cell in row}
        if len(row) > 1 and (has_positions(row) or (wanted and all(name in names for name in wanted))):
            return i
    return _names_at(rows) if usual and options.lon and options.lat else None


def _names_at(rows: list[list[str]]) -> int | None:
    """The place of the first line of several cells, if none of them is a number: the header once columns are named."""
    at = next((i for i, row in enumerate(rows[:HEADER_WITHIN]) if len(row) > 1), None)
    return None if at is None or any(_is_number(cell) for cell in rows[at]) else at


def _is_number(cell: str) -> bool:
    return number(cell)[1] == GOOD or number(cell, decimal=",")[1] == GOOD


def regular(rows: list[list[str]]) -> int:
    """How many cells the rows agree on; 0 where most have a single cell."""
    width, count = max(Counter(len(row) for row in rows if row).items(), key=itemgetter(1), default=(0, 0))
    return width * count if width > 1 else 0


def _filled(rows: list[list[str]]) -> list[list[str]]:
    return [row for row in rows if any(cell.strip() for cell in row)][:SAMPLE_LINES]


def _with_header(
    lines: list[str], rows: list[list[str]], at: int, mark: str, options: ReadOptions, report: Report
) -> Dialect:
    names, sample = rows[at], _filled(rows[at + 1 :])
    if not sample:
        raise FormatError("A header was found, but no data rows.", code="no_rows", row=at + 1)
    names = with_row_names(names, sample, options)
    if len(names) > len(rows[at]):
        report.decide("columns", str(len(names)))
        note_row_names(report)
    offset = sum(len(line.encode("utf-8")) for line in lines[: at + 1])
    report.layout = Layout(names, delimiter=mark, offset=offset, sample=sample)
    roles, e7 = assign(names, sample, options, report)
    width = min(len(names), max(len(row) for row in sample))
    return Dialect(mark, offset, at + 2, width, roles, e7=e7, names=names, sample=sample)


def _without_header(
    lines: list[str], rows: list[list[str]], mark: str, options: ReadOptions, report: Report
) -> Dialect:
    """A table that starts with data: its columns go by their places, and the owner names the positions."""
    data_rows = _filled(rows)
    if not data_rows:
        raise FormatError("The file is empty.", code="empty")
    numeric = [i for i, cell in enumerate(data_rows[0]) if _is_number(cell) or number(cell, "lat")[1] == GOOD]
    width = int(options.columns or max(len(row) for row in data_rows))
    report.decide("columns", str(width))
    names = [f"column {i + 1}" for i in range(width)]
    report.layout = Layout(names, delimiter=mark, headed=False, sample=data_rows)
    if (at := _names_at(rows)) is not None:
        report.layout = Layout(rows[at], delimiter=mark, offset=sum(len(line.encode()) for line in lines[: at + 1]))
    with suppress(FormatError):  # a wrong name is reported below, or once there is a header
        report.layout.roles = named_roles(report.layout.names, options)
    if len(numeric) < 2 and not options.applied:
        raise no_positions(data_rows[0], "lon" if options.lat else "lat", report.hint)
    for role in ("lon", "lat"):
        if getattr(options, role) is None:
            title = {"lon": "longitude", "lat": "latitude"}[role]
            raise ChoiceNeeded(
                f"The table has no header line. Specify which column is the {title}.",
                parameter=role,
                choices=[(f"#{i + 1}", f"column {i + 1} ({data_rows[0][i][:20]} …)") for i in numeric],
                default=f"#{_likely(data_rows, numeric, role) + 1}",
            )
    roles, _ = assign(names, data_rows, options, report)
    return Dialect(mark, 0, 1, len(names), roles, names=names, sample=data_rows)


def _likely(rows: list[list[str]], numeric: list[int], role: str) -> int:
    """The likeliest column of a coordinate: with decimals, and beyond 90 only if it is the longitude."""
    decimals = [i for i in numeric if re.search(r"[.,][0-9]", rows[0][i])]
    places = (decimals or numeric)[:2]
    sizes = [abs(number(rows[0][place])[0]) for place in places]
    if len(places) == 2 and (sizes[1] > 90) != (sizes[0] > 90):
        lon = places[0] if sizes[0] > 90 else places[1]
        return lon if role == "lon" else (places[1] if lon == places[0] else places[0])
    return places[-1] if role == "lon" else places[0]


def decimal_of(cells: Iterable[str], options: ReadOptions, report: Report) -> str:
    """The decimal mark of coordinates: as stated, or a comma where most of the first cells have commas."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    with_comma = sum(bool(re.fullmatch(r"[+-]?[0-9]{1,12},[0-9]+", cell)) for cell in filled)
    if options.decimal is None and with_comma * 2 > len(filled):
        report.guess("decimal", ",", "Numbers have a decimal comma.", "decimal")
    decimal = options.decimal or ("," if with_comma * 2 > len(filled) else ".")
    report.decide("decimal", decimal)
    return decimal
