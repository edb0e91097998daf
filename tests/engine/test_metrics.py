"""Each metric against its definition in plain loops, and the axioms of the two distances."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import metrics
from privacy_engine.analysis.quantiles import Quantiles
from privacy_engine.core import geo
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterError
from privacy_engine.kernels.warping import warped
from privacy_engine.metrics import DynamicTimeWarping, Hausdorff, PoiRecall, TripLengthError, shape
from privacy_engine.metrics.base import on_sphere
from tests.cases import each
from tests.examples import examples

places = st.tuples(st.floats(-180, 179.99), st.floats(-90, 90))
near = st.tuples(st.floats(7.0, 7.01), st.floats(47.0, 47.01))
lines = st.one_of(st.lists(places, min_size=1, max_size=12), st.lists(near, min_size=1, max_size=12))


def series(line):
    return Trajectory(*np.array(line).T)


def pairwise_m(one, other):
    return geo.distance_m(one.lon[:, None], one.lat[:, None], other.lon, other.lat)


def between(metric, one, other):
    """A distance of two series, whichever events they have."""
    return float(metric.over(one, other.lon, other.lat, np.minimum(np.arange(len(other)), len(one) - 1)))


class TestPointwise:
    @given(line=lines, p=st.floats(0, 1))
    def test_against_the_definitions(self, line, p):
        truth = series(line)
        event = np.arange(len(truth))
        errors = sorted(float(geo.distance_m(x, y, u, v)) for (x, y), (u, v) in zip(line, reversed(line), strict=True))
        given_ = (truth, truth.lon[::-1], truth.lat[::-1], event)
        mean, rms = metrics.MeanAbsoluteError().over(*given_), metrics.RootMeanSquareError().over(*given_)
        assert mean == pytest.approx(math.fsum(errors) / len(errors))
        assert rms == pytest.approx(math.sqrt(math.fsum(e * e for e in errors) / len(errors)))
        assert rms >= mean * (1 - 1e-12)
        place = p * (len(errors) - 1)
        low = min(int(place), len(errors) - 1)
        wanted = errors[low] + (place - low) * (errors[min(low + 1, len(errors) - 1)] - errors[low])
        assert metrics.ErrorQuantile(p=p).over(*given_) == pytest.approx(wanted, rel=1e-9, abs=1e-6)


class TestHausdorff:
    @settings(max_examples=examples(300))
    @given(one=lines, other=lines)
    def test_against_all_pairs(self, one, other):
        apart = pairwise_m(series(one), series(other))
        wanted = max(apart.min(axis=0).max(), apart.min(axis=1).max())
        assert between(Hausdorff(), series(one), series(other)) == pytest.approx(wanted, rel=1e-9, abs=0.2)


def least_alignment(apart):
    """By the recursion over prefixes, which enumerates every alignment."""

    @cache
    def to(i, j):
        before = [to(a, b) for a, b in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if a >= 0 and b >= 0]
        return float(apart[i, j]) + (min(before) if before else 0.0)

    return to(apart.shape[0] - 1, apart.shape[1] - 1)


def alignments(n, m):
    """Every monotone path of pairs from the first to the last, written out."""
    if (n, m) == (1, 1):
        return [[(0, 0)]]
    steps = [(n - 1, m), (n, m - 1), (n - 1, m - 1)]
    return [[*path, (n - 1, m - 1)] for a, b in steps if a and b for path in alignments(a, b)]


class TestDynamicTimeWarping:
    @settings(max_examples=examples(300))
    @given(one=lines, other=lines)
    def test_against_the_recursion(self, one, other):
        wanted = least_alignment(pairwise_m(series(one), series(other)))
        assert between(DynamicTimeWarping(), series(one), series(other)) == pytest.approx(wanted, rel=1e-9, abs=2.0)

    @each(("n", "m"), list(itertools.product(range(1, 6), repeat=2)))
    def test_against_every_alignment(self, n, m):
        rng = np.random.default_rng(10 * n + m)
        one, other = (Trajectory(*rng.uniform(0, 0.01, (2, size))) for size in (n, m))
        apart = pairwise_m(one, other)
        wanted = min(sum(apart[pair] for pair in path) for path in alignments(n, m))
        assert between(DynamicTimeWarping(), one, other) == pytest.approx(wanted)

    @settings(max_examples=examples(100))
    @given(seed=st.integers(0, 2**32), n=st.integers(1, 25), share=st.floats(0, 0.9))
    def test_a_wider_band_is_no_worse_and_the_widest_exact(self, seed, n, share):
        """With events left out too."""
        rng = np.random.default_rng(seed)
        truth = Trajectory(*np.cumsum(rng.normal(0, 1e-3, (2, n)), axis=1))
        event = np.flatnonzero(rng.random(n) >= share)
        lon, lat = truth.lon[event] + rng.normal(0, 1e-3, len(event)), truth.lat[event]
        found = [float(DynamicTimeWarping(band=band).over(truth, lon, lat, event)) for band in range(n + 1)]
        if len(event):
            assert np.isfinite(found).all()
            assert (np.diff(found) <= 1e-6).all()
            assert found[-1] == pytest.approx(float(DynamicTimeWarping().over(truth, lon, lat, event)))
        if len(event) == n:
            assert found[0] == pytest.approx(geo.distance_m(truth.lon, truth.lat, lon, lat).sum(), rel=1e-6)

    @settings(max_examples=examples(100))
    @given(seed=st.integers(0, 2**32), n=st.integers(1, 8), m=st.integers(1, 8))
    def test_the_loop_under_any_limits(self, seed, n, m):
        """Limits that never decrease, are constant or exclude every alignment."""
        rng = np.random.default_rng(seed)
        low, high = np.sort(np.sort(rng.integers(0, n, (2, m)), axis=1), axis=0)
        low[0], high[-1] = 0, n - 1
        one, other = (on_sphere(*rng.uniform(0, 80, (2, size))) for size in (n, m))
        apart = np.arccos(np.clip(one @ other.T, -1, 1))
        event = np.arange(n)[:, None]
        apart[(event < low) | (event > high)] = np.inf
        assert warped(one, other, low, high) == pytest.approx(least_alignment(apart), abs=1e-6)

    def test_beyond_the_limit_it_refuses_and_a_band_helps(self, monkeypatch):
        monkeypatch.setattr(shape, "MOST_CELLS", 999)
        truth = Trajectory(np.linspace(0, 0.1, 40), np.zeros(40))
        with pytest.raises(ParameterError, match=r"band must be such that at most 999 pairs .* got 1,600") as caught:
            between(DynamicTimeWarping(), truth, truth)
        assert (caught.value.field, caught.value.value) == ("band", 1600)
        assert between(DynamicTimeWarping(band=5), truth, truth) == 0


class TestPlaces:
    @settings(max_examples=examples(50))
    @given(seed=st.integers(0, 2**32), queries=st.integers(1, 30))
    def test_range_queries_against_counting(self, seed, queries):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 60))
        truth = Trajectory(*rng.uniform(0, 0.02, (2, n)))
        lon, lat = truth.lon + rng.normal(0, 0.004, n), truth.lat
        total, centres = 0.0, np.linspace(0, n - 1, min(queries, n)).round().astype(int)
        for at in centres:
            true = (geo.distance_m(truth.lon[at], truth.lat[at], truth.lon, truth.lat) <= 500).sum()
            found = (geo.distance_m(truth.lon[at], truth.lat[at], lon, lat) <= 500).sum()
            total += abs(int(found) - int(true)) / max(int(true), 0.01 * n)
        got = metrics.RangeQueryError(radius_m=500.0, queries=queries).over(truth, lon, lat, np.arange(n))
        assert got == pytest.approx(100 * total / len(centres))

    def test_half_of_the_stays_are_found_again(self):
        """Two stays of an hour; the release keeps the first and moves the second 1 km away."""
        lon, time_s = np.repeat([0.0, 0.1], 60), np.arange(120) * 60.0
        truth = Trajectory(lon, np.zeros(120), time_s)
        recall = PoiRecall(distance_m=200.0, duration_s=1800.0)
        assert recall.over(truth, lon, np.where(lon > 0, 0.009, 0.0), np.arange(120)) == 50
        assert recall.over(truth, lon, np.where(lon > 0, 0.001, 0.0), np.arange(120)) == 100
        assert recall.over(truth, np.arange(120) * 0.01, np.zeros(120), np.arange(120)) == 0
        never = Trajectory(np.arange(20) * 0.01, np.zeros(20), np.arange(20) * 60.0)
        assert np.isnan(recall.over(never, never.lon, never.lat, np.arange(20)))

    def test_noise_lengthens_the_way(self):
        truth = Trajectory(np.zeros(3), [0.0, 0.01, 0.02])
        detour = TripLengthError().over(truth, [0.0, 0.01, 0.0], truth.lat, [0, 1, 2])
        leg, side = (math.radians(0.01) * geo.EARTH_RADIUS_M,) * 2
        assert detour == pytest.approx(2 * math.hypot(leg, side) - 2 * leg, rel=1e-4)
        assert TripLengthError().over(truth, [0.0, 0.0], [0.0, 0.01], [0, 1]) == pytest.approx(leg)


# numpy adds the two middle ones before it halves them: what it states of larger numbers is infinite
NUMBERS = st.one_of(st.floats(0, np.finfo(float).max / 100), st.sampled_from([0.0, 1.0, 1.0 + 2**-52]))


@given(st.lists(st.lists(NUMBERS, max_size=9), max_size=9), st.integers(0, 9))
def test_is_that_of_all_together(pieces, most):
    found, every = Quantiles(most), np.array([one for piece in pieces for one in piece])
    for piece in pieces:
        found.add(np.array(piece, dtype=np.float64))
    expected = float(np.median(every)) if len(every) else None
    assert found.median() == found.median() == (expected if expected is None else pytest.approx(expected, rel=0, abs=0))
    assert found.total() == pytest.approx(every.sum())
    if (held := found.held()) is not None:
        assert held.tolist() == every.tolist()
    for p in (0.0, 0.3, 0.5, 0.95, 1.0) if held is None else ():
        assert found.quantile(p) == np.quantile(every, p)


def test_of_one_number_again_and_again_and_of_numbers_that_differ_in_their_last_bits():
    found = Quantiles(most=10)
    for _ in range(100):
        found.add(np.full(100, 7.25))
    assert found.median() == found.mean() == 7.25
    numbers = np.random.default_rng(1).permutation(np.array([1.0]).view(np.uint64) + np.arange(5000, dtype=np.uint64))
    found = Quantiles(most=50)
    for piece in np.array_split(numbers.view(np.float64), 70):
        found.add(piece)
    assert found.median() == float(np.median(numbers.view(np.float64)))
