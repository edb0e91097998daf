"""Workbooks and Feather files that pandas writes and reads back: dates, sheets, other kinds, hostile ones."""

import gzip
import io
import re
import struct
import subprocess
import sys
import zipfile
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats import KINDS, Limits, preview, read
from tests.cases import each, refusal
from tests.engine.damaged_files import damaged, survive
from tests.engine.failing_files import arrow_stream as stream
from tests.engine.format_samples import CSV, read_bytes, refused, shows, zipped
from tests.engine.format_samples import workbook as in_lines
from tests.engine.frame_sample import FIX, fixes, matches_frame
from tests.engine.memory import peak_bytes
from tests.later import openpyxl
from tests.later import pandas as pd
from tests.patience import patience

SHEET = "xl/worksheets/sheet1.xml"
UTC = {"time_zone": "UTC"}
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
BINARY = zipped(**{"[Content_Types].xml": b"<Types/>", "xl/workbook.bin": b""})


@cache
def naive():
    """Workbooks hold no time zones."""
    return fixes().assign(time=fixes()["time"].dt.tz_localize(None))


@cache
def info():
    return pd.DataFrame({"about": ["made by", "version"], "value": ["a logger", "1.2"]})


def workbook(**sheets):
    out = io.BytesIO()
    with pd.ExcelWriter(out, engine="openpyxl") as writer:
        for name, frame in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return out.getvalue()


def of_cells(*rows, formats=None):
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    for cell, number_format in (formats or {}).items():
        book.active[cell].number_format = number_format
    book.save(out)
    return out.getvalue()


def changed(data, member, change):
    """The workbook with another content of one of its parts: what ``change`` makes of it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info)
            new.writestr(info.filename, change(content) if info.filename == member else content)
    return out.getvalue()


class TestCells:
    @each("form", ["", "%Y-%m-%dT%H:%M:%SZ", "%d/%m/%Y %H:%M:%S+00:00", "%s"])
    def test_dates_as_cells_texts_and_numbers(self, form):
        when = naive()["time"]
        when = [FIX, FIX + 60, FIX + 120] if form == "%s" else when.dt.strftime(form) if form else when
        matches_frame(workbook(fixes=naive().assign(time=when)), "x.xlsx", "xlsx", **({} if form else UTC))

    def test_columns_of_times(self):
        frame = naive().rename(columns={"time": "ais pos"}).assign(time_zone="Europe/Berlin")
        shows(workbook(fixes=frame), "x.xlsx", given=UTC, seconds=[FIX, FIX + 60, FIX + 120])
        when = pd.Timestamp(FIX, unit="s").to_pydatetime()
        cells = [when.replace(hour=0), when.time(), 52.5, 13.4]  # a date and a time of day
        data = of_cells(["Date", "Time", "lat", "lon"], cells, formats={"A2": "dd/mm/yyyy"})
        shows(data, given=UTC, seconds=[FIX])

    def test_rows_above_the_header_empty_rows_errors_and_formulas(self):
        rows = [["lat", "lon"], [52.5, 13.4], [], ["#N/A", 13.4], ["a\nb", 13.4], [52.6, 13.5]]
        data = of_cells(["Export of a logger"], [], *rows)
        found = shows(data, "x.xlsx", lat=[52.5, 52.6], rows={"missing": [6], "not_a_number": [7]})
        assert found.report.unit == "row"
        data = of_cells(["lat", "lon"], [52.5, "=13+0.4"], [52.6, 13.5])
        stored = changed(data, SHEET, lambda xml: xml.replace(b"<f>13+0.4</f><v />", b"<f>13+0.4</f><v>13.4</v>"))
        shows(stored, lon=[13.4, 13.5])
        shows(data, dropped={"missing": 1})


class TestSheets:
    def test_the_first_with_positions_or_times_is_read_and_named(self):
        data = workbook(Info=info(), Fixes=naive(), Other=naive().head(1))
        found = shows(data, given=UTC, points=3)
        guessed = [(one["value"], one["option"]) for one in found.report.guesses if one["what"] == "sheet"]
        assert guessed == [("Fixes", "sheet")]
        shows(data, given=UTC | {"sheet": "Other"}, points=1)
        data = workbook(Info=info(), Fixes=naive())
        error = refused(data, "unknown_sheet", "The sheets are: 'Info', 'Fixes'.", sheet="Points")
        assert (error.field, error.value) == ("sheet", "Points")
        with pytest.raises(ParameterError, match="sheet"):
            read_bytes(CSV, sheet="Points")
        refused(of_cells(["only one cell"]), "no_rows", "No sheet of the workbook holds a table")


class TestRefusals:
    def test_other_documents_and_sizes_that_a_sheet_only_claims(self):
        old = "old (.xls) or encrypted Office document; save it as .xlsx without a password"
        calc = zipped(mimetype=b"", **{"content.xml": b"<x/>", "META-INF/manifest.xml": b"<x/>"})
        slides = zipped(**{"[Content_Types].xml": b"<Types/>", "ppt/presentation.xml": b""})
        for data, text in ((OLD, old), (BINARY, "binary workbook (.xlsb)"), (calc, "OpenDocument"), (slides, "")):
            refused(data, "other_kind", text, "x.xlsx")
        data = of_cells(["lat", "lon"], [52.5, 13.4])
        far = changed(data, SHEET, lambda xml: xml.replace(b'<row r="2"', b'<row r="2000000000"'))
        assert refusal(FormatError, read_bytes, far).code in ("too_large", "no_rows")
        claim = changed(data, SHEET, lambda xml: re.sub(rb'ref="[^"]*"', b'ref="A1:XFD1048576"', xml, count=1))
        shows(claim, points=1)

    def test_macros_are_not_run(self, tmp_path):
        data = workbook(fixes=naive().assign(time="2024-06-15T12:00:00Z"))
        with_macros = tmp_path / "x.xlsm"
        with_macros.write_bytes(data)
        with zipfile.ZipFile(with_macros, "a") as archive:
            archive.writestr("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0")
        assert len(read(with_macros)) == 3

    def test_bombs_are_stopped_before_they_are_unpacked(self):
        data = of_cells(["lat", "lon"], [52.5, 13.4])
        blanks = changed(data, SHEET, lambda xml: xml + b" " * 60_000_000)
        refused(blanks, "compression_ratio")
        refused(blanks, "too_large", limits=Limits(ratio=10**9, total=10**7))
        entities = b'<!DOCTYPE x [<!ENTITY a "' + b"x" * 9 * 10**5 + b'">]>'
        row = b"<row><c t='str'><v>" + b"&a;" * 2000 + b"</v></c></row>"
        sheet = b"<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>"
        bomb = changed(data, SHEET, lambda _: entities + sheet + row * 2 + b"</sheetData></worksheet>")
        assert peak_bytes(lambda: refused(bomb, "xml_doctype", limits=Limits(ratio=10**9))) < 150_000_000

    @pytest.mark.slow
    def test_damage(self):
        data = workbook(fixes=naive())
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name for name in archive.namelist() if name.startswith("xl/") and name.endswith(".xml")]
        for name in names:
            for seed in range(60):
                survive(changed(data, name, lambda content, seed=seed: damaged(content, seed)))

    @pytest.mark.slow
    def test_memory_is_that_of_the_columns_and_not_of_the_sheet(self):
        rows = [
            [f"2024-06-15T{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}Z", 52.5, 13.4, i / 7] for i in range(7000)
        ]
        few, data = (in_lines([["time", "lat", "lon", "noise"], *some]) for some in (rows[:9], rows))
        read(io.BytesIO(few))  # loads what reads
        assert peak_bytes(lambda: shows(data, points=7000)) < 4_200_000  # 2.3 MB; a sheet that is held has 3.2 MB more


class TestNamedCsv:
    """Spreadsheets by another name: read where they can be, called spreadsheets where not."""

    @each("options", [{}, {"format": "csv"}])
    def test_a_workbook_is_read_as_what_it_is(self, options):
        found = shows(workbook(Sheet=naive()), "walk.csv", given=options, points=3)
        assert found.report.format_title == "Excel workbook"

    @each("kinds", [("trajectory",), ("trajectory", "stream", "checkins")])
    @each("options", [{}, {"format": "csv"}])
    @each("what", ["old", "oldest", "calc", "binary", "cut", "xml", "flat", "gzip", "zip"])
    def test_others_are_called_spreadsheets(self, what, options, kinds):
        book = workbook(Sheet=naive())
        mimetype = b"application/vnd.oasis.opendocument.spreadsheet"
        urn = b"urn:schemas-microsoft-com:office:spreadsheet"
        files = {
            "old": OLD,
            "oldest": b"\t\x08\x08\0\0\x05\x05\0" + b"\x01\x02" * 300,
            "calc": zipped(mimetype=mimetype, **{"content.xml": b"<x/>", "META-INF/manifest.xml": b"<x/>"}),
            "binary": BINARY,
            "cut": book[: len(book) // 2],
            "xml": b'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="' + urn + b'"/>',
            "flat": b'\xef\xbb\xbf<?xml version="1.0"?><office:document office:mimetype="' + mimetype + b'"/>',
            "gzip": gzip.compress(book),
            "zip": zipped(**{"walk.csv": book}),
        }
        error = refusal(FormatError, read_bytes, files[what], "walk.csv", kinds=kinds, **options)
        assert "spreadsheet" in error.message
        assert re.search(r"save .* (as|again)|Save|Unpack", error.message)


def feather(frame, **options):
    out = io.BytesIO()
    frame.to_feather(out, **options)
    return out.getvalue()


class TestFeather:
    @each("compression", [None, "lz4", "zstd"])
    def test_files_and_streams_of_several_batches(self, compression):
        for data in (
            feather(fixes(), compression=compression or "uncompressed"),
            stream(pa.Table.from_pandas(fixes()), 2, compression),
        ):
            assert matches_frame(data, "x.arrow", "feather").report.notes == []

    @each("kind", [pa.string_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
    def test_texts_as_polars_and_categories_write_them(self, kind):
        table = pa.Table.from_pandas(fixes())
        table = table.set_column(0, "user", pa.array(fixes()["user"].tolist(), pa.string()).cast(kind))
        matches_frame(stream(table, 2), "x.arrow", "feather")

    def test_columns(self):
        decimals = {axis: pa.array(fixes()[axis].tolist()).cast(pa.decimal128(12, 4)) for axis in ("lon", "lat")}
        table = pa.table({**decimals, "time": pa.nulls(3)})  # a column without values
        shows(stream(table, 2), lon=fixes()["lon"].tolist(), seconds=None)
        twins = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0]), pa.array([3.0])], ["lat", "x", "x"])
        shows(stream(twins, 2), given={"lon": "#3"}, lon=[3.0])


def sheet(frame):
    frame = frame.assign(time=frame["time"].dt.tz_localize(None)) if "time" in frame else frame
    return workbook(Info=info(), Data=frame)


@each(("fmt", "written"), [("feather", feather), ("xlsx", sheet)])
class TestBoth:
    def test_the_preview_shows_what_is_read(self, fmt, written):
        given = UTC if fmt == "xlsx" else {}
        data = written(fixes())
        found = preview(io.BytesIO(data), name=f"x.{fmt}", **given)
        roles = {column.role: column.name for column in found.columns}
        assert roles == {"id": "user", "time": "time", "lon": "lon", "lat": "lat"}
        assert (found.format, found.problem, len(found.rows), found.rows[2].cells[0]) == (fmt, None, 3, "b")
        assert (found.whole, found.delimiter, found.header, found.editable) == (True, "", True, True)
        assert fmt == "feather" or found.rows[0].cells[1] == "2024-06-15 12:00:00"
        shows(data, given=given | found.mapping, series=read_bytes(data, **given).report.series)

    def test_other_kinds(self, fmt, written):
        counts = pd.DataFrame({"date": ["2024-06-15", "2024-06-16"], "north": [3, 4], "south": [5, 6]})
        found = read_bytes(written(counts), f"x.{fmt}", kinds=KINDS)
        assert found.other.counts.tolist() == [[3, 5], [4, 6]]
        sheets = [one["value"] for one in found.report.guesses if one["what"] == "sheet"]
        assert sheets == (["Data"] if fmt == "xlsx" else [])
        visits = pd.DataFrame({"user_id": [1, 1], "venue_id": ["p", "q"], "time": fixes()["time"][:2]})
        found = read_bytes(written(visits), f"x.{fmt}", kinds=KINDS, **(UTC if fmt == "xlsx" else {})).other
        assert (found.time_s.tolist(), list(found.places)) == ([FIX, FIX + 60], ["p", "q"])


class TestHostileFeather:
    def test_version_1_no_rows_no_columns_and_half_a_file(self):
        refused(b"FEA1" + bytes(100) + b"FEA1", "old_feather", "version 2: pandas.read_feather", "x.feather")
        refused(stream(pa.Table.from_pandas(fixes()[:0]), 2), "no_points")
        refused(stream(pa.table({}), 2), "no_position_columns")
        data = feather(fixes())
        for end in range(20, len(data), 97):
            refused(data[:end], "bad_feather", name="x.feather")

    @each("compression", ["lz4", "zstd"])
    def test_a_bomb_is_stopped_before_it_is_unpacked(self, compression):
        data = stream(pa.table({axis: np.zeros(10_000_000) for axis in ("lon", "lat")}), 10_000_000, compression)
        assert len(data) < 1_000_000
        refused(data, "compression_ratio")
        refused(data, "too_large", limits=Limits(total=4_000_000))

    def test_texts_and_sizes_that_lead_out_of_the_column(self):
        data = stream(pa.table({"lat": [1.0, 2.0], "lon": [1.0, 2.0], "id": ["abc", "Zür"]}), 2)
        offsets = struct.pack("<iii", 0, 3, 7)
        assert data.count(offsets) == 1
        refused(data.replace(offsets, struct.pack("<iii", 0, 3, 1 << 30)), "bad_feather")
        refused(data.replace("ü".encode(), b"\xff\xff"), "bad_feather")
        data = stream(pa.table({axis: np.zeros(1000) for axis in ("lon", "lat")}), 1000, "zstd")
        size = struct.pack("<q", 8000)
        assert data.count(size) >= 2
        refused(data.replace(size, struct.pack("<q", 1 << 50)), "too_large")
        refused(data.replace(size, struct.pack("<q", 9000)), "bad_feather")


def sweep():
    """Read thousands of damaged files of each kind; run in a process of its own, which a crash would end."""
    table = pa.Table.from_pandas(fixes())
    table = table.set_column(0, "user", pa.array(fixes()["user"].tolist()).dictionary_encode())
    for data in (feather(fixes()), feather(fixes(), compression="zstd"), stream(table, 2), stream(table, 2, "lz4")):
        for seed in range(1000):
            survive(damaged(data, seed))
            survive(damaged(data, seed), kinds=("stream", "checkins"))


@pytest.mark.slow
def test_damage_never_ends_the_process():
    program = "from tests.engine.test_formats_workbook import sweep; sweep()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=patience(170))
