"""Longitudes above 180 count degrees to the east, each alone, unless the owner states that there are none."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats import read
from tests.cases import each
from tests.engine.format_samples import read_bytes
from tests.engine.test_blockwise import both, same
from tests.examples import examples

FINE = 2.0**-20  # degrees in which adding 360 and taking it away again loses nothing


def table(lon, lat):
    rows = [
        f"2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,{y!r},{x!r}" for i, (x, y) in enumerate(zip(lon, lat, strict=True))
    ]
    return "\n".join(["time,lat,lon", *rows]).encode()


def line(lon, lat):
    return json.dumps({"type": "LineString", "coordinates": list(zip(lon, lat, strict=True))}).encode()


def eastward(reading):
    return sum(note["count"] for note in reading.report.notes if note["code"] == "eastward")


@st.composite
def series(draw):
    """Degrees on both sides of the meridian, in steps of :data:`FINE`."""
    n = draw(st.integers(2, 60))
    steps = st.lists(st.integers(1 - 180 * 2**20, 180 * 2**20), min_size=n, max_size=n)
    return [step * FINE for step in draw(steps)], [step * FINE / 2 for step in draw(steps)]


class TestTheLaw:
    """What is counted from 0 to 360 is the same series."""

    @given(series(), st.sampled_from([table, line]), st.sampled_from([None, "360"]))
    def test_each_is_counted_alone(self, where, write, lon_range):
        lon, lat = where
        shifted = [x + 360 if x < 0 and i % 3 else x for i, x in enumerate(lon)]
        found = read_bytes(write(shifted, lat), swap="no", lon_range=lon_range)
        expected = read_bytes(write(lon, lat), swap="no")
        assert found.report.dropped == expected.report.dropped == {}
        for column in ("lon", "lat", "time_s"):
            one, two = (getattr(reading.series[0], column) for reading in (found, expected))
            assert one is two is None or np.array_equal(one, two)
        assert eastward(found) == sum(x > 180 for x in shifted)
        assert found.report.decided["lon_range"] == "360"


class TestOneRecord:
    """One person's record decides about no other's (200 events counted, or 0)."""

    def test_two_hundred_users_at_greenwich_and_one_more(self):
        lon = [359.9, 0.1] * 100
        first = read_bytes(table(lon, [1.0] * 200))
        assert len(first) == 200
        with_one = read_bytes(table([*lon, -0.05], [1.0] * 201), **first.report.decided)
        assert with_one.series[0].lon.tolist() == pytest.approx([*first.series[0].lon, -0.05])
        assert len(read_bytes(table([*lon, -0.05], [1.0] * 201))) == 201

    @each("moved", [0.00005, -0.00005])
    def test_seven_metres_across_the_meridian(self, moved):
        reading = read_bytes(table([359.5] * 150 + [0.5] * 50 + [moved], [1.0] * 201))
        assert (len(reading), reading.report.dropped) == (201, {})

    def test_three_of_a_hundred_to_the_west_of_greenwich(self):
        lon = [0.5] * 97 + [359.9999, 359.9998, 359.9997]
        moved = [*lon[:99], 0.0001]
        assert read_bytes(table(moved, [1.0] * 100)).series[0].lon[97:].tolist() == pytest.approx(
            [-0.0001, -0.0002, 0.0001]
        )

    def test_more_than_a_circle_is_none(self):
        assert read_bytes(table([1.0, 200.0, 210.0, 361.0], [1.0] * 4)).report.dropped == {"out_of_range": 1}

    def test_where_the_owner_states_that_there_are_none(self):
        assert read_bytes(table([1.0, 200.0, 210.0], [1.0] * 3), lon_range="180").report.dropped == {"out_of_range": 2}
        with pytest.raises(FormatError):
            read_bytes(table([200.0, 210.0], [1.0] * 2), lon_range="180")


def test_swapped_columns_are_counted_too():
    assert read_bytes(table([1.0, 2.0, 3.0], [179.0, 181.0, 182.0]), swap="yes").series[0].lon.tolist() == [
        179,
        -179,
        -178,
    ]


def test_check_ins_too(tmp_path):
    path = tmp_path / "x.csv"
    rows = [f"{i},2024-06-15T10:00:0{i}Z,{x},1,p" for i, x in enumerate((10, 200, 359.5))]
    path.write_text("\n".join(["user,time,lon,lat,place", *rows]))
    reading = read(path, kinds=("checkins",))
    assert reading.other.lon.tolist() == [10, -160, -0.5]
    path.write_text(path.read_text().replace(",10,", ",-10,"))
    assert read(path, kinds=("checkins",)).other.lon.tolist() == [-10, -160, -0.5]


def test_a_utm_zone_that_reaches_across_the_antimeridian():
    east = [810_000.0, 840_000.0]  # of zone 60, on the equator: 179.8 and 180.05 degrees
    lon = read_bytes(table(east, [1.0, 1.0]), crs="EPSG:32660").series[0].lon
    assert lon == pytest.approx([179.785, -179.946], abs=0.01)


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from(["13.4", "179.9", "200.5", "359", "-20", "361", "x"]), min_size=40, max_size=90))
def test_blocks_decide_as_the_whole(cells):
    rows = [f"2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,52.{i:04d},{x}" for i, x in enumerate(cells)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        same(*both("\n".join(["time,lat,lon", *rows]), monkeypatch))
        same(*both("\n".join(["time,lat,lon", *rows]), monkeypatch, lon_range="360"))


@pytest.mark.parametrize("places", [range(0, 100, 3), range(60), [97, 98, 99], [1, 34, 67], [99], []])
def test_blocks_with_some_above_180_decide_as_the_whole(places, monkeypatch):
    rows = [f"2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,52.{i:04d},{200 if i in places else 13}.5" for i in range(100)]
    same(*both("\n".join(["time,lat,lon", *rows]), monkeypatch))
