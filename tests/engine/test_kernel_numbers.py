"""What the noise of simulations is made of: Philox, logarithm, sine, arc tangent."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

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

    def test_logarithm(self):
        x = np.concatenate([2.0 ** np.random.default_rng(1).uniform(-70, 70, 200_000), [1.0, 0.5, 2.0**-66, 0.7071068]])
        assert self.ulps(_each(_log, x), np.log(x)) <= 2

    def test_logarithm_of_one_more(self):
        x = np.concatenate([10.0 ** np.random.default_rng(4).uniform(-300, 300, 200_000), [0.0, 5e-324, 2.0**-53, 1.0]])
        assert self.ulps(_each(_log1p, x), np.log1p(x)) <= 3

    def test_sine_and_cosine(self):
        quarters = np.arange(-6, 7) * math.pi / 2
        x = np.concatenate(
            [np.random.default_rng(2).uniform(-10, 10, 200_000), quarters, quarters / 2, [1e-9, -1e-300]]
        )
        assert self.ulps(_each(_sin, x), np.sin(x), 1e-3) <= 2
        assert self.ulps(_each(_cos, x), np.cos(x), 1e-3) <= 2

    def test_arc_tangent(self):
        rng = np.random.default_rng(3)
        y, x = rng.normal(0, 1, (2, 200_000)) * 10.0 ** rng.uniform(-12, 0, (2, 200_000))
        y, x = np.append(y, [0, 0, 1, -1, 0.5, 1, -1]), np.append(x, [1, -1, 0, 0, 0.5, -1, -1])
        assert self.ulps(_pairs(y, x), np.arctan2(y, x)) <= 3
        assert _pairs(np.zeros(1), np.zeros(1))[0] == 0


@compiled
def _log(x):
    return elementary.log(x)


@compiled
def _log1p(x):
    return elementary.log1p(x)


@compiled
def _sin(x):
    return elementary.sincos(x)[0]


@compiled
def _cos(x):
    return elementary.sincos(x)[1]


@compiled
def _arctan2(y, x):
    return elementary.arctan2(y, x)


def _each(function, x):
    return np.array([function(value) for value in x])


def _pairs(y, x):
    return np.array([_arctan2(a, b) for a, b in zip(y, x, strict=True)])
