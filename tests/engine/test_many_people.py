"""Releases of many people at once: those of each alone, within each one's budget, and arrays in parts."""

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.core import arrays
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.data.releases import Releases, releases_of
from privacy_engine.data.trajectories import together
from privacy_engine.errors import BudgetError, DataError
from privacy_engine.mechanisms.landmark import Adaptive, Skip, Uniform, adaptive, base
from privacy_engine.noise import planar, sources
from tests.cases import each
from tests.engine.mechanism_examples import CLASSES, variants
from tests.engine.test_stored_releases import same

sizes = st.lists(st.integers(0, 9), min_size=1, max_size=12).map(np.array)
masks = st.lists(st.booleans(), min_size=1, max_size=60).map(np.array)


def walks(lengths, seed=1):
    rng = np.random.default_rng(seed)
    tracks = [rng.normal((2.35, 48.85), 1e-3, (n, 2)).T for n in lengths]
    return [Trajectory(*one, 60.0 * np.arange(len(one[0])), str(i), person=str(i)) for i, one in enumerate(tracks)]


def test_bits_of_each_are_those_of_each_alone():
    """With one seed, also where no event, every one or the first ones are landmarks, or a person has no event."""
    lengths = (40, 0, 7, 1, 300, 25, 60)
    series, rng = walks(lengths), np.random.default_rng(2)
    for cls in CLASSES:
        wide = [how.model_copy(update={"radius_m": 5e6}) for how in variants(cls)]  # much of whose noise is rejected
        for how in [*variants(cls), *wide]:
            masks = [*(np.arange(n) < n // 3 for n in lengths[:3]), np.ones(1, bool), rng.random(300) < 0.2]
            masks += [np.zeros(25, bool), rng.random(60) < 0.5]
            one, other = noise.seeded(5), noise.seeded(5)
            together_ = how.release_each(together(series), np.concatenate(masks), rng=one)
            fresh = how.release_each(together(series), np.concatenate(masks), rng=noise.publishable())
            assert cls is Adaptive or np.array_equal(fresh.sd_m, together_.sd_m)
            for drawn, truth, mask in zip(together_, series, masks, strict=True):
                same(drawn, how.release(truth, LandmarkSet(mask), rng=other))


@pytest.mark.parametrize("redistribution", ["uniform", "absorption"])
@given(masks, st.integers(0, 2**32), st.sampled_from([200.0, 5e6]))
def test_adaptive_draws_the_same_alone_and_in_its_kernel(redistribution, mask, seed, radius_m):
    """Of the same bits, which the operating system is made to return, one event after the other."""
    how, (series,) = Adaptive(epsilon=1.0, radius_m=radius_m, redistribution=redistribution), walks([len(mask)], seed)
    tape = np.random.Philox(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources.os, "urandom", lambda n: tape.random_raw(n // 8).tobytes())
        for module in (adaptive, base):  # as small a margin as it is would change nothing here
            patch.setattr(module, "MARGIN", 0.5)
        patch.setattr(planar, "planar_cell", lambda *_, **__: reject())  # further bits come in another order
        private = how.release(series, LandmarkSet(mask), rng=noise.publishable())
        patch.setattr(adaptive, "FIRST_CHUNK", 1)
        patch.setattr(adaptive, "LARGEST_CHUNK", 1)
        seeded = how.release(series, LandmarkSet(mask), rng=np.random.Generator(np.random.Philox(seed)))
    assert (private.private, seeded.private) == (True, False)
    assert np.array_equal(private.series.lon, seeded.series.lon)
    assert np.array_equal(private.budgets, seeded.budgets)


def test_a_proposal_that_floats_do_not_decide_is_decided_by_its_own_bits(monkeypatch):
    """The first uniform begins with 64 zeros; all further ones are alike, whoever draws them."""
    numbers = iter([0, 1 << 63, 1 << 60, 3 << 61])
    drawn_bits = np.vectorize(lambda _: next(numbers, 5 << 59), otypes=[np.uint64])
    monkeypatch.setattr(sources.os, "urandom", lambda n: drawn_bits(np.arange(n // 8)).tobytes())
    here, nowhere, how = Trajectory([2.35], [48.85]), LandmarkSet([False]), Adaptive(epsilon=1.0, radius_m=200.0)
    drawn = how.release(here, nowhere, rng=noise.publishable()).series
    numbers = iter([0, 1 << 63, 1 << 60, 3 << 61])
    assert (drawn.lon, drawn.lat) == noise.planar_laplace([2.35], [48.85], how.rates(1.0), rng=noise.publishable())


def test_no_person_spends_more_than_epsilon():
    class Twice(Uniform):
        def shares(self, n, k):
            return tuple(one * np.where(n == 3, 2, 1) for one in super().shares(n, k))

    how, series = Twice(epsilon=1.0, radius_m=200.0), walks((50, 3, 40))
    with pytest.raises(BudgetError, match="landmarks and one regular event must spend at most 1, got 2"):
        how.release_each(together(series), np.zeros(93, dtype=bool), rng=noise.seeded(1))


class TestColumns:
    series = walks((4, 3))

    def drawn(self, **changed):
        how, marks = Skip(epsilon=1.0, radius_m=1.0), [LandmarkSet(np.arange(len(one)) == 1) for one in self.series]
        found = [how.release(*pair, rng=noise.seeded(1)) for pair in zip(self.series, marks, strict=True)]
        return [found[0], Release(**vars(found[1]) | changed)]

    @each(
        "changed",
        [
            *({"event": np.array(one)} for one in ([0, 2, 1], [0, 1, 3], [0, 1])),
            {"budgets": np.ones(4)},
            *({"series": Trajectory(np.zeros(3), np.zeros(3), times)} for times in (None, [0.0, 60.0, 121.0])),
        ],
    )
    def test_what_does_not_follow_the_events_is_refused(self, changed):
        Releases.of(together(self.series), self.drawn())
        with pytest.raises(DataError, match="a release must have one position for each event published"):
            Releases.of(together(self.series), self.drawn(**changed))

    def test_a_gap_and_missing_times_are_kept(self):
        how, marks = Skip(epsilon=1.0, radius_m=1.0, leading="gap"), LandmarkSet(np.arange(3) == 0)
        one = how.release(self.series[1], marks, rng=noise.seeded(1))
        other = how.release(Trajectory([1.0] * 3, [2.0] * 3, name="b"), marks, rng=noise.seeded(2))
        whole = releases_of([one, other, one])
        for found, expected in zip(whole.part(1, 3), [other, one], strict=True):
            same(found, expected)
        assert whole.sizes.tolist() == [2, 2, 2]
        assert (whole.part(1, 2).timed, whole.part(2, 3).timed) == (False, True)


@given(sizes, st.integers(1, 20))
def test_parts_of_arrays(lengths, most):
    starts = np.append(0, np.cumsum(lengths)).astype(int)
    values = np.random.default_rng(0).integers(1, 9, starts[-1])
    parts = arrays.parts_of(values, starts)
    assert arrays.over_parts(np.add, values, starts).tolist() == [one.sum() for one in parts]
    chosen = list(range(len(lengths)))[::-2]
    expected = np.concatenate([parts[i] for i in chosen])
    assert values[arrays.places_of(starts[chosen], lengths[chosen])].tolist() == expected.tolist()
    some = list(arrays.in_turn(lengths, most))
    assert [i for one in some for i in range(one.start, one.stop)] == list(range(len(lengths)))
    for one, after in zip(some, [*some[1:], None], strict=True):
        size = lengths[one].sum()
        assert size <= most or one.stop == one.start + 1
        assert after is None or size + lengths[after.start] > most
