"""One battery over the registry: what holds for every mechanism, independent of its implementation.

Its noise is tested in test_every_mechanism_noise.py.
"""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import TOLERANCE, Ledger
from privacy_engine.accounting.promise import Context
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.mechanisms import landmark
from tests.cases import each
from tests.engine import mechanism_examples
from tests.engine.mechanism_examples import CLASSES, adversarial_masks, every_mechanism, example, variants, walk
from tests.examples import examples


def test_the_registered_names_are_these():
    names = "event-level user-level landmark-uniform landmark-skip landmark-adaptive w-event landmark-optimal"
    assert [cls.registered_name() for cls in CLASSES] == [*names.split(), "landmark-planned", "landmark-joint"]
    assert {getattr(landmark, name) for name in landmark.__all__} == set(CLASSES)


@every_mechanism
def test_same_seed_same_release_and_another_seed_another(cls):
    series, marks = walk(80), LandmarkSet(np.arange(80) % 3 == 0)
    for mechanism in variants(cls):
        one, two, three = (mechanism.release(series, marks, rng=noise.seeded(seed)) for seed in (7, 7, 8))
        mechanism_examples.assert_same_release(one, two)
        assert not np.array_equal(one.series.lon, three.series.lon)
        if cls is not landmark.Adaptive:  # whose budgets depend on the run
            assert np.array_equal(one.budgets, mechanism.budgets(marks.mask))


@every_mechanism
@each("mask", adversarial_masks(50).values(), ids=adversarial_masks(50))
def test_input_is_unchanged_and_the_shape_is_kept(cls, mask):
    series, marks = walk(50), LandmarkSet(mask)
    before = series.lon.copy(), series.lat.copy(), mask.copy()
    for mechanism in variants(cls):
        release = mechanism.release(series, marks, rng=noise.publishable())
        assert np.array_equal(series.lon, before[0])
        assert np.array_equal(series.lat, before[1])
        assert np.array_equal(marks.mask, before[2])
        assert release.budgets.shape == release.fresh.shape == (50,)
        assert np.array_equal(release.fresh, release.budgets > 0)
        left_out = ~np.logical_or.accumulate(release.fresh) & (getattr(mechanism, "leading", "") == "gap")
        assert np.array_equal(release.event, np.flatnonzero(~left_out))
        assert np.array_equal(release.series.time_s, series.time_s[release.event])
        assert release.series.name == "w"


@every_mechanism
@each("n", [1, 2, 3, 7, 301])
def test_budgets_of_adversarial_sets_pass_the_ledger_event_by_event(cls, n):
    """At every prefix; and where the level bounds a set by ε, the set with the largest budget spends all of it."""
    for name, mask in adversarial_masks(n).items():
        for mechanism in variants(cls, epsilon=0.3):
            release = mechanism.release(walk(n), LandmarkSet(mask), rng=noise.seeded(n))
            ledger, protected = Ledger(0.3), mechanism.protected(mask)
            for budget, counts in zip(release.budgets.tolist(), protected.tolist(), strict=True):
                ledger.spend(budget, is_landmark=counts)
            spent = ledger.landmarks + ledger.largest_regular
            assert spent <= 0.3 * (1 + TOLERANCE), name
            if cls not in (landmark.Adaptive, landmark.WEvent):  # the one may save, the other's window may be longer
                assert spent == pytest.approx(0.3, rel=1e-12), name


@mechanism_examples.every_mechanism_but(landmark.UserLevel, landmark.WEvent)
def test_no_landmarks_is_the_very_release_of_event_level(cls):
    nowhere, event_level = LandmarkSet(np.zeros(40, bool)), landmark.EventLevel(**mechanism_examples.EXAMPLE)
    for mechanism in variants(cls):
        one, two = (which.release(walk(40), nowhere, rng=noise.seeded(4)) for which in (mechanism, event_level))
        assert np.array_equal(one.budgets, event_level.budgets(nowhere.mask))
        assert one.fresh.all()
        if cls is not landmark.Adaptive:  # which draws in pieces
            assert np.array_equal(one.series.lon, two.series.lon)
            assert np.array_equal(one.series.lat, two.series.lat)


@every_mechanism
def test_empty_and_single_event_series_are_released_and_landmarks_of_another_series_refused(cls):
    for n, marked in ((0, False), (0, True), (1, False), (1, True)):
        mechanism = example(cls)
        release = mechanism.release(walk(n), LandmarkSet(np.full(n, marked)), rng=noise.publishable())
        assert len(release.series) == n
        assert np.allclose(release.budgets, mechanism_examples.EXAMPLE["epsilon"] / getattr(mechanism, "window", 1))
    with pytest.raises(DataError, match="landmarks must mark 5 events, got 4"):
        example(cls).release(walk(5), LandmarkSet(np.zeros(4, bool)), rng=noise.publishable())


@every_mechanism
def test_nothing_a_page_shows_of_it_is_empty_and_the_guarantee_reads_well(cls):
    assert cls.level in ("event", "w-event", "landmark", "user")
    texts = [cls.title, cls.summary, cls.statement(), *cls.assumptions, *cls.caveats]
    assert all(text.strip() == text and text for text in texts)
    assert all(text.endswith(".") for text in texts[1:])
    assert not re.search(r"[{}]", cls.statement())
    for sentence in (cls.sentence, cls.sentence_without_landmarks, cls.sentence_of_records):
        assert not sentence.endswith(".")  # conditions and what is not covered follow in the same sentence
    assert all([cls.neighbours.words, cls.neighbours.symbols, cls.caveats])
    assert cls.assumptions or cls is landmark.UserLevel  # which holds whatever the correlation
    assert [one.title for one in CLASSES].count(cls.title) == 1
    sources = cls.documentation().partition("References\n----------\n")[2]
    assert len(re.findall(r"\b(?:19|20)\d\d\b", sources)) >= sources.count(".. [") > 0  # each with its year
    for landmarks in (407, 0):
        guarantee = example(cls, epsilon=1.0, radius_m=200.0).guarantee(Context(landmarks=landmarks))
        assert "ε = 1 per 200 m" in guarantee.statement
        assert "all 0" not in guarantee.statement
    assert guarantee.level == cls.level
    json.dumps(guarantee.as_dict())


EPSILON, RADIUS_M = 0.7, 130.0
SAMPLERS = {"planar_laplace": noise.planar_laplace, "joint_planar": noise.joint_planar}


class Recording:
    """Replaces the noise of a mechanism: records rates and draws, or returns the draws of another recording."""

    def __init__(self, series, monkeypatch, played=None):
        self.series, self.played = series, played
        self.event = {lon: event for event, lon in enumerate(series.lon.tolist())}
        assert len(self.event) == len(series)  # events are known by their longitudes
        self.rates, self.joint = np.zeros(len(series)), 0.0
        self.lon, self.lat = np.full((2, len(series)), math.nan)
        for name, sampler in SAMPLERS.items():
            monkeypatch.setattr(noise, name, self._in_place_of(name, sampler))

    def _in_place_of(self, name, sampler):
        def draw(lon, lat, epsilon_per_m, *, rng, **starts):
            events = [self.event[one] for one in np.atleast_1d(lon).tolist()]
            assert np.array_equal(self.series.lat[events], lat)
            if name == "joint_planar":
                self.joint = sum(epsilon_per_m.tolist())
            self.rates[events] = self.joint if starts else epsilon_per_m
            if self.played is None:
                self.lon[events], self.lat[events] = sampler(lon, lat, epsilon_per_m, rng=rng, **starts)
                return self.lon[events], self.lat[events]
            return self.played.lon[events], self.played.lat[events]

        return draw

    def release(self, mechanism, mask, seed):
        return mechanism.release(self.series, LandmarkSet(mask), rng=noise.seeded(seed))

    def away_m(self, draws):
        """How far each event's truth in this recording lies from the draw in the other one."""
        return geo.distance_m(self.series.lon, self.series.lat, draws.lon, draws.lat)


def independent(here, there, mask, fresh):
    """ln(density of the draws under the truth ``here`` / under ``there``), every draw with noise of its own."""
    return float((here.rates * (there.away_m(here) - here.away_m(here)))[fresh].sum())


def joint(here, there, mask, fresh):
    """As :func:`independent`, the landmarks drawn at once with density ∝ exp(-rate · max over them of d(x_i, z_i))."""
    landmarks = mask & fresh
    ratio = independent(here, there, mask, fresh & ~mask)
    if landmarks.any():
        ratio += here.joint * float(there.away_m(here)[landmarks].max() - here.away_m(here)[landmarks].max())
    return ratio


def away_from(draws, moved, metres):
    """The series with ``moved`` events moved along the great circle that leads away from (towards) their draws."""
    lon, lat = draws.series.lon.copy(), draws.series.lat.copy()
    moved = moved & np.isfinite(draws.lon)
    events = np.flatnonzero(moved)
    plane = [geo.LocalPlane(lon[t], lat[t]).project(draws.lon[t], draws.lat[t])[0] for t in events]
    bearing = np.array([math.atan2(-east, -north) for east, north in plane])
    lon[moved], lat[moved] = geo.destination(lon[moved], lat[moved], metres, bearing)
    return Trajectory(lon, lat, draws.series.time_s, draws.series.name)


def somewhere(series, moved, seed):
    """The series with ``moved`` events moved anywhere, by up to the radius."""
    rng, lon, lat = np.random.default_rng(seed), series.lon.copy(), series.lat.copy()
    metres = RADIUS_M * np.where(rng.random(len(lon)) < 0.5, 1, rng.random(len(lon)))
    to = geo.destination(lon, lat, metres, rng.uniform(0, 2 * math.pi, len(lon)))
    return Trajectory(np.where(moved, to[0], lon), np.where(moved, to[1], lat), series.time_s, series.name)


def losses(mechanism, mask, seed):
    """Log-ratios of one output under the truth and its neighbours: away from the draws, towards them, anywhere."""
    found = []
    with pytest.MonkeyPatch.context() as monkeypatch:
        here = Recording(walk(len(mask), seed), monkeypatch)
        one = here.release(mechanism, mask, seed)
        for moved in mechanism_examples.protected_sets(mechanism, mask):
            for truth in (
                away_from(here, moved, RADIUS_M),
                away_from(here, moved, -RADIUS_M),
                somewhere(here.series, moved, seed),
            ):
                assert geo.distance_m(here.series.lon, here.series.lat, truth.lon, truth.lat).max() < RADIUS_M + 1e-6
                there = Recording(truth, monkeypatch, played=here)
                two = there.release(mechanism, mask, seed + 1)
                assert np.array_equal(there.rates[one.fresh], here.rates[one.fresh])
                assert there.joint == here.joint
                mechanism_examples.assert_same_release(one, two)
                ratio = joint if getattr(mechanism, "joint_landmarks", False) else independent
                found.append(ratio(here, there, mask, one.fresh))
        alone = one.fresh & ~(mask & bool(here.joint))
        assert np.allclose(here.rates[alone] * RADIUS_M, one.budgets[alone], rtol=3e-12)
        assert here.joint * RADIUS_M == pytest.approx(one.budgets[mask].sum() if here.joint else 0, rel=3e-12)
    return found


class TestExactDensities:
    """A draw of event t has density proportional to exp(-rate_t d(x_t, z_t)); its normalisation is the same everywhere.

    So the log-ratio of one output's densities under two truths is a sum of differences of distances, *if* the rates are
    the same under both: given the same draws, what a mechanism requests and releases may not change by a bit.
    """

    @every_mechanism
    @settings(max_examples=examples(15))
    @given(mask=mechanism_examples.masks.filter(lambda mask: len(mask) <= 16), seed=st.integers(0, 2**32))
    def test_no_neighbour_moves_the_odds_of_an_output_further_than_epsilon(self, cls, mask, seed):
        for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
            assert max(map(abs, losses(mechanism, mask, seed))) <= EPSILON * (1 + 1e-9)

    @pytest.mark.slow
    @every_mechanism
    def test_of_adversarial_sets_too_and_the_worst_neighbour_comes_near(self, cls):
        """Truth moved straight away from every draw loses the whole budget of the set: nothing less may be declared."""
        for name, mask in adversarial_masks(9).items():
            for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
                worst = max(losses(mechanism, mask, 3))
                assert worst <= EPSILON * (1 + 1e-9), name
                if cls not in (landmark.Adaptive, landmark.WEvent):  # which may save, or have a longer window
                    assert worst >= 0.999 * EPSILON, name


@each("cls", [one for one in CLASSES if one.level == "landmark"])
@each("seed", range(5))
def test_the_truth_at_a_landmark_that_is_not_drawn_is_not_read(cls, seed):
    rng, skipped = np.random.default_rng(seed), 0
    mask = rng.random(200) < 0.6
    still = Trajectory(116.4 + 1e-9 * np.arange(200), np.full(200, 39.9))  # so that Adaptive skips
    for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
        one = mechanism.release(still, LandmarkSet(mask), rng=noise.seeded(seed))
        unread = ~one.fresh
        elsewhere = Trajectory(
            np.where(unread, rng.uniform(-180, 180, 200), still.lon),
            np.where(unread, rng.uniform(-90, 90, 200), still.lat),
        )
        two = mechanism.release(elsewhere, LandmarkSet(mask), rng=noise.seeded(seed))
        mechanism_examples.assert_same_release(one, two)
        skipped += np.count_nonzero(unread)
    skipping = (landmark.Skip, landmark.Adaptive, landmark.Planned, landmark.Joint)
    assert skipped > 0 or cls not in skipping
