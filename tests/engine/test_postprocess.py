"""Post-processing: what a step may read, that it helps, and where it must change nothing. Seeds are fixed."""

import inspect
from dataclasses import replace

import numpy as np
import pytest

from privacy_engine import metrics, noise
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.mechanisms.landmark import EventLevel, Planned, Skip
from privacy_engine.mechanisms.landmark.base import GRID_DEG
from privacy_engine.postprocess import CausalFilter, OUSmoother, PostProcess, RandomWalkSmoother, postprocesses
from privacy_engine.postprocess.chain import deviance, ornstein_uhlenbeck, random_walk, smooth
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import each

Q = 400.0  # 20 m a step and axis
RADIUS_M = 200.0
STEPS = [RandomWalkSmoother(), RandomWalkSmoother(step_variance_m2=Q), OUSmoother(), CausalFilter(step_variance_m2=Q)]
every_step = each("step", STEPS, ids=lambda step: "-".join(map(str, step.model_dump().values())))


def walk(n, *, lon=2.35, lat=48.85, seed=1, q=Q):
    xy_m = np.cumsum(np.random.default_rng(seed).normal(0, np.sqrt(q), (n, 2)), axis=0)
    return Trajectory(*geo.LocalPlane(lon, lat).unproject(xy_m), np.arange(n) * 60.0, "w")


def released(series, mechanism=None, *, share=0.0, seed=2):
    mask = np.random.default_rng(seed).random(len(series)) < share
    mechanism = mechanism or EventLevel(epsilon=1.0, radius_m=RADIUS_M)
    return mechanism.release(series, LandmarkSet(mask), rng=noise.seeded(seed))


def test_the_registered_names_and_releases_without_draws():
    assert [cls.registered_name() for cls in postprocesses] == ["random-walk-smoother", "ou-smoother", "causal-filter"]
    assert all(field["minimum"] > 0 for cls in postprocesses for field in cls.fields())
    still = walk(5)
    release = Release(still, np.arange(5), np.zeros(5), np.zeros(5, bool), np.zeros(5))
    for step in STEPS:
        assert step.apply(release) is release


@every_step
def test_it_is_given_the_release_and_no_truth(step):
    assert list(inspect.signature(step.apply).parameters) == ["release"]
    assert type(step).apply is PostProcess.apply  # the one entry point
    assert list(inspect.signature(step.estimate).parameters) == ["xy_m", "precision"]


def test_error_on_a_random_walk_falls_by_a_factor_of_two_and_a_half():
    series = walk(2000)
    release = released(series)
    before = metrics.mean_absolute_error_m(series, release)
    assert before == pytest.approx(400, rel=0.05)
    *others, causal = (metrics.mean_absolute_error_m(series, step.apply(release)) for step in STEPS)
    assert max(*others, causal) < before / 2.5
    assert max(others) < 0.8 * causal  # smoothers that read the future
    series = walk(1000, q=250_000.0)
    release = released(series, Planned(epsilon=1.0, radius_m=1.0, step_variance_m2=250_000.0), share=0.6)
    smoothed = OUSmoother().apply(release)
    assert metrics.mean_absolute_error_m(series, smoothed) < 0.75 * metrics.mean_absolute_error_m(series, release)


@every_step
def test_a_repeated_position_is_no_new_measurement(step):
    series = walk(200)
    release = released(series, Skip(epsilon=1.0, radius_m=RADIUS_M), share=0.5)
    lon = release.series.lon.copy()
    lon[~release.fresh] += 0.01  # any value there has no meaning
    other = replace(release, series=release.series.moved(lon, release.series.lat))
    one, two = step.apply(release), step.apply(other)
    after = np.logical_or.accumulate(release.fresh)
    assert np.array_equal(one.series.lon[after], two.series.lon[after])
    assert np.array_equal(one.series.lat[after], two.series.lat[after])


@every_step
def test_it_is_the_same_across_the_antimeridian(step):
    here, there = released(walk(400, lon=10.0, lat=5.0)), released(walk(400, lon=10.0, lat=5.0))
    moved = there.series.moved(geo.wrap_lon(there.series.lon + 170.0), there.series.lat)
    there = replace(there, series=moved)
    assert moved.lon.min() < -179.9
    assert moved.lon.max() > 179.9
    one, two = step.apply(here), step.apply(there)
    assert np.abs(geo.wrap_lon(two.series.lon - one.series.lon - 170.0)).max() < 3 * GRID_DEG
    assert np.abs(two.series.lat - one.series.lat).max() < 3 * GRID_DEG


@every_step
@each("n", [1, 2, 50])
def test_constant_positions_stay_where_they_are(step, n):
    still = Trajectory(np.full(n, 2.35), np.full(n, 48.85))
    smoothed = step.apply(Release(still, np.arange(n), np.full(n, 1.0), np.ones(n, bool), np.full(n, 173.0)))
    assert geo.distance_m(2.35, 48.85, smoothed.series.lon, smoothed.series.lat).max() < 0.02


@each("step", [RandomWalkSmoother(), OUSmoother()])
def test_standing_still_is_found_out_and_draws_are_averaged(step):
    still = Trajectory(np.full(2000, 2.35), np.full(2000, 48.85))
    assert metrics.mean_absolute_error_m(still, step.apply(released(still))) < 400 / 10


def plain_rts(phi, innovation, start, values, precision):
    """Kalman filter and Rauch-Tung-Striebel smoother as they are written, one axis, mean 0."""
    means, variances, before = [], [], []
    mean, variance = 0.0, start
    for t, (value, weight) in enumerate(zip(values, precision, strict=True)):
        if t:
            mean, variance = phi * mean, phi**2 * variance + innovation
        before.append((mean, variance))
        gain = variance * weight / (1 + variance * weight)
        mean, variance = mean + gain * (value - mean), variance * (1 - gain)
        means.append(mean)
        variances.append(variance)
    for t in range(len(values) - 2, -1, -1):
        means[t] += variances[t] * phi / before[t + 1][1] * (means[t + 1] - before[t + 1][0])
    return np.array(means)


def test_the_banded_system_is_the_smoother_of_rauch_tung_and_striebel():
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 50):
        values, precision = rng.normal(0, 5, (n, 2)), rng.choice([0, 0.1, 2.0], n) + np.eye(n)[0]
        ou = smooth(ornstein_uhlenbeck(n, 4.0, 0.8), values, precision)[0]
        rw = smooth(random_walk(n, 1.5), values, precision)[0]
        for axis in (0, 1):
            assert ou[:, axis] == pytest.approx(plain_rts(0.8, 4 * (1 - 0.64), 4.0, values[:, axis], precision))
            assert rw[:, axis] == pytest.approx(plain_rts(1.0, 1.5, 1e9, values[:, axis], precision), abs=1e-6)


def test_the_likelihood_is_that_of_the_dense_gaussian():
    rng = np.random.default_rng(4)
    n, phi, mean = 12, 0.7, np.array([3.0, -1.0])
    values, precision = rng.normal(0, 2, (n, 2)), rng.uniform(0.1, 2, n)
    lag = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    found = []
    for variance in (1.0, 5.0):
        dense = variance * phi**lag + np.diag(1 / precision)
        inverse, ones = np.linalg.inv(dense), np.ones(n)
        mean = (ones @ inverse @ values) / (ones @ inverse @ ones)
        residual = values - mean
        exact = 2 * np.linalg.slogdet(dense)[1] + np.trace(residual.T @ inverse @ residual)
        fast, fast_mean = deviance(ornstein_uhlenbeck(n, variance, phi), values, precision, level=True)
        assert fast_mean == pytest.approx(mean)
        found.append(fast - exact)
    assert found[0] == pytest.approx(found[1])  # equal up to a constant


def test_without_steps_dump_and_digest_of_a_spec_are_what_they_were():
    plain = {"mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}, "seed": 7}
    spec = ReleaseSpec.parse(plain)
    assert spec.model_dump() == plain
    assert ReleaseSpec.parse(plain | {"postprocess": []}).digest == spec.digest
    assert spec.digest == "a6ae2b7ba463158c47e04cf54a585d862707a5037b607af434c299c9f93a2213"
