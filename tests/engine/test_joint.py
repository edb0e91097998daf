"""Joint noise and the mechanism that draws with it.

Kolmogorov-Smirnov tests have fixed seeds or fresh noise, which fails one of them less than once in 10^5 runs.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.temporal import temporal_loss
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms.landmark import Joint, OptimalSplit, Skip
from privacy_engine.noise.reach import Reaches
from tests.cases import each
from tests.engine.mechanism_examples import masks
from tests.later import integrate, stats

FAILS = 1e-6


def joint(q=1e4, epsilon=1.0, radius_m=1.0):
    return Joint(epsilon=epsilon, radius_m=radius_m, step_variance_m2=q)


def displaced(count, rate, draws):
    """How far each of ``count`` positions was moved, (draws, count), in draws between others of another rate."""
    lon, lat = np.linspace(-5, 5, 2 * count * draws), np.full(2 * count * draws, 48.0)
    rates, starts = np.tile([rate, 5 * rate], draws), np.arange(2 * draws + 1) * count
    moved = noise.joint_planar(lon, lat, rates, rng=noise.publishable(), starts=starts)
    return geo.distance_m(lon, lat, *moved).reshape(draws, 2, count)[:, 0]


class TestJointNoise:
    @pytest.mark.slow
    @each("count", [1, 2, 3, 17])
    def test_the_farthest_move_has_the_law_of_the_k_norm_mechanism(self, count):
        # the volume of "all within s" grows as s^(2p), so the largest move is Gamma(2p, 1/ε)
        farthest = displaced(count, 1 / 50, draws=3000).max(axis=1)
        assert stats.kstest(farthest, stats.gamma(2 * count, scale=50).cdf).pvalue > FAILS

    def test_the_others_are_uniform_inside_it(self):
        moved = displaced(6, 1 / 50, draws=3000)
        moved.sort(axis=1)
        inside = (moved[:, :-1] / moved[:, -1:]) ** 2  # five ordered uniforms
        assert stats.kstest(inside[:, 0], stats.beta(1, 5).cdf).pvalue > FAILS
        assert stats.kstest(inside[:, 4], stats.beta(5, 1).cdf).pvalue > FAILS

    @each(("count", "reach_km"), [(1, 3000), (40, 6000), (3, 30_000), (400, 9000), (2, 10**7)])
    def test_reach_on_the_sphere_has_its_density_also_where_noise_is_larger_than_the_earth(self, count, reach_km):
        rate = 2 * count / (reach_km * 1000)

        def height(angle):
            power = 2 * count * math.log(math.sin(min(angle, math.pi) / 2)) if angle else -math.inf
            return power - rate * geo.EARTH_RADIUS_M * angle

        top = max(height(angle) for angle in np.linspace(0, math.pi, 1001))
        edges = np.concatenate([np.linspace(0, math.pi, 400), math.pi + np.linspace(0.01, 40 * reach_km / 6371, 400)])
        parts = [integrate.quad(lambda x: math.exp(height(x) - top), *ends)[0] for ends in itertools.pairwise(edges)]
        upto = np.concatenate([[0], np.cumsum(parts)]) / sum(parts)
        found = Reaches([count] * 2500, [rate] * 2500, noise.seeded(count)).angle
        assert stats.kstest(found, lambda angle: np.interp(angle, edges, upto)).pvalue > FAILS

    @pytest.mark.slow
    @each("count", [1, 2, 50])
    def test_mean_and_standard_deviation_are_the_closed_forms(self, count):
        here, rate, starts = np.zeros(30_000), 1 / 300, np.arange(0, 30_001, count)
        moved = noise.joint_planar(here, here, rate, rng=noise.seeded(5), starts=starts)
        xy_m = geo.LocalPlane(0.0, 0.0).project(*moved)
        mean, sd = noise.joint_mean_m(count, rate), noise.joint_sd_m(count, rate)
        assert np.hypot(*xy_m.T).mean() == pytest.approx(mean, rel=0.02)
        assert xy_m.std() == pytest.approx(sd, rel=0.02)

    def test_odds_change_by_at_most_the_rate_times_the_farthest_move(self):
        # the density is exp(-ε max d) over a constant that no position changes: the discs are equal on a sphere
        rng, plane = np.random.default_rng(1), geo.LocalPlane(7.0, 47.0)
        for _ in range(200):
            here = rng.normal(0, 500, (8, 2))
            shift = rng.normal(0, 1, (8, 2))
            there = here + 130 * shift / np.maximum(np.hypot(*shift.T), 1)[:, None]
            lon, lat = plane.unproject(here)
            out = noise.joint_planar(lon, lat, 1 / 200, rng=rng)
            one, two = (geo.distance_m(*plane.unproject(x), *out).max() for x in (here, there))
            assert abs(one - two) / 200 <= geo.distance_m(lon, lat, *plane.unproject(there)).max() / 200 + 1e-12


def naive_error(how, mask, spacing):
    """The expected error of one spacing, event by event; and (p, B, b)."""
    last, by_landmark, shown, drawn = None, False, [], 0
    for t, landmark in enumerate(mask):
        if not landmark or last is None or t - last >= spacing:
            last, by_landmark, drawn = t, bool(landmark), drawn + bool(landmark)
        shown.append((t - last, by_landmark))
    landmarks = sum(by for _, by in shown)
    ratio = math.sqrt(3 * (len(mask) - landmarks) / ((2 * drawn + 1) * landmarks)) if drawn else math.inf
    together, regular = how.epsilon / (1 + ratio), how.epsilon / (1 + 1 / ratio) if ratio else 0.0
    total = 0.0
    for lag, by in shown:
        mean = (4 * drawn + 2) / 3 * how.radius_m / together if by else 2 * how.radius_m / regular
        total += math.hypot(mean, math.sqrt(math.pi / 2 * how.step_variance_m2 * lag))
    return total, (drawn, together, regular)


class TestMechanism:
    @given(mask=masks, q=st.floats(1.0, 1e6))
    def test_the_plan_is_the_best_spacing_of_a_plain_reading(self, mask, q):
        how = joint(q)
        errors = [naive_error(how, mask, spacing) for spacing in range(1, 25)]
        never = naive_error(how, mask, len(mask) + 1)
        least = min(error for error, _ in [*errors, never])
        budgets = how.budgets(mask)
        chosen = (np.count_nonzero(budgets[mask]), budgets[mask].sum(), budgets[~mask].max(initial=0.0))
        got = next(error for error, how in [*errors, never] if how == pytest.approx(chosen, rel=1e-12))
        assert got <= least * (1 + 1e-12)

    def test_with_one_landmark_it_is_the_optimal_split_and_if_no_one_moves_skip(self):
        one = np.arange(9) == 4
        assert joint(q=1e9).budgets(one) == pytest.approx(OptimalSplit(epsilon=1.0, radius_m=1.0).budgets(one))
        mask = np.arange(40) % 3 == 1
        assert np.array_equal(joint(q=1e-4).budgets(mask), Skip(epsilon=1.0, radius_m=1.0).budgets(mask))

    def test_budgets_of_landmarks_that_differ_are_summed_exactly(self):
        class Uneven(Joint):
            def budgets(self, is_landmark):
                return np.array([0.1, 0.2, 0.3, 0.4])  # as floats, 0.1 + 0.2 + 0.3 is more than 0.6

        how = Uneven(epsilon=1.0, radius_m=1.0, step_variance_m2=1e4)
        found = how.release(Trajectory(np.zeros(4), np.zeros(4)), LandmarkSet(np.arange(4) < 3), rng=noise.seeded(1))
        assert (found.sd_m[:3] == noise.joint_sd_m(3, how.rates(0.6))).all()


def exact_loss(matrix, epsilons, landmarks, together, t):
    """ln of the largest ratio of Pr(outputs | state at t), over all outputs of a two-state chain.

    Other events: binary randomised response; the landmarks together: their true states, or any other, e^B times rarer.
    """
    n = len(epsilons)
    paths = list(itertools.product((0, 1), repeat=n))
    chance = np.array([0.5 * math.prod(matrix[a][b] for a, b in itertools.pairwise(path)) for path in paths])
    others = [i for i in range(n) if i not in landmarks]
    worst = 0.0
    for out in itertools.product((0, 1), repeat=n):
        odds = (0.0 if all(path[i] == out[i] for i in landmarks) else together for path in paths)
        wrong = (sum(epsilons[i] for i in others if path[i] != out[i]) for path in paths)
        likely = np.exp([-more - rare for more, rare in zip(wrong, odds, strict=True)])
        at = np.array([path[t] for path in paths])
        one, two = (float((chance * likely)[at == state].sum()) for state in (0, 1))
        worst = max(worst, abs(math.log(one / two)))
    return worst


class TestTemporalLoss:
    @each("seed", range(40))
    def test_what_the_landmarks_share_adds_at_most_its_level_to_any_timestamps_loss(self, seed):
        rng = np.random.default_rng(seed)
        stay = rng.uniform(0.5, 0.99)
        matrix = np.array([[stay, 1 - stay], [1 - stay, stay]])
        mask = rng.random(5) < 0.5
        epsilons, together = np.where(mask, 0.0, rng.uniform(0, 1.5, 5)), float(rng.uniform(0, 2)) * mask.any()
        bound = temporal_loss(epsilons, matrix, matrix, shared=together).total
        exact = [exact_loss(matrix, epsilons, np.flatnonzero(mask), together, t) for t in range(5)]
        assert (np.array(exact) <= bound + 1e-12).all()

    def test_budgets_of_draws_that_share_noise_are_distinguished(self):
        mask = np.arange(30) % 3 == 0
        budgets = joint(q=1e9).budgets(mask)
        alone, shared = joint(q=1e9).independent(budgets, mask)
        assert (alone[mask] == 0).all()
        assert shared == pytest.approx(budgets[mask].sum())
        assert alone[~mask] == pytest.approx(1 - shared)
        assert OptimalSplit(epsilon=1.0, radius_m=1.0).independent(budgets, mask) == (budgets, 0.0)
