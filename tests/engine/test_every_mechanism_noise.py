"""Noise of every mechanism: as large as declared, the same wherever and in whatever unit, and the same of many at once.

Statistical tests state their seed; with it they are deterministic, and their bounds were chosen so that a fresh seed
would fail less than once in 10^5 runs.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.laws.trajectory import moments, positions
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark import Adaptive, Uniform, adaptive
from privacy_engine.mechanisms.landmark.base import GRID_DEG
from tests.cases import each
from tests.engine.mechanism_examples import every_mechanism, example, masks, variants, walk
from tests.examples import examples

EPSILON, RADIUS_M = 2.0, 50.0
CITY = (116.4, 39.9)


def draws(mechanism, seed, n, runs):
    """Displacements (n, 2) in metres of so many releases of a series that stands still."""
    series, mask = Trajectory(np.full(n, CITY[0]), np.full(n, CITY[1])), LandmarkSet(np.arange(n) % 4 == 0)
    plane, rng = geo.LocalPlane(*CITY), noise.seeded(seed)
    for _ in range(runs):
        release = mechanism.release(series, mask, rng=rng)
        yield plane.project(release.series.lon, release.series.lat), release


@pytest.mark.slow
@every_mechanism
def test_errors_of_fresh_draws_match_the_declared_noise(cls):
    """100,000 draws or more at non-default parameters; five standard errors, of the means of the runs (seed 11)."""
    mechanism, n = example(cls, epsilon=EPSILON, radius_m=RADIUS_M), 400
    runs = math.ceil(100_000 / np.count_nonzero(next(draws(mechanism, 11, n, 1))[1].fresh) * 1.1)
    drawn, of_runs = 0, []
    for xy_m, release in draws(mechanism, 11, n, runs):
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
def test_a_release_declares_the_noise_of_its_draws_which_lie_on_the_declared_grid(cls):
    mask = np.random.default_rng(1).random(60) < 0.4
    for mechanism in variants(cls):
        release = mechanism.release(walk(60), LandmarkSet(mask), rng=noise.seeded(2))
        assert np.allclose(release.sd_m, moments(mechanism, mask, release.budgets)[1], rtol=1e-12)
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
    @each("factor", [2.0, 0.125, 3.0, 0.7])
    def test_level_and_radius_that_grow_together_are_one_release(self, cls, factor):
        """To the bit for powers of two, which round nothing."""
        exact = factor in (2.0, 0.125)
        if (
            cls is Adaptive and not exact
        ):  # it draws ahead while shares are equal to the last bit: other draws of one law
            return
        series, mask = walk(120), LandmarkSet(np.random.default_rng(2).random(120) < 0.4)
        levels = ({"epsilon": 0.75 * by, "radius_m": 128.0 * by} for by in (1, factor))
        for one, two in zip(*(variants(cls, **level) for level in levels), strict=True):
            first, second = (mechanism.release(series, mask, rng=noise.seeded(6)) for mechanism in (one, two))
            assert np.allclose(second.budgets, first.budgets * factor, rtol=0 if exact else 1e-12, atol=0)
            assert np.array_equal(first.fresh, second.fresh)
            for axis in ("lon", "lat"):
                apart = np.abs(getattr(first.series, axis) - getattr(second.series, axis)).max()
                assert apart <= (0 if exact else 1.01 * GRID_DEG)


@every_mechanism
@settings(max_examples=examples(25))
@given(mask=masks.filter(lambda mask: len(mask) <= 20), seed=st.integers(0, 2**32))
def test_once_is_the_release_bit_for_bit(cls, mask, seed):
    """Adaptive draws ahead; drawing one event at a time it makes its draws in the same order too."""
    series, landmarks = walk(len(mask), seed), LandmarkSet(mask)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptive, "FIRST_CHUNK", 1)
        patch.setattr(adaptive, "LARGEST_CHUNK", 1)
        for mechanism in variants(cls):
            once = mechanism.repeat(series, landmarks, 1, rng=noise.seeded(seed))
            released = positions(mechanism.release(series, landmarks, rng=noise.seeded(seed)), len(mask))
            assert once.shape == (1, len(mask), 2)
            assert np.array_equal(once[0], released, equal_nan=True)


@every_mechanism
def test_every_mechanism_has_a_form_for_many_at_once(cls):
    assert getattr(cls.draw_many, "draw", None) in (cls.draw, cls.draw_each)
    with pytest.raises(DataError, match="landmarks must mark 3 events, got 4"):
        example(cls).repeat(walk(3), LandmarkSet(np.ones(4, bool)), 2, rng=noise.seeded(1))


class TestWhatIsReplaced:
    """A class that replaces ``draw`` or ``release`` is audited by that method, not by the form for many at once."""

    series, landmarks = Trajectory(np.zeros(2), np.zeros(2)), LandmarkSet(np.zeros(2, dtype=bool))

    def truth(self):
        return Release(self.series, np.arange(2), np.ones(2), np.ones(2, dtype=bool), np.zeros(2))

    def published(self, cls):
        return example(cls).repeat(self.series, self.landmarks, 3, rng=noise.seeded(1))

    @each("method", ["draw", "release"])
    @each("cls", [Uniform, Adaptive])
    def test_a_subclass_of_its_own(self, cls, method):
        assert self.published(cls).any()
        assert not self.published(type("Other", (cls,), {method: lambda *_, **__: self.truth()})).any()

    def test_what_is_patched_from_outside(self):
        for owner in (Uniform, TrajectoryMechanism):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(owner, "release", lambda *_, **__: self.truth())
                assert not self.published(Uniform).any()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Uniform, "perturb", lambda _, lon, lat, budgets, *, rng: (lon, lat))
            assert not self.published(Uniform).any()
