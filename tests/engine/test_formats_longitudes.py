"""Longitudes from 0 to 360: detected and reported where all agree, as the owner states where they do not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats import Reading, read
from tests.engine.format_samples import read_bytes
from tests.engine.test_blockwise import both, same
from tests.examples import examples

FINE = 2.0**-20  # degrees in which adding 360 and taking it away again loses nothing
STATED = {"what": "range of longitudes", "value": "0 to 360", "option": "lon_range"}


def table(lon: list[float], lat: list[float]) -> bytes:
    rows = [
        f"2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,{y!r},{x!r}" for i, (x, y) in enumerate(zip(lon, lat, strict=True))
    ]
    return "\n".join(["time,lat,lon", *rows]).encode()


def line(lon: list[float], lat: list[float]) -> bytes:
    return json.dumps({"type": "LineString", "coordinates": list(zip(lon, lat, strict=True))}).encode()


def reported(reading: Reading) -> list[dict[str, object]]:
    return [guess for guess in reading.report.guesses if guess["option"] == "lon_range"]


@st.composite
def series(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    """Degrees on both sides of the meridian, in steps of :data:`FINE`."""
    n = draw(st.integers(2, 60))
    steps = st.lists(st.integers(1 - 180 * 2**20, 180 * 2**20), min_size=n, max_size=n)
    return [step * FINE for step in draw(steps)], [step * FINE / 2 for step in draw(steps)]


def to_the_east(lon: list[float]) -> list[float]:
    return [x + 360 if x < 0 else x for x in lon]


class TestTheLaw:
    """What is counted from 0 to 360 is the same series."""

    @given(series(), st.sampled_from([table, line]))
    def test_where_it_is_found_out(self, where: tuple[list[float], list[float]], write: object) -> None:
        lon, lat = where
        lon[:2] = [-(abs(x) % 180) or -1.0 for x in lon[:2]]  # two, and two of sixty are more than 2 %
        self.agree(write(to_the_east(lon), lat), write(lon, lat), guessed=True)

    @given(series(), st.sampled_from([table, line]))
    def test_where_it_is_stated(self, where: tuple[list[float], list[float]], write: object) -> None:
        lon, lat = where
        self.agree(write(to_the_east(lon), lat), write(lon, lat), guessed=False, lon_range="360")

    @staticmethod
    def agree(shifted: bytes, plain: bytes, *, guessed: bool, **options: str) -> None:
        found, expected = read_bytes(shifted, swap="no", **options), read_bytes(plain, swap="no")
        assert found.report.dropped == expected.report.dropped == {}
        for column in ("lon", "lat", "time_s"):
            one, two = (getattr(reading.series[0], column) for reading in (found, expected))
            assert one is two is None or np.array_equal(one, two)
        assert [{**guess, "message": None} for guess in reported(found)] == [{**STATED, "message": None}] * guessed


class TestWhatIsNotGuessed:
    def test_above_180_beside_a_negative_one_is_dropped(self) -> None:
        reading = read_bytes(table([-1.0, 200.0, 210.0, 5.0], [1.0] * 4))
        assert reading.report.dropped == {"out_of_range": 2}
        assert reported(reading) == []

    def test_above_360_rules_it_out(self) -> None:
        assert read_bytes(table([1.0, 200.0, 210.0, 361.0], [1.0] * 4)).report.dropped == {"out_of_range": 3}

    @pytest.mark.parametrize(("lon", "dropped"), [([1.0, 200.0], 1), ([1.0] * 98 + [200.0] * 2, 2)])
    def test_slips_are_dropped(self, lon: list[float], dropped: int) -> None:
        reading = read_bytes(table(lon, [1.0] * len(lon)))
        assert (reading.report.dropped, reported(reading)) == ({"out_of_range": dropped}, [])

    def test_but_taken_where_the_owner_states_it(self) -> None:
        reading = read_bytes(table([-1.0, 200.0], [1.0, 1.0]), lon_range="360")
        assert reading.series[0].lon.tolist() == [-1, -160]
        assert reported(reading) == []

    def test_nor_where_the_owner_states_no(self) -> None:
        assert read_bytes(table([1.0, 200.0, 210.0], [1.0] * 3), lon_range="180").report.dropped == {"out_of_range": 2}
        with pytest.raises(FormatError):
            read_bytes(table([200.0, 210.0], [1.0] * 2), lon_range="180")


def test_swapped_columns_are_counted_too() -> None:
    assert read_bytes(table([1.0, 2.0, 3.0], [179.0, 181.0, 182.0]), swap="yes").series[0].lon.tolist() == [
        179,
        -179,
        -178,
    ]


def test_check_ins_too(tmp_path) -> None:
    path = tmp_path / "x.csv"
    rows = [f"{i},2024-06-15T10:00:0{i}Z,{x},1,p" for i, x in enumerate((10, 200, 359.5))]
    path.write_text("\n".join(["user,time,lon,lat,place", *rows]))
    reading = read(path, kinds=("checkins",))
    assert reading.other.lon.tolist() == [10, -160, -0.5]
    assert [guess["option"] for guess in reported(reading)] == ["lon_range"]
    path.write_text(path.read_text().replace(",10,", ",-10,"))
    assert read(path, kinds=("checkins",)).report.dropped == {"out_of_range": 2}


def test_a_utm_zone_that_reaches_across_the_antimeridian() -> None:
    east = [810_000.0, 840_000.0]  # of zone 60, on the equator: 179.8 and 180.05 degrees
    lon = read_bytes(table(east, [1.0, 1.0]), crs="EPSG:32660").series[0].lon
    assert lon == pytest.approx([179.785, -179.946], abs=0.01)


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from(["13.4", "179.9", "200.5", "359", "-20", "361", "x"]), min_size=40, max_size=90))
def test_blocks_decide_as_the_whole(cells: list[str]) -> None:
    rows = [f"2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,52.{i:04d},{x}" for i, x in enumerate(cells)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        same(*both("\n".join(["time,lat,lon", *rows]), monkeypatch))
        same(*both("\n".join(["time,lat,lon", *rows]), monkeypatch, lon_range="360"))


@pytest.mark.parametrize("places", [range(0, 100, 3), range(60), [97, 98, 99], [1, 34, 67], [99], []])
def test_blocks_with_some_above_180_decide_as_the_whole(places: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z,52.{i:04d},{200 if i in places else 13}.5" for i in range(100)]
    same(*both("\n".join(["time,lat,lon", *rows]), monkeypatch))
