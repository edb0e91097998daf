"""Noise of every mechanism: as large as declared, and the same wherever and in whatever unit it is drawn.

Statistical tests state their seed; with it they are deterministic, and their bounds were chosen so that a fresh seed
would fail less than once in 10^5 runs.
"""

import math

import numpy as np

from privacy_engine import geo, noise
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms.landmark import Adaptive
from privacy_engine.mechanisms.landmark.base import GRID_DEG
from tests.cases import each
from tests.engine.mechanism_examples import every_mechanism, every_mechanism_but, example, variants, walk

EPSILON, RADIUS_M = 2.0, 50.0
PLACES = {"city": (116.4, 39.9), "south": (-70.0, -60.0), "antimeridian": (180.0, 5.0), "near the pole": (10.0, 89.9)}


def moments(mechanism, mask, budgets):
    """Mean displacement and standard deviation per axis, metres, that draws with these budgets are to have, (n,).

    Planar Laplace noise: 2r/ε and √3 r/ε. Landmarks drawn jointly at B = their sum: a disc whose radius is
    Gamma(2p + 1, r/B), so (4p + 2) r/3B and √((2p + 1)(2p + 2)) r/2B.
    """
    fresh = budgets > 0
    scale = np.divide(mechanism.radius_m, budgets, where=fresh, out=np.zeros(len(budgets)))
    mean, sd = 2 * scale, math.sqrt(3) * scale
    drawn = mask & fresh
    if getattr(mechanism, "joint_landmarks", False) and drawn.any():
        p, together = np.count_nonzero(drawn), mechanism.radius_m / budgets[drawn].sum()
        mean[drawn] = (4 * p + 2) / 3 * together
        sd[drawn] = math.sqrt((2 * p + 1) * (2 * p + 2)) / 2 * together
    return mean, sd


def draws(mechanism, place, seed, n, runs):
    """Displacements (n, 2) in metres of so many releases of a series that stands still."""
    series, mask = Trajectory(np.full(n, place[0]), np.full(n, place[1])), LandmarkSet(np.arange(n) % 4 == 0)
    plane, rng, found = geo.LocalPlane(*place), noise.seeded(seed), []
    for _ in range(runs):
        release = mechanism.release(series, mask, rng=rng)
        found.append((plane.project(release.series.lon, release.series.lat), release))
    return found


@every_mechanism
def test_errors_of_fresh_draws_match_the_declared_noise(cls):
    """100,000 draws or more at non-default parameters; five standard errors, of the means of the runs (seed 11)."""
    mechanism, n = example(cls, epsilon=EPSILON, radius_m=RADIUS_M), 400
    runs = math.ceil(100_000 / np.count_nonzero(draws(mechanism, PLACES["city"], 11, n, 1)[0][1].fresh) * 1.1)
    drawn, of_runs = 0, []
    for xy_m, release in draws(mechanism, PLACES["city"], 11, n, runs):
        fresh = np.flatnonzero(release.fresh)
        mean, sd = (one[fresh] for one in moments(mechanism, np.arange(n) % 4 == 0, release.budgets))
        drawn += len(fresh)
        away, axes = np.hypot(*xy_m[fresh].T) / mean, xy_m[fresh] / sd[:, None]
        of_runs.append([away.mean(), *axes.mean(axis=0), *(axes**2).mean(axis=0)])
    assert drawn >= 100_000
    off = np.mean(of_runs, axis=0) - [1, 0, 0, 1, 1]
    errors = np.std(of_runs, axis=0) / math.sqrt(runs)
    assert (errors < 0.03).all()
    assert (np.abs(off) < 5 * errors).all(), (off, errors)


@every_mechanism
def test_a_release_declares_the_noise_of_its_draws(cls):
    mask = np.random.default_rng(1).random(60) < 0.4
    for mechanism in variants(cls):
        release = mechanism.release(walk(60), LandmarkSet(mask), rng=noise.seeded(2))
        assert np.allclose(release.sd_m, moments(mechanism, mask, release.budgets)[1], rtol=1e-12)


@every_mechanism
def test_released_positions_lie_on_the_declared_grid(cls):
    release = example(cls).release(walk(60), LandmarkSet(np.arange(60) % 2 == 0), rng=noise.publishable())
    for values in (release.series.lon, release.series.lat):
        assert np.allclose(values / GRID_DEG, np.round(values / GRID_DEG), atol=1e-4)


class TestElsewhere:
    """Nothing may depend on where on Earth a series lies, or on the unit that ε is counted in."""

    @every_mechanism
    @each("degrees", [1.0, -77.25, 63.6, 180.0, 359.0])
    def test_turned_about_the_pole_a_series_gets_the_same_release_turned(self, cls, degrees):
        series, mask = walk(120), LandmarkSet(np.random.default_rng(2).random(120) < 0.4)
        turned = Trajectory(geo.wrap_lon(series.lon + degrees), series.lat, series.time_s, series.name)
        for mechanism in variants(cls):
            here, there = (mechanism.release(one, mask, rng=noise.seeded(9)) for one in (series, turned))
            assert np.array_equal(here.budgets, there.budgets)
            assert np.array_equal(here.event, there.event)
            apart = geo.wrap_lon(there.series.lon - here.series.lon - degrees)
            assert np.abs(apart).max() <= 1.01 * GRID_DEG
            assert np.abs(there.series.lat - here.series.lat).max() <= 1.01 * GRID_DEG

    @every_mechanism
    @each("place", ["south", "antimeridian", "near the pole"])
    def test_noise_is_as_large_in_every_place_and_points_nowhere(self, cls, place):
        """Of one seed the same radii and bearings; at a place of its own each draw lies as far away."""
        mechanism = example(cls, epsilon=EPSILON, radius_m=RADIUS_M)
        there, here = (draws(mechanism, PLACES[one], 5, 60, 3) for one in (place, "city"))
        for (xy_m, release), (same, other) in zip(there, here, strict=True):
            assert np.array_equal(release.budgets, other.budgets)
            assert np.abs(xy_m - same).max() < 0.02  # metres: the grid

    @every_mechanism
    @each("factor", [2.0, 0.125])
    def test_level_and_radius_that_grow_together_are_one_release_to_the_bit(self, cls, factor):
        """Powers of two, which round nothing."""
        assert_same_release(cls, factor, rtol=0.0, grid=0.0)

    @every_mechanism_but(Adaptive)  # it draws ahead while shares are equal to the last bit: the same law, other draws
    @each("factor", [3.0, 0.7])
    def test_level_and_radius_that_grow_together_are_one_release(self, cls, factor):
        assert_same_release(cls, factor, rtol=1e-12, grid=1.01 * GRID_DEG)


def assert_same_release(cls, factor, *, rtol, grid):
    series, mask = walk(120), LandmarkSet(np.random.default_rng(2).random(120) < 0.4)
    for one, two in zip(
        variants(cls, epsilon=0.75, radius_m=128.0),
        variants(cls, epsilon=0.75 * factor, radius_m=128.0 * factor),
        strict=True,
    ):
        first, second = (mechanism.release(series, mask, rng=noise.seeded(6)) for mechanism in (one, two))
        assert np.allclose(second.budgets, first.budgets * factor, rtol=rtol, atol=0)
        assert np.array_equal(first.fresh, second.fresh)
        assert np.abs(first.series.lon - second.series.lon).max() <= grid
        assert np.abs(first.series.lat - second.series.lat).max() <= grid
