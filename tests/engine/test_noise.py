"""Noise: the laws it must follow, by seeded samples. Each statistical test states its false-alarm rate, over seeds."""

import math
import os
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc, kv

from privacy_engine import geo, noise
from privacy_engine.errors import ParameterError
from tests.cases import each
from tests.engine.test_simulated_noise import dkw
from tests.examples import examples

DRAWS = 400_000
RATE = 1e-3
"""Per metre: a scale of a kilometre, far above the grid of 1 cm and far below the Earth."""


@cache
def radii():
    """Displacements in scales, sorted."""
    lon, lat = noise.planar_laplace(np.full(DRAWS, 116.4), np.full(DRAWS, 39.9), RATE, rng=noise.seeded(20250101))
    return np.sort(geo.distance_m(116.4, 39.9, lon, lat)) * RATE


@cache
def moved():
    """East and north of the noise, in scales."""
    lon, lat = noise.planar_laplace(np.full(DRAWS, 116.4), np.full(DRAWS, 39.9), RATE, rng=noise.seeded(7))
    plane = geo.LocalPlane(116.4, 39.9)
    return tuple(plane.project(lon, lat).T * RATE)  # type: ignore[return-value]


def sphere_cdf(angle, rate):
    """The distribution with density proportional to sin(angle) exp(-rate angle) on [0, pi]."""
    below = 1 - np.exp(-rate * angle) * (rate * np.sin(angle) + np.cos(angle))
    return below / (1 + math.exp(-rate * math.pi))


class TestPlanarRadius:
    def test_follows_the_gamma_law(self):
        """False alarms: 1e-6 (Dvoretzky-Kiefer-Wolfowitz)."""
        r = radii()
        assert np.abs(1 - (1 + r) * np.exp(-r) - (np.arange(DRAWS) + 0.5) / DRAWS).max() < dkw(DRAWS)

    def test_has_the_published_moments(self, vectors):
        """Five standard errors each: false alarms 1e-6."""
        r, law = radii(), vectors["planar_laplace"]
        for values, expected in ((r, law["mean eps*r"]), (r**2, law["E r^2 eps^2"])):
            assert values.mean() == pytest.approx(expected, abs=5 * values.std() / math.sqrt(DRAWS))
        assert r.var() == pytest.approx(law["var eps^2 r"], abs=5 * ((r - 2) ** 2).std() / math.sqrt(DRAWS))
        assert float(noise.planar_mean_m(4.0)) == law["mean eps*r"] / 4

    @each("epsilon", [1e-9, 5e-8, 1.4e-7, 1.6e-7, 1e-6])
    def test_follows_the_law_of_the_sphere_where_noise_is_as_large_as_the_earth(self, epsilon):
        """Chi-square over 50 bins of the positions' great-circle distances; false alarms 1e-5 for each epsilon."""
        n, bins = 100_000, 50
        lon, lat = noise.planar_laplace(np.full(n, 170.0), np.full(n, -60.0), epsilon, rng=noise.seeded(11))
        angle = geo.distance_m(170.0, -60.0, lon, lat) / geo.EARTH_RADIUS_M
        share = sphere_cdf(angle, epsilon * geo.EARTH_RADIUS_M)
        counts = np.bincount(np.minimum((share * bins).astype(int), bins - 1), minlength=bins)
        assert chdtrc(bins - 1, ((counts - n / bins) ** 2 / (n / bins)).sum()) > 1e-5

    @settings(max_examples=examples(60))
    @given(st.lists(st.floats(1e-12, 1e12), max_size=20), st.integers(0, 2**32), st.floats(-90, 90))
    def test_is_on_the_sphere_and_on_the_grid_at_every_scale(self, epsilons, seed, lat):
        n = len(epsilons)
        found = noise.planar_laplace(np.full(n, 180.0), np.full(n, lat), epsilons, rng=noise.seeded(seed))
        for degrees, bound in zip(found, (180.0, 90.0), strict=True):
            assert degrees.shape == (n,)
            assert (np.abs(degrees) <= bound).all()
            assert (np.rint(degrees * 1e7) / 1e7 == degrees).all()
        assert (found[0] < 180).all()

    @each("value", [math.nan, math.inf, -math.inf, 0.0, -1.0])
    def test_names_what_it_refuses(self, value):
        for epsilon in (value, [1.0, value]):
            with pytest.raises(ParameterError, match=r"^epsilon_per_m must be ") as caught:
                noise.planar_laplace([0.0, 0.0], [0.0, 0.0], epsilon, rng=noise.seeded(1))
            assert caught.value.field == "epsilon_per_m"
            assert caught.value.rule == "> 0"


class TestPlanarLaplace:
    def test_has_the_published_spread_on_each_axis(self, vectors):
        """Five standard errors each: false alarms 1e-6."""
        law = vectors["planar_laplace"]
        for axis in moved():
            assert axis.mean() == pytest.approx(0, abs=5 * math.sqrt(3 / DRAWS))
            for values, expected in (
                (axis**2, law["std per axis * eps"] ** 2),
                (abs(axis), law["mean |x| per axis * eps"]),
            ):
                assert values.mean() == pytest.approx(expected, abs=5 * values.std() / math.sqrt(DRAWS))

    def test_points_everywhere_alike_whatever_the_distance(self):
        """Chi-square of 36 bearings, near and far half apart; false alarms 1e-5 each."""
        east, north = moved()
        bearing, near = np.arctan2(east, north) % (2 * np.pi), np.hypot(east, north) < 1.678
        for chosen in (bearing[near], bearing[~near]):
            counts = np.bincount((chosen / (2 * np.pi) * 36).astype(int) % 36, minlength=36)
            assert chdtrc(35, ((counts - chosen.size / 36) ** 2 / (chosen.size / 36)).sum()) > 1e-5

    def test_two_releases_of_one_place_are_as_far_apart_as_published(self, vectors):
        """Dvoretzky-Kiefer-Wolfowitz and five standard errors: false alarms 2e-6."""
        east, north = (axis.reshape(2, -1) for axis in moved())
        apart, law = np.sort(np.hypot(east[0] - east[1], north[0] - north[1])), vectors["planar_laplace"]
        n = apart.size
        for x, share in law["P(|o1-o2|*eps<=x), stationary: 1 - x^3 K3(x)/8"].items():
            assert 1 - float(x) ** 3 * kv(3, float(x)) / 8 == pytest.approx(share, abs=1e-9)
            assert np.searchsorted(apart, float(x)) / n == pytest.approx(share, abs=dkw(n))
        for p, quantile in law["quantiles of |o1-o2|*eps"].items():
            assert np.searchsorted(apart, quantile) / n == pytest.approx(float(p), abs=dkw(n))
        mean = law["two releases of the same place, equal eps: mean |o1-o2| * eps"]
        assert apart.mean() == pytest.approx(mean, abs=5 * apart.std() / math.sqrt(n))

    def test_budgets_may_differ_from_position_to_position(self):
        n = 50_000
        epsilon = np.where(np.arange(n) % 2, 1.0, 0.01)
        lon, lat = noise.planar_laplace(np.zeros(n), np.zeros(n), epsilon, rng=noise.seeded(5))
        away = geo.distance_m(0, 0, lon, lat)
        assert away[1::2].mean() == pytest.approx(2, rel=0.05)
        assert away[::2].mean() == pytest.approx(200, rel=0.05)


class _Words:
    """A generator that yields the words it was given."""

    def __init__(self, *words):
        self.words = np.array(words, dtype=np.uint64)

    def integers(self, *_, **__):
        return self.words


class TestSources:
    def test_one_seed_gives_one_noise(self):
        where = np.zeros(50)
        draws = [noise.planar_laplace(where, where, 1.0, rng=np.random.default_rng(2)) for _ in range(2)]
        assert np.array_equal(*draws)
        first, again, other = (noise.planar_laplace(where, where, 0.01, rng=noise.seeded(seed)) for seed in (3, 3, 4))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)

    @each("source", [noise.publishable(), noise.seeded(9)], ids=["system", "seeded"])
    def test_uniforms_are_uniform_and_inside_the_open_interval(self, source):
        """False alarms: 1e-6 a run (the system source is a new sample each time)."""
        values = np.sort(source.uniform(200_000))
        assert values[0] > 0
        assert values[-1] < 1
        assert np.abs(values - (np.arange(200_000) + 0.5) / 200_000).max() < dkw(200_000) + 1e-5
        assert source.uniform(0).shape == (0,)

    @each("kind", [np.random.Philox, np.random.PCG64, np.random.SFC64, np.random.MT19937])
    def test_words_are_those_of_the_generator_however_many_at_a_time(self, kind):
        expected = np.random.Generator(kind(4)).integers(0, 2**64, size=30, dtype=np.uint64)
        source = noise.seeded(np.random.Generator(kind(4)))
        assert np.concatenate([source.words(n) for n in (0, 1, 9, 20)]).tolist() == expected.tolist()

    def test_uniforms_are_never_zero_and_never_one(self):
        extreme = noise.seeded(1)
        extreme._generator, extreme._raw = _Words(0, 2**64 - 1, 2**63), False  # type: ignore[attr-defined]
        lowest, highest, middle = extreme.uniform(3)
        assert 0 < lowest < 1e-15
        assert 1 - 1e-15 < highest < 1
        assert middle == pytest.approx(0.5)

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
    def test_forked_workers_draw_different_noise(self):
        source, seen = noise.publishable(), [noise.publishable().uniform(4).tobytes()]
        for _ in range(4):
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(writer, source.uniform(4).tobytes())
                os._exit(0)
            os.close(writer)
            seen.append(os.read(reader, 1000))
            os.close(reader)
            assert os.waitpid(child, 0)[1] == 0
        assert {len(draws) for draws in seen} == {32}
        assert len(set(seen)) == 5
