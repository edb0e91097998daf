"""Simplified lines are drawn as the whole lines are, and their coordinates are decoded to the bit."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from privacy_engine.errors import ParameterErrors
from privacy_engine.line_simplification import TOLERANCE, MapView, heights
from privacy_engine.point_importance import MAX_RUN
from privacy_engine.varint import packed
from tests.cases import each, refusal
from tests.examples import examples

WHOLE = {"west": -180.0, "north": 90.0, "width": 256.0, "height": 256.0, "zoom": 0.0, "middle": 0.0}


def unpacked(data):
    """The numbers of :func:`packed`, by the letter of its description."""
    values, left, shift, last = [], 0, 0, 0
    for byte in data:
        left |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            last += -(left + 1) // 2 if left % 2 else left // 2
            values.append(last)
            left, shift = 0, 0
    return values


class TestPacked:
    @given(st.lists(st.integers(-(2**60), 2**60), max_size=60))
    def test_comes_back_to_the_bit(self, values):
        assert unpacked(packed(np.array(values, dtype=np.int64))) == values

    @given(arrays.arrays(np.int32, st.integers(0, 50)))
    def test_takes_32_bits_over_their_whole_range(self, values):
        assert unpacked(packed(values)) == values.tolist()

    def test_small_steps_take_a_byte(self):
        assert packed(np.array([-64, -1, 62, 62])) == bytes([127, 126, 126, 0])


class TestHeights:
    @given(st.integers(-850_000_000, 850_000_000))
    def test_are_mercators(self, lat):
        exact = -math.asinh(math.tan(math.radians(lat / 1e7))) / (2 * math.pi) * 2**32
        assert abs(int(heights(np.array([lat], dtype=np.int32))[0]) - exact) <= 0.5 + 1e-4

    def test_beyond_the_square_are_its_edges(self):
        far = np.array([900_000_000, 860_000_000, 0, -860_000_000, -900_000_000], dtype=np.int32)
        assert heights(far).tolist() == [-(2**31), -(2**31), 0, 2**31 - 1, 2**31 - 1]

    def test_are_the_same_for_32_and_64_bits(self):
        lat = np.random.default_rng(5).integers(-900_000_000, 900_000_001, 1000)
        assert np.array_equal(heights(lat), heights(lat.astype(np.int32)))


def on_screen(view, lon, y):
    """Pixels (n, 2) of positions within half a turn of the middle."""
    east = lon / 1e7
    east = east - 360 * np.round((east - view.middle) / 360)
    top = float(heights(np.array([round(view.north * 1e7)]))[0])
    return np.stack([(east - view.west) * view.scale / 360, (y - top) * view.scale / 2**32], axis=1)


def runs_shown(view, at):
    """First and last point of each run of steps that are not wholly beyond one side of the view."""
    beyond = np.stack([at[:, 0] < 0, at[:, 0] > view.width, at[:, 1] < 0, at[:, 1] > view.height], axis=1)
    shows = ~(beyond[1:] & beyond[:-1]).any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], shows, [False]]).astype(int))).reshape(-1, 2)
    return [(int(first), int(last)) for first, last in edges]


@st.composite
def views(draw):
    """A walk of many small and a few large steps, and a view of some part of it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 400))
    zoom = draw(st.sampled_from([3.0, 8.25, 14.0, 19.5]))
    pixel = 360e7 / (256 * 2**zoom)
    step = draw(st.sampled_from([0.1, 0.7, 3.0, 40.0])) * pixel
    jumps = rng.standard_cauchy((2, n)).clip(-50, 50)
    middle_lat = draw(st.integers(-700_000_000, 700_000_000))
    lon = np.cumsum(jumps[0] * step).clip(-8.5e8, 8.5e8).astype(np.int32)
    lat = (middle_lat + np.cumsum(jumps[1] * step)).clip(-9e8, 9e8).astype(np.int32)
    corner = rng.integers(n)
    west, north = (
        (lon[corner] - 60 * pixel * rng.random()) / 1e7,
        min(90, (lat[corner] + 60 * pixel * rng.random()) / 1e7),
    )
    return MapView(west, north, *draw(st.sampled_from([(90, 60), (7, 300)])), zoom, 0.0), lon, lat


class TestShown:
    @settings(max_examples=examples(300))
    @given(views())
    def test_every_piece_lies_within_half_a_pixel_of_the_line(self, case):
        view, lon, lat = case
        y = heights(lat)
        at = on_screen(view, lon, y)
        index, ends = view.shown(lon, y)
        starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
        pieces = [(index[i], index[j - 1]) for i, j in zip(starts, ends, strict=True)]
        if len(lon) > 1:
            assert pieces == runs_shown(view, at)
        for i, j in zip(starts, ends, strict=True):
            if j - i < 2:
                continue
            assert (np.diff(index[i:j]) > 0).all()
            drawn, whole = (shapely.LineString(at[of]) for of in (index[i:j], slice(index[i], index[j - 1] + 1)))
            assert shapely.hausdorff_distance(drawn, whole, densify=0.02) <= TOLERANCE + 1e-6

    @given(st.floats(-179, 179), st.floats(-80, 80))
    def test_a_single_point_is_a_piece_if_it_is_in_the_view(self, lon, lat):
        place = [np.array([round(degrees * 1e7)], dtype=np.int32) for degrees in (lon, lat)]
        index, ends = MapView(**WHOLE).shown(place[0], heights(place[1]))
        assert (index.tolist(), ends.tolist()) == ([0], [1])
        elsewhere = MapView(**{**WHOLE, "west": lon + 1, "zoom": 6.0, "width": 10})
        assert len(elsewhere.shown(place[0], heights(place[1]))[0]) == 0

    def test_nothing_of_nothing(self):
        none = np.empty(0, dtype=np.int32)
        assert [len(one) for one in MapView(**WHOLE).shown(none, heights(none))] == [0, 0]

    def test_a_step_over_the_edge_of_the_world_keeps_its_ends(self):
        lon = np.array([1_700_000_000, 1_750_000_000, 1_799_000_000, -1_799_000_000, -1_700_000_000], dtype=np.int32)
        y = np.zeros(5, dtype=np.int32)
        assert MapView(**WHOLE).shown(lon, y)[0].tolist() == [0, 2, 3, 4]
        over = MapView(**{**WHOLE, "middle": 180.0, "west": 0.0})
        assert over.shown(lon, y)[0].tolist() == [0, 4], "around the antimeridian it is a straight line"

    def test_a_straight_line_needs_a_point_in_each_segment_at_most(self):
        lon = np.linspace(-1.79e9, 1.79e9, 100_000).astype(np.int32)
        large = MapView(**{**WHOLE, "zoom": 12.0, "width": 8192.0, "west": -1.0, "north": 0.001})
        index, ends = large.shown(lon, np.zeros(len(lon), dtype=np.int32))
        assert len(ends) == 1
        assert len(index) <= 2 + (index[-1] - index[0]) // MAX_RUN

    def test_is_the_same_for_32_and_64_bits(self):
        walk = np.random.default_rng(3).integers(-9_000_000, 9_000_000, (2, 500)).cumsum(axis=1)
        wide, narrow = (MapView(**WHOLE).shown(one[0], heights(one[1])) for one in (walk, walk.astype(np.int32)))
        assert all(np.array_equal(a, b) for a, b in zip(wide, narrow, strict=True))


class TestMapView:
    @each(
        ("name", "value"),
        [("west", -541.0), ("north", 90.5), ("width", 0.0), ("height", 8193.0), ("zoom", 24.5), ("middle", math.nan)],
    )
    def test_fail_names_what_is_out_of_bounds(self, name, value):
        with pytest.raises(ParameterErrors, match=f"{name} must be between") as caught:
            MapView(**{**WHOLE, name: value})
        assert [error.field for error in caught.value.errors] == [name]

    def test_fail_names_all_of_them(self):
        caught = refusal(ParameterErrors, MapView, **{**WHOLE, "zoom": -1.0, "north": math.inf})
        assert [error.field for error in caught.errors] == ["north", "zoom"]
