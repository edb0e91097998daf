r"""Log-likelihood ratios of neighbouring series, by the exact density of outputs drawn from each mechanism.

A draw of event t has density proportional to exp(-rate_t d(x_t, z_t)); its normalisation depends on the rate alone, for
the sphere is the same at every place. So the log-ratio of one output's densities under two truths is a sum of
differences of distances, *if* the rates are the same under both. The recording proves that: it gives a mechanism over
the other truth the same draws, and the rates it requests, the budgets and the release must not change by a bit.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import geo, noise
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms import landmark
from tests.cases import each
from tests.engine.mechanism_examples import (
    CLASSES,
    adversarial_masks,
    every_mechanism,
    masks,
    protected_sets,
    variants,
    walk,
)
from tests.examples import examples

EPSILON, RADIUS_M = 0.7, 130.0
SAMPLERS = {"planar_laplace": noise.planar_laplace, "joint_planar": noise.joint_planar}


class Recording:
    """Replaces the noise of a mechanism: records rates and draws, or returns the draws of another recording."""

    def __init__(self, series, monkeypatch, played=None):
        self.series, self.played = series, played
        self.event = {lon: event for event, lon in enumerate(series.lon.tolist())}
        assert len(self.event) == len(series)  # events are known by their longitudes
        self.rates, self.joint = np.zeros(len(series)), 0.0
        self.lon, self.lat = np.full((2, len(series)), math.nan)
        for name, sampler in SAMPLERS.items():
            monkeypatch.setattr(noise, name, self._in_place_of(name, sampler))

    def _in_place_of(self, name, sampler):
        def draw(lon, lat, epsilon_per_m, *, rng):
            events = [self.event[one] for one in np.atleast_1d(lon).tolist()]
            assert np.array_equal(self.series.lat[events], lat)
            if name == "joint_planar":
                self.joint = float(epsilon_per_m)
            self.rates[events] = epsilon_per_m
            if self.played is None:
                self.lon[events], self.lat[events] = sampler(lon, lat, epsilon_per_m, rng=rng)
                return self.lon[events], self.lat[events]
            return self.played.lon[events], self.played.lat[events]

        return draw

    def release(self, mechanism, mask, seed):
        return mechanism.release(self.series, LandmarkSet(mask), rng=noise.seeded(seed))

    def away_m(self, draws):
        """How far each event's truth in this recording lies from the draw in the other one."""
        return geo.distance_m(self.series.lon, self.series.lat, draws.lon, draws.lat)


def independent(here, there, mask, fresh):
    """ln(density of the draws under the truth ``here`` / under ``there``), every draw with noise of its own."""
    return float((here.rates * (there.away_m(here) - here.away_m(here)))[fresh].sum())


def joint(here, there, mask, fresh):
    """As :func:`independent`, the landmarks drawn at once with density ∝ exp(-rate · max over them of d(x_i, z_i))."""
    landmarks = mask & fresh
    ratio = independent(here, there, mask, fresh & ~mask)
    if landmarks.any():
        ratio += here.joint * float(there.away_m(here)[landmarks].max() - here.away_m(here)[landmarks].max())
    return ratio


def log_ratio(mechanism):
    return joint if getattr(mechanism, "joint_landmarks", False) else independent


def away_from(draws, moved, metres):
    """The series with ``moved`` events moved along the great circle that leads away from (towards) their draws."""
    lon, lat = draws.series.lon.copy(), draws.series.lat.copy()
    moved = moved & np.isfinite(draws.lon)
    events = np.flatnonzero(moved)
    plane = [geo.LocalPlane(lon[t], lat[t]).project(draws.lon[t], draws.lat[t])[0] for t in events]
    bearing = np.array([math.atan2(-east, -north) for east, north in plane])
    lon[moved], lat[moved] = geo.destination(lon[moved], lat[moved], metres, bearing)
    return Trajectory(lon, lat, draws.series.time_s, draws.series.name)


def somewhere(series, moved, seed):
    """The series with ``moved`` events moved anywhere, by up to the radius."""
    rng, lon, lat = np.random.default_rng(seed), series.lon.copy(), series.lat.copy()
    metres = RADIUS_M * np.where(rng.random(len(lon)) < 0.5, 1, rng.random(len(lon)))
    to = geo.destination(lon, lat, metres, rng.uniform(0, 2 * math.pi, len(lon)))
    return Trajectory(np.where(moved, to[0], lon), np.where(moved, to[1], lat), series.time_s, series.name)


def losses(mechanism, mask, seed):
    """Log-ratios of one output under the truth and its neighbours: away from the draws, towards them, anywhere."""
    found = []
    with pytest.MonkeyPatch.context() as monkeypatch:
        here = Recording(walk(len(mask), seed), monkeypatch)
        one = here.release(mechanism, mask, seed)
        for moved in protected_sets(mechanism, mask):
            for truth in (
                away_from(here, moved, RADIUS_M),
                away_from(here, moved, -RADIUS_M),
                somewhere(here.series, moved, seed),
            ):
                assert geo.distance_m(here.series.lon, here.series.lat, truth.lon, truth.lat).max() < RADIUS_M + 1e-6
                there = Recording(truth, monkeypatch, played=here)
                two = there.release(mechanism, mask, seed + 1)
                assert np.array_equal(there.rates[one.fresh], here.rates[one.fresh])
                assert there.joint == here.joint
                for same in ("event", "budgets", "fresh"):
                    assert np.array_equal(getattr(one, same), getattr(two, same))
                assert np.array_equal(one.series.lon, two.series.lon)
                assert np.array_equal(one.series.lat, two.series.lat)
                found.append(log_ratio(mechanism)(here, there, mask, one.fresh))
        alone = one.fresh & ~(mask & bool(here.joint))
        assert np.allclose(here.rates[alone] * RADIUS_M, one.budgets[alone], rtol=3e-12)
        assert here.joint * RADIUS_M == pytest.approx(one.budgets[mask].sum() if here.joint else 0, rel=3e-12)
    return found


class TestExactDensities:
    @every_mechanism
    @settings(max_examples=examples(15))
    @given(mask=masks.filter(lambda mask: len(mask) <= 16), seed=st.integers(0, 2**32))
    def test_no_neighbour_moves_the_odds_of_an_output_further_than_epsilon(self, cls, mask, seed):
        for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
            assert max(map(abs, losses(mechanism, mask, seed))) <= EPSILON * (1 + 1e-9)

    @every_mechanism
    def test_of_adversarial_sets_too_and_the_worst_neighbour_comes_near(self, cls):
        """Truth moved straight away from every draw loses the whole budget of the set: nothing less may be declared."""
        for name, mask in adversarial_masks(9).items():
            for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
                worst = max(losses(mechanism, mask, 3))
                assert worst <= EPSILON * (1 + 1e-9), name
                if cls not in (landmark.Adaptive, landmark.WEvent):  # which may save, or have a longer window
                    assert worst >= 0.999 * EPSILON, name


class TestSkippedLandmarks:
    @each("cls", [one for one in CLASSES if one.level == "landmark"])
    @each("seed", range(5))
    def test_the_truth_at_a_landmark_that_is_not_drawn_is_not_read(self, cls, seed):
        rng, skipped = np.random.default_rng(seed), 0
        mask = rng.random(200) < 0.6
        still = Trajectory(116.4 + 1e-9 * np.arange(200), np.full(200, 39.9))  # so that Adaptive skips
        for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
            one = mechanism.release(still, LandmarkSet(mask), rng=noise.seeded(seed))
            unread = ~one.fresh
            elsewhere = Trajectory(
                np.where(unread, rng.uniform(-180, 180, 200), still.lon),
                np.where(unread, rng.uniform(-90, 90, 200), still.lat),
            )
            two = mechanism.release(elsewhere, LandmarkSet(mask), rng=noise.seeded(seed))
            for same in ("event", "budgets", "fresh"):
                assert np.array_equal(getattr(one, same), getattr(two, same))
            assert np.array_equal(one.series.lon, two.series.lon)
            assert np.array_equal(one.series.lat, two.series.lat)
            skipped += np.count_nonzero(unread)
        skipping = (landmark.Skip, landmark.Adaptive, landmark.Planned, landmark.Joint)
        assert skipped > 0 or cls not in skipping
