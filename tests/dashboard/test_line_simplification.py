"""Simplified lines are drawn as the whole lines are, at every tolerance; their coordinates are decoded to the bit."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dashboard.maps.line_simplification import (
    LEVELS,
    MAX_RUN,
    RUNS,
    TILE,
    TOLERANCE,
    TURN,
    WORLD,
    MapView,
    heights,
    importance,
    importance_of,
    importances,
)
from dashboard.maps.varint import packed
from privacy_engine.analysis import outline
from privacy_engine.data import CheckIns, CountStream, Trajectory
from privacy_engine.errors import ParameterErrors
from tests.cases import each, refusal
from tests.dashboard.api_helpers import decode_deltas
from tests.examples import examples

WHOLE = {"west": -180.0, "north": 90.0, "width": 256.0, "height": 256.0, "zoom": 0.0, "middle": 0.0}


class TestPacked:
    @given(st.lists(st.integers(-(2**60), 2**60), max_size=60))
    def test_comes_back_to_the_bit(self, values):
        assert decode_deltas(b"".join(packed(np.array(values, dtype=np.int64)))) == values

    @given(arrays.arrays(np.int32, st.integers(0, 50)))
    def test_takes_32_bits_over_their_whole_range(self, values):
        assert decode_deltas(b"".join(packed(values))) == values.tolist()
        assert b"".join(packed(np.array([-64, -1, 62, 62]))) == bytes([127, 126, 126, 0])


class TestHeights:
    @given(st.integers(-850_000_000, 850_000_000))
    def test_are_mercators(self, lat):
        exact = -math.asinh(math.tan(math.radians(lat / 1e7))) / (2 * math.pi) * 2**32
        assert abs(int(heights(np.array([lat], dtype=np.int32))[0]) - exact) <= 0.5 + 1e-4

    def test_beyond_the_square_are_its_edges(self):
        far = np.array([900_000_000, 860_000_000, 0, -860_000_000, -900_000_000], dtype=np.int32)
        assert heights(far).tolist() == [-(2**31), -(2**31), 0, 2**31 - 1, 2**31 - 1]
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
    west, north = (lon[corner] - 60 * pixel * rng.random()) / 1e7, (lat[corner] + 60 * pixel * rng.random()) / 1e7
    return MapView(west, min(90, north), *draw(st.sampled_from([(90, 60), (7, 300)])), zoom, 0.0), lon, lat


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
        for edge in (-1_800_000_000, 1_800_000_000):
            assert MapView(**WHOLE).shown(np.array([edge]), np.array([-(2**31)]))[0].tolist() == [0]
        half = MapView(**WHOLE | {"west": 10.0, "width": 128.0, "north": 0.0, "height": 64.0, "middle": 90.0})
        shown = [
            len(half.shown(np.array([x * 10**7]), np.array([y * 2**28]))[0]) for x in (10, 190, -90) for y in (0, 4)
        ]
        assert shown == [1, 1, 1, 1, 0, 0]
        none = np.empty(0, dtype=np.int32)
        assert [len(one) for one in MapView(**WHOLE).shown(none, heights(none))] == [0, 0]

    def test_steps_over_the_edge_of_the_world_and_straight_lines(self):
        lon = np.array([1_700_000_000, 1_750_000_000, 1_799_000_000, -1_799_000_000, -1_700_000_000], dtype=np.int32)
        y = np.zeros(5, dtype=np.int32)
        assert MapView(**WHOLE).shown(lon, y)[0].tolist() == [0, 2, 3, 4]
        over = MapView(**{**WHOLE, "middle": 180.0, "west": 0.0})
        assert over.shown(lon, y)[0].tolist() == [0, 4], "around the antimeridian it is a straight line"
        lon = np.linspace(-1.79e9, 1.79e9, 100_000).astype(np.int32)
        large = MapView(**{**WHOLE, "zoom": 12.0, "width": 8192.0, "west": -1.0, "north": 0.001})
        index, ends = large.shown(lon, np.zeros(len(lon), dtype=np.int32))
        assert len(ends) == 1
        assert len(index) <= 2 + (index[-1] - index[0]) // MAX_RUN
        walk = np.random.default_rng(3).integers(-9_000_000, 9_000_000, (2, 500)).cumsum(axis=1)
        wide, narrow = (MapView(**WHOLE).shown(one[0], heights(one[1])) for one in (walk, walk.astype(np.int32)))
        assert all(np.array_equal(a, b) for a, b in zip(wide, narrow, strict=True))

    @each("turn", [-360, -180, -90, 90, 180, 360])
    def test_turned_around_the_globe_the_same_points_are_shown(self, turn):
        """Beside the edge of the world, over it, and in a map that was dragged around it."""
        steps = np.random.default_rng(7).standard_cauchy((2, 2000)).clip(-400, 400) * 4e6
        lon, y = steps.cumsum(axis=1).clip(-1.2e9, 1.2e9).astype(np.int32)
        turned = ((lon + np.int64(turn * 10**7 + TURN // 2)) % TURN - TURN // 2).astype(np.int32)
        view = WHOLE | {"zoom": 3.0, "north": 20.0, "west": -30.0}
        here, there = MapView(**view), MapView(**view | {"west": turn - 30.0, "middle": float(turn)})
        assert [one.tolist() for one in there.shown(turned, y)] == [one.tolist() for one in here.shown(lon, y)]
        np.testing.assert_allclose(importance_of(turned, y), importance_of(lon, y), rtol=1e-4, atol=1)


class TestMapView:
    @each(
        ("name", "value"),
        [("west", -541.0), ("north", 90.5), ("width", 0.0), ("height", 8193.0), ("zoom", 24.5), ("middle", math.nan)],
    )
    def test_fail_names_what_is_out_of_bounds(self, name, value):
        with pytest.raises(ParameterErrors, match=f"{name} must be between") as caught:
            MapView(**{**WHOLE, name: value})
        assert [error.field for error in caught.value.errors] == [name]
        caught = refusal(ParameterErrors, MapView, **{**WHOLE, "zoom": -1.0, "north": math.inf})
        assert [error.field for error in caught.errors] == ["north", "zoom"]


def farthest_apart(x, y, kept):
    """The largest distance of a point from the segment of kept points that replaces it, point by point."""
    segment = np.clip(np.searchsorted(kept, np.arange(len(x)), side="right") - 1, 0, len(kept) - 2)
    corners = shapely.points(x, y)
    replaced = shapely.linestrings(np.stack([corners_of(x, y, kept[:-1]), corners_of(x, y, kept[1:])], axis=1))
    return float(shapely.distance(corners, replaced[segment]).max())


def corners_of(x, y, at):
    return np.stack([x[at], y[at]], axis=1)


@st.composite
def lines(draw):
    """Lines of up to three levels of runs, smooth or not, at rest in part."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([2, 3, 50, MAX_RUN, MAX_RUN + 1, MAX_RUN + 2, 5000, RUNS * MAX_RUN + 7]))
    steps = rng.standard_cauchy((2, n)).clip(-100, 100) * draw(st.sampled_from([1.0, 30.0, 1000.0]))
    steps[:, rng.random(n) < draw(st.sampled_from([0.0, 0.7]))] = 0.0
    x, y = np.cumsum(np.cumsum(steps, axis=1) / 10 if draw(st.booleans()) else steps, axis=1)
    return x, y


class TestImportance:
    @settings(max_examples=examples(60), deadline=None)
    @given(lines(), st.sampled_from([0.5, 3.0, 100.0, 1e4, 1e6]))
    def test_what_is_above_a_tolerance_draws_the_line_within_it(self, line, tolerance):
        x, y = line
        kept = np.flatnonzero(importance(x, y, 0.5) > tolerance)
        assert kept[0] == 0
        assert kept[-1] == len(x) - 1
        assert farthest_apart(x, y, kept) <= tolerance * (1 + 1e-6)

    def test_a_straight_line_needs_its_ends_alone(self):
        found = importance(np.arange(10_000.0), np.zeros(10_000), 0.5)
        assert np.flatnonzero(found > 1e-9).tolist() == [0, 9999]
        assert importance(np.array([0.0, 5.0, 10.0]), np.array([0.0, 3.0, 0.0]), 0.5)[1] == 3.0

    def test_many_lines_together_have_the_importance_of_each_alone(self):
        rng = np.random.default_rng(3)
        lengths = [0, 1, 2, 3, MAX_RUN, MAX_RUN + 1, MAX_RUN + 2, 5000, *rng.integers(3, MAX_RUN, 2 * RUNS)]
        some = [tuple(rng.standard_cauchy((2, n)).cumsum(axis=1)) for n in lengths]
        for (x, y), together in zip(some, importances(some, 0.5), strict=True):
            np.testing.assert_array_equal(together, importance(x, y, 0.5), strict=True)
        for n in (0, 1, 2):  # ends are always needed
            assert importance(np.zeros(n), np.zeros(n), 0.5).tolist() == [np.inf] * n

    def test_a_line_made_to_be_slow_takes_few_levels(self):
        """Each split takes one point off: as many levels as points, were segments not halved from some level on."""
        i = np.arange(MAX_RUN + 1.0)
        x, y = i, np.where(i % 2, 1.0, -1.0) * 1e6 * 0.98**i
        kept = np.flatnonzero(importance(x, y, 0.5) > 10.0)
        assert LEVELS < 64
        assert farthest_apart(x, y, kept) <= 10.0


class TestEveryZoom:
    """What is drawn stays within half a pixel at every zoom, by importance computed once."""

    @settings(max_examples=examples(20), deadline=None)
    @given(st.integers(0, 2**32))
    def test_of_a_long_track(self, seed):
        rng = np.random.default_rng(seed)
        walk = np.cumsum(rng.standard_cauchy((2, 3000)).clip(-50, 50) * 2000, axis=1)
        lon, lat = (walk + np.array([[23_000_000], [480_000_000]])).astype(np.int32)
        y = heights(lat)
        once = importance_of(lon, y)
        for zoom in range(25):
            pixel = 360 / (TILE * 2.0**zoom)
            west, north = lon[1500] / 1e7 - min(500 * pixel, 360), min(lat[1500] / 1e7 + 200 * pixel, 85.0)
            view = MapView(west, north, 1000, 700, zoom, lon[1500] / 1e7)
            assert [one.tolist() for one in view.shown(lon, y, once)] == [one.tolist() for one in view.shown(lon, y)]
            index, ends = view.shown(lon, y, once)
            px, py = lon * (view.scale / 3.6e9), y * (view.scale / WORLD)
            for piece in np.split(index, ends[:-1]):
                if len(piece) > 1:
                    part = slice(piece[0], piece[-1] + 1)
                    assert farthest_apart(px[part], py[part], piece - piece[0]) <= TOLERANCE + 1e-6


lengths = st.lists(st.integers(1, 300), min_size=1, max_size=20)


def tracks(lengths, east=0.0):
    """Random walks near the equator."""
    rng = np.random.default_rng(1)
    found = []
    for n in lengths:
        lon, lat = rng.normal(scale=1e-3, size=(2, n)).cumsum(axis=1)
        found.append(Trajectory(lon=(lon + east + 180) % 360 - 180, lat=lat))
    return found


def inside(lines):
    return all(line.ndim == 2 and line.shape[1] == 2 and (line >= 0).all() and (line <= 1).all() for line in lines)


class TestTracks:
    @given(lengths)
    def test_few_points_in_the_unit_square(self, lengths):
        lines = outline.of_tracks(tracks(lengths))
        assert inside(lines)
        assert len(lines) == min(len(lengths), outline.TRACKS)
        assert sum(map(len, lines)) <= outline.POINTS

    @given(st.floats(-180, 179))
    def test_the_same_at_every_longitude_also_across_the_antimeridian(self, east):
        here, there = (outline.of_tracks(tracks([40, 9], by)) for by in (0.0, east))
        for one, other in zip(here, there, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)

    def test_the_longer_side_is_filled_and_the_shape_is_true(self):
        line = outline.of_tracks([Trajectory(lon=np.array([0.0, 0.02]), lat=np.array([60.0, 60.005]))])[0]
        np.testing.assert_allclose(line, [[0, 0.25], [1, 0.75]], atol=0.001)
        assert outline.of_tracks([Trajectory(lon=np.array([7.0]), lat=np.array([50.0]))])[0].tolist() == [[0.5, 0.5]]
        assert outline.of_tracks([]) == []


@given(st.integers(1, 500))
def test_counts_are_their_total_over_time(n):
    counts = np.random.default_rng(n).integers(0, 50, (n, 3))
    (line,) = outline.of_counts(CountStream(counts=counts, names=("a", "b", "c"), labels=tuple(map(str, range(n)))))
    assert inside([line])
    total = counts.sum(axis=1)
    assert (line[:, 1].max(), line[0, 0]) == ((1.0 if total.any() else 0.0), 0.0)
    assert n == 1 or line[-1, 0] == 1.0


def test_check_ins_are_the_cells_that_were_visited():
    lon, lat = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])
    made = CheckIns(user=np.zeros(3, np.int64), time_s=np.arange(3.0), users=("u",), lon=lon, lat=lat)
    lines = outline.of_checkins(made)
    assert inside(lines)
    assert [line.shape for line in lines] == [(5, 2)] * 2
    np.testing.assert_allclose([lines[0][0], lines[1][2]], [[0, 0], [1, 1]], atol=1e-9)
    assert pytest.approx(lines[0][0]) == lines[0][-1]
