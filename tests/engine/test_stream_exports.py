"""Published counts and positions as tables: cells, and groups of rows."""

import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq

from privacy_engine.data import Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.exports import parquet
from privacy_engine.stream_release import StreamRelease
from tests.engine.test_exports import exported


def test_every_row_of_counts_has_all_columns_and_the_first_alone_the_label():
    release = StreamRelease(
        np.array([[1, 2], [3, 4]]), ("a", "=b"), ["=1+1", 'day "2"'], None, np.ones(2), private=True
    )
    out = io.BytesIO()
    datatypes["stream"].write(release, "csv", out, label={"epsilon": 1.0})
    header, first, second = csv.reader(io.StringIO(out.getvalue().decode()))
    assert len(header) == len(first) == len(second) == 5
    assert not first[0].startswith("=")
    assert (first[1:3], second[:3]) == (["1", "2"], ['day "2"', "3", "4"])
    assert json.loads(first[4]) == {"epsilon": 1.0}
    assert second[3:] == ["", ""]


def test_a_group_of_rows_is_written_when_it_is_full(monkeypatch):
    monkeypatch.setattr(parquet, "_ROW_GROUP", 6)
    series = [Trajectory(np.arange(3.0), np.arange(3.0), None, f"s{i}") for i in range(5)]
    table = pq.ParquetFile(io.BytesIO(exported(series, "parquet")))
    groups = [table.metadata.row_group(i).num_rows for i in range(table.num_row_groups)]
    assert groups == [6, 6, 3]
