"""The kernels of planar noise against numpy: radii, bearings and destinations of plain readings, 200 random cases each.

The plain readings draw with the published Philox, one word after the other, and take logarithms and sines from numpy.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import geo, noise
from tests.cases import each
from tests.engine.test_kernel_numbers import plain_philox

LOW = 2**32 - 1


def plain_polar(key, repetition, event, epsilon):
    """Radius (metres) and bearing: the first accepted attempt.

    Gamma(2) for the angle, kept with probability sin(a)/a; where noise is larger than the Earth, from the second
    attempt on uniform angles, kept with probability sin(a) exp(-rate a).
    """
    rate, attempt = epsilon * geo.EARTH_RADIUS_M, 0
    while True:
        counter = [event & LOW, event >> 32, repetition, attempt]
        u, v, w, x = ((word + 0.5) / 2**32 for word in plain_philox(counter, key, 32))
        if attempt == 0 or rate > 1:
            angle = -np.log(u * v) / rate
            kept = angle <= np.pi and x * angle <= np.sin(angle)
        else:
            angle = np.pi * u
            kept = v <= np.sin(angle) and x <= np.exp(-rate * angle)
        if kept:
            return float(angle * geo.EARTH_RADIUS_M), 2 * math.pi * w
        attempt += 1


seeds, repetitions = st.integers(0, 2**70), st.integers(0, LOW)
first_events = st.one_of(st.integers(0, 1000), st.integers(2**32 - 10, 2**32), st.integers(0, 2**62))
scales = st.floats(-9.5, 1).map(lambda exponent: 10.0**exponent)  # per metre: from round the Earth to centimetres


class TestPolar:
    @given(seeds, repetitions, first_events, st.lists(scales, min_size=1, max_size=8))
    def test_equals_the_plain_sampler(self, seed, repetition, first, epsilons):
        key = np.random.SeedSequence(seed, spawn_key=(1,)).generate_state(2).tolist()
        found = noise.simulated_polar(epsilons, seed=seed, repetition=repetition, first_event=first)
        expected = [plain_polar(key, repetition, first + i, epsilon) for i, epsilon in enumerate(epsilons)]
        for ours, theirs in zip(found, np.transpose(expected), strict=True):
            assert ours == pytest.approx(theirs, rel=1e-12)


class TestPlanar:
    @given(seeds, st.floats(-180, 180), st.floats(-90, 90), scales)
    def test_equals_numpys_great_circle_over_the_same_draws(self, seed, lon, lat, epsilon):
        """As points of the unit sphere, which has no pole and no antimeridian: 1e-12 of it are 6 µm."""
        here = np.full(20, lon), np.full(20, lat)
        found = noise.simulated_planar(*here, epsilon, seed=seed)
        polar = noise.simulated_polar(np.full(20, epsilon), seed=seed)
        assert np.allclose(on_sphere(*found), displaced(*here, *polar), rtol=0, atol=1e-12)

    @given(seeds, st.floats(-180, 180), st.floats(-90, 90), scales)
    def test_releases_equal_the_plain_sampler_rounded_to_the_grid(self, seed, lon, lat, epsilon):
        """To a cell's half diagonal, and 1e-12 of the Earth for numpy's own roundings."""
        found = noise.planar_laplace([lon], [lat], epsilon, rng=noise.seeded(seed))
        radius_m, bearing = plain_release(noise.seeded(seed), epsilon)
        expected = displaced(np.array([lon]), np.array([lat]), np.array([radius_m]), np.array([bearing]))
        cell = math.radians(1e-7) * math.sqrt(0.5)
        assert np.linalg.norm(on_sphere(*found) - expected) <= cell * (1 + 1e-6) + 1e-12


def plain_release(rng, epsilon):
    """Radius (metres) and bearing of what is published, from proposals of four words: two radii, acceptance, bearing.

    Gamma(2) thinned by sin(a)/a where noise is small against the Earth, otherwise uniform points of the sphere thinned
    by exp(-rate a).
    """
    rate = epsilon * geo.EARTH_RADIUS_M
    while True:
        u, v, w, x = ((int(word) + 0.5) / 2**64 for word in rng.words(4))
        angle = -(math.log(u) + math.log(v)) / rate if rate > 1 else math.acos(1 - 2 * u)
        if angle <= math.pi and w <= (math.sin(angle) / angle if rate > 1 else math.exp(-rate * angle)):
            return angle * geo.EARTH_RADIUS_M, 2 * math.pi * x


def on_sphere(lon, lat):
    lam, phi = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)], axis=-1)


def displaced(lon, lat, radius_m, bearing):
    """The destinations: the start turned by radius/R towards its bearing, by vectors alone."""
    start, lam = on_sphere(lon, lat), np.radians(lon)
    east = np.stack([-np.sin(lam), np.cos(lam), np.zeros_like(lam)], axis=-1)
    towards = np.cos(bearing)[:, None] * np.cross(start, east) + np.sin(bearing)[:, None] * east
    angle = (radius_m / geo.EARTH_RADIUS_M)[:, None]
    return np.asarray(np.cos(angle) * start + np.sin(angle) * towards)


class TestClosedForms:
    """The distance of planar Laplace noise is Gamma(2, 1/ε): its distribution is 1 - (1 + εr) exp(-εr)."""

    @each("epsilon", [0.01, 1.0])
    @each("p", [0.05, 0.5, 0.95])
    def test_quantiles(self, epsilon, p):
        scaled = epsilon * float(noise.planar_quantile_m(epsilon, p))
        assert 1 - (1 + scaled) * math.exp(-scaled) == pytest.approx(p, rel=1e-12)

    def test_mean_and_deviation_are_those_of_the_density(self):
        r, epsilon = np.linspace(0, 6000, 600_001), 0.01
        density = epsilon**2 * r * np.exp(-epsilon * r)
        assert noise.planar_mean_m(epsilon) == pytest.approx(np.trapezoid(r * density, r), rel=1e-6)
        assert noise.planar_sd_m(epsilon) == pytest.approx(math.sqrt(np.trapezoid(r**2 * density, r) / 2), rel=1e-6)
