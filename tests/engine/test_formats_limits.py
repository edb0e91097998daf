"""Rules of the readers at their limits: the last value that is one thing, and the first that is the other."""

import gzip
import io
import json
import struct
from contextlib import nullcontext, suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyproj
import pytest

from privacy_engine.errors import ChoiceNeeded, EngineError, FormatError
from privacy_engine.formats import Limits, ReadOptions, crs, preview, shapefile, streams, xmltools
from privacy_engine.formats import times as clocks
from privacy_engine.formats.jsontools import JsonReader
from tests.cases import each, refusal
from tests.engine.failing_files import parquet
from tests.engine.format_samples import CSV, KML, geopackage, read_bytes, refused, zipped
from tests.engine.recorded import whole

CASES = json.loads(Path(__file__).with_name("limit_cases.json").read_text())
NOT = None  # no time


def instants(*cells, **given):
    """Times of a column as text in UTC, NOT for a cell that is none."""
    found = clocks.times(pa.array(list(cells)), ReadOptions(**given))
    return [None if np.isnan(one) else str(np.datetime64(round(one * 1000), "ms")) for one in found.seconds.tolist()]


def day(text):
    """The instant that a text of a date, perhaps with a time of day, is."""
    return text and str(np.datetime64(text, "ms"))


class TestClocks:
    @each(("cells", "instant"), CASES["clocks"])
    def test_one_cell(self, cells, instant):
        assert instants(cells, "2024-6-15") == [day(instant), day("2024-06-15")]
        assert instants(cells) == [day(instant)]

    def test_ways_that_are_quick_read_the_same_cells(self, monkeypatch):
        year_last, year_after = clocks._whole_column_year_last, clocks._whole_column_year_after_clock
        options = ReadOptions()
        for cells, order in (
            (["31/12/2024 23:59"], "dmy"), (["12/31/2024"], "mdy"), (["13/12/2024 10:00:00.5", None], "dmy"),
            (["05/06/2024"], None), (["31/13/2024"], None), (["31/12/2024", "12/31/2024"], None), ([None], None),
        ):  # fmt: skip
            found = year_last(pa.array(cells, pa.string()), options)
            assert (found and found.order) == order, cells
        assert year_last(pa.array(["05/06/2024"]), ReadOptions(date_order="mdy")).seconds.tolist() == [1714953600.0]
        assert year_after(pa.array([None, "Tue Apr 03 18:00:09 +0000 2012"])).seconds[1] == 1333476009.0
        assert year_after(pa.array(["Tue Apr 03 18:00:09 +0000 2012", "x"])) is None
        assert clocks._whole_column(pa.array([None, "2024-06-15T10:30"])).naive.tolist() == [False, True]
        monkeypatch.setattr(clocks, "_match", None)  # the way that is not quick
        for cell in ("2024-06-15T10:30", "15/06/2024 10:30", "Sat Jun 15 10:30:00 +0000 2024"):
            assert instants(cell) == ["2024-06-15T10:30:00.000"]

    @each(("cells", "order"), CASES["orders"])
    def test_the_order_of_dates(self, cells, order):
        if order is None:
            requested = refusal(ChoiceNeeded, instants, *cells)
            long = "/" in cells[0]
            assert [value for value, _ in requested.choices] == (["dmy", "mdy"] if long else ["dmy", "ymd"])
            assert (requested.parameter, requested.default) == ("date_order", "dmy" if long else "ymd")
        else:
            assert clocks.times(pa.array(cells), ReadOptions()).order == order

    @each(("value", "unit"), CASES["units"])
    def test_the_unit_of_a_number(self, value, unit):
        per = {"": np.nan, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
        sure = 1_718_452_800
        for column in (pa.array([value, sure, sure]), pa.array([str(value), str(sure), "?"])):
            found = clocks.times(column, ReadOptions())
            np.testing.assert_array_equal(found.seconds[:2], [value * per[unit], sure])
            size = len(column) - (column.type == pa.string())
            assert found.units == ({"s": size} if unit == "s" else ({unit: 1} if unit else {}) | {"s": size - 1})
            assert (found.unplaced, found.unit) == (int(not unit), "s" if unit == "s" else "size")
        stated = clocks.times(pa.array([value]), ReadOptions(time_unit="ms"))
        assert (stated.seconds[0], stated.unit, stated.units) == (value * 1e-3, "ms", {})

    @each(("values", "default"), CASES["days"])
    def test_which_numbers_may_be_days(self, values, default):
        assert refusal(ChoiceNeeded, instants, *values).default == default

    @each(("values", "seen"), CASES["digits"])
    def test_numbers_that_are_digits_of_dates(self, values, seen):
        if seen == "choice":
            assert refusal(ChoiceNeeded, instants, *values).parameter == "time_unit"
        elif values[0] == 20240615 and len(values) == 2:
            assert instants(*values) == [NOT, day(seen[1])]  # half of them are no majority
        else:
            assert instants(*values) == [day(one) for one in seen]

    @each(("text", "seconds", "naive"), CASES["months"])
    def test_months_by_name(self, text, seconds, naive):
        found = clocks.times(pa.array([text]), ReadOptions())
        assert found.naive.tolist() == [naive]
        assert np.isnan(found.seconds[0]) if seconds is None else found.seconds[0] == seconds


class TestLimits:
    def test_of_bytes_lines_ratio_and_members(self):
        long = b"time,lat,lon," + b"x" * 80 + b"\n1718452800,1,2,3\n"
        packed = gzip.compress(b"lat,lon\n" + b"1,2\n" * 400_000)
        ratio = 1_600_008 // len(packed)
        two = zipped(**{"a.csv": CSV, "b.csv": CSV})
        for data, fine, over, code in (
            (CSV, {"total": len(CSV)}, {"total": len(CSV) - 1}, "too_large"),
            (KML, {"whole": len(KML)}, {"whole": len(KML) - 1}, "too_large"),
            (long, {"line": 93}, {"line": 92}, "line_too_long"),
            (packed, {"ratio": ratio + 1}, {"ratio": ratio}, "compression_ratio"),
            (two, {"members": 2}, {"members": 1}, "too_many_members"),
            (two, {"total": 2 * len(CSV)}, {"total": 2 * len(CSV) - 1}, "too_large"),
        ):
            read_bytes(data, limits=Limits(**fine))
            refused(data, code, limits=Limits(**over))
        assert [Limits().members_of(size) for size in (0, 2_000_999, 2_001_000, 10**9)] == [2000, 2000, 2001, 50_000]

    def test_json_in_pieces_of_any_size(self):
        text = ' {"a": [1, 23, -4.5e1, 2E+1, 3e-1], "b": [], "c": {}, "d": "x", "e": [null, true], "f": 1.5} '
        for size in range(1, 9):

            class Pieces(io.StringIO):
                def read(self, _=-1, size=size):
                    return super().read(size)

            reader, found = JsonReader(Pieces(text), longest=40), {}
            reader.take("{")
            for key in reader.members():
                if reader.next() == "[":
                    reader.take("[")
                    found[key] = list(reader.elements())
                else:
                    found[key] = reader.value()
            assert found == {"a": [1, 23, -45.0, 20.0, 0.3], "b": [], "c": {}, "d": "x", "e": [None, True], "f": 1.5}


MORE_TABLES = "CREATE TABLE more AS SELECT * FROM fixes; CREATE TABLE late AS SELECT fid, geom FROM fixes;" + "".join(
    f"INSERT INTO gpkg_geometry_columns VALUES ('{name}', 'geom', 'POINT', 4326, 0, 0);" for name in ("more", "late")
)


@each(
    ("data", "given"),
    [
        *((geopackage(MORE_TABLES), given) for given in ({}, {"person": "series"}, {"members": {"more": None}})),
        (geopackage(MORE_TABLES.replace("late AS SELECT fid", "late AS SELECT t, fid")), {"id": "#0"}),
        (parquet(latitudeE7=[525200000], longitudeE7=[134050000]), {}),
        (parquet(lat=[1.5, None], lon=[2.5, 3.0], user=pa.array(["a", "b"]).dictionary_encode()), {}),
        (parquet(day=pa.array(["2024-01-01"]).dictionary_encode(), a=[1], b=[[2]]), {"kinds": ["stream"]}),
        (parquet(lat=[], lon=[]), {}), (parquet(a=[[1]]), {"kinds": ["stream"]}), (b" " * 70_000 + b"x", {}),
        (zipped(**{f"m{i}.txt": b"x" for i in range(1002)}, a=CSV), {"name": "x.zip"}),
    ],
)  # fmt: skip
def test_tables_in_binary_files(data, given):
    with suppress(EngineError):
        read_bytes(data, **given)


def test_more_cells_than_a_table_of_counts_may_have_and_descriptions_of_systems(monkeypatch):
    for most, fits in ((4, True), (3, False)):
        monkeypatch.setattr(streams, "MAX_CELLS", most)
        for head, rows in (("date,a,b", "{},1,2"), ("date,shop,n", "{},x,1\n{},y,1")):
            data = "\n".join([head, *(rows.replace("{}", f"2024-01-0{day}") for day in (1, 2))]).encode()
            if fits:
                assert read_bytes(data, kinds=["stream"]).data.counts.shape == (2, 2)
            else:
                refused(data, "too_large", kinds=["stream"])
    described = pyproj.CRS.from_epsg(32633)
    for text in (described.to_wkt(), described.to_wkt("WKT1_ESRI"), "EPSG:32633"):
        assert crs.of_description(text) == "EPSG:32633"
    assert crs.of_description("PROJCS[x") == "PROJCS[x"


def test_tokens_of_xml_are_not_deferred(monkeypatch):
    """By newer versions of expat, which may not be installed here."""
    stated = []
    monkeypatch.setattr(
        xmltools.expat, "ParserCreate", lambda *_: SimpleNamespace(SetReparseDeferralEnabled=stated.append)
    )
    xmltools.Parser(print)
    assert stated == [False]


def test_the_tables_of_a_shapefile_agree():
    for rows, size, index, fine in CASES["shapefiles"]:
        dbf = struct.pack("<IIHH", 3, rows, 32, 10).ljust(size, b"\0")
        expected = nullcontext() if fine else pytest.raises(FormatError, match="do not hold the same number of rows")
        with expected:
            shapefile._check({".dbf": dbf[:size], ".shx": bytes(100 + index)}, "x")


@pytest.mark.parametrize("topic", CASES["files"])
def test_small_files_of_every_format(topic):
    """What is read of each, why it is refused, and its preview are as recorded."""
    for text, given in CASES["files"][topic]:
        packed = isinstance(text, dict)
        plain = b"" if packed else bytes.fromhex(text[4:]) if text.startswith("hex:") else text.encode()
        data, given = zipped(**text) if packed else plain, {"name": "x.zip" if packed else "x", **given}
        with suppress(EngineError):
            read_bytes(data, **given)
        with suppress(EngineError):
            whole([getattr(preview(io.BytesIO(data)), what) for what in ("mapping", "rows", "header", "problem")])
