"""A long table read block by block gives the series and the report that it gives as a whole."""

import io

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privacy_engine.formats import Reading, blockwise, read
from tests.examples import examples

CALM = settings(max_examples=examples(40), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
BAD_CELLS = ["", "nan", "x", "95", "1e999"]


def lines(rows, start=0):
    return [
        f"u{i % 3},2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,52.{i:04d},13.{i:04d}" for i in range(start, start + rows)
    ]


def both(text, monkeypatch, block=400, **options):
    found = []
    for size in (1 << 30, block):
        monkeypatch.setattr(blockwise, "BLOCK", size)
        monkeypatch.setattr("privacy_engine.formats.source.CHUNK", min(size, 200))
        found.append(read(io.BytesIO(text.encode()), name="x.csv", **options))
    return found[0], found[1]


def same(whole, pieces):
    assert [one.name for one in whole.series] == [one.name for one in pieces.series]
    for one, two in zip(whole.series, pieces.series, strict=True):
        for column in ("lon", "lat", "time_s"):
            assert np.array_equal(getattr(one, column), getattr(two, column))
    assert whole.report.as_dict() == pieces.report.as_dict()


@CALM
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
            cells[data.draw(st.integers(2, 3))] = data.draw(st.sampled_from(BAD_CELLS))
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
        found = []
        for size in (1 << 30, 400):
            monkeypatch.setattr(blockwise, "BLOCK", size)
            monkeypatch.setattr("privacy_engine.formats.source.CHUNK", 200)
            try:
                found.append(read(io.BytesIO(text.encode()), name="x.csv"))
            except ValueError as refused:
                found.append(str(refused))
    if isinstance(found[0], Reading) and isinstance(found[1], Reading):
        same(found[0], found[1])
    else:
        assert found[0] == found[1]


def test_blocks_are_used_where_all_is_in_order(monkeypatch):
    joined = []
    original = blockwise._joined
    monkeypatch.setattr(blockwise, "_joined", lambda *given: joined.append(1) or original(*given))
    text = "\n".join(["user,time,lat,lon", *lines(60)])
    same(*both(text, monkeypatch))
    same(*both(text, monkeypatch, first_n=3))
    same(*both(text.replace(",13.", ",x13.", 2), monkeypatch))
    assert len(joined) == 3


@pytest.mark.parametrize("head", ["\ufeff", ""])
def test_a_mark_at_the_beginning_and_a_file_without_times(head, monkeypatch):
    rows = [f"{52 + i / 1000},{13 + i / 1000}" for i in range(100)]
    same(*both(head + "\n".join(["lat,lon", *rows]), monkeypatch))
