"""Feather and Arrow files that pandas and pyarrow write and read back; hostile ones."""

import io
import struct
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from privacy_engine.data import KINDS
from privacy_engine.formats import Limits, preview
from tests.cases import each
from tests.engine.damaged_files import damaged, survive
from tests.engine.failing_files import arrow_stream as stream
from tests.engine.format_samples import read_bytes, refused, shows
from tests.engine.frame_sample import FIX, fixes, matches_frame
from tests.later import pandas as pd
from tests.patience import patience


def feather(frame, **options):
    out = io.BytesIO()
    frame.to_feather(out, **options)
    return out.getvalue()


class TestTables:
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

    def test_other_kinds(self):
        counts = pd.DataFrame({"date": ["2024-06-15", "2024-06-16"], "north": [3, 4], "south": [5, 6]})
        assert read_bytes(feather(counts), kinds=KINDS).other.counts.tolist() == [[3, 5], [4, 6]]
        visits = pd.DataFrame({"user_id": [1, 1], "venue_id": ["p", "q"], "time": fixes()["time"][:2]})
        found = read_bytes(feather(visits), kinds=("stream", "checkins")).other
        assert (found.time_s.tolist(), list(found.places)) == ([FIX, FIX + 60], ["p", "q"])

    def test_the_preview_shows_the_rows_and_roles_of_the_file(self):
        found = preview(io.BytesIO(feather(fixes())), name="x.feather")
        roles = {column.role: column.name for column in found.columns}
        assert roles == {"id": "user", "time": "time", "lon": "lon", "lat": "lat"}
        assert (len(found.rows), found.rows[2][0], found.whole, found.delimiter) == (3, "b", True, "")


class TestRefusals:
    def test_version_1(self):
        refused(b"FEA1" + bytes(100) + b"FEA1", "old_feather", "version 2: pandas.read_feather", "x.feather")

    @each("compression", ["lz4", "zstd"])
    def test_a_bomb_is_stopped_before_it_is_unpacked(self, compression):
        data = stream(pa.table({axis: np.zeros(10_000_000) for axis in ("lon", "lat")}), 10_000_000, compression)
        assert len(data) < 1_000_000
        refused(data, "compression_ratio")
        refused(data, "too_large", limits=Limits(total=4_000_000))

    def test_no_rows_no_columns_and_half_a_file(self):
        refused(stream(pa.Table.from_pandas(fixes()[:0]), 2), "no_points")
        refused(stream(pa.table({}), 2), "no_position_columns")
        data = feather(fixes())
        for end in range(20, len(data), 97):
            refused(data[:end], "bad_feather", name="x.feather")

    def test_texts_that_lead_out_of_the_column_or_are_no_utf_8(self):
        data = stream(pa.table({"lat": [1.0, 2.0], "lon": [1.0, 2.0], "id": ["abc", "Zür"]}), 2)
        offsets = struct.pack("<iii", 0, 3, 7)
        assert data.count(offsets) == 1
        refused(data.replace(offsets, struct.pack("<iii", 0, 3, 1 << 30)), "bad_feather")
        refused(data.replace("ü".encode(), b"\xff\xff"), "bad_feather")

    def test_a_size_that_a_buffer_only_claims(self):
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
    program = "from tests.engine.test_formats_feather import sweep; sweep()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=patience(170))
