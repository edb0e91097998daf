"""Feather and Arrow files that pandas, geopandas and pyarrow write and read back; hostile ones."""

import io
import struct
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from privacy_engine.data import CheckIns, CountStream
from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats import Limits, preview, read
from tests.cases import each, refusal
from tests.engine.damaged_files import damaged, survive
from tests.engine.format_samples import read_bytes, seconds
from tests.engine.frame_sample import FIX, fixes
from tests.later import geopandas
from tests.later import pandas as pd
from tests.patience import patience


def feather(frame, **options):
    out = io.BytesIO()
    frame.to_feather(out, **options)
    return out.getvalue()


def stream(table, rows=2, compression=None):
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return out.getvalue()


def matches(data, name, expected=None):
    expected = fixes() if expected is None else expected
    reading = read_bytes(data, name)
    assert (reading.report.format, reading.report.notes) == ("feather", [])
    assert [(one.name, one.person) for one in reading.series] == [("a", "a"), ("b", "b")]
    lon, lat = (np.concatenate([getattr(one, axis) for one in reading.series]) for axis in ("lon", "lat"))
    assert (lon.tolist(), lat.tolist()) == (expected["lon"].tolist(), expected["lat"].tolist())
    assert [one for series in reading.series for one in seconds(series)] == [FIX, FIX + 60, FIX + 120]


class TestTables:
    @each("compression", ["uncompressed", "lz4", "zstd"])
    def test_files_that_pandas_writes(self, compression):
        data = feather(fixes(), compression=compression)
        matches(data, "x.feather", pd.read_feather(io.BytesIO(data)))

    @each("compression", [None, "lz4", "zstd"])
    def test_streams_of_several_batches(self, compression):
        data = stream(pa.Table.from_pandas(fixes()), compression=compression)
        matches(data, "x.arrows", pa.ipc.open_stream(data).read_pandas())

    @each("kind", [pa.string_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
    def test_texts_as_polars_and_categories_write_them(self, kind):
        table = pa.Table.from_pandas(fixes())
        table = table.set_column(0, "user", pa.array(fixes()["user"].tolist(), pa.string()).cast(kind))
        matches(stream(table), "x.arrow")

    def test_decimals_and_a_column_without_values(self):
        decimals = {axis: pa.array(fixes()[axis].tolist()).cast(pa.decimal128(12, 4)) for axis in ("lon", "lat")}
        one = read_bytes(stream(pa.table({**decimals, "time": pa.nulls(3)}))).series[0]
        assert (one.lon.tolist(), one.time_s) == (fixes()["lon"].tolist(), None)

    @each("system", ["EPSG:4326", "EPSG:3857"])
    def test_geometries_that_geopandas_writes(self, system):
        points = geopandas.points_from_xy(fixes()["lon"], fixes()["lat"], crs="EPSG:4326")
        out = io.BytesIO()
        geopandas.GeoDataFrame(fixes()[["user", "time"]], geometry=points).to_crs(system).to_feather(out)
        again = geopandas.read_feather(out).to_crs("EPSG:4326")
        found = read_bytes(out.getvalue(), "x.feather").series
        assert np.concatenate([one.lon for one in found]) == pytest.approx(again.geometry.x, abs=1e-9)
        assert np.concatenate([one.lat for one in found]) == pytest.approx(again.geometry.y, abs=1e-9)

    def test_columns_of_one_name_are_distinguished(self):
        table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0]), pa.array([3.0])], ["lat", "x", "x"])
        assert read_bytes(stream(table), lon="#3").series[0].lon.tolist() == [3.0]

    def test_other_kinds(self):
        counts = pd.DataFrame({"date": ["2024-06-15", "2024-06-16"], "north": [3, 4], "south": [5, 6]})
        found = read(io.BytesIO(feather(counts)), name="x.feather", kinds=("trajectory", "stream", "checkins")).other
        assert isinstance(found, CountStream)
        assert found.counts.tolist() == [[3, 5], [4, 6]]
        visits = pd.DataFrame({"user_id": [1, 1], "venue_id": ["p", "q"], "time": fixes()["time"][:2]})
        found = read(io.BytesIO(feather(visits)), name="x.feather", kinds=("stream", "checkins")).other
        assert isinstance(found, CheckIns)
        assert (found.time_s.tolist(), list(found.places)) == ([FIX, FIX + 60], ["p", "q"])

    def test_the_preview_shows_the_rows_and_roles_of_the_file(self):
        found = preview(io.BytesIO(feather(fixes())), name="x.feather")
        assert {column.role: column.name for column in found.columns} == {
            "id": "user",
            "time": "time",
            "lon": "lon",
            "lat": "lat",
        }
        assert (len(found.rows), found.rows[2][0], found.whole, found.delimiter) == (3, "b", True, "")

    def test_an_option_of_texts_is_refused(self):
        with pytest.raises(ParameterError, match="delimiter"):
            read_bytes(feather(fixes()), delimiter=";")


class TestRefusals:
    def code(self, data, **values):
        refused = refusal(FormatError, read_bytes, data, "x.feather", **values)
        return refused.code

    def test_version_1(self):
        with pytest.raises(FormatError, match=r"version 2: pandas\.read_feather") as refused:
            read_bytes(b"FEA1" + bytes(100) + b"FEA1", "x.feather")
        assert refused.value.code == "old_feather"

    @each("compression", ["lz4", "zstd"])
    def test_a_bomb_is_stopped_before_it_is_unpacked(self, compression):
        table = pa.table({axis: np.zeros(10_000_000) for axis in ("lon", "lat")})
        data = stream(table, 10_000_000, compression)
        assert len(data) < 1_000_000
        assert self.code(data) == "compression_ratio"
        assert self.code(data, limits=Limits(total=4_000_000)) == "too_large"

    def test_more_rows_than_are_read(self):
        assert self.code(stream(pa.table({"lon": pa.nulls(30_000_000)}), 30_000_000)) == "too_large"

    def test_no_rows_no_columns_and_half_a_file(self):
        assert self.code(stream(pa.Table.from_pandas(fixes()[:0]))) == "no_points"
        assert self.code(stream(pa.table({}))) == "no_position_columns"
        data = feather(fixes())
        assert {self.code(data[:end]) for end in range(20, len(data), 97)} == {"bad_feather"}

    def test_offsets_of_texts_that_lead_out_of_the_column(self):
        data = stream(pa.table({"lat": [1.0, 2.0], "lon": [1.0, 2.0], "id": ["abc", "def"]}))
        offsets = struct.pack("<iii", 0, 3, 6)
        assert data.count(offsets) == 1
        assert self.code(data.replace(offsets, struct.pack("<iii", 0, 3, 1 << 30))) == "bad_feather"

    def test_texts_that_are_no_utf_8(self):
        data = stream(pa.table({"lat": [1.0], "lon": [1.0], "id": ["Zürich"]}))
        assert self.code(data.replace("ü".encode(), b"\xff\xff")) == "bad_feather"

    def test_a_size_that_a_buffer_only_claims(self):
        table = pa.table({axis: np.zeros(1000) for axis in ("lon", "lat")})
        data = stream(table, 1000, "zstd")
        size = struct.pack("<q", 8000)
        assert data.count(size) >= 2
        assert self.code(data.replace(size, struct.pack("<q", 1 << 50))) == "too_large"
        assert self.code(data.replace(size, struct.pack("<q", 9000))) == "bad_feather"


_SWEEP = """
from tests.engine.test_formats_feather import sweep
sweep()
"""


def sweep():
    """Read thousands of damaged files of each kind; run in a process of its own, which a crash would end."""
    table = pa.Table.from_pandas(fixes())
    table = table.set_column(0, "user", pa.array(fixes()["user"].tolist()).dictionary_encode())
    for data in (feather(fixes()), feather(fixes(), compression="zstd"), stream(table), stream(table, 2, "lz4")):
        for seed in range(1000):
            survive(damaged(data, seed))
            survive(damaged(data, seed), kinds=("stream", "checkins"))


@pytest.mark.slow
def test_damage_never_ends_the_process():
    subprocess.run([sys.executable, "-c", _SWEEP], check=True, timeout=patience(170))
