"""What sentences, labels and ledgers must never state wrongly; only releases of the system's generator are private."""

from dataclasses import replace

import numpy as np
import pytest

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import Ledger
from privacy_engine.accounting.promise import Context, at_most
from privacy_engine.data import CountStream, LandmarkSet, Release, Trajectory
from privacy_engine.errors import BudgetError, ParameterError
from privacy_engine.landmarks.dummy_selection import one_sided_dummies
from privacy_engine.landmarks.zones import MOST_ZONES, Zones
from privacy_engine.mechanisms.landmark import Uniform
from privacy_engine.mechanisms.stream.sample import StreamSample
from privacy_engine.mechanisms.stream.uniform import StreamUniform
from privacy_engine.noise.sources import _SystemSource
from privacy_engine.postprocess import postprocesses
from privacy_engine.releases.label import privacy_label
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import each
from tests.engine.mechanism_examples import every_mechanism, example, plain_example

MECHANISM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}


@each(("value", "text"), [(2.9387741, "2.93878"), (0.1 + 0.2, "0.3"), (1.00000001, "1.00001")])
def test_a_bound_is_never_rounded_down(value, text):
    assert at_most(value) == text


def test_sentences_ledgers_and_zones_at_their_ends():
    assert Context(not_covered=("times", "people")).qualified("It holds") == "It holds; not covered: times; people."
    ledger = Ledger(1.0)
    ledger.spend(0.6, is_landmark=False)
    with pytest.raises(BudgetError):
        ledger.spend(0.6, is_landmark=True)
    ledger.spend(0.4, is_landmark=True)
    zone = {"type": "Circle", "center": [2.0, 48.0], "radius_m": 100.0}
    assert len(Zones(zones=[zone] * MOST_ZONES).zones) == MOST_ZONES


@each(("seed", "private"), [(None, True), (7, False)])
def test_a_release_with_a_seed_promises_nothing(seed, private):
    label = privacy_label(ReleaseSpec.parse({"mechanism": MECHANISM, "seed": seed}), Context(landmarks=1), private=True)
    assert label["private"] is private
    assert (label["guarantee"] is not None) is private


@each(("cls", "expected"), [(StreamUniform, [0.5] * 6), (StreamSample, [2.0, 0.0, 0.0, 0.0, 2.0, 0.0])])
def test_budgets_of_a_window_of_four(cls, expected):
    how = cls(epsilon=2.0, window=4, sensitivity=1)
    release = how.release(CountStream(np.ones((6, 2)), ("a", "b"), tuple("123456")), rng=noise.seeded(1))
    assert release.budgets.tolist() == expected


SERIES = Trajectory(np.linspace(2.3, 2.4, 12), np.linspace(48.8, 48.9, 12))
MASK = np.arange(12) % 3 == 0


class Claiming:
    """A predictable source with ``private = True``."""

    private = True

    def words(self, n):
        return np.random.default_rng(1).integers(0, 2**64, size=n, dtype=np.uint64)

    def uniform(self, n):
        return np.random.default_rng(1).random(n)

    def reached(self, event, n):
        pass


class Derived(_SystemSource):
    """A subclass of the system source that is predictable."""

    def words(self, n):
        return Claiming().words(n)


def ignore(share):
    pass


SIMULATED = {
    "seed": lambda: noise.seeded(1),
    "numpy": lambda: np.random.default_rng(1),
    "claims to be private": Claiming,
    "derives from the system source": Derived,
    "seed, watched": lambda: noise.watched(noise.seeded(1), ignore),
    "claims to be private, watched": lambda: noise.watched(Claiming(), ignore),
    "derived, watched": lambda: noise.watched(Derived(), ignore),
    "watched twice": lambda: noise.watched(noise.watched(Claiming(), ignore), ignore),
}
PUBLISHABLE = {
    "system": noise.publishable,
    "system, watched": lambda: noise.watched(noise.publishable(), ignore),
    "no seed": lambda: noise.source(None),
}


def released(cls, source):
    return example(cls).release(SERIES, LandmarkSet(MASK), rng=source)


@every_mechanism
class TestReleases:
    def test_are_private_only_if_of_the_operating_system_whatever_a_mechanism_declares(self, cls, monkeypatch):
        for private, sources in ((False, SIMULATED), (True, PUBLISHABLE)):
            for name, make in sources.items():
                assert released(cls, make()).private is private, name
        for wrong in (None, 3, "os", np.random):
            with pytest.raises(ParameterError, match="^rng must be a source of randomness or a numpy generator, got"):
                released(cls, wrong)
        draw = cls.draw
        monkeypatch.setattr(cls, "draw", lambda *args, **named: replace(draw(*args, **named), private=True))
        assert released(cls, noise.seeded(1)).private is False


@each("step", list(postprocesses))
def test_post_processing_keeps_what_is_known(step):
    for source in (noise.publishable(), noise.seeded(1)):
        release = released(Uniform, source)
        assert plain_example(step).apply(release).private is release.private is source.private


def test_nothing_else_is_private_and_the_system_source_cannot_be_overwritten():
    empty = np.zeros(0)
    assert Release(Trajectory(empty, empty), np.zeros(0, np.int64), empty, np.zeros(0, bool), empty).private is False
    for make in (Claiming, Derived):
        assert one_sided_dummies(MASK, epsilon=1, rng=make()).private is False
    assert one_sided_dummies(MASK, epsilon=1, rng=noise.publishable()).private is True
    source = noise.publishable()
    for attribute in ("words", "uniform", "private"):
        with pytest.raises(AttributeError):
            setattr(source, attribute, lambda n: np.zeros(n))


class TestParts:
    def test_draws_ahead_stay_the_next_ones_until_they_are_skipped(self):
        one, other = (noise.BufferedLaplace(0.01, noise.seeded(3)) for _ in range(2))
        expected = one.take(9000).tolist()
        assert other.ahead(5)[:5].tolist() == other.ahead(4)[:5].tolist() == expected[:5]
        other.skip(5)
        assert other.take(20).tolist() == expected[5:25]
        assert other.ahead(5000)[:5000].tolist() == expected[25:5025]

    def test_what_a_branch_draws_does_not_depend_on_the_others(self):
        one, two = noise.branches(noise.seeded(3), 2), noise.branches(noise.seeded(3), 2)
        in_turns = [[one[i].words(3).tolist() for i in (0, 1)] for _ in range(3)]
        second, first = ([two[i].words(3).tolist() for _ in range(3)] for i in (1, 0))
        assert [list(pair) for pair in zip(first, second, strict=True)] == in_turns
        assert first != second
        assert noise.branches(noise.seeded(4), 1)[0].words(3).tolist() != first[0]
        assert all(one.private for one in noise.branches(noise.publishable(), 3))
        assert not any(one.private for one in noise.branches(noise.seeded(1), 3))
        assert all(one.private for one in noise.branches(noise.watched(noise.publishable(), lambda _: None), 2))

    def test_draws_of_branches_report_how_far_the_watched_source_is(self):
        shares = []
        source = noise.watched(noise.seeded(1), shares.append)
        _, second = noise.branches(source, 2)
        source.reached(3, 4)
        shares.clear()
        second.words(1)
        assert shares == [0.75]
