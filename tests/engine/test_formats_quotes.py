"""Quotation marks in text tables: quoted cells may span lines; one that is never closed is refused with its line."""

import gzip
import io
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import formats
from privacy_engine.errors import FormatError
from privacy_engine.formats import KINDS, blockwise
from privacy_engine.formats.quoting import rows_of
from tests.cases import each, refusal
from tests.engine.format_samples import read_bytes, zipped

TRACK = ["time,lon,lat,name", *(f"2024-01-01T00:{i:02d}:00Z,2.{300 + i},48.{800 + i},a" for i in range(40))]
COUNTS = ["time,north,south", *(f"2024-01-{i + 1:02d},{i},{i + 1}" for i in range(20))]
CHECKINS = [
    "user,time,lat,lon,venue",
    *(f"u{i % 3},2024-01-{i + 1:02d}T08:00:00Z,48.8,2.3,v{i % 4}" for i in range(20)),
]
WKT = ["id,geometry", *(f'{i},"POINT(2.{i} 48.8)"' for i in range(10))]
PORTO = ["TRIP_ID,TIMESTAMP,POLYLINE", *(f'{i},{1372636858 + i},"[[-8.{i + 1},41.1],[-8.2,41.2]]"' for i in range(10))]
SHAPES = ["shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence", *(f"s,48.{i + 1},2.3,{i}" for i in range(10))]
TABLES = {
    "trajectories": (TRACK, "trajectory"),
    "counts": (COUNTS, "stream"),
    "check-ins": (CHECKINS, "checkins"),
    "geometries": (WKT, "trajectory"),
    "porto": (PORTO, "trajectory"),
    "gtfs": (SHAPES, "trajectory"),
}


def opened_in(line, table):
    """The table with a quotation mark alone in the last cell of a line, counted from 1."""
    first, comma, last = table[line - 1].rpartition(",")
    opened = table[line - 1][:-1] if last.endswith('"') else f'{first}{comma}"{last}'
    return [*table[: line - 1], opened, *table[line:]]


def cut(table, kind="trajectory", name="table.csv", end="\n", **options):
    """The refusal of the lines of a table, or of bytes."""
    data = table if isinstance(table, bytes) else end.join(table).encode()
    error = refusal(FormatError, read_bytes, data, name, kinds=[kind] if isinstance(kind, str) else kind, **options)
    assert error.code == "bad_quoting"
    return error


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("what", TABLES)
def test_one_that_is_never_closed_is_refused_with_its_line(what, end):
    table, kind = TABLES[what]
    if end == "\r" and what in ("porto", "gtfs"):
        pytest.skip("the format has no such lines")
    for line in (2, 6, len(table)):
        for last in ([], [""]):
            error = cut([*opened_in(line, table), *last], kind, end=end)
            assert error.row == line
            assert f"The quotation mark in line {line} opens a cell that is never closed." in error.message


def test_of_the_header_and_after_later_cells_and_cells_over_several_lines():
    for table, kind in itertools.islice(TABLES.values(), 3):
        assert cut(opened_in(1, table), kind).row == 1
        assert cut(opened_in(5, table), KINDS).row == 5
    table = opened_in(4, TRACK)
    table[8] = table[8].replace(",a", ',"a"')
    assert cut(table).row == 4
    table = opened_in(9, TRACK)
    table[3] = table[3].replace(",a", ',"two\nlines, ""and"" a comma"')
    assert cut(table).row == 10
    cell = table[6].replace(",a", ',"closed\nhere","opened')
    assert cut([*table[:6], cell, *TRACK[7:]]).row == 9


def test_in_every_encoding_with_every_separator():
    table = opened_in(7, TRACK)
    for encoding in ("utf-8-sig", "utf-16", "latin-1"):
        assert cut("\n".join(table).replace(",a", ",é").encode(encoding)).row == 7
    for mark, delimiter in ((";", ";"), ("\t", "tab"), ("|", "|")):
        other = [line.replace(",", mark) for line in table]
        assert cut(other).row == 7
        assert cut(other, delimiter=delimiter).row == 7


def test_cells_that_span_lines_marks_within_cells_and_cells_that_are_too_long():
    for cells in ({4: ',"one\r\ntwo, ""three""\n"', 5: ',"a" '}, {4: ',5" pipe', 7: ',"a" b"'}):
        table = [line.replace(",a", cells.get(i, ",a")) for i, line in enumerate(TRACK)]
        found = read_bytes("\n".join(table).encode())
        assert (len(found), found.report.dropped) == (40, {})
    table = list(TRACK)
    table[4] = table[4].replace(",a", ',"' + "terms\n" * 30_000 + '"')
    for rows in (table, table[:5]):  # before others, and at the end
        error = refusal(FormatError, read_bytes, "\n".join(rows).encode())
        assert (error.code, error.row) == ("line_too_long", 5)
        assert "more than 131,072 characters" in error.message


class TestLong:
    """Tables that are read block by block."""

    @pytest.fixture
    def long(self):
        rows = (f"2024-01-01T00:00:00.{i:06d}Z,2.{300_000 + i},48.{800_000 + i},a" for i in range(90_000))
        table = ["time,lon,lat,id", *rows]
        assert len("\n".join(table)) > 2 * blockwise.BLOCK
        return table

    @each("line", [3, 45_000, 90_001])
    def test_the_line_is_that_of_the_file(self, long, line):
        assert cut(opened_in(line, long)).row == line

    def test_a_cell_over_the_end_of_a_block_is_read(self, long):
        text = "\n".join(long)
        at = text.rindex("\n", 0, blockwise.BLOCK)
        line = text.count("\n", 0, at)
        long[line] = long[line].replace("2024", '"2024', 1).replace("Z,", 'Z\n",', 1)
        assert len(read_bytes("\n".join(long).encode())) == 90_000


class TestPacked:
    def test_in_an_archive_the_member_is_named(self):
        for table, kind in (TABLES["trajectories"], TABLES["check-ins"]):
            error = cut(zipped(**{"folder/walk.csv": "\n".join(opened_in(7, table))}), kind, "a.zip")
            assert error.row == 7
            assert error.message.startswith("walk.csv: The quotation mark in line 7 opens")
            assert str(error) == error.message
        assert cut(gzip.compress("\n".join(opened_in(7, TRACK)).encode()), name="a.csv.gz").row == 7

    def test_of_several_members_the_others_are_read(self):
        data = zipped(**{"bad.csv": "\n".join(opened_in(7, TRACK)), "good.csv": "\n".join(TRACK)})
        found = read_bytes(data, "a.zip")
        assert len(found) == 40
        (listed,) = (one for one in found.report.members if one.get("reason"))
        assert listed["name"] == "bad.csv"
        assert "in line 7" in listed["message"]
        assert "bad.csv" not in listed["message"]


def test_the_preview_of_a_part_refuses_no_cell_that_may_be_closed_further_on():
    found = formats.preview(io.BytesIO("\n".join(opened_in(7, TRACK)).encode()), name="a.csv")
    assert found.problem.row == 7
    table = list(TRACK)
    table[30] = table[30].replace(",a", ',"' + "line\n" * 60_000 + "x\n" * 200_000 + '"')
    found = formats.preview(io.BytesIO("\n".join(table).encode()), name="a.csv")
    assert (found.whole, found.problem) == (False, None)
    assert [column.name for column in found.columns] == ["time", "lon", "lat", "name"]


CELL = st.text(alphabet='ab,"\n;', max_size=6)


@settings(max_examples=300)
@given(st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=6))
def test_every_quoted_table_is_read_back_with_its_lines(rows):
    texts = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows]
    starts = [1 + sum(text.count("\n") for text in texts[:i]) for i in range(len(texts))]
    for last in ("\n", ""):
        lines = io.StringIO("".join(texts).removesuffix("\n") + last, newline="")
        assert list(rows_of(lines, ",")) == list(zip(starts, rows, strict=True))


@settings(max_examples=300)
@given(st.lists(st.lists(CELL, min_size=1, max_size=3), max_size=4), CELL.filter(lambda text: '"' not in text))
def test_every_open_mark_at_the_end_is_refused(rows, rest):
    before = "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows)
    error = refusal(FormatError, list, rows_of(io.StringIO(f'{before}1,"{rest}', newline=""), ","))
    assert error.row == before.count("\n") + 1
