"""Many releases at once have the law of one: the same bits where the draws come in the same order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import geo, noise
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark import Adaptive, Uniform, adaptive
from tests.cases import each
from tests.engine.mechanism_examples import every_mechanism, example, masks, variants, walk
from tests.examples import examples
from tests.later import stats


def positions(release, n):
    found = np.full((n, 2), np.nan)
    found[release.event] = np.column_stack([release.series.lon, release.series.lat])
    return found


@every_mechanism
@settings(max_examples=examples(25))
@given(mask=masks.filter(lambda mask: len(mask) <= 20), seed=st.integers(0, 2**32))
def test_once_is_the_release_bit_for_bit(cls, mask, seed):
    """Adaptive draws ahead; drawing one event at a time it makes its draws in the same order too."""
    series, landmarks = walk(len(mask), seed), LandmarkSet(mask)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptive, "FIRST_CHUNK", 1)
        patch.setattr(adaptive, "LARGEST_CHUNK", 1)
        for mechanism in variants(cls):
            once = mechanism.repeat(series, landmarks, 1, rng=noise.seeded(seed))
            released = positions(mechanism.release(series, landmarks, rng=noise.seeded(seed)), len(mask))
            assert once.shape == (1, len(mask), 2)
            assert np.array_equal(once[0], released, equal_nan=True)


@every_mechanism
def test_many_times_have_the_law_of_the_release(cls):
    """Two-sample Kolmogorov-Smirnov of how far events move and of how far successive ones lie apart; seeds fixed.

    2,000 draws each way; nine mechanisms, seven statistics, rejected at 1e-6 each: a false alarm rate of 6e-5.
    """
    assert getattr(cls.draw_many, "draw", None) is cls.draw, "it has a form for many at once"
    mask = np.array([True, False, True, True])
    series = Trajectory(np.full(4, 116.4), np.full(4, 39.9))
    mechanism, landmarks, times = example(cls), LandmarkSet(mask), 2000
    many = mechanism.repeat(series, landmarks, times, rng=noise.seeded(1))
    rng = noise.seeded(2)
    single = np.stack([positions(mechanism.release(series, landmarks, rng=rng), 4) for _ in range(times)])
    for one, other in zip(statistics(many, series), statistics(single, series), strict=True):
        assert stats.ks_2samp(one, other).pvalue > 1e-6
    with pytest.raises(DataError, match="landmarks must mark 3 events, got 4"):
        mechanism.repeat(walk(3), landmarks, 2, rng=noise.seeded(1))


def statistics(drawn, series):
    lon, lat = drawn[:, :, 0], drawn[:, :, 1]
    moved = geo.distance_m(series.lon, series.lat, lon, lat)
    apart = geo.distance_m(lon[:, :-1], lat[:, :-1], lon[:, 1:], lat[:, 1:])
    return [*moved.T, *apart.T]


class TestWhatIsReplaced:
    """A class that replaces ``draw`` or ``release`` is audited by that method, not by the form for many at once."""

    series, landmarks = Trajectory(np.zeros(2), np.zeros(2)), LandmarkSet(np.zeros(2, dtype=bool))

    def truth(self):
        return Release(self.series, np.arange(2), np.ones(2), np.ones(2, dtype=bool), np.zeros(2))

    def published(self, cls):
        return example(cls).repeat(self.series, self.landmarks, 3, rng=noise.seeded(1))

    @each("method", ["draw", "release"])
    @each("cls", [Uniform, Adaptive])
    def test_a_subclass_of_its_own(self, cls, method):
        assert self.published(cls).any()
        assert not self.published(type("Other", (cls,), {method: lambda *_, **__: self.truth()})).any()

    def test_what_is_patched_from_outside(self):
        for owner in (Uniform, TrajectoryMechanism):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(owner, "release", lambda *_, **__: self.truth())
                assert not self.published(Uniform).any()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Uniform, "perturb", lambda _, lon, lat, budgets, *, rng: (lon, lat))
            assert not self.published(Uniform).any()
