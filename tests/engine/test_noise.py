"""Noise: the laws it must follow and what is expected of a draw. Statistical tests state their false-alarm rates."""

import math
import os
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import kv

from privacy_engine import noise
from privacy_engine.analysis import forecast
from privacy_engine.analysis.forecast import (
    LONGEST_RUN,
    expected_error_m,
    fresh_forecast,
    has_known_budgets,
    noise_forecast,
    overall_noise,
    planned_noise,
)
from privacy_engine.core import geo
from privacy_engine.core.progress import blocks
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms import landmark
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.noise.expected import OwnNoise, SharedNoise, mixture_quantile_m, planar_sphere_mean_m
from privacy_engine.noise.reach import Reaches
from tests.cases import each
from tests.engine.mechanism_examples import example as mechanism_example
from tests.engine.test_simulated_noise import LARGE_NOISE, assert_even_bearings, assert_law_of_the_sphere, dkw
from tests.examples import examples
from tests.later import integrate

DRAWS = 400_000
RATE = 1e-3
"""Per metre: a scale of a kilometre, far above the grid of 1 cm and far below the Earth."""


@cache
def radii():
    """Displacements in scales, sorted."""
    lon, lat = noise.planar_laplace(np.full(DRAWS, 116.4), np.full(DRAWS, 39.9), RATE, rng=noise.seeded(20250101))
    return np.sort(geo.distance_m(116.4, 39.9, lon, lat)) * RATE


@cache
def moved():
    """East and north of the noise, in scales."""
    lon, lat = noise.planar_laplace(np.full(DRAWS, 116.4), np.full(DRAWS, 39.9), RATE, rng=noise.seeded(7))
    plane = geo.LocalPlane(116.4, 39.9)
    return tuple(plane.project(lon, lat).T * RATE)


class TestPlanarRadius:
    def test_follows_the_gamma_law(self):
        """False alarms: 1e-6 (Dvoretzky-Kiefer-Wolfowitz)."""
        r = radii()
        assert np.abs(1 - (1 + r) * np.exp(-r) - (np.arange(DRAWS) + 0.5) / DRAWS).max() < dkw(DRAWS)

    def test_has_the_published_moments(self, vectors):
        """Five standard errors each: false alarms 1e-6."""
        r, law = radii(), vectors["planar_laplace"]
        for values, expected in ((r, law["mean eps*r"]), (r**2, law["E r^2 eps^2"])):
            assert values.mean() == pytest.approx(expected, abs=5 * values.std() / math.sqrt(DRAWS))
        assert r.var() == pytest.approx(law["var eps^2 r"], abs=5 * ((r - 2) ** 2).std() / math.sqrt(DRAWS))
        assert float(noise.planar_mean_m(4.0)) == law["mean eps*r"] / 4

    @each("epsilon", LARGE_NOISE)
    def test_follows_the_law_of_the_sphere_where_noise_is_as_large_as_the_earth(self, epsilon):
        assert_law_of_the_sphere(partial(noise.planar_laplace, rng=noise.seeded(11)), epsilon)

    @settings(max_examples=examples(60))
    @given(st.lists(st.floats(1e-12, 1e12), max_size=20), st.integers(0, 2**32), st.floats(-90, 90))
    def test_is_on_the_sphere_and_on_the_grid_at_every_scale(self, epsilons, seed, lat):
        n = len(epsilons)
        found = noise.planar_laplace(np.full(n, 180.0), np.full(n, lat), epsilons, rng=noise.seeded(seed))
        for degrees, bound in zip(found, (180.0, 90.0), strict=True):
            assert degrees.shape == (n,)
            assert (np.abs(degrees) <= bound).all()
            assert (np.rint(degrees * 1e7) / 1e7 == degrees).all()
        assert (found[0] < 180).all()


class TestPlanarLaplace:
    def test_has_the_published_spread_on_each_axis(self, vectors):
        """Five standard errors each: false alarms 1e-6."""
        law = vectors["planar_laplace"]
        for axis in moved():
            assert axis.mean() == pytest.approx(0, abs=5 * math.sqrt(3 / DRAWS))
            for values, expected in (
                (axis**2, law["std per axis * eps"] ** 2),
                (abs(axis), law["mean |x| per axis * eps"]),
            ):
                assert values.mean() == pytest.approx(expected, abs=5 * values.std() / math.sqrt(DRAWS))

    def test_points_everywhere_alike_whatever_the_distance(self):
        east, north = moved()
        assert_even_bearings(np.arctan2(east, north) % (2 * np.pi), np.hypot(east, north))

    def test_two_releases_of_one_place_are_as_far_apart_as_published(self, vectors):
        """Dvoretzky-Kiefer-Wolfowitz and five standard errors: false alarms 2e-6."""
        east, north = (axis.reshape(2, -1) for axis in moved())
        apart, law = np.sort(np.hypot(east[0] - east[1], north[0] - north[1])), vectors["planar_laplace"]
        n = apart.size
        for x, share in law["P(|o1-o2|*eps<=x), stationary: 1 - x^3 K3(x)/8"].items():
            assert 1 - float(x) ** 3 * kv(3, float(x)) / 8 == pytest.approx(share, abs=1e-9)
            assert np.searchsorted(apart, float(x)) / n == pytest.approx(share, abs=dkw(n))
        for p, quantile in law["quantiles of |o1-o2|*eps"].items():
            assert np.searchsorted(apart, quantile) / n == pytest.approx(float(p), abs=dkw(n))
        mean = law["two releases of the same place, equal eps: mean |o1-o2| * eps"]
        assert apart.mean() == pytest.approx(mean, abs=5 * apart.std() / math.sqrt(n))


class _Words:
    """A generator that yields the words it was given."""

    def __init__(self, *words):
        self.words = np.array(words, dtype=np.uint64)

    def integers(self, *_, **__):
        return self.words


class TestSources:
    def test_one_seed_gives_one_noise(self):
        where = np.zeros(50)
        draws = [noise.planar_laplace(where, where, 1.0, rng=np.random.default_rng(2)) for _ in range(2)]
        assert np.array_equal(*draws)
        first, again, other = (noise.planar_laplace(where, where, 0.01, rng=noise.seeded(seed)) for seed in (3, 3, 4))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)

    @each("source", [noise.publishable(), noise.seeded(9)], ids=["system", "seeded"])
    def test_uniforms_are_uniform_and_inside_the_open_interval(self, source):
        """False alarms: 1e-6 a run (the system source is a new sample each time)."""
        values = np.sort(source.uniform(200_000))
        assert values[0] > 0
        assert values[-1] < 1
        assert np.abs(values - (np.arange(200_000) + 0.5) / 200_000).max() < dkw(200_000) + 1e-5
        assert source.uniform(0).shape == (0,)

    @each("kind", [np.random.Philox, np.random.PCG64, np.random.SFC64, np.random.MT19937])
    def test_words_are_those_of_the_generator_however_many_at_a_time(self, kind):
        expected = np.random.Generator(kind(4)).integers(0, 2**64, size=30, dtype=np.uint64)
        source = noise.seeded(np.random.Generator(kind(4)))
        assert np.concatenate([source.words(n) for n in (0, 1, 9, 20)]).tolist() == expected.tolist()

    def test_uniforms_are_never_zero_and_never_one(self):
        extreme = noise.seeded(1)
        extreme._generator, extreme._raw = _Words(0, 2**64 - 1, 2**63), False
        lowest, highest, middle = extreme.uniform(3)
        assert 0 < lowest < 1e-15
        assert 1 - 1e-15 < highest < 1
        assert middle == pytest.approx(0.5)

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
    def test_forked_workers_draw_different_noise(self):
        source, seen = noise.publishable(), [noise.publishable().uniform(4).tobytes()]
        for _ in range(4):
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(writer, source.uniform(4).tobytes())
                os._exit(0)
            os.close(writer)
            seen.append(os.read(reader, 1000))
            os.close(reader)
            assert os.waitpid(child, 0)[1] == 0
        assert {len(draws) for draws in seen} == {32}
        assert len(set(seen)) == 5


PARAMETERS = {"epsilon": 2.0, "radius_m": 50.0, "window": 7, "step_variance_m2": 1e6, "leading": "gap"}
SIGMA = np.sqrt(0.5)  # of Gamma(2), its mean taken as 1


def example(cls):
    """The class at parameters that are no one's default."""
    return cls(**{name: value for name, value in PARAMETERS.items() if name in cls.model_fields})


KNOWN = [cls for cls in mechanisms.of("trajectory") if has_known_budgets(example(cls))]
every_known = each("cls", KNOWN)


def test_only_adaptive_has_to_be_simulated_of_the_papers_and_our_splits():
    assert landmark.Adaptive not in KNOWN
    assert overall_noise(example(landmark.Adaptive), SimpleNamespace(masks=[np.array([True, False])])) is None
    papers = {landmark.Skip, landmark.Uniform, landmark.OptimalSplit, landmark.Planned, landmark.WEvent, landmark.Joint}
    assert papers <= set(KNOWN)


@pytest.mark.slow
@every_known
def test_declared_error_matches_a_hundred_thousand_draws(cls):
    mechanism, n = example(cls), 160_000
    mask = np.random.default_rng(3).random(n) < 0.3
    still = Trajectory(np.full(n, 116.4), np.full(n, 39.9))
    release = mechanism.release(still, LandmarkSet(mask), rng=noise.seeded(11))
    assert np.count_nonzero(release.fresh) >= 100_000
    errors = geo.distance_m(116.4, 39.9, release.series.lon, release.series.lat)
    expected = expected_error_m(mechanism, mask)
    times_shown = np.bincount(np.cumsum(release.fresh)[release.event])
    independent = times_shown.sum() ** 2 / (times_shown**2.0).sum()
    together = np.count_nonzero(release.fresh & mask) if cls is landmark.Joint else np.inf
    reach = np.sqrt(1 / (2 * together + 1))  # relative standard deviation of what landmarks may share: its Gamma law's
    assert np.mean(errors / expected) == pytest.approx(1, abs=5 * np.hypot(SIGMA / np.sqrt(independent), reach))

    found = noise_forecast(mechanism, [mask])
    fresh = fresh_forecast(mechanism, [mask])
    assert fresh.exact
    assert vars(fresh.landmark).items() <= vars(found.landmark).items()
    assert vars(fresh.overall).items() <= vars(found.overall).items()
    assert overall_noise(mechanism, SimpleNamespace(masks=[mask])) == found.overall
    for group, of in ((found.landmark, mask), (found.regular, ~mask), (found.overall, mask | True)):
        these = of[release.event]
        assert group.events == np.count_nonzero(of)
        assert group.published == np.count_nonzero(these)
        assert group.drawn == np.count_nonzero(release.fresh & of)
        assert group.mean_m == pytest.approx(expected[these].mean(), rel=1e-12)
        for radius_m, share in ((group.median_m, 0.5), (group.p95_m, 0.95)):
            margin = 5 * (np.sqrt(share * (1 - share) / (independent * these.mean() / 4)) + reach)
            assert np.mean(errors[these] <= radius_m) == pytest.approx(share, abs=margin)
        drawn = release.budgets[of & release.fresh] / 2.0
        assert group.share == (pytest.approx((drawn.min(), drawn.max()), rel=1e-12) if drawn.size else None)


@each("rate", [1e-3, 1e-6, 1.0 / geo.EARTH_RADIUS_M, 1e-9])
def test_mean_and_quantiles_on_the_sphere_are_the_densitys(rate):
    a = rate * geo.EARTH_RADIUS_M
    top = min(np.pi, 60 / a)
    mass = integrate.quad(lambda x: np.sin(x) * np.exp(-a * x), 0, top, epsabs=0, epsrel=1e-11)[0]
    mean = integrate.quad(lambda x: x * np.sin(x) * np.exp(-a * x), 0, top, epsabs=0, epsrel=1e-11)[0] / mass
    assert planar_sphere_mean_m(rate) == pytest.approx(mean * geo.EARTH_RADIUS_M, rel=1e-8)
    for p in (0.5, 0.95):
        x = mixture_quantile_m([OwnNoise(np.array([rate]), np.array([2.0]))], p) / geo.EARTH_RADIUS_M
        below = integrate.quad(lambda x: np.sin(x) * np.exp(-a * x), 0, x, epsrel=1e-11)[0]
        assert below / mass == pytest.approx(p, rel=1e-7)


def test_a_mixture_holds_its_share_of_every_part():
    rates, weights = np.array([1.0, 0.1, 1e-3]), np.array([0.2, 0.5, 0.3])
    for p in (0.05, 0.5, 0.95):
        x = mixture_quantile_m([OwnNoise(rates[:2], weights[:2]), OwnNoise(rates[2:], weights[2:])], p)
        assert weights @ (1 - np.exp(-rates * x) * (1 + rates * x)) == pytest.approx(p, rel=1e-6)


class TestSharedNoise:
    @each(("together", "rate"), [(1, 0.01), (7, 0.01), (300, 1e-3), (5, 1e-6), (40_000, 1e-6), (3, 1e-9)])
    def test_mean_and_quantiles_are_those_of_draws(self, together, rate):
        law, runs = SharedNoise(together, rate, 1.0), 4000
        rng, few = noise.seeded(5), min(together, 40)
        cap = np.minimum(Reaches([together] * runs, [rate] * runs, rng).angle, np.pi)[:, None]
        u = rng.uniform(runs * few).reshape(runs, few)
        radii = 2 * geo.EARTH_RADIUS_M * np.arcsin(np.sqrt(u) * np.sin(cap / 2))
        assert law.mean_m() == pytest.approx(radii.mean(), abs=5 * radii.mean(axis=1).std() / np.sqrt(runs))
        for p in (0.5, 0.95):
            held = (radii <= mixture_quantile_m([law], p)).mean(axis=1)
            assert held.mean() == pytest.approx(p, abs=5 * held.std() / np.sqrt(runs))

    def test_one_position_is_planar_laplace_noise(self):
        alone, own = SharedNoise(1, 0.01, 1.0), OwnNoise(np.array([0.01]), np.array([1.0]))
        assert alone.mean_m() == pytest.approx(own.mean_m(), rel=1e-5)
        for p in (0.5, 0.95):
            assert mixture_quantile_m([alone], p) == pytest.approx(mixture_quantile_m([own], p), rel=1e-4)
        assert SharedNoise(50, 0.01, 1.0).mean_m() == pytest.approx(noise.joint_mean_m(50, 0.01), rel=1e-5)


class TestUniformByHand:
    def test_series_share_nothing(self):
        one, other = np.array([True, False]), np.array([True, True, True, False])
        found = noise_forecast(landmark.Uniform(epsilon=1.0, radius_m=200.0), [one, other])
        assert found.landmark.share == (0.25, 0.5)
        assert found.overall.mean_m == pytest.approx((2 * 800 + 4 * 1600) / 6)


class TestSimulated:
    mask = np.arange(600) % 4 == 0
    adaptive = landmark.Adaptive(epsilon=1.0, radius_m=1.0)

    def test_states_that_it_is_and_answers_the_same_every_time(self):
        found = fresh_forecast(self.adaptive, [self.mask])
        assert not found.exact
        assert found == fresh_forecast(self.adaptive, [self.mask])
        assert noise_forecast(self.adaptive, [self.mask]) is None
        assert found.overall.share[0] == pytest.approx(1 / 151, rel=1e-9)
        assert (found.landmark.events, found.regular.events, found.overall.published) == (150, 450, 600)
        assert found.landmark.drawn < 150
        assert found.regular.drawn == 450

    def test_agrees_with_a_walk_and_a_seed_of_ones_own(self):
        steps = np.random.default_rng(77).normal(0, 500.0, (20_000, 2)).cumsum(axis=0)
        drawn = []
        for at in range(0, 20_000 - 600, 600):
            walk = Trajectory(*geo.LocalPlane(2.0, 48.0).unproject(steps[at : at + 600]))
            release = self.adaptive.release(walk, LandmarkSet(self.mask), rng=noise.seeded(at + 1))
            drawn.append(np.count_nonzero(release.fresh & self.mask))
        assert fresh_forecast(self.adaptive, [self.mask]).landmark.drawn == pytest.approx(np.mean(drawn), rel=0.15)

    def test_no_answer_where_it_would_take_long(self):
        assert fresh_forecast(self.adaptive, [np.zeros(LONGEST_RUN + 1, bool)]) is None
        with pytest.raises(ValueError, match="landmark-adaptive depend on the run"):
            expected_error_m(self.adaptive, self.mask)


@each("cls", list(mechanisms.of("trajectory")))
@each("mask", [np.zeros(0, bool), np.ones(1, bool), np.zeros(5, bool), np.ones(5, bool)])
def test_empty_and_one_sided_series_have_a_forecast(cls, mask):
    found = noise_forecast(example(cls), [mask, mask])
    assert fresh_forecast(example(cls), [mask, mask]).overall.events == 2 * len(mask)
    assert found is None or (found.landmark.mean_m is None) == (found.landmark.published == 0)


BY_SHARES = [cls for cls in mechanisms if cls.kind == Trajectory.kind and "shares" in vars(cls)]


@pytest.mark.parametrize("leading", ["back-fill", "gap"])
@pytest.mark.parametrize("cls", BY_SHARES)
@given(masks=st.lists(st.lists(st.booleans(), max_size=12).map(lambda one: np.array(one, bool)), max_size=4))
def test_numbers_of_events_and_landmarks_decide_what_the_plan_has(cls, leading, masks):
    mechanism = mechanism_example(cls, **({"leading": leading} if "leading" in cls.model_fields else {}))
    by_numbers = noise_forecast(mechanism, masks), fresh_forecast(mechanism, masks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forecast, "DECIDED_BY_SHARES", ("shares",))
        planned = noise_forecast(mechanism, masks), fresh_forecast(mechanism, masks)
    assert by_numbers == planned


@pytest.mark.parametrize("cls", [cls for cls in mechanisms if cls.kind == Trajectory.kind])
@given(mask=st.lists(st.booleans(), min_size=1, max_size=40), every=st.integers(1, 7))
def test_a_plan_of_some_events_is_that_of_all(cls, mask, every):
    mechanism, mask = mechanism_example(cls), np.array(mask)
    if not has_known_budgets(mechanism):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privacy_engine.mechanisms.landmark.base.blocks", partial(blocks, size=8))
        some = list(planned_noise(mechanism, mask, every=every))
    (whole,) = planned_noise(mechanism, mask)
    kept = whole.event % every == 0
    assert np.array_equal(np.concatenate([one.is_landmark for one in some]), mask[::every])
    passed = np.cumsum([0, *(len(one.is_landmark) for one in some)])
    events = np.concatenate([first + one.event for first, one in zip(passed, some, strict=False)])
    assert np.array_equal(every * events, whole.event[kept])
    for name in ("drawn_at", "values"):
        assert np.array_equal(np.concatenate([getattr(one, name) for one in some]), getattr(whole, name)[kept])
