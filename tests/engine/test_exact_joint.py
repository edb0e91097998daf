"""Joint noise is the real-number sampler rounded to its cells: reach and positions, floats and balls."""

import math

import numpy as np
import pytest

from privacy_engine import geo, noise
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.kernels import certified
from privacy_engine.noise import joint, reach
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.grid import TURN
from privacy_engine.noise.lazy_uniform import LazyUniform, settle
from privacy_engine.noise.reach import Reach, envelope
from tests.cases import each
from tests.engine.called import called
from tests.engine.test_exact_planar import HOSTILE

SCALES = [(1, 0.01), (2, 1e-7), (5, 2e-8), (40, 1e-6), (1000, 1.0), (1000, 1e-9), (10, 1e-30), (3, 1e12)]


class TestEnvelope:
    def test_is_proven_wherever_noise_may_be_drawn(self):
        """1,500 of all counts to 10^7 and rates from 1e-30 to 1e12, and the ends of both."""
        rng = np.random.default_rng(8)
        some = zip(10.0 ** rng.uniform(0, 7, 1500), 10.0 ** rng.uniform(-30, 12, 1500), strict=True)
        ends = [(count, rate) for count in (1, 10**7) for rate in (1e-30, 1e12)]
        for count, rate in [*some, *ends]:
            assert envelope(int(count), float(rate)).left > 0

    def test_one_that_cuts_the_density_is_not_proven(self):
        found, touching = reach._candidate(7, 0.01 * geo.EARTH_RADIUS_M, 1e-9)
        assert reach._above(found, touching, 7, 0.01)
        for wrong in (
            found._replace(top=found.top - 1e-6),
            found._replace(left=found.left + 1e-6 * found.left),
            found._replace(right=found.right - 1e-6 * found.right),
            found._replace(down=found.down * 1.001),
            found._replace(up=-found.up),
        ):
            assert not reach._above(wrong, touching, 7, 0.01)

    @each(("count", "rate"), SCALES)
    def test_is_tight(self, count, rate):
        """At most 1.4 proposals of three words each (1.25 of them on average, at all scales)."""
        rng, requested = noise.seeded(2), []
        words = type(rng).words
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(rng), "words", lambda self, n: requested.append(n) or words(self, n))
            for _ in range(500):
                Reach(count, rate, rng)
        assert sum(requested) / 1500 < 1.4


class TestReach:
    @each(("count", "rate"), SCALES)
    def test_floats_and_balls_agree_on_every_proposal(self, count, rate):
        """Kept or rejected, and the angle within its bound: 400 proposals each."""
        source, numbers = noise.seeded(5), envelope(count, rate)
        found = Reach(count, rate, source)
        decided = set()
        for _ in range(400):
            words = source.words(3)
            state, angle, off = certified.reach_proposal(words, 2.0 * count, rate * geo.EARTH_RADIUS_M, *numbers)
            found._uniforms = [LazyUniform(word, source) for word in words.tolist()]
            if state == certified.UNDECIDED:
                continue
            assert (state == certified.DONE) == found.accepted()
            decided.add(int(state))
            if state == certified.DONE:
                true, spread, whole = settle(found._uniforms, found._known)
                assert abs(true - angle) <= off + spread
                assert whole == (angle > math.pi)
        assert certified.DONE in decided

    def test_what_floats_leave_undecided_is_the_same_draw(self, monkeypatch):
        quick = [Reach(count, rate, noise.seeded(9)) for count, rate in SCALES]
        monkeypatch.setattr(certified, "reach_proposal", lambda *_: (certified.UNDECIDED, 0.0, 0.0))
        for (count, rate), one in zip(SCALES, quick, strict=True):
            two = Reach(count, rate, noise.seeded(9))
            assert two.angle == pytest.approx(one.angle, rel=1e-12)
            assert two.whole is one.whole


def in_floats(lon, lat, found, words):
    state, cells = np.empty(len(lon), np.uint8), np.zeros((2, len(lon)), np.int64)
    sine, cosine, off = (1.0, 0.0, 0.0) if found.whole else (*certified.half_angle(found.angle), found.off)
    certified.disc_cells(lon, lat, sine, cosine, off, words, state, *cells)
    return state, cells


@each(("count", "rate"), SCALES)
def test_positions_by_floats_are_those_by_balls(count, rate):
    """Poles, antimeridian, edges of every branch, and at random: 600 positions for each scale."""
    rng, source = np.random.default_rng(count), noise.seeded(count)
    lon = np.where(rng.random(600) < 0.3, rng.choice([180.0, -180.0, 0.0], 600), rng.uniform(-180, 180, 600))
    lat = np.where(rng.random(600) < 0.3, rng.choice([90.0, -90.0, 45.0, 89.99999], 600), rng.uniform(-90, 90, 600))
    words = rng.integers(0, 2**64, size=(600, 2), dtype=np.uint64)
    words[:60] = rng.choice(np.array([0, 2**34, 2**63, 2**64 - 1, 2**61], dtype=np.uint64), (60, 2))
    found = Reach(count, rate, source)
    state, cells = in_floats(lon, lat, found, words)
    compared = 0
    for i in np.flatnonzero(state == certified.DONE).tolist():
        share, turn = (LazyUniform(word, source) for word in words[i].tolist())
        east, north = joint.disc_cell(lon[i], lat[i], found, share, turn)
        assert ((east - cells[0, i]) % TURN, north) == (0, cells[1, i])
        compared += 1
    assert compared > 400


@each(("count", "rate"), SCALES)
def test_moves_lie_within_their_bounds(count, rate):
    """Against 300-bit balls, the uniforms at the ends of what their words leave: no error is beyond its bound."""
    rng, source = np.random.default_rng(3), noise.seeded(6)
    found, ratio = Reach(count, rate, source), 0.0
    sine, cosine, off = (1.0, 0.0, 0.0) if found.whole else (*certified.half_angle(found.angle), found.off)

    def true_half(balls, bits):
        return balls[0].sqrt() * found.half_sine(bits)

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


class TestRefusals:
    @each("value", HOSTILE)
    def test_a_rate_that_is_none(self, value):
        for draw in (
            lambda: noise.joint_planar([0.0], [0.0], value, rng=noise.seeded(1)),
            lambda: noise.joint_reach_m(1, value, rng=noise.seeded(1)),
        ):
            with pytest.raises(ParameterError, match="^epsilon_per_m must be "):
                draw()

    def test_a_count_and_positions_that_are_none(self):
        for value in (0, -1, 1.5, math.nan, True, "1", None, 2**63):
            with pytest.raises(ParameterError, match="^count must be a whole number from 1 to "):
                noise.joint_reach_m(value, 1.0, rng=noise.seeded(1))
        with pytest.raises(DataError, match="^lat must be "):
            noise.joint_planar([0.0], [math.nan], 1.0, rng=noise.seeded(1))
