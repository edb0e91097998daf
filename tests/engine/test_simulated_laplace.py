"""Laplace noise of simulations: its law, and the same bits whatever runs it, and how."""

import hashlib
import math

import numpy as np
import pytest
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.errors import DataError, ParameterError
from tests.cases import each
from tests.engine.compiled_for import compiled_for
from tests.engine.test_simulated_noise import dkw

DRAWS = 1_000_000
BITS = "eaf7103ec11601f06c16fc1aa54cf41daa9ca9cb7d2717f8ba1c30783e057f2e"


class TestLaw:
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


ELSEWHERE = r"""
import hashlib, re, numba
from privacy_engine.kernels.laplace import laplace
from tests.engine.test_simulated_laplace import drawn
print(numba.config.CPU_NAME, hashlib.sha256(drawn(3000)).hexdigest())
assembly = "".join(laplace.inspect_asm().values())
assert assembly
print(re.findall(r"\b(?:vfn?m(?:add|sub)|fn?m(?:add|sub|la|ls))\w*", assembly))
"""


class TestSameBits:
    @each("chunk", [1, 2, 3, 7, 1000, 1023, 1024, 1025, 2999])
    def test_for_every_chunk(self, chunk):
        assert drawn(chunk) == drawn(3000)

    def test_for_one_repetition_alone_and_among_others(self):
        together = noise.simulated_laplace(np.ones(100), 1.0, seed=3, repetition=np.arange(5))
        for repetition in range(5):
            alone = noise.simulated_laplace(np.ones(100), 1.0, seed=3, repetition=repetition)
            assert np.array_equal(alone, together[repetition])

    def test_as_when_this_was_written(self):
        assert hashlib.sha256(drawn(3000)).hexdigest() == BITS

    @pytest.mark.slow  # compiles for another processor; the test above pins the bits
    @pytest.mark.parametrize("cpu", ["generic", "native"])
    def test_on_every_processor_and_without_fused_operations(self, cpu, tmp_path):
        assert compiled_for(cpu, ELSEWHERE, tmp_path) == ["generic" if cpu == "generic" else "None", BITS, "[]"]


class TestInterface:
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
