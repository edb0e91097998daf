"""Parquet files end to end: what is read of the joined file is what is read of the parts, by every reader."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.storage import parquet, parquet_footer

SIZES = st.lists(st.integers(0, 400), min_size=1, max_size=20)


def table(rng, rows):
    columns = {
        "series": rng.integers(0, 9, rows).astype(np.int32),
        "lon": rng.integers(-(2**31), 2**31, rows).astype(np.int32),
        "fresh": rng.random(rows) < 0.5,
        "error_m": rng.random(rows),
    }
    return pa.table(columns).replace_schema_metadata({"series": "a part's"})


@pytest.mark.slow
@settings(deadline=None)
@given(SIZES, st.integers(1, 200), st.integers(0, 9))
def test_the_joined_file_has_the_rows_of_all_parts(tmp_path_factory, sizes, row_group, seed):
    rng, folder = np.random.default_rng(seed), tmp_path_factory.mktemp("parts")
    tables = [table(rng, rows) for rows in sizes]
    paths = [folder / f"{i}.parquet" for i in range(len(tables))]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parquet, "ROW_GROUP", row_group)
        for path, part in zip(paths, tables, strict=True):
            parquet.write_table(path, part, differences=["series", "lon"])
    names = {"series": "of all " * 50}
    parquet.join(folder / "joined.parquet", paths, metadata=names)
    expected = pa.concat_tables(tables).replace_schema_metadata(names)
    joined = folder / "joined.parquet"
    read = parquet.read_table(joined)
    assert read.equals(expected, check_metadata=True)
    assert parquet.rows_of(joined) == sum(sizes)
    assert pq.ParquetFile(joined, page_checksum_verification=True).read().equals(expected)
    first, last = sorted(rng.integers(0, sum(sizes) + 1, 2).tolist())
    rows = parquet.Rows(joined).columns(first, last)
    for name in expected.column_names:
        np.testing.assert_array_equal(rows[name], expected.column(name).to_numpy()[first:last])
    groups = pq.ParquetFile(joined).metadata
    assert [groups.row_group(i).num_rows for i in range(groups.num_row_groups)] == [
        pq.ParquetFile(path).metadata.row_group(i).num_rows
        for path in paths
        for i in range(pq.ParquetFile(path).metadata.num_row_groups)
    ]


def test_damage_of_a_joined_page_is_noticed(tmp_path):
    paths = [tmp_path / "0", tmp_path / "1"]
    for path in paths:
        parquet.write_table(path, table(np.random.default_rng(0), 500))
    parquet.join(tmp_path / "joined", paths)
    content = bytearray((tmp_path / "joined").read_bytes())
    content[len(content) * 3 // 5] ^= 255  # in the second part's pages
    (tmp_path / "joined").write_bytes(content)
    with pytest.raises(OSError, match=r"CRC|checksum|[Cc]orrupt"):
        parquet.read_table(tmp_path / "joined")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\xff" * 20 + b"PAR1", b"no Parquet at all"])
def test_what_is_no_parquet_file_is_refused(content):
    with pytest.raises((ValueError, OSError)):
        parquet_footer.join(io.BytesIO(), io.BytesIO(content), [])


def test_footers_of_other_writers_stay_as_they_are():
    """Statistics, dictionaries and fields of the writer are decoded and encoded to the same bytes."""
    out = io.BytesIO()
    pq.write_table(table(np.random.default_rng(1), 1000), out, compression="snappy", version="1.0", row_group_size=64)
    footer, start = parquet_footer._footer(out)
    content = bytearray()
    parquet_footer._write_struct(content, footer)
    assert bytes(content) == out.getvalue()[start:-8]
