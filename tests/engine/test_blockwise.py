"""A long table read block by block gives the series and the report that it gives as a whole."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privacy_engine.formats import blockwise, parquet, read
from tests.examples import examples


def lines(rows, start=0):
    return [
        f"u{i % 3},2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,52.{i:04d},13.{i:04d}" for i in range(start, start + rows)
    ]


def as_parquet(text):
    """The rows of a table that have all its cells, as a Parquet file whose columns are texts."""
    rows = [line.split(",") for line in text.removeprefix("\ufeff").split("\n")]
    columns = zip(*(row for row in rows if len(row) == len(rows[0])), strict=True)
    out = io.BytesIO()
    pq.write_table(pa.table({name: pa.array(cells) for name, *cells in columns}), out)
    return out.getvalue()


def outcome(content, refusals=(), **options):
    """Names, columns and report of what is read, or the refusal where it may be refused."""
    try:
        found = read(io.BytesIO(content), name="x", **options)
    except refusals as refused:
        return str(refused)
    columns = [[getattr(one, name) for name in ("lon", "lat", "time_s")] for one in found.series]
    bits = [[None if one is None else one.tobytes() for one in columns_of] for columns_of in columns]
    return [one.name for one in found.series], bits, found.report.as_dict()


def read_alike(text, monkeypatch, **options):
    """Assert that a table is read as a whole as it is in blocks."""
    for content in (text.encode(), as_parquet(text)):
        found = []
        for size, rows in ((1 << 30, 1 << 30), (400, 11)):
            monkeypatch.setattr(blockwise, "BLOCK", size)
            monkeypatch.setattr(parquet, "BLOCK", rows)
            monkeypatch.setattr("privacy_engine.formats.source.CHUNK", 200)
            found.append(outcome(content, **options))
        assert found[0] == found[1]


@settings(max_examples=examples(40), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_table_is_read_alike(data):
    rows = lines(data.draw(st.integers(1, 60)))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(rows) - 1))
        cells = rows[at].split(",")
        if len(cells) != 4:
            continue
        what = data.draw(st.sampled_from(["cell", "repeat", "late", "blank", "naive", "order", "quote"]))
        if what == "cell":
            cells[data.draw(st.integers(2, 3))] = data.draw(st.sampled_from(["", "nan", "x", "95", "1e999"]))
        elif what == "repeat" and at:
            cells = rows[at - 1].split(",")
        elif what == "late":
            cells[1] = "2024-06-14T00:00:00Z"
        elif what == "naive":
            cells[1] = cells[1].rstrip("Z")
        elif what == "order":
            cells[1] = "05/06/2024 10:00"
        elif what == "quote":
            cells[0] = '"a,b"'
        rows[at] = "" if what == "blank" else ",".join(cells)
    text = "\n".join(["user,time,lat,lon", *rows]) + data.draw(st.sampled_from(["", "\n"]))
    with pytest.MonkeyPatch.context() as monkeypatch:
        read_alike(text, monkeypatch, refusals=ValueError)


def replaced_last(text, old, new, count):
    return text[::-1].replace(old[::-1], new[::-1], count)[::-1]


def test_blocks_are_used_where_all_is_in_order(monkeypatch):
    joined = []
    original = blockwise._Filed.series
    monkeypatch.setattr(blockwise._Filed, "series", lambda *given: joined.append(1) or original(*given))
    text = "\n".join(["user,time,lat,lon", *lines(60)])
    untimed = "\n".join(["lat,lon", *(f"{52 + i / 1000},13" for i in range(100))])
    for rows, options in (
        (text, {}),
        (text, {"first_n": 3}),
        (text.replace(",13.0035", ",x13.0035"), {}),
        (untimed, {}),
        ("\ufeff" + untimed, {}),
    ):
        read_alike(rows, monkeypatch, **options)
        read_alike(replaced_last(rows, ",13", ",113", 40), monkeypatch, **options)  # both orders: in the first blocks
    assert len(joined) == 20
