"""Sketches of events: the hash, what a sketch ignores, and how well a share of events is estimated."""

import hashlib
import math
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.data import Trajectory
from privacy_engine.event_sketch import MOST, SIZE, EventSketch, overlap, sketch_of
from privacy_engine.event_words import siphash24
from tests.cases import each
from tests.examples import examples

KEY = bytes(range(16))
MASK = (1 << 64) - 1


def part(one, start, end):
    return one.picked(slice(start, end))


def sketch(*series, timed=True, key=KEY):
    return sketch_of(series, key, timed=timed)


def walk(n, seed=0):
    rng = np.random.default_rng(seed)
    return Trajectory(rng.uniform(-180, 180, n), rng.uniform(-85, 85, n), 1.7e9 + np.arange(n) * 30.0)


def plain_siphash(words, key):
    """SipHash-2-4 as the paper writes it, over whole words."""
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573

    def turned(x, b):
        return (x << b | x >> 64 - b) & MASK

    def rounds(count):
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0, v2 = (v0 + v1) & MASK, (v2 + v3) & MASK
            v1, v3 = turned(v1, 13) ^ v0, turned(v3, 16) ^ v2
            v0 = turned(v0, 32)
            v2, v0 = (v2 + v1) & MASK, (v0 + v3) & MASK
            v1, v3 = turned(v1, 17) ^ v2, turned(v3, 21) ^ v0
            v2 = turned(v2, 32)

    for word in [*words, (8 * len(words)) << 56]:
        v3 ^= word
        rounds(2)
        v0 ^= word
    v2 ^= 0xFF
    rounds(4)
    return v0 ^ v1 ^ v2 ^ v3


class TestHash:
    @each(("length", "expected"), [(8, "6224939a79f5f593"), (16, "db9bc2577fcc2a3f")])
    def test_is_siphash_of_the_published_vectors(self, length, expected):
        words = [np.array([int.from_bytes(bytes(range(i, i + 8)), "little")], np.uint64) for i in range(0, length, 8)]
        assert siphash24(words, KEY).astype("<u8").tobytes().hex() == expected

    @given(
        st.lists(st.tuples(st.integers(0, MASK), st.integers(0, MASK)), min_size=1), st.binary(min_size=16, max_size=16)
    )
    def test_equals_the_plain_one(self, events, key):
        columns = [np.array(column, dtype=np.uint64) for column in zip(*events, strict=True)]
        assert siphash24(columns, key).tolist() == [plain_siphash(list(event), key) for event in events]

    def test_another_key_has_nothing_in_common_and_one_of_another_length_is_refused(self):
        assert overlap(sketch(walk(1000)), sketch(walk(1000), key=bytes(16))).share == 0
        with pytest.raises(ValueError, match="16 bytes, got 3"):
            sketch(walk(1), key=b"abc")


class TestEvents:
    @settings(max_examples=examples(30))
    @given(seed=st.integers(0, 2**32), n=st.integers(1, 9000), cut=st.floats(0, 1))
    def test_order_division_and_repeats_do_not_matter(self, seed, n, cut):
        one = walk(n, seed)
        at = int(cut * n)
        whole, parts = sketch(one), sketch(part(one, at, n), part(one, 0, at), part(one, 0, at))
        assert whole.hashes.tolist() == parts.hashes.tolist()
        assert whole.complete == (n < SIZE)

    def test_a_step_on_the_grid_and_a_millisecond_with_times_are_other_events(self):
        places = [(1.0, 1.0), (1.0000001, 1.0), (1.0, 1.0000001), (-1.0, 1.0), (1.0, -1.0)]
        for timed in (True, False):
            found = [sketch(Trajectory([lon], [lat], [0.0]), timed=timed).hashes[0] for lon, lat in places]
            assert len(set(found)) == len(places)
            at = [Trajectory([1.0], [1.0], [time_s]) for time_s in (-5.0, 0.0, 0.001)]
            assert len({sketch(one, timed=timed).hashes[0] for one in at}) == (3 if timed else 1)
        east, west = Trajectory([180.0], [1.0], [0.0]), Trajectory([-180.0], [1.0], [0.0])
        assert sketch(east).hashes.tolist() == sketch(west).hashes.tolist(), "the antimeridian is one place"

    def test_survives_its_bytes_which_are_those_of_earlier_versions(self):
        """Of commit 97c9c0c3: installations have stored them."""
        for timed, expected in (
            (True, "6d2d36c0d3217b3ca4605c178d46f18871e94cf30bbeb69eacfdae7177c09bdd"),
            (False, "be8004345d199319270af9d37bdd69b7364bc196200f3df1b442a5d957835ab9"),
        ):
            stored = sketch(walk(9000), timed=timed).to_bytes()
            assert (len(stored), hashlib.sha256(stored).hexdigest()) == (8 * SIZE, expected)
        one = sketch(walk(100))
        assert EventSketch.from_bytes(one.to_bytes()).hashes.tolist() == one.hashes.tolist()


class TestOverlap:
    @given(a=st.sets(st.integers(0, 60), min_size=1), b=st.sets(st.integers(0, 60), min_size=1))
    def test_of_few_events_is_exact(self, a, b):
        one = walk(61)
        found = overlap(*(sketch(one.picked(np.array(sorted(chosen)))) for chosen in (a, b)))
        assert found.exact
        assert found.share == len(a & b) / min(len(a), len(b))
        assert found.most == (found.share >= MOST)

    @each("share_of_the_whole", [1 / 200, 1 / 30, 1 / 2, 0.999])
    def test_a_part_is_recognised_as_contained(self, share_of_the_whole):
        """At 1/200 of the whole 20.5 comparable hashes are expected; fewer than the 8 needed: probability 0.0006."""
        n, k = 200_000, int(200_000 * share_of_the_whole)
        for seed in range(5):
            whole = walk(n, seed)
            found = overlap(sketch(part(whole, n - k, n)), sketch(whole))
            assert (found.share, found.most) == (1.0, True)
        found = overlap(sketch(part(whole, 0, 20)), sketch(whole))
        assert (found.exact, found.most) == (False, False), "too few comparable hashes decide nothing"

    @each("common", [0.0, 0.1, 0.3, 0.7, 0.9, 1.0])
    def test_estimates_the_share(self, common):
        """4,096 of 20,000 events compared at most: off by more than 5 standard deviations once in 1.7 million."""
        n = 20_000
        for seed in range(10):
            one, rest = walk(n, seed), walk(n, seed + 1000)
            k = int(n * common)
            found = overlap(sketch(one), sketch(part(one, 0, k), part(rest, 0, n - k)))
            assert abs(found.share - common) <= 5 * math.sqrt(common * (1 - common) / found.sampled)
            assert found.most == (common > MOST)


def test_a_million_events_take_at_most_a_second_and_flat_memory():
    one, took = walk(1_000_000), []
    sketch(part(one, 0, 1000))
    for _ in range(3):
        began = time.process_time()
        sketch(one)
        took.append(time.process_time() - began)
    assert min(took) <= 1.0
    tracemalloc.start()
    sketch(one)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6
