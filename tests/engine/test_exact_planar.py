"""Planar noise is the real-number sampler rounded to its cell: floats and balls agree, whatever the bits and the place.

Joint noise too: reach and positions. Statistical tests have fixed seeds and state their false-alarm rate over seeds.
"""

import math
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.kernels import certified, reach_envelope
from privacy_engine.kernels.elementary import sincos
from privacy_engine.noise import joint, planar
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.grid import HALF_TURN, TURN, degrees, on_grid, wrapped
from privacy_engine.noise.lazy_uniform import LazyUniform, settle
from privacy_engine.noise.planar_exact import planar_cell
from privacy_engine.noise.reach import Reaches
from tests.cases import each, refusal
from tests.engine.called import called
from tests.engine.test_certified_bounds import draws
from tests.examples import examples
from tests.later import integrate

HOSTILE = [math.nan, math.inf, -math.inf, -1, 0, 0.0, -0.0, 1e-300, 5e-324, 1e308]
HOSTILE += [True, False, "1", "١", b"1", None, {}]


class Scripted:
    """A source that gives the bits of given words, so many at a time, then those of a seed."""

    private = False

    def __init__(self, words, seed=1):
        self.given, self.later = list(words), noise.seeded(seed)

    def words(self, n):
        found = [self.given.pop(0) if self.given else int(self.later.words(1)[0]) for _ in range(n)]
        return np.array(found, dtype=np.uint64)

    def uniform(self, n):
        raise AssertionError("exact samplers draw words")

    def reached(self, event, n):
        pass


def decided_by_balls(lon, lat, epsilon, words):
    uniforms = [LazyUniform(int(word), noise.seeded(3)) for word in words]
    return planar_cell(lon, lat, epsilon, uniforms, near=epsilon * geo.EARTH_RADIUS_M > 1)


class TestFloatsAndBalls:
    @pytest.mark.slow
    @pytest.mark.timeout(400)
    @pytest.mark.parametrize(("kind", "n"), [("random", 60_000), ("edges", 30_000), ("pole", 30_000)])
    def test_agree_on_every_draw_that_floats_decide(self, kind, n):
        """More than 10^5 draws if thorough, from 1e-30 to 1e12 per metre, with both poles and the antimeridian."""
        n = examples(n)
        lon, lat, epsilon, words = draws(kind, n, 11)
        state, cells = np.empty(n, np.uint8), np.zeros((2, n), np.int64)
        certified.planar_cells(lon, lat, epsilon * geo.EARTH_RADIUS_M, words, state, *cells)
        sure = np.flatnonzero(state != certified.UNDECIDED)
        for i in sure.tolist():
            found = decided_by_balls(lon[i], lat[i], epsilon[i], words[i])
            if state[i] == certified.REJECTED:
                assert found is None
            else:
                assert ((found[0] - cells[0, i]) % TURN, found[1]) == (0, cells[1, i])
        assert len(sure) > (0.99 if kind != "edges" else 0.5) * n

    @settings(max_examples=examples(60))
    @given(st.integers(0, 2**32), st.sampled_from([4, 8, 16]))
    def test_short_words_extended_are_the_same_uniforms(self, seed, bits):
        """A sample from words of 4 to 16 bits needs further bits often, and must end in the cell of 64-bit words."""
        lon, lat, epsilon, words = (one[0] for one in draws("random", 1, seed))
        found = decided_by_balls(lon, lat, epsilon, words)
        near, mask, uniforms = epsilon * geo.EARTH_RADIUS_M > 1, 2**bits - 1, []
        for word in words.tolist():
            parts = [(word >> 64 - bits * (i + 1) & mask) << 64 - bits for i in range(64 // bits)]
            uniforms.append(LazyUniform(parts[0] >> 64 - bits, Scripted(parts[1:]), first_bits=bits, word_bits=bits))
        assert planar_cell(lon, lat, epsilon, uniforms, near=near) == found

    def test_a_draw_on_a_boundary_is_settled_by_its_further_bits(self):
        """One word of the acceptance holds the level exp(-rate d): with it the further bits decide, either way."""
        epsilon, far = 1e-9, int(0.3 * 2**64)

        def kept(word, more):
            parts = ((far, [2**63]), (5, []), (word, [more] * 3), (12345, []))
            uniforms = [LazyUniform(first, Scripted(rest)) for first, rest in parts]
            return planar_cell(10.0, 50.0, epsilon, uniforms, near=False) is not None

        level = math.exp(-epsilon * geo.EARTH_RADIUS_M * 2 * math.asin(math.sqrt(0.3)))
        low, high = int(level * 2**64) - 2**20, int(level * 2**64) + 2**20
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if kept(middle, 2**63) else (low, middle)
        answers = [(kept(word, 0), kept(word, 2**64 - 1)) for word in range(low - 2, low + 4)]
        assert answers == sorted(answers, reverse=True)
        assert (answers[0], answers[-1]) == ((True, True), (False, False))
        assert answers.count((True, False)) == 1

    def test_proposals_left_undecided_by_floats_are_decided_by_balls(self, monkeypatch):
        """With every draw undecided by floats, whole releases are the same."""
        where = np.array([180.0, -180.0, 116.4, 0.0, 7.0]), np.array([90.0, -90.0, 39.9, 0.0, -60.0])
        epsilon = np.array([1.0, 1e-8, 0.01, 1e-7, 1e-30])
        quick = noise.planar_cells(*where, epsilon, rng=noise.seeded(4))
        monkeypatch.setattr(certified, "planar_cells", lambda *given: given[4].fill(certified.UNDECIDED))
        slow = noise.planar_cells(*where, epsilon, rng=noise.seeded(4))
        assert np.array_equal(quick, slow)


def expected_cells(lat, rate, half):
    """Probabilities of the (2 half + 1)² cells around a place, by integrating the density over each: the ideal law."""
    side, scale = math.radians(1e-7), rate * geo.EARTH_RADIUS_M
    constant = scale * scale / (2 * math.pi)
    found = np.empty((2 * half + 1, 2 * half + 1))
    for j in range(-half, half + 1):
        for i in range(-half, half + 1):

            def density(y, x):
                return constant * math.exp(-scale * math.hypot(x * math.cos(math.radians(lat)), y))

            part = integrate.dblquad(density, (i - 0.5) * side, (i + 0.5) * side, (j - 0.5) * side, (j + 0.5) * side)[0]
            found[j + half, i + half] = part * math.cos(math.radians(lat))
    return found


class TestLaw:
    @each("place", [(0.0, 0.0), (180.0, 60.0), (-180.0, -60.0)])
    def test_of_single_cells_is_the_integral_of_the_density(self, place):
        """Chi-square over 49 cells about a cell's centre and the rest, 400,000 draws; false alarms 1e-5 each."""
        n, half, rate = 400_000, 3, 100.0  # a scale of a centimetre, about a cell
        east, north = noise.planar_cells(np.full(n, place[0]), np.full(n, place[1]), rate, rng=noise.seeded(17))
        i = (east - round(place[0] * 1e7) + HALF_TURN) % TURN - HALF_TURN + half
        j = north - round(place[1] * 1e7) + half
        inside = (i >= 0) & (i <= 2 * half) & (j >= 0) & (j <= 2 * half)
        seen = np.append(np.bincount((j * (2 * half + 1) + i)[inside], minlength=(2 * half + 1) ** 2), (~inside).sum())
        law = expected_cells(place[1], rate, half).ravel()
        law = np.append(law, 1 - law.sum()) * n
        assert chdtrc(len(law) - 1, ((seen - law) ** 2 / law).sum()) > 1e-5

    @each("lat", [90.0, -90.0, 89.99999])
    def test_at_a_pole_bearings_are_even_and_distances_gamma(self, lat):
        """Kolmogorov's bound at 1e-6 for the distances, chi-square at 1e-5 for longitudes about the very pole."""
        n, rate = 200_000, 0.01
        lon, found = noise.planar_laplace(np.full(n, 33.0), np.full(n, lat), rate, rng=noise.seeded(23))
        r = np.sort(geo.distance_m(33.0, lat, lon, found)) * rate
        assert np.abs(1 - (1 + r) * np.exp(-r) - (np.arange(n) + 0.5) / n).max() < math.sqrt(math.log(2e6) / (2 * n))
        if abs(lat) == 90:
            counts = np.bincount(((lon + 180) / 10).astype(int), minlength=36)
            assert chdtrc(35, ((counts - n / 36) ** 2 / (n / 36)).sum()) > 1e-5


class TestGrid:
    @given(st.lists(st.integers(-HALF_TURN, HALF_TURN - 1), min_size=1))
    def test_degrees_give_their_cell_back_and_are_written_with_seven_decimals(self, cells):
        found = degrees(np.array(cells))
        assert np.rint(found * 1e7).astype(int).tolist() == cells
        for value, cell in zip(found.tolist(), cells, strict=True):
            assert value == float(f"{cell}e-7")
            assert value == round(value, 7)

    @given(st.integers(-10 * TURN, 10 * TURN))
    def test_wrapping_is_exact(self, cell):
        found = int(wrapped(np.array([cell]))[0])
        assert -HALF_TURN <= found < HALF_TURN
        assert (found - cell) % TURN == 0

    @given(st.floats(-180, 180), st.floats(-90, 90))
    def test_the_nearest_cell_is_within_half_a_cell(self, lon, lat):
        east, north = on_grid(np.array([lon]), np.array([lat]))
        assert abs(float(geo.wrap_lon(east[0] - lon))) <= 0.5e-7 * (1 + 1e-6)
        assert abs(north[0] - lat) <= 0.5e-7 * (1 + 1e-6)
        assert -180 <= east[0] < 180


class TestRefusals:
    @each("value", HOSTILE)
    def test_rates_are_refused_by_name(self, value):
        for rates in (value, [1.0, value]):
            refused = refusal(ParameterError, noise.planar_laplace, [0.0] * 2, [0.0] * 2, rates, rng=noise.seeded(1))
            assert (refused.field, str(refused)[:21]) == ("epsilon_per_m", "epsilon_per_m must be")

    def test_positions_and_shapes_that_do_not_fit_are_refused_by_name(self):
        for value in (math.nan, math.inf, -math.inf, 1e308, "x", 360.1):
            for lon, lat, field in (([0.0, value], [0.0, 0.0], "lon"), ([0.0, 0.0], [value, 0.0], "lat")):
                refused = refusal(DataError, noise.planar_laplace, lon, lat, 1.0, rng=noise.seeded(1))
                assert refused.field == field
                assert str(refused).startswith(f"{field} must be ")
        with pytest.raises(DataError, match="lat must be as many as lon"):
            noise.planar_laplace([0.0], [0.0, 1.0], 1.0, rng=noise.seeded(1))
        with pytest.raises(ParameterError, match="epsilon_per_m must be one or as many as lon"):
            noise.planar_laplace([0.0], [0.0], [1.0, 1.0], rng=noise.seeded(1))
        assert [len(axis) for axis in noise.planar_laplace([], [], 1.0, rng=noise.seeded(1))] == [0, 0]
        n = 3 * planar.CHUNK + 5  # chunks are no boundary: all positions are drawn, from words of their own
        lon, lat = noise.planar_laplace(np.zeros(n), np.zeros(n), 0.01, rng=noise.seeded(1))
        assert len(lon) == n
        assert len(np.unique(np.stack([lon, lat]), axis=1).T) > 0.999 * n


CELLS = r"""
import hashlib, sys, numba, numpy as np
from privacy_engine import noise
rng = np.random.default_rng(5)
lon, lat = rng.uniform(-180, 180, 20_000), rng.uniform(-90, 90, 20_000)
epsilon = 10.0 ** rng.uniform(-9, 1, 20_000)
cells = np.array(noise.planar_cells(lon, lat, epsilon, rng=noise.seeded(6)))
together = np.array(noise.joint_planar(lon[:3000], lat[:3000], 0.01, rng=noise.seeded(7)))
fma = "+fma" in (numba.config.CPU_FEATURES or numba.core.codegen.get_host_cpu_features())
print(hashlib.sha256(cells.tobytes() + together.tobytes()).hexdigest(), fma)
"""


@pytest.mark.thorough  # compiles every kernel twice
def test_two_processors_draw_the_same_cells(tmp_path):
    """With and without fused multiply-add and vectors: the cells of a seed are the same."""
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "-fma,-avx,-avx2"}
    fused = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "+fma,+avx,+avx2"}
    if "fma" not in Path("/proc/cpuinfo").read_text().split():
        pytest.skip("this processor has no fused multiply-add")
    found = []
    for name, features in (("plain", plain), ("fused", fused)):
        folders = {"NUMBA_CACHE_DIR": str(tmp_path / name), "PYTHONPATH": str(Path(__file__).parents[2])}
        given = {"env": os.environ | features | folders, "capture_output": True, "text": True, "check": True}
        ran = subprocess.run([sys.executable, "-c", CELLS], **given)
        found.append(ran.stdout.split())
    assert found[0][0] == found[1][0]
    assert [one[1] for one in found] == ["False", "True"]


SCALES = [(1, 0.01), (2, 1e-7), (5, 2e-8), (40, 1e-6), (1000, 1.0), (1000, 1e-9), (10, 1e-30), (3, 1e12)]


class TestEnvelope:
    def test_is_proven_wherever_noise_may_be_drawn(self):
        """1,500 of all counts to 10^7 and rates from 1e-30 to 1e12, and the ends of both."""
        rng = np.random.default_rng(8)
        count = np.append(10.0 ** rng.uniform(0, 7, 1500), [1, 1, 1e7, 1e7])
        rate = np.append(10.0 ** rng.uniform(-30, 12, 1500), [1e-30, 1e12] * 2)
        assert reach_envelope.envelopes(np.floor(count), rate * geo.EARTH_RADIUS_M, np.empty((1504, 5)))

    def test_one_that_cuts_the_density_is_not_proven(self):
        rate, numbers = 0.01 * geo.EARTH_RADIUS_M, np.empty(5)
        touching = reach_envelope.candidate(7.0, rate, 1e-9, numbers)
        assert reach_envelope.surely_above(numbers, *touching, 7.0, rate)
        for at, factor in enumerate((1 + 1e-6, 1 - 1e-6, -1.0, 1.001, 1 + 1e-8)):  # left, right, up, down, top
            wrong = numbers * np.where(np.arange(5) == at, factor, 1.0)
            assert not reach_envelope.surely_above(wrong, *touching, 7.0, rate)

    @each(("count", "rate"), SCALES)
    def test_is_tight(self, count, rate):
        """At most 1.4 proposals of three words each (1.25 of them on average, at all scales)."""
        rng, requested = noise.seeded(2), []
        words = type(rng).words
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(rng), "words", lambda self, n: requested.append(n) or words(self, n))
            Reaches([count] * 500, [rate] * 500, rng)
        assert sum(requested) / 1500 < 1.4


class TestReach:
    @each(("count", "rate"), SCALES)
    def test_floats_and_balls_agree_on_every_proposal(self, count, rate):
        """Kept or rejected, and the angle within its bound: 400 proposals each."""
        source = noise.seeded(5)
        found, words = Reaches([count] * 400, [rate] * 400, source), source.words(1200).reshape(-1, 3)
        found._words, found._uniforms, state, (angle, off) = words, {}, np.empty(400, np.uint8), np.empty((2, 400))
        rates = np.full(400, rate * geo.EARTH_RADIUS_M)
        certified.reach_proposals(words, np.full(400, 2.0 * count), rates, found._envelopes, state, angle, off)
        for i in np.flatnonzero(state != certified.UNDECIDED).tolist():
            known = found.known(i)
            assert (state[i] == certified.DONE) == (known is not None)
            if known:
                true, spread, whole = known
                assert abs(true - angle[i]) <= off[i] + spread
                assert whole == (angle[i] > math.pi)
        assert certified.DONE in state

    def test_what_floats_leave_undecided_is_the_same_draw(self, monkeypatch):
        """Of the same bits, which the operating system is made to return: reaches, and positions of several draws."""
        (count, rate), of_system = np.array(SCALES[:4] * 9).T, noise.publishable()
        starts = np.append(0, np.cumsum(count)).astype(int)
        here = np.random.default_rng(1).uniform(-90, 90, (2, starts[-1]))

        def drawn():
            tape = np.random.Philox(9)
            monkeypatch.setattr(os, "urandom", lambda n: tape.random_raw(n // 8).tobytes())
            return Reaches(count, rate, of_system), noise.joint_planar(*here, rate, rng=of_system, starts=starts)

        quick, there = drawn()
        monkeypatch.setattr(certified, "reach_proposals", lambda *given: given[4].fill(certified.UNDECIDED))
        monkeypatch.setattr(certified, "disc_cells", lambda *given: given[8].fill(certified.UNDECIDED))
        slow, same = drawn()
        assert slow.angle == pytest.approx(quick.angle, rel=1e-12)
        assert np.array_equal(slow.whole, quick.whole)
        assert np.array_equal(same, there)


@each(("count", "rate"), SCALES)
def test_positions_by_floats_are_those_by_balls(count, rate):
    """Poles, antimeridian, edges of every branch, and at random: 600 positions for each scale."""
    rng, source = np.random.default_rng(count), noise.seeded(count)
    lon = np.where(rng.random(600) < 0.3, rng.choice([180.0, -180.0, 0.0], 600), rng.uniform(-180, 180, 600))
    lat = np.where(rng.random(600) < 0.3, rng.choice([90.0, -90.0, 45.0, 89.99999], 600), rng.uniform(-90, 90, 600))
    words = rng.integers(0, 2**64, size=(600, 2), dtype=np.uint64)
    words[:60] = rng.choice(np.array([0, 2**34, 2**63, 2**64 - 1, 2**61], dtype=np.uint64), (60, 2))
    found, starts = Reaches([count] * 3, [rate] * 3, source), np.array([0, 150, 151, 700])
    state, cells = np.empty(600, np.uint8), np.zeros((2, 600), np.int64)
    discs = found.angle, found.off, found.whole
    certified.disc_cells(lon[:7], lat[:7], starts, 0, *discs, words[:7], state[:7], *cells[:, :7])
    certified.disc_cells(lon[7:], lat[7:], starts, 7, *discs, words[7:], state[7:], *cells[:, 7:])
    compared = 0
    for i in np.flatnonzero(state == certified.DONE).tolist():
        share, turn = (LazyUniform(word, source) for word in words[i].tolist())
        east, north = joint.disc_cell(lon[i], lat[i], partial(found.half_sine, (i >= 150) + (i > 150)), share, turn)
        assert ((east - cells[0, i]) % TURN, north) == (0, cells[1, i])
        compared += 1
    assert compared > 400


@each(("count", "rate"), SCALES)
def test_moves_lie_within_their_bounds(count, rate):
    """Against 300-bit balls, the uniforms at the ends of what their words leave: no error is beyond its bound."""
    rng, source = np.random.default_rng(3), noise.seeded(6)
    found, ratio = Reaches([count], [rate], source), 0.0
    sine, cosine, off = (1.0, 0.0, 0.0) if found.whole else (*called(sincos)(found.angle[0] / 2), found.off[0])

    def true_half(balls, bits):
        return balls[0].sqrt() * found.half_sine(0, bits)

    for word in rng.integers(2**36, 2**64, size=150, dtype=np.uint64).tolist():
        u, whole = called(certified.unit)(np.uint64(word)), sine * sine
        inner, outer = u * whole, cosine * cosine + (1.0 - u) * whole
        away = off + 64 * 2.0**-53 + 1.25 * 2.0**-53 / u * math.sqrt(inner / outer)
        half = settle([LazyUniform(word, source)], true_half)
        cosine_half = (Ball.exact(1, half.bits) - half * half).sqrt()
        sd, cd = half * cosine_half * 2, Ball.exact(1, half.bits) - half * half * 2
        for true, ours in ((sd, 2 * math.sqrt(inner * outer)), (cd, outer - inner)):
            ratio = max(ratio, abs(float(true - Ball.exact(ours, half.bits))) / away)
    assert ratio < 0.7


class TestJointRefusals:
    @each("value", HOSTILE)
    def test_a_rate_that_is_none(self, value):
        refused = refusal(ParameterError, noise.joint_planar, [0.0], [0.0], value, rng=noise.seeded(1))
        assert str(refused).startswith("epsilon_per_m must be ")

    def test_positions_and_draws_that_are_none(self):
        for lat in ([math.nan], [1.0, 2.0]):
            with pytest.raises(DataError, match="^lat must be "):
                noise.joint_planar([0.0], lat, 1.0, rng=noise.seeded(1))
        for starts in ([0, 1], [1, 2], [0, 0, 2], [0, 3]):
            with pytest.raises(ParameterError, match="^starts must be offsets from 0 to 2 that increase"):
                noise.joint_planar([0.0] * 2, [0.0] * 2, 1.0, rng=noise.seeded(1), starts=np.array(starts))
        assert [len(part) for part in noise.joint_planar([], [], 1.0, rng=noise.seeded(1))] == [0, 0]
