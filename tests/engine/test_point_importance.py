"""Points above a tolerance draw the line within it, at every tolerance and length."""

import numpy as np
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.line_simplification import TILE, TOLERANCE, WORLD, MapView, heights, importance_of
from privacy_engine.point_importance import LEVELS, MAX_RUN, RUNS, importance, importances
from tests.cases import each
from tests.examples import examples


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

    def test_a_corner_counts_as_far_as_it_lies_from_the_line_without_it(self):
        assert importance(np.array([0.0, 5.0, 10.0]), np.array([0.0, 3.0, 0.0]), 0.5)[1] == 3.0

    def test_many_lines_together_have_the_importance_of_each_alone(self):
        rng = np.random.default_rng(3)
        lengths = [0, 1, 2, 3, MAX_RUN, MAX_RUN + 1, MAX_RUN + 2, 5000, *rng.integers(3, MAX_RUN, 2 * RUNS)]
        some = [tuple(rng.standard_cauchy((2, n)).cumsum(axis=1)) for n in lengths]
        for (x, y), together in zip(some, importances(some, 0.5), strict=True):
            np.testing.assert_array_equal(together, importance(x, y, 0.5), strict=True)

    @each("n", [0, 1, 2])
    def test_ends_are_always_needed(self, n):
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
