"""What the noise of simulations is made of, against plain readings: Philox, logarithm, sine, arc tangent, radii."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.kernels import compiled, elementary, philox
from tests.cases import each
from tests.examples import examples


def plain_philox(counter, key, width):
    """Philox4x``width``-10 as Salmon et al. write it."""
    multiply, weyl = {
        32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
        64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
    }[width]
    mask, (a, b, c, d), (k, m) = 2**width - 1, counter, key
    for _ in range(10):
        p, q = multiply[0] * a, multiply[1] * c
        a, b, c, d = (q >> width) ^ b ^ k, q & mask, (p >> width) ^ d ^ m, p & mask
        k, m = (k + weyl[0]) & mask, (m + weyl[1]) & mask
    return [a, b, c, d]


def our_philox(counters, key):
    found = philox.words(np.array(counters, dtype=np.uint64), np.array(key, dtype=np.uint64))
    return [[int(word) for word in row] for row in found]


class TestPhilox:
    @each(
        ("counter", "key", "expected"),
        [
            ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
            ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
            ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
        ],
    )
    def test_gives_the_known_answers_of_random123(self, counter, key, expected):
        counters, keys, words = ([int(word, 16) for word in text.split()] for text in (counter, key, expected))
        assert our_philox([counters], keys) == [words]
        assert plain_philox(counters, keys, 32) == words

    @settings(max_examples=examples(100))
    @given(st.lists(st.integers(0, 2**32 - 1), min_size=6, max_size=6))
    def test_is_the_published_algorithm_for_every_counter_and_key(self, words):
        assert our_philox([words[:4]], words[4:]) == [plain_philox(words[:4], words[4:], 32)]

    def test_that_algorithm_with_words_of_64_bits_is_numpys(self):
        six = np.random.default_rng(1).integers(0, 2**64, 6, dtype=np.uint64)
        generator, words = np.random.Philox(counter=six[:4], key=six[4:]), six.tolist()
        first = [(words[0] + 1) % 2**64, *words[1:4]]  # numpy counts before it draws
        assert generator.random_raw(4).tolist() == plain_philox(first, words[4:], 64)


class TestElementary:
    @staticmethod
    def ulps(found, expected, at_least=0.0):
        return float((np.abs(found - expected) / np.spacing(np.maximum(np.abs(expected), at_least))).max())

    def test_logarithms_sine_and_cosine(self):
        x = np.concatenate([2.0 ** np.random.default_rng(1).uniform(-70, 70, 200_000), [1.0, 0.5, 2.0**-66, 0.7071068]])
        assert self.ulps(_each(_elementary, x)[0], np.log(x)) <= 2
        x = np.concatenate([10.0 ** np.random.default_rng(4).uniform(-300, 300, 200_000), [0.0, 5e-324, 2.0**-53, 1.0]])
        assert self.ulps(_each(_elementary, x)[1], np.log1p(x)) <= 3
        quarters = np.arange(-6, 7) * math.pi / 2
        drawn = np.random.default_rng(2).uniform(-10, 10, 200_000)
        x = np.concatenate([drawn, quarters, quarters / 2, [1e-9, -1e-300]])
        sin, cos = _each(_elementary, x)[2:]
        assert self.ulps(sin, np.sin(x), 1e-3) <= 2
        assert self.ulps(cos, np.cos(x), 1e-3) <= 2

    def test_arc_tangent(self):
        rng = np.random.default_rng(3)
        y, x = rng.normal(0, 1, (2, 200_000)) * 10.0 ** rng.uniform(-12, 0, (2, 200_000))
        y, x = np.append(y, [0, 0, 1, -1, 0.5, 1, -1]), np.append(x, [1, -1, 0, 0, 0.5, -1, -1])
        assert self.ulps(_each(_arctan2, y, x), np.arctan2(y, x)) <= 3
        assert _arctan2(0.0, 0.0) == 0


@compiled
def _elementary(x):
    sin, cos = elementary.sincos(x)
    return elementary.log(x), elementary.log1p(x), sin, cos


@compiled
def _arctan2(y, x):
    return elementary.arctan2(y, x)


def _each(function, *columns):
    return np.array([function(*row) for row in zip(*columns, strict=True)]).T


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
