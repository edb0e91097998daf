"""A person's series share one budget: joined in the order of time, released once, split again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.cleaning import clean, parse_cleaning
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.people import joined, most_landmarks, people
from privacy_engine.data.trajectories import in_blocks
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.releases.spec import ReleaseSpec
from tests.engine.mechanism_examples import assert_same_release, example
from tests.examples import examples

DAY = 86400.0


def joined_landmarks(series, landmarks):
    masks = [marks.mask for marks in landmarks]
    return [LandmarkSet(person.joined_mask(masks)) for person in people(series)]


def spec(name, **parameters):
    found = example(next(one for one in mechanisms if one.registered_name() == name), epsilon=1.0, radius_m=200.0)
    return ReleaseSpec.parse({"mechanism": found.model_dump() | parameters, "seed": 1})


def plain(one):
    return one.name, one.person, one.lon.tolist(), one.lat.tolist(), None if one.time_s is None else one.time_s.tolist()


@st.composite
def datasets(draw):
    """Up to six series of up to three people, interleaved in time, empty ones and untimed ones among them."""
    timed = draw(st.booleans())
    series, marks = [], []
    for i in range(draw(st.integers(1, 6))):
        n = draw(st.integers(0, 8))
        time_s = np.sort(draw(st.lists(st.integers(0, 20), min_size=n, max_size=n))).astype(float) if timed else None
        lon = np.linspace(0, 1, n) + i
        series.append(Trajectory(lon, np.zeros(n), time_s, f"s{i}", person=draw(st.sampled_from("abc"))))
        marks.append(LandmarkSet(np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)))
    return series, marks


class TestPeople:
    @given(datasets())
    def test_everyone_has_all_of_their_events_once_in_the_order_of_time(self, dataset):
        series, _ = dataset
        found = people(series)
        assert sorted(i for one in found for i in one.members) == list(range(len(series)))
        for person, one in zip(found, joined(series), strict=True):
            assert len(one) == len(person) == sum(len(series[i]) for i in person.members)
            assert sorted(one.lon) == sorted(np.concatenate([series[i].lon for i in person.members]))
            assert one.time_s is None or (np.diff(one.time_s) >= 0).all()
            for i in person.members:
                assert np.array_equal(one.lon[person.ranks_of(i)], series[i].lon)

    @given(datasets(), st.integers(1, 20))
    def test_blocks_are_the_series_one_after_another(self, dataset, events):
        series = [*dataset[0], Trajectory([1.0], [2.0]), *dataset[0]]
        blocks = list(in_blocks(series, events))
        assert [plain(one) for some in blocks for one in some] == list(map(plain, series))
        assert all(len(some) == 1 or len(some.lon) <= events for some in blocks)

    @pytest.mark.parametrize("name", ["landmark-uniform", "landmark-skip", "landmark-adaptive", "landmark-joint"])
    @settings(max_examples=examples(30))  # the first example loads the kernels
    @given(dataset=datasets())
    def test_a_release_that_is_cut_and_joined_again_is_the_same(self, name, dataset):
        series, marks = dataset
        mechanism = spec(name).mechanism
        rng = np.random.default_rng(1)
        for person, one, on in zip(people(series), joined(series), joined_landmarks(series, marks), strict=True):
            whole = mechanism.release(one, on, rng=rng)
            parts: list = [None] * len(series)
            for i, part in zip(person.members, person.cut(whole, [one.name for one in series]), strict=True):
                parts[i] = part
                assert part.series.name == series[i].name
                assert len(part.budgets) == len(series[i]) > part.event.max(initial=-1)
            assert_same_release(person.joined_release(parts), whole)

    def test_landmarks_must_pair_with_the_series(self):
        series = [Trajectory([0.0], [0.0])] * 2
        with pytest.raises(DataError, match="2 sets, one for each series, got 1"):
            spec("landmark-uniform").release(series, [LandmarkSet([True])])
        with pytest.raises(DataError, match="landmarks must mark 1 events"):
            spec("landmark-uniform").release(series, [LandmarkSet([True]), LandmarkSet([True, False])])


def protected_sums(series, marks, drawn):
    """For each person: what their landmarks and any one event spend at most, and how many landmarks they have."""
    found = []
    for person in people(series):
        budgets = np.concatenate([drawn[i].budgets for i in person.members])
        mask = np.concatenate([marks[i].mask for i in person.members])
        found.append((budgets[mask].sum() + budgets[~mask].max(initial=0.0), int(mask.sum())))
    return found


class TestOnePersonOneBudget:
    """Issue 12, item 1: several series, one label."""

    DAYS = tuple(
        Trajectory(np.linspace(0, 0.1, 10), np.zeros(10), day * DAY + np.arange(10) * 60.0, f"day {day}", person="ann")
        for day in range(3)
    )
    MARKS = tuple(LandmarkSet.at([1, 2, 3], 10) for _ in range(3))

    def test_three_days_or_pieces_spend_one_budget(self):
        drawn = spec("landmark-uniform").release(self.DAYS, self.MARKS)
        ((total, landmarks),) = protected_sums(self.DAYS, self.MARKS, drawn)
        assert landmarks == 9
        assert total <= 1 + 1e-12
        assert [one.budgets[1] for one in drawn] == pytest.approx([0.1] * 3)  # 9 landmarks and one event
        series = [*self.DAYS, Trajectory([0.0] * 4, [0.0] * 4, person="bob")]
        marks = [*self.MARKS, LandmarkSet([True] * 4)]
        assert most_landmarks([one.mask for one in joined_landmarks(series, marks)]) == 9
        lon, time_s = (np.concatenate([getattr(one, name) for one in self.DAYS]) for name in ("lon", "time_s"))
        whole = Trajectory(lon, np.zeros(30), time_s, "ann", person="ann")
        pieces, _ = clean([whole], parse_cleaning([{"name": "split-gaps", "silence_s": 3600}]))
        assert [one.person for one in pieces] == ["ann"] * 3
        drawn = spec("landmark-skip").release(pieces, self.MARKS)
        ((total, _),) = protected_sums(pieces, self.MARKS, drawn)
        assert total <= 1 + 1e-12

    @settings(max_examples=examples(1200))
    @given(dataset=datasets(), epsilon=st.floats(1e-3, 20))
    def test_no_persons_landmarks_and_event_spend_more_than_epsilon(self, dataset, epsilon):
        """1,200 datasets for each of the mechanisms; the levels with other protected sets are checked apart."""
        series, marks = dataset
        for cls in mechanisms.of("trajectory"):
            drawn = spec(cls.registered_name(), epsilon=epsilon).release(series, marks)
            for person in people(series):
                budgets = person.joined_values([one.budgets for one in drawn])
                mask = person.joined_mask([one.mask for one in marks])
                landmark = cls.level in ("landmark", "user")
                total = budgets[mask].sum() + budgets[~mask].max(initial=0.0) if landmark else budgets.max(initial=0.0)
                assert total <= epsilon * (1 + 1e-12), cls
