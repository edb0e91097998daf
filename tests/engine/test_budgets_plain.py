"""Budgets of the mechanisms against plain readings of their rules, event by event; exact fractions where they are."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import geo, noise
from privacy_engine.data import LandmarkSet
from privacy_engine.mechanisms.landmark import Adaptive, EventLevel, OptimalSplit, Planned, Skip, Uniform, UserLevel
from tests.engine.mechanism_examples import walk

MEDIAN = 2.6017838101439437
masks = st.lists(st.booleans(), min_size=1, max_size=60).map(np.array)
levels = st.floats(1e-6, 1e4)


def at_half(low, high, slope):
    """Where a falling ``slope`` crosses 0, by halving."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low


class TestFixedBudgets:
    @given(masks, levels)
    def test_shares_are_the_exact_fractions(self, mask, epsilon):
        n, k, level = len(mask), int(mask.sum()), Fraction(epsilon)
        rules = {
            EventLevel: [level] * n,
            UserLevel: [level / n] * n,
            Uniform: [level / (k + 1 if k < n else n)] * n,
            Skip: [level / n] * n if k == n else [Fraction(0) if landmark else level for landmark in mask.tolist()],
        }
        for cls, expected in rules.items():
            found = cls(epsilon=epsilon, radius_m=1.0).budgets(mask)
            assert found == pytest.approx([float(one) for one in expected], rel=1e-15, abs=0)

    @given(masks, levels)
    def test_the_optimal_split_balances_what_the_last_share_gains(self, mask, epsilon):
        """ka + b = ε, and more for b gains the others as much as it costs the landmarks: (n-k)/b² = k²/(ε-b)²."""
        n, k = len(mask), int(mask.sum())
        b = at_half(0.0, 1.0, lambda b: (n - k) * (1 - b) ** 2 - k * k * b**2) if 0 < k < n else float(k == 0)
        expected = [epsilon * ((1 - b) / k if landmark else b) for landmark in mask.tolist()]
        found = OptimalSplit(epsilon=epsilon, radius_m=1.0).budgets(mask)
        assert found == pytest.approx(expected, rel=1e-12, abs=0)

    @given(masks, st.floats(1e-3, 1e3), st.floats(0.1, 1e5), st.floats(1e-4, 1e14))
    def test_the_plan_is_read_event_by_event(self, mask, epsilon, radius_m, q):
        n, k = len(mask), int(mask.sum())
        together = OptimalSplit(epsilon=epsilon, radius_m=radius_m).budgets(mask)[mask].sum() / radius_m
        wished = (12 * k**2 / (together**2 * q)) ** (1 / 3) if k else 1.0
        if abs(wished % 1 - 0.5) < 1e-9:
            return  # to which side a half is rounded is the last bit's choice
        interval, seen, drawn, shows = max(1, min(k, round(wished))), 0, [], []
        for landmark in mask.tolist():
            drawn.append(landmark and seen % interval == 0)
            shows.append(landmark if drawn[-1] or not landmark else shows[-1])  # does it show a landmark's draw?
            seen += landmark
        p, by_landmark = sum(drawn), sum(shows)
        ratio = math.sqrt(p * (n - by_landmark) / by_landmark) if p else 0.0
        a = epsilon / (p + ratio) if p else 0.0
        b = a * ratio if p else epsilon
        expected = [a if one else 0.0 if landmark else b for one, landmark in zip(drawn, mask.tolist(), strict=True)]
        how = Planned(epsilon=epsilon, radius_m=radius_m, step_variance_m2=q)
        assert how.interval(mask) == interval
        assert how.budgets(mask) == pytest.approx(expected, rel=1e-12, abs=0)


def plain_adaptive(how, mask, lon, lat):
    """The budgets that releases ``lon``, ``lat`` lead to, as the rule is written."""
    k, regular_left, spent, one_slot = int(mask.sum()), int((~mask).sum()), 0.0, False
    slots = k + (regular_left > 0)
    left, wait, gap, last, saved, found = k, 0, 1, None, 0, []
    for t, landmark in enumerate(mask.tolist()):
        still = left + (1 if regular_left or one_slot else 0)
        share = (how.epsilon - spent) / still
        if how.redistribution == "absorption":
            share = how.epsilon / slots * (saved + 1 if landmark else 1)
        left, regular_left, wait = left - landmark, regular_left - (not landmark), wait + landmark
        if landmark and last is not None and wait < gap:
            found.append(0.0)
            saved += 1
            continue
        found.append(share)
        if landmark:
            spent, wait, saved = spent + share, 0, 0
        else:
            one_slot = True
        if last is not None:
            limit = (MEDIAN if how.reading == "calibrated" else 1.0) * how.radius_m / share
            moved = geo.distance_m(lon[last], lat[last], lon[t], lat[t]) > limit
            gap = 1 if moved else gap + 1
        last = t
    return found


class TestAdaptive:
    @pytest.mark.parametrize("reading", ["calibrated", "literal"])
    @pytest.mark.parametrize("redistribution", ["uniform", "absorption"])
    @given(masks, st.integers(0, 2**32), st.sampled_from([0.5, 20.0, 1e3]))
    def test_follows_its_own_releases_as_the_rule_is_written(self, reading, redistribution, mask, seed, radius_m):
        how = Adaptive(epsilon=1.0, radius_m=radius_m, reading=reading, redistribution=redistribution)
        release = how.release(walk(len(mask), seed), LandmarkSet(mask), rng=noise.seeded(seed))
        expected = plain_adaptive(how, mask, release.series.lon, release.series.lat)
        assert release.budgets == pytest.approx(expected, rel=1e-12, abs=0)
