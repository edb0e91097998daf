"""Longitudes above 180 count degrees to the east, each alone, unless the owner states that there are none."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each
from tests.engine.format_samples import read_bytes, refused, shows
from tests.engine.test_blockwise import read_alike
from tests.examples import examples

FINE = 2.0**-20  # degrees in which adding 360 and taking it away again loses nothing


def text(rows, head="time,lat,lon"):
    """A table of a second for each row."""
    return "\n".join([head, *(f"2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,{row}" for i, row in enumerate(rows))])


def table(lon, lat=None):
    return text(f"{y!r},{x!r}" for x, y in zip(lon, [1.0] * len(lon) if lat is None else lat, strict=True)).encode()


def line(lon, lat):
    return json.dumps({"type": "LineString", "coordinates": list(zip(lon, lat, strict=True))}).encode()


@st.composite
def series(draw):
    """Degrees on both sides of the meridian, in steps of :data:`FINE`."""
    n = draw(st.integers(2, 60))
    steps = st.lists(st.integers(1 - 180 * 2**20, 180 * 2**20), min_size=n, max_size=n)
    return [step * FINE for step in draw(steps)], [step * FINE / 2 for step in draw(steps)]


@given(series(), st.sampled_from([table, line]), st.sampled_from([None, "360"]))
def test_what_is_counted_from_0_to_360_is_the_same_series(where, write, lon_range):
    lon, lat = where
    shifted = [x + 360 if x < 0 and i % 3 else x for i, x in enumerate(lon)]
    found = read_bytes(write(shifted, lat), swap="no", zeros="position", lon_range=lon_range)
    expected = read_bytes(write(lon, lat), swap="no", zeros="position")
    assert found.report.dropped == expected.report.dropped == {}
    for column in ("lon", "lat", "time_s"):
        one, two = (getattr(reading.series[0], column) for reading in (found, expected))
        assert one is two is None or np.array_equal(one, two)
    east = sum(note["count"] for note in found.report.notes if note["code"] == "eastward")
    assert east == sum(x > 180 for x in shifted)
    assert found.report.decided["lon_range"] == "360"


def test_what_is_none():
    shows(table([1.0, 200.0, 210.0, 361.0]), dropped={"out_of_range": 1})
    shows(table([1.0, 200.0, 210.0]), given={"lon_range": "180"}, dropped={"out_of_range": 2})
    refused(table([200.0, 210.0]), "no_points", lon_range="180")


def test_swapped_columns_check_ins_and_metres_are_counted_too():
    shows(table([1.0, 2.0, 3.0], [179.0, 181.0, 182.0]), given={"swap": "yes"}, lon=[179, -179, -178])
    for first in ("10", "-10"):
        rows = [f"{i},2024-06-15T10:00:0{i}Z,{x},1,p" for i, x in enumerate((first, 200, 359.5))]
        found = read_bytes("\n".join(["user,time,lon,lat,place", *rows]).encode(), kinds=("checkins",))
        assert found.other.lon.tolist() == [float(first), -160, -0.5]
    east = [810_000.0, 840_000.0]  # of zone 60, on the equator: 179.8 and 180.05 degrees
    assert read_bytes(table(east), crs="EPSG:32660").series[0].lon == pytest.approx([179.785, -179.946], abs=0.01)


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from(["13.4", "179.9", "200.5", "359", "-20", "361", "x"]), min_size=40, max_size=90))
def test_blocks_decide_as_the_whole(cells):
    data = text(f"52.{i:04d},{x}" for i, x in enumerate(cells))
    with pytest.MonkeyPatch.context() as monkeypatch:
        read_alike(data, monkeypatch)
        read_alike(data, monkeypatch, lon_range="360")


@each("places", [range(0, 100, 3), range(60), [97, 98, 99], [1, 34, 67], [99], []])
def test_blocks_with_some_above_180_decide_as_the_whole(places):
    with pytest.MonkeyPatch.context() as monkeypatch:
        read_alike(text(f"52.{i:04d},{200 if i in places else 13}.5" for i in range(100)), monkeypatch)


def test_zeros_that_are_no_position_are_left_out_by_rows():
    table = b"lon,lat\n0,0\n1,2\n0,3\n4,0\n0,0\n"
    reading = read_bytes(table)
    assert (reading.report.drops["no_position"].rows, len(reading.series[0])) == ([2, 6], 3)
    assert not read_bytes(table, zeros="position").report.drops
