"""Small drawings of data: in the unit square, the same wherever on Earth the data lie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.analysis import outline
from privacy_engine.data import CheckIns, CountStream, Trajectory

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
