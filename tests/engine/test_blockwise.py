"""A long table read block by block gives the series and the report that it gives as a whole."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privacy_engine.data import mapped_series, merged_runs
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
    same = [np.all([np.diff(one) == 0 for one in some if one is not None], axis=0) for some in columns]
    noted = sum(note["count"] for note in found.report.notes if note["code"] == "repeated")
    assert noted == np.sum([one.sum() for one in same]) or "first_n" in options
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


ROW = st.tuples(st.integers(0, 3), st.integers(10, 22), st.sampled_from([*"000111222333", "x"]), st.booleans())


@settings(max_examples=examples(60), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(
    rows=st.lists(ROW, min_size=30, max_size=90),
    others=st.integers(0, 3),
    most=st.integers(1, 12),
    time=st.sampled_from([None, None, "#0"]),
)
def test_any_order_of_time_is_read_alike(rows, others, most, time):
    """Equal times stay as they are in the file; ``x`` is no latitude, and may take a series' first rows."""
    lines = [
        f"{('a', 'c', 'b', '')[min(who, others, 1 + i // 20)]},2024-06-15T10:00:{second}Z,5{lat},1{east:d}"
        for i, (who, second, lat, east) in enumerate(rows)
    ]
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in (("MOST", most), ("_EVERY", 1 + most % 3)):
            monkeypatch.setattr(merged_runs, name, value)
        monkeypatch.setattr(mapped_series, "FEW", 20)
        read_alike("\n".join(["user,time,lat,lon", *lines]), monkeypatch, refusals=ValueError)


@given(
    runs=st.lists(
        st.lists(st.integers(-7, 2).map(lambda time: max(time, 0.0)), min_size=1, max_size=30).map(sorted),
        min_size=1,
        max_size=9,
    )
)
def test_runs_are_merged_in_pieces_that_fit(runs):
    times, sizes = np.concatenate(runs), np.array([len(run) for run in runs])
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in (("MOST", 8), ("_EVERY", 2)):
            monkeypatch.setattr(merged_runs, name, value)
        pieces = [some for _, some in merged_runs._pieces(times, np.cumsum(sizes) - sizes, sizes)]
        found, order = merged_runs.merged(
            (np.arange(len(times)) * 1.0, times), sizes * 0, np.cumsum(sizes) - sizes, sizes
        )
    assert all(some.sum() <= 8 + 2 * len(runs) or np.count_nonzero(some) == 1 for some in pieces)
    assert np.array_equal(found, np.argsort(times, kind="stable"))
    assert np.array_equal(order, np.sort(times))


def replaced_last(text, old, new, count):
    return text[::-1].replace(old[::-1], new[::-1], count)[::-1]


def test_blocks_are_used(monkeypatch):
    joined = []
    original = blockwise._Filed.series
    monkeypatch.setattr(blockwise._Filed, "series", lambda *given: joined.append(1) or original(*given))
    text = "\n".join(["user,time,lat,lon", *lines(60)])
    untimed = "\n".join(["lat,lon", *(f"{52 + i / 1000},13" for i in range(100))])
    for rows, options in (
        (text, {}),
        (text, {"first_n": 3}),
        (text.replace(",13.0035", ",x13.0035"), {}),
        (text.replace("10:00:3", "09:00:3"), {}),
        (untimed, {}),
        ("\ufeff" + untimed, {}),
    ):
        read_alike(rows, monkeypatch, **options)
        read_alike(replaced_last(rows, ",13", ",113", 40), monkeypatch, **options)  # both orders: in the first blocks
    assert len(joined) == 24
