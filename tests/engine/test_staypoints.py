"""Stay points: real recordings, edge cases, and agreement with a plain haversine loop."""

import itertools
import math
from datetime import UTC, datetime
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.core import geo
from privacy_engine.errors import EngineError
from privacy_engine.kernels.staypoints import unit_vectors
from privacy_engine.landmarks.staypoints import STAY_RADIUS_M, stay_point_mask, stay_points
from tests.cases import each, refusal
from tests.conftest import SHARED
from tests.engine.test_kernel_numbers import on_sphere
from tests.examples import examples

READINGS = ("seed", "li08_def", "trackintel")


def text_of(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout")
    return path.read_text()


def seconds(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@cache
def recording(name):
    if name == "tdrive_1_all588":
        rows = [line.split(",") for line in text_of("data/trajectories/tdrive/1.txt").splitlines()]
        return [float(r[2]) for r in rows], [float(r[3]) for r in rows], [seconds(r[1]) for r in rows]
    files = [text_of(f"data/trajectories/plt/000_{stamp}.plt") for stamp in ("20081023025304", "20081024020959")]
    rows = [line.split(",") for file in files for line in file.splitlines()[6:]][:1000]
    return [float(r[1]) for r in rows], [float(r[0]) for r in rows], [seconds(f"{r[5]} {r[6]}") for r in rows]


def plain(lon, lat, time_s, distance_m, duration_s, reading, gap):
    """Groups by the definition: one haversine after another, the series split at gaps first."""
    cuts = [0, *(i for i in range(1, len(lon)) if time_s[i] - time_s[i - 1] > gap), len(lon)]
    groups = []
    for first, end in itertools.pairwise(cuts):
        i = first
        while i < end:
            j = i + 1
            while j < end:
                away = geo.distance_m(lon[i], lat[i], lon[j], lat[j], radius_m=STAY_RADIUS_M)
                if not (away < distance_m if reading == "trackintel" else away <= distance_m):
                    break
                j += 1
            last = j if reading == "trackintel" and j < end else j - 1
            stays = time_s[last] - time_s[i] >= duration_s
            if stays:
                groups.append([i, j])
            i = i + 1 if reading == "li08_def" and not stays else j
    return groups


@st.composite
def series(draw):
    """Random walks with repeats, at mid latitudes, on the antimeridian, around a pole, over the whole sphere."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, grid = draw(st.integers(0, 40)), draw(st.sampled_from([1e-3, 1e-4, 1e-6]))
    place = draw(st.sampled_from(["city", "antimeridian", "pole", "sphere"]))
    steps = np.round(rng.normal(0, draw(st.sampled_from([1e-4, 1e-3, 1e-2])), (2, n)) / grid) * grid
    lon, lat = np.cumsum(steps * (rng.random(n) < 0.7), axis=1)
    if place == "city":
        lon, lat = lon + 116.4, lat + 39.9
    elif place == "antimeridian":
        lon, lat = (lon + 360) % 360 - 180, lat
    elif place == "pole":
        lon, lat = rng.uniform(-180, 180, n), 90 - np.abs(lat)
    else:
        lon, lat = rng.uniform(-180, 180, n), rng.uniform(-90, 90, n)
    return lon, lat, np.cumsum(rng.integers(0, 600, n) * (rng.random(n) < 0.8)).astype(float)


class TestAgainstThePlainLoop:
    @settings(max_examples=examples(300))
    @given(
        st.lists(series(), min_size=1, max_size=3),
        st.one_of(st.sampled_from([0.0, 5e-324, 1e-9, 100.0, 2.1e7]), st.floats(0, 5e3), st.floats(0, 2e7)),
        st.sampled_from([0.0, 60.0, 600.0, 1800.0, 7200.0]),
        st.sampled_from(READINGS),
        st.sampled_from([None, 0.0, 300.0, 500.0]),
    )
    def test_groups_are_the_same(self, several, distance_m, duration_s, reading, gap):
        limits = distance_m, duration_s, reading, math.inf if gap is None else gap
        starts = np.cumsum([0, *(len(one[0]) for one in several)])
        pairs = zip(several, starts[:-1], strict=True)
        expected = [(np.array(group) + start).tolist() for one, start in pairs for group in plain(*one, *limits)]
        how = {"distance_m": distance_m, "duration_s": duration_s, "reading": reading, "max_gap_s": gap}
        joined = [np.concatenate(columns) for columns in zip(*several, strict=True)]
        assert stay_points(*joined, **how, starts=starts).tolist() == expected
        mask = np.zeros(starts[-1], dtype=bool)
        for i, j in expected:
            mask[i:j] = True
        assert np.array_equal(stay_point_mask(*joined, **how, starts=starts), mask)
        one, own = several[0], [group for group in expected if group[1] <= starts[1]]
        assert stay_points(*one, **how).tolist() == own

    @settings(max_examples=examples(100))
    @given(series(), st.integers(0, 39), st.sampled_from(READINGS))
    def test_a_point_exactly_at_the_distance_is_a_tie(self, where, k, reading):
        lon, lat, times = where
        if len(lon) < 2:
            return
        there = 1 + k % (len(lon) - 1)
        distance = float(geo.distance_m(lon[0], lat[0], lon[there], lat[there], radius_m=STAY_RADIUS_M))
        if distance > 1.9e7:
            return  # near the antipode a metre is less than an ulp of the haversine
        away = geo.distance_m(lon[:, None], lat[:, None], lon, lat, radius_m=STAY_RADIUS_M)
        if ((away != distance) & (np.abs(away - distance) <= 1e-13 * distance)).any():
            return  # another pair as far but for rounding: a tie here, and the plain loop has none
        expected = plain(lon, lat, times, distance, 900.0, reading, math.inf)
        assert stay_points(*where, distance_m=distance, duration_s=900.0, reading=reading).tolist() == expected


def test_unit_vectors_agree_with_numpy_to_two_ulps_of_one():
    rng, corners = np.random.default_rng(4), np.arange(-180.0, 181.0, 45.0)
    lon = np.concatenate([rng.uniform(-180, 180, 100_000), corners])
    lat = np.concatenate([rng.uniform(-90, 90, 100_000), corners / 2])
    assert np.abs(unit_vectors(lon, lat) - on_sphere(lon, lat)).max() < 5e-16


class TestLaws:
    def test_inputs_are_left_alone_and_may_be_read_only(self):
        lon = np.array([1.0, 1.0, 2.0])
        lon.setflags(write=False)
        assert stay_point_mask(lon, lon, lon * 100, distance_m=1, duration_s=0).tolist() == [True] * 3
        assert not lon.flags.writeable

    @pytest.mark.timeout(20)
    def test_an_hour_of_standing_still_is_linear_in_every_reading(self):
        n = 300_000
        lon, times = np.zeros(n), np.arange(n, dtype=float)
        lon[-1] = 1.0
        for reading in READINGS:
            found = stay_points(lon, np.zeros(n), times, distance_m=50, duration_s=2 * n, reading=reading)
            assert found.tolist() == []


GOOD = {"lon": [0.0], "lat": [0.0], "time_s": [0.0], "distance_m": 1.0, "duration_s": 1.0}
BAD = {
    "time_s": (None, [math.nan]),
    "lon": ([181.0], [math.nan], ["east"], [[0.0]], [0.0, 1.0]),
    "lat": ([-90.1], [math.inf]),
    "distance_m": (-1.0, math.nan, math.inf, None),
    "duration_s": (-1, math.nan),
    "max_gap_s": (-1.0,),
    "reading": ("li08",),
}


@each("field", BAD)
def test_names_what_it_refuses(field):
    for value in BAD[field]:
        caught = refusal(EngineError, stay_point_mask, **GOOD | {field: value})
        assert caught.field == field, value
        assert caught.rule
        assert field in caught.message


def test_refuses_times_that_decrease():
    with pytest.raises(EngineError, match="time_s must never decrease"):
        stay_points([0, 0], [0, 0], [1, 0], distance_m=1, duration_s=1)
