"""Sketches of events: the hash and shares as estimated; what two uploads share, by hashes and by all pairs."""

import hashlib
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.data import Trajectory
from privacy_engine.data.event_hashes import EventHashes, Keys, classes, event_hashes, matching, shared
from privacy_engine.data.event_sketch import MOST, SIZE, EventSketch, overlap, sketch_of
from privacy_engine.data.event_words import siphash24
from tests.cases import each
from tests.engine import plain_events
from tests.engine.memory import peak_bytes
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
    @given(
        st.lists(st.tuples(st.integers(0, MASK), st.integers(0, MASK)), min_size=1), st.binary(min_size=16, max_size=16)
    )
    def test_equals_the_plain_one(self, events, key):
        columns = [np.array(column, dtype=np.uint64) for column in zip(*events, strict=True)]
        assert siphash24(columns, key).tolist() == [plain_siphash(list(event), key) for event in events]

    def test_is_that_of_the_published_vectors_and_by_another_key_has_nothing_in_common(self):
        for length, expected in ((8, "6224939a79f5f593"), (16, "db9bc2577fcc2a3f")):
            words = [
                np.array([int.from_bytes(bytes(range(i, i + 8)), "little")], np.uint64) for i in range(0, length, 8)
            ]
            assert siphash24(words, KEY).astype("<u8").tobytes().hex() == expected
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


def test_a_million_events_take_flat_memory():
    one = walk(1_000_000)
    sketch(part(one, 0, 1000))
    assert peak_bytes(lambda: sketch(one)) < 8e6


KEYS = Keys(*(bytes(range(first, first + 16)) for first in range(4)))


def series(lon, lat, time_s):
    order = np.argsort(time_s, kind="stable")
    return Trajectory(lon[order], lat[order], time_s[order])


def fresh_of(*series, most=10**7, keys=KEYS):
    return event_hashes("trajectory", series, keys, most)


def stored(hashes):
    return EventHashes.from_bytes(hashes.to_bytes())


def one_event(event):
    return fresh_of(Trajectory([event[0] / 1e7], [event[1] / 1e7], [event[2] / 1000]))


def events_at(hashes, indices):
    found = set()
    for i in indices.tolist():
        low, high = int(hashes.what[i]) & 0xFFFF_FFFF, int(hashes.what[i]) >> 32
        found.add((low - (low >> 31 << 32), high - (high >> 31 << 32), int(hashes.ms[i])))
    return found


latitudes = st.integers(-900_000_000, 900_000_000)
longitudes = st.integers(-1_800_000_000, 1_800_000_000)


class TestNeighbours:
    @pytest.mark.slow
    @settings(max_examples=examples(4000))
    @given(
        longitudes,
        st.one_of(latitudes, st.sampled_from([-900_000_000, 0, 259_700_000, 632_900_000, 900_000_000])),
        st.integers(-(10**12), 10**12),
        st.tuples(st.integers(-11_000, 11_000), st.integers(-11_000, 11_000), st.integers(-130_000, 130_000)),
        st.integers(0, 8),
    )
    def test_are_those_of_a_plain_comparison(self, east, north, ms, step, wide):
        """Everywhere: at the edges of bands, at the antimeridian and at the poles."""
        east_2 = (east + (step[0] << wide) + 1_800_000_000) % 3_600_000_000 - 1_800_000_000
        one, other = (east, north, ms), (east_2, max(min(north + step[1], 900_000_000), -900_000_000), ms + step[2])
        (plain_one,), (plain_other,) = (
            plain_events.events_of([Trajectory([e / 1e7], [n / 1e7], [t / 1000])]) for e, n, t in (one, other)
        )
        expected = plain_one == plain_other or plain_events.neighbours(plain_one, plain_other)
        shift = plain_other[2] - plain_one[2]
        found = shared(one_event(one), stored(one_event(other)))
        assert (found is not None) == expected or (plain_one[:2] == plain_other[:2] and shift % 900_000 == 0)
        back = shared(one_event(other), stored(one_event(one)))
        assert (back is not None) == (found is not None)

    @pytest.mark.slow
    @settings(max_examples=examples(4000))
    @given(
        longitudes,
        st.one_of(latitudes, st.integers(-8_955, 8_955).map(lambda row: row * 100_000)),
        st.integers(-(10**12), 10**12),
        st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.integers(-60_000, 60_000)),
    )
    def test_include_all_within_50_m_each_way_and_a_minute(self, east, north, ms, step):
        """East and west of positions up to 45 km from a pole, which is where 50 m can be more than a cell."""
        north = max(min(north, 895_900_000), -895_900_000)
        metre = 1e7 / math.radians(1) / EARTH_RADIUS_M
        east_2 = east + math.trunc(step[0] * metre / math.cos(math.radians(north / 1e7)))
        east_2 = (east_2 + 1_800_000_000) % 3_600_000_000 - 1_800_000_000
        other = (east_2, north + math.trunc(step[1] * metre), ms + step[2])
        assert shared(one_event((east, north, ms)), stored(one_event(other))) is not None

    @settings(max_examples=examples(2000))
    @given(st.floats(-180, 180), st.floats(-90, 90), st.integers(-(10**9), 10**9), st.booleans())
    @example(179.9997, 0.0, 0, True)
    @example(-179.99951, 89.9996, 0, True)
    def test_include_what_is_rounded_to_three_decimals_and_a_minute(self, lon, lat, time_s, down):
        minute = (time_s // 60 if down else round(time_s / 60)) * 60
        moved = fresh_of(Trajectory([round(lon, 3)], [round(lat, 3)], [minute]))
        assert shared(moved, stored(fresh_of(Trajectory([lon], [lat], [time_s])))) is not None


def by_axis(lon, lat, time_s):
    """A change of columns from one of each."""
    return lambda columns, rng: (lon(columns[0]), lat(columns[1]), time_s(columns[2]))


def same(values):
    return values


def decimals(digits, time_s=same):
    return by_axis(lambda lon: lon.round(digits), lambda lat: lat.round(digits), time_s)


def cut_to_the_minute(time_s):
    return time_s // 60 * 60


def noisy(metres):
    def change(columns, rng):
        lon, lat, time_s = columns
        return (
            np.clip(lon + rng.normal(0, metres / 111_000, len(lon)), -180, 180),
            np.clip(lat + rng.normal(0, metres / 111_000, len(lat)), -90, 90),
            time_s,
        )

    return change


CHANGES = {
    "as it is": by_axis(same, same, same),
    "five decimals": decimals(5),
    "three decimals": decimals(3),
    "two decimals": decimals(2),
    "rounded to the minute": by_axis(same, same, lambda time_s: np.round(time_s / 60) * 60),
    "cut to the minute": by_axis(same, same, cut_to_the_minute),
    "three decimals and a minute": decimals(3, cut_to_the_minute),
    "another zone": by_axis(same, same, lambda time_s: time_s - 5.75 * 3600),
    "the widest zones": by_axis(same, same, lambda time_s: time_s + 26 * 3600),
    "beyond all zones": by_axis(same, same, lambda time_s: time_s + 26.25 * 3600),
    "no zone": by_axis(same, same, lambda time_s: time_s + 1000),
    "summer time": by_axis(
        same, same, lambda time_s: time_s + np.where(np.arange(len(time_s)) < len(time_s) // 2, 3600.0, 7200.0)
    ),
    "30 m of noise": noisy(30),
    "some seconds later": by_axis(same, same, lambda time_s: time_s + 7),
}


def strolled(n, rng):
    """A walk with stays, near one of a few towns: on the antimeridian, in the far north, on the edge of a band."""
    lon, lat = ((10.0, 45.0), (180.0, -17.0), (25.0, 89.5), (0.0, 25.9695), (-70.0, -89.99))[rng.integers(5)]
    moving = rng.random(n) < 0.7
    step = rng.choice([3.0, 30.0, 600.0])
    times = 1.7e9 + rng.integers(0, 4) * 86_400 + np.cumsum(rng.integers(0, 3, n) * step)
    east = lon + np.cumsum(rng.normal(0, 4e-4, n) * moving)
    return (east + 180) % 360 - 180, np.clip(lat + np.cumsum(rng.normal(0, 4e-4, n) * moving), -90, 90), times


def generated(rng, sizes=(5, 40, 150)):
    """A few uploads of two or three people: parts, changed, shuffled into series and merged with others."""
    people = [strolled(int(rng.integers(1, rng.choice(sizes))), rng) for _ in range(rng.integers(2, 4))]
    uploads = []
    for _ in range(rng.integers(2, 5)):
        parts = []
        for _ in range(rng.integers(1, 4)):
            columns = people[rng.integers(len(people))]
            n = len(columns[0])
            start, end = sorted(rng.integers(0, n + 1, 2)) if rng.random() < 0.6 else (0, n)
            change = CHANGES[rng.choice(list(CHANGES))]
            lon, lat, time_s = change(tuple(column[start:end] for column in columns), rng)
            series_of = rng.integers(0, 2, len(lon))
            parts += [series(lon[series_of == i], lat[series_of == i], time_s[series_of == i]) for i in (1, 0)]
        uploads.append(parts)
    return uploads


def check(seed):
    """The ways in which the last of some generated uploads shares events with the others, as all pairs have it."""
    *earlier, last = generated(np.random.default_rng(seed))
    fresh, events = fresh_of(*last), plain_events.events_of(last)
    assert events_at(fresh, np.arange(len(fresh))) == events
    assert (fresh.events, fresh.sampled) == (len(events), False)
    held, plain_held, ways = {}, {}, []
    for i, parts in enumerate(earlier):
        other, plain_other = fresh_of(*parts), plain_events.events_of(parts)
        expected = plain_events.shared(events, plain_other)
        found = shared(fresh, stored(other))
        assert (found is None) == (not expected), (seed, i)
        if found is None:
            continue
        assert dict(found.ways) == {way: len(pair[0]) for way, pair in expected.items()}, (seed, i)
        one, two = (set().union(*(pair[side] for pair in expected.values())) for side in (0, 1))
        assert events_at(fresh, found.one) == one, (seed, i)
        assert events_at(other, found.other) == two, (seed, i)
        assert found.how == next(iter(expected))
        small, its = min(((events, one), (plain_other, two)), key=lambda side: len(side[0]))
        assert found.share == pytest.approx(len(its) / len(small))
        held[i], plain_held[i] = found.one, one
        ways += expected
    assert dict(classes(len(fresh), held)) == plain_events.classes(events, plain_held), seed
    return ways


def thorough(seeds):
    return pytest.param(seeds, marks=[pytest.mark.thorough, pytest.mark.timeout(3600)])


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(200), *(thorough(range(i, i + 500)) for i in range(200, 10_200, 500))])
def test_generated_uploads_share_what_a_comparison_of_all_pairs_finds(seeds):
    ways = [way for seed in seeds for way in check(seed)]
    for way in ("same", "zone", "moved"):
        assert ways.count(way) > len(seeds) / 20, f"{way} was hardly met"


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(5), thorough(range(300))])
def test_a_sample_decides_as_the_whole_upload_does(seeds, monkeypatch):
    met = 0
    for seed in seeds:
        *earlier, last = [fresh_of(*parts) for parts in generated(np.random.default_rng(seed), (300, 60_000, 200_000))]
        for other in earlier:
            found = shared(last, stored(other))
            with monkeypatch.context() as patched:
                patched.setattr(matching, "SAMPLE", len(last))
                whole = shared(last, stored(other))
            met += whole is not None and len(last) > matching.SAMPLE
            assert (found is None) == (whole is None), seed
            if found is not None:
                assert (found.ways, found.share) == (whole.ways, whole.share), seed
                assert found.one.tolist() == whole.one.tolist()
                assert found.other.tolist() == whole.other.tolist()
    assert met > len(seeds) / 4
