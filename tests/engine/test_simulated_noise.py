"""Noise of simulations, planar and of Laplace: their laws, and the same bits whatever runs it, and how."""

import hashlib
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.errors import DataError, ParameterError
from tests.cases import each, refusal
from tests.engine.compiled_for import compiled_for
from tests.examples import examples

DRAWS = 1_000_000
LARGE_NOISE = [1e-9, 5e-8, 1.4e-7, 1.6e-7, 1e-6]
BITS = "32a693ccf71dc2a7a0cb198aeae5b3a2fd869cd108a34ea29aae2d93303024c2"
BITS_OF_LAPLACE = "eaf7103ec11601f06c16fc1aa54cf41daa9ca9cb7d2717f8ba1c30783e057f2e"


def dkw(n, rate=1e-6):
    """How far an empirical distribution of n draws strays from the true one with probability at most ``rate``."""
    return math.sqrt(math.log(2 / rate) / (2 * n))


def assert_law_of_the_sphere(draw, epsilon):
    """Chi-square over 50 bins of the density sin(a) exp(-rate a) on [0, pi]; false alarms 1e-5."""
    n, bins, rate = 100_000, 50, epsilon * geo.EARTH_RADIUS_M
    lon, lat = draw(np.full(n, 170.0), np.full(n, -60.0), epsilon)
    angle = geo.distance_m(170.0, -60.0, lon, lat) / geo.EARTH_RADIUS_M
    share = 1 - np.exp(-rate * angle) * (rate * np.sin(angle) + np.cos(angle))
    share /= 1 + math.exp(-rate * math.pi)
    counts = np.bincount(np.minimum((share * bins).astype(int), bins - 1), minlength=bins)
    assert chdtrc(bins - 1, ((counts - n / bins) ** 2 / (n / bins)).sum()) > 1e-5


def assert_even_bearings(bearing, radius):
    """Chi-square of 36 bearings, near and far half (by radii in scales) apart; false alarms 1e-5 each."""
    for chosen in (bearing[radius < 1.678], bearing[radius >= 1.678]):
        counts = np.bincount((chosen / (2 * np.pi) * 36).astype(int) % 36, minlength=36)
        assert chdtrc(35, ((counts - chosen.size / 36) ** 2 / (chosen.size / 36)).sum()) > 1e-5


class TestLaw:
    def test_follows_the_gamma_law_whatever_its_scale(self):
        """False alarms: 1e-6."""
        epsilon = 10.0 ** np.random.default_rng(1).uniform(-3, 3, DRAWS)
        r = np.sort(noise.simulated_polar(epsilon, seed=2)[0] * epsilon)
        assert np.abs(1 - (1 + r) * np.exp(-r) - (np.arange(DRAWS) + 0.5) / DRAWS).max() < dkw(DRAWS)

    @each("epsilon", LARGE_NOISE)
    def test_follows_the_law_of_the_sphere_where_noise_is_as_large_as_the_earth(self, epsilon):
        assert_law_of_the_sphere(partial(noise.simulated_planar, seed=11), epsilon)

    def test_points_everywhere_alike_whatever_the_distance(self):
        radius, bearing = noise.simulated_polar(np.ones(DRAWS), seed=7)
        assert_even_bearings(bearing, radius)

    def test_draws_of_neighbours_repetitions_and_seeds_are_not_correlated(self):
        """Five standard errors of a correlation each: false alarms 3e-6."""
        n = 200_000
        radius, bearing = noise.simulated_polar(np.ones(n), seed=1, repetition=[0, 1])
        other = noise.simulated_polar(np.ones(n), seed=2)[0]
        pairs = [(radius[0], radius[1]), (radius[0], other), (radius[0][1:], radius[0][:-1]), (radius[0], bearing[0])]
        for a, b in [*pairs, (bearing[0], bearing[1])]:
            assert abs(np.corrcoef(a, b)[0, 1]) < 5 / math.sqrt(n)

    @settings(max_examples=examples(150))
    @given(st.floats(-180, 180), st.floats(-90, 90), st.floats(1e-9, 10), st.integers(0, 2**70))
    def test_moves_along_a_great_circle_by_the_radius_it_drew(self, lon, lat, epsilon, seed):
        lon2, lat2 = noise.simulated_planar(np.full(9, lon), np.full(9, lat), epsilon, seed=seed)
        radius, bearing = noise.simulated_polar(np.full(9, epsilon), seed=seed)
        assert ((radius > 0) & (radius <= math.pi * geo.EARTH_RADIUS_M)).all()
        assert ((bearing > 0) & (bearing < 2 * math.pi)).all()
        assert ((lon2 >= -180) & (lon2 < 180) & (np.abs(lat2) <= 90)).all()
        there = geo.destination(lon, lat, radius, bearing)
        assert np.allclose(geo.distance_m(lon2, lat2, *there), 0, atol=1e-6)


@given(seed=st.integers(0, 2**200), stream=st.lists(st.integers(0, 2**32 - 1), max_size=9))
def test_a_key_is_that_of_numpys_seed_sequence(seed, stream):
    spawned = np.random.SeedSequence(seed, spawn_key=(noise.sources.Stream.PLANAR, *stream))
    assert noise.simulated_key(seed, *stream).tolist() == spawned.generate_state(2).tolist()


class TestLawOfLaplace:
    def test_is_laplace_whatever_its_scale(self):
        """False alarms: 1e-6."""
        epsilon = 10.0 ** np.random.default_rng(1).uniform(-3, 3, DRAWS)
        x = np.sort(noise.simulated_laplace(epsilon, 2.5, seed=2) * epsilon / 2.5)
        share = np.where(x < 0, np.exp(x) / 2, 1 - np.exp(-np.abs(x)) / 2)
        assert np.abs(share - (np.arange(DRAWS) + 0.5) / DRAWS).max() < dkw(DRAWS)

    def test_has_the_tails_of_its_law(self):
        """How many of a million lie beyond 6, 8 and 10 scales: five standard errors, false alarms 3e-6 each."""
        found = np.abs(noise.simulated_laplace(np.ones(DRAWS), 1.0, seed=3))
        for far in (6, 8, 10):
            expected = DRAWS * math.exp(-far)
            assert abs((found > far).sum() - expected) < 5 * math.sqrt(expected)
        assert found.max() < 22.3

    def test_signs_do_not_follow_magnitudes(self):
        """Chi-square of the signs in 50 bins of magnitude; false alarms 1e-5."""
        found = noise.simulated_laplace(np.ones(DRAWS), 1.0, seed=4)
        bins = np.minimum(-np.expm1(-np.abs(found)) * 50, 49).astype(int)
        positive, all_of_them = np.bincount(bins, found > 0), np.bincount(bins)
        assert chdtrc(50, ((positive - all_of_them / 2) ** 2 / (all_of_them / 4)).sum()) > 1e-5

    def test_draws_of_neighbours_repetitions_seeds_and_planar_noise_are_not_correlated(self):
        """Five standard errors of a correlation each, of values and of magnitudes: false alarms 3e-6."""
        n = 200_000
        one, two = noise.simulated_laplace(np.ones(n), 1.0, seed=1, repetition=[0, 1])
        other, radius = noise.simulated_laplace(np.ones(n), 1.0, seed=2), noise.simulated_polar(np.ones(n), seed=1)[0]
        pairs = [(one, two), (one, other), (one, radius), *((one[gap:], one[:-gap]) for gap in (1, 2, 3, 4))]
        for a, b in pairs + [(np.abs(a), np.abs(b)) for a, b in pairs]:
            assert abs(np.corrcoef(a, b)[0, 1]) < 5 / math.sqrt(n)


def drawn(chunk, n=3000):
    """One digest of noise from metres to the whole Earth, drawn in pieces."""
    epsilon = np.tile([1.0, 1e-3, 1e-5, *LARGE_NOISE], n)[:n]
    lon, lat = np.linspace(-180, 180, n), np.linspace(90, -90, n)
    pieces = [
        np.stack(
            noise.simulated_planar(
                *(values[first : first + chunk] for values in (lon, lat, epsilon)),
                seed=20250101,
                repetition=[0, 7, 2**32 - 1],
                first_event=2**32 - 1000 + first,
            )
        )
        for first in range(0, n, chunk)
    ]
    return np.concatenate(pieces, axis=-1).tobytes()


def drawn_laplace(chunk, n=3000):
    epsilon = np.tile([1.0, 1e-3, 1e300, 1e-9, 7.0], n)[:n]
    pieces = [
        noise.simulated_laplace(
            epsilon[first : first + chunk],
            3.0,
            seed=20250101,
            repetition=[0, 7, 2**32 - 1],
            first_event=2**34 - 1001 + first,  # across a carry between the counter's words, and not at a block's start
        )
        for first in range(0, n, chunk)
    ]
    return np.concatenate(pieces, axis=-1).tobytes()


KINDS = {"planar": (drawn, BITS), "laplace": (drawn_laplace, BITS_OF_LAPLACE)}
ELSEWHERE = r"""
import hashlib, re, numba
from privacy_engine.kernels import laplace, philox
from tests.engine.test_simulated_noise import KINDS
print(numba.config.CPU_NAME, *(hashlib.sha256(drawn(3000)).hexdigest() for drawn, _ in KINDS.values()))
assembly = ["".join(kernel.inspect_asm().values()) for kernel in (philox.polar, philox.move, laplace.laplace)]
assert all(assembly)
print(re.findall(r"\b(?:vfn?m(?:add|sub)|fn?m(?:add|sub|la|ls))\w*", " ".join(assembly)))
"""


class TestSameBits:
    @each("kind", KINDS)
    def test_for_every_chunk_and_as_when_this_was_written(self, kind):
        draw, bits = KINDS[kind]
        assert hashlib.sha256(draw(3000)).hexdigest() == bits
        for chunk in (1, 2, 3, 7, 64, 1000, 1023, 1024, 1025, 2999):
            assert draw(chunk) == draw(3000), chunk

    def test_for_one_repetition_alone_and_among_others(self):
        epsilon = np.full(100, 0.01)
        polar = noise.simulated_polar(epsilon, seed=3, repetition=np.arange(5))
        laplace = noise.simulated_laplace(epsilon, 1.0, seed=3, repetition=np.arange(5))
        for one in range(5):
            alone = noise.simulated_polar(epsilon, seed=3, repetition=one)
            assert np.array_equal(alone, [axis[one] for axis in polar])
            assert np.array_equal(noise.simulated_laplace(epsilon, 1.0, seed=3, repetition=one), laplace[one])

    @pytest.mark.slow  # compiles for another processor; the test above pins the bits
    @pytest.mark.parametrize("cpu", ["generic", "native"])
    def test_on_every_processor_and_without_fused_operations(self, cpu, tmp_path):
        name = "generic" if cpu == "generic" else "None"
        assert compiled_for(cpu, ELSEWHERE, tmp_path) == [name, BITS, BITS_OF_LAPLACE, "[]"]


class TestInterface:
    def test_seeded_sources_draw_what_they_always_drew(self):
        expected = [0.46881748695593284, 0.42614583623918467, 0.3629817008336008]
        assert noise.seeded(7).uniform(3).tolist() == expected
        in_pieces = noise.seeded(7)
        assert [float(in_pieces.uniform(1)[0]) for _ in range(3)] == expected

    def test_shapes_follow_positions_and_repetitions(self):
        where = np.zeros(4)
        assert noise.simulated_planar(where, where, 1.0, seed=1)[0].shape == (4,)
        assert noise.simulated_planar(where, where, 1.0, seed=1, repetition=[3, 4, 5])[1].shape == (3, 4)
        assert noise.simulated_planar([], [], 1.0, seed=1)[0].shape == (0,)
        assert noise.simulated_planar(0.0, 0.0, 1.0, seed=1)[0].shape == (1,)

    def test_refuses_arrays_that_do_not_fit(self):
        for lat, epsilon, field in (([0.0], 1.0, "lat"), ([0.0, 1.0], [1.0, 2.0, 3.0], "epsilon_per_m")):
            assert refusal(DataError, noise.simulated_planar, [0.0, 1.0], lat, epsilon, seed=1).field == field
        assert refusal(DataError, noise.simulated_planar, [[0.0]], [[0.0]], 1.0, seed=1).field == "epsilon_per_m"

    def test_survives_any_epsilon(self):
        for epsilon in (5e-324, 1e-300, 1e-12, 1e12, 1e300):
            radius = noise.simulated_polar(np.full(20, epsilon), seed=1)[0]
            assert ((radius > 0) & (radius <= math.pi * geo.EARTH_RADIUS_M)).all()

    BAD = {
        "seed": (-1, 1.5, True, None),
        "repetition": (-1, 2**32, [0, 0.5]),
        "first_event": (-1, 2**63),
        "epsilon_per_m": ([1.0, math.nan], 0.0, math.inf),
    }

    @each("field", BAD)
    def test_names_what_it_refuses(self, field):
        for value in self.BAD[field]:
            given = {"epsilon_per_m": 1.0, "seed": 1} | {field: value}
            with pytest.raises(ParameterError, match=rf"^{field} must be ") as caught:
                noise.simulated_planar([0.0, 0.0], [0.0, 0.0], **given)
            assert caught.value.field == field


class TestInterfaceOfLaplace:
    def test_shapes_follow_epsilon_and_repetitions(self):
        assert noise.simulated_laplace(np.ones(4), 1.0, seed=1).shape == (4,)
        assert noise.simulated_laplace(np.ones(4), 1.0, seed=1, repetition=[3, 4, 5]).shape == (3, 4)
        assert noise.simulated_laplace([], 1.0, seed=1).shape == (0,)
        assert noise.simulated_laplace(1.0, 1.0, seed=1).shape == (1,)

    def test_is_scaled_by_sensitivity_over_epsilon(self):
        unit = noise.simulated_laplace(np.ones(50), 1.0, seed=1)
        assert np.array_equal(noise.simulated_laplace(np.full(50, 0.25), 2.0, seed=1), 8 * unit)

    BAD = {"seed": -1, "repetition": 2**32, "first_event": 2**63, "epsilon": 0.0, "sensitivity": math.inf}

    @each(("field", "value"), [*BAD.items(), ("epsilon", [1.0, math.nan]), ("sensitivity", 0.0)])
    def test_names_what_it_refuses(self, field, value):
        with pytest.raises(ParameterError, match=rf"^{field} must be ") as caught:
            noise.simulated_laplace(**({"epsilon": [1.0], "sensitivity": 1.0, "seed": 1} | {field: value}))
        assert caught.value.field == field

    def test_refuses_a_table_of_epsilons(self):
        with pytest.raises(DataError, match=r"^epsilon must be one-dimensional"):
            noise.simulated_laplace([[1.0]], 1.0, seed=1)
