"""The hidden Markov attack: equal to enumeration, calibrated, and what it shows of Skip and of user level."""

import itertools

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.attacks import Area, Localisation, hidden_markov, localisation
from privacy_engine.attacks.hidden_markov import JUMP, BestGuess
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.landmarks.samples import samples
from privacy_engine.mechanisms.landmark import Adaptive, Joint, Skip, UserLevel
from tests.cases import each
from tests.engine.mechanism_examples import walk
from tests.engine.test_attacks import released
from tests.examples import examples

PLANE = geo.LocalPlane(2.0, 48.0)
BOX = Area(PLANE, 0.0, 0.0, 900.0, 600.0)


def plain_step(columns, rows, steps):
    """Transition matrix of the walk on the grid, by the matrix exponential of its generator."""
    cells = list(itertools.product(range(columns), range(rows)))
    rate = np.zeros((len(cells),) * 2)
    for (i, a), (j, b) in itertools.product(enumerate(cells), repeat=2):
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1:
            rate[i, j] = steps / 2
    rate -= np.diag(rate.sum(axis=1))
    return (1 - JUMP) * scipy.linalg.expm(rate) + JUMP / len(cells)


def plain_posterior(step, likelihood):
    """P(cell at each event | all), (n, cells), as the sum over every path."""
    n, cells = likelihood.shape
    found = np.zeros((n, cells))
    for path in itertools.product(range(cells), repeat=n):
        weight = np.prod([likelihood[t, x] for t, x in enumerate(path)])
        weight *= np.prod([step[x, y] for x, y in itertools.pairwise(path)])
        found[np.arange(n), path] += weight
    return found / found.sum(axis=1, keepdims=True)


def release_of(xy_m, fresh, sd_m):
    """Published at ``xy_m``; an event that is not fresh repeats the one before."""
    at = np.maximum.accumulate(np.where(fresh, np.arange(len(fresh)), 0))
    series = Trajectory(*PLANE.unproject(xy_m[at]))
    sd = np.where(fresh, sd_m, 0.0)
    return Release(series, np.arange(len(fresh)), (sd > 0) * 1.0, np.array(fresh), sd)


class TestPosterior:
    @settings(max_examples=examples(25))
    @given(
        seed=st.integers(0, 2**32),
        q=st.sampled_from([1.0, 1e4, 1e6]),
        sd_m=st.sampled_from([5.0, 200.0, 1e5]),
        fresh=st.lists(st.booleans(), min_size=1, max_size=4),
    )
    def test_equals_enumeration_of_all_paths(self, seed, q, sd_m, fresh):
        rng = np.random.default_rng(seed)
        n = len(fresh)
        truth = Trajectory(*PLANE.unproject(rng.uniform([0, 0], [900, 600], (n, 2))))
        release = release_of(rng.uniform([-500, -500], [1400, 1100], (n, 2)), fresh, sd_m)
        found = Localisation(step_variance_m2=q, cells=3).run(truth, release, area=BOX)
        assert found.cell_m == 300
        centres = PLANE.unproject(np.array(list(itertools.product([150.0, 450.0, 750.0], [150.0, 450.0]))))
        distance = geo.distance_m(release.series.lon[:, None], release.series.lat[:, None], *centres)
        likelihood = np.where(np.array(fresh)[:, None], np.exp(-np.sqrt(3) / sd_m * distance), 1.0)
        likelihood /= likelihood.max(axis=1, keepdims=True)
        wanted = plain_posterior(plain_step(3, 2, q / 300**2), likelihood)
        losses = wanted @ geo.distance_m(centres[0][:, None], centres[1][:, None], *centres)
        apart = geo.distance_m(truth.lon[:, None], truth.lat[:, None], *centres)
        assert found.expected_m == pytest.approx(losses.min(axis=1), rel=1e-6, abs=1e-6)
        assert found.correctness_m == pytest.approx((wanted * apart).sum(axis=1), rel=1e-6)
        guess = geo.distance_m(found.lon[:, None], found.lat[:, None], *centres).argmin(axis=1)
        assert losses[np.arange(n), guess] == pytest.approx(losses.min(axis=1), rel=1e-6, abs=1e-6)
        likeliest = geo.distance_m(found.likeliest_lon[:, None], found.likeliest_lat[:, None], *centres).argmin(axis=1)
        assert wanted[np.arange(n), likeliest] == pytest.approx(wanted.max(axis=1), rel=1e-9)
        assert found.error_m == pytest.approx(apart[np.arange(n), guess])
        assert found.likeliest_error_m == pytest.approx(apart[np.arange(n), likeliest])
        assert (found.hidden == ~np.array(fresh)).all()

    @each("cells", [1, 2, 7, 60])
    @each("steps", [1e-6, 0.3, 2.0, 1e3, 1e9])
    def test_movement_is_a_walk_of_its_variance(self, cells, steps):
        found = hidden_markov._heat(cells, steps)
        assert found == pytest.approx(found.T, abs=1e-14)
        assert found.sum(axis=1) == pytest.approx(1)
        if cells == 60 and steps <= 2:
            at = np.arange(60) - 30
            assert found[30] @ at**2 == pytest.approx(steps, rel=1e-5)

    def test_blocks_change_nothing(self, monkeypatch):
        truth = walk(50)
        mask = LandmarkSet(np.arange(50) % 3 == 0)
        release = Skip(epsilon=1.0, radius_m=100.0).release(truth, mask, rng=noise.seeded(1))
        attack = Localisation(step_variance_m2=4e4, cells=16)
        whole = attack.run(truth, release)
        monkeypatch.setattr(hidden_markov, "BLOCK_CELLS", 2000)
        pieces = attack.run(truth, release)
        for name in ("error_m", "likeliest_error_m", "expected_m", "correctness_m"):
            assert getattr(pieces, name) == pytest.approx(getattr(whole, name), rel=1e-9)

    def test_what_movement_cannot_explain_does_not_stop_it(self):
        """Two draws 900 m apart with centimetres of noise, and a walker who stands still."""
        truth = Trajectory(*PLANE.unproject(np.array([[100.0, 100.0], [899.0, 500.0]])))
        release = release_of(np.array([[100.0, 100.0], [899.0, 500.0]]), [True, True], 0.01)
        found = Localisation(step_variance_m2=1e-4, cells=9).run(truth, release, area=BOX)
        assert found.error_m.max() <= 71
        assert np.isfinite(found.correctness_m).all()

    @settings(max_examples=examples(50))
    @given(seed=st.integers(0, 2**32), columns=st.integers(1, 7), rows=st.integers(1, 7))
    def test_the_guess_is_best_of_all_cells(self, seed, columns, rows):
        rng = np.random.default_rng(seed)
        grid = Area(PLANE, 0.0, 0.0, columns * 10.0, rows * 10.0).grid(max(columns, rows))
        assert (grid.columns, grid.rows) == (columns, rows)
        posterior = rng.dirichlet(np.full(columns * rows, 0.3), 3)
        xy = np.array(list(itertools.product(range(columns), range(rows)))) * 10.0
        losses = posterior @ np.hypot(*(xy[:, None] - xy).transpose(2, 0, 1))
        cell, loss = BestGuess(grid).of(posterior.reshape(3, columns, rows))
        assert loss == pytest.approx(losses.min(axis=1), abs=1e-9)
        assert losses[np.arange(3), cell] == pytest.approx(loss, abs=1e-9)

    @each("count", [1, 3, 40])
    def test_the_law_of_a_joint_draw(self, count):
        """A disc with a Gamma(2p + 1) radius, integrated numerically."""

        def density(d):
            law = scipy.stats.gamma(2 * count + 1)
            return float(scipy.integrate.quad(lambda s: law.pdf(s) / s**2, d, np.inf, limit=200)[0])

        distances = np.array([0.5, 2.0, 1.5 * count, 3.0 * count])
        found = localisation._log_upper_gamma(2 * count - 1, distances)
        wanted = np.log([density(d) for d in distances])
        assert found - found[0] == pytest.approx(wanted - wanted[0], abs=1e-4)
        # the tail goes on where floats end
        found = localisation._log_upper_gamma(5, np.array([600.0, 700.0, 800.0, 900.0, 1e6]))
        assert np.isfinite(found).all()
        assert np.diff(found[:4]) == pytest.approx(-100, abs=1)


TAXI = samples()[1].series
TAXI_STEP = 900_000.0
"""Its steps' variance per axis, about: 950 m in five minutes."""


def gains(mechanism, seeds=range(5)):
    """Error by chance over error of the attack at 40 % of the taxi day's events, at random, that are landmarks."""
    found = []
    for seed in seeds:
        mask = np.zeros(len(TAXI), dtype=bool)
        mask[np.random.default_rng(seed).permutation(len(TAXI))[: round(0.4 * len(TAXI))]] = True
        release = mechanism.release(TAXI, LandmarkSet(mask), rng=noise.seeded(seed))
        found.append(Localisation(step_variance_m2=TAXI_STEP, cells=48).run(TAXI, release).gain(mask))
    return found


class TestWhatItShows:
    @pytest.mark.slow
    def test_skip_leaks_the_landmarks_it_hides_and_user_level_does_not(self):
        """ε = 1 within 200 m, seeds 0 to 4. Measured: 4.0 to 5.4 times nearer than chance, and 0.9 to 1.1 times."""
        skip, user = gains(Skip(epsilon=1.0, radius_m=200.0)), gains(UserLevel(epsilon=1.0, radius_m=200.0))
        assert min(skip) > 3
        assert np.mean(user) < 1.3
        release = released(TAXI, 1000.0)
        found = Localisation(step_variance_m2=TAXI_STEP, cells=48).run(TAXI, release)
        published = geo.distance_m(TAXI.lon, TAXI.lat, release.series.lon, release.series.lat)
        assert found.error_m.mean() < 0.7 * published.mean()
        assert found.error_m.mean() <= 1.1 * found.likeliest_error_m.mean()

    @each("mechanism", [Adaptive(epsilon=1.0, radius_m=50.0), Skip(epsilon=1.0, radius_m=50.0, leading="gap")])
    def test_a_gap_is_an_event_like_any_other(self, mechanism):
        release = mechanism.release(TAXI, LandmarkSet(np.arange(len(TAXI)) < 3), rng=noise.seeded(1))
        found = Localisation(step_variance_m2=TAXI_STEP, cells=32).run(TAXI, release)
        assert len(found.error_m) == len(TAXI)
        assert np.isfinite(found.error_m).all()

    def test_joint_draws_are_read_by_their_own_law(self):
        mechanism = Joint(epsilon=1.0, radius_m=20.0, step_variance_m2=TAXI_STEP)
        mask = np.arange(len(TAXI)) % 5 == 0
        release = mechanism.release(TAXI, LandmarkSet(mask), rng=noise.seeded(2))
        shared = mask & release.fresh
        found = Localisation(step_variance_m2=TAXI_STEP, cells=48).run(TAXI, release, shared=shared)
        rate = localisation._Draws(release, shared)._rate
        assert rate[shared] == pytest.approx(release.budgets[shared].sum() / 20)
        assert rate[~mask] == pytest.approx(release.budgets[~mask] / 20)
        assert found.gain(mask) > 2


class TestDescription:
    truth = walk(20)
    release = released(truth)

    def test_the_sentence_and_the_data(self):
        found = Localisation(step_variance_m2=4e4, cells=8).run(self.truth, self.release)
        assert found.sentence.startswith("Who knows the area, how people move and the noise places an event ")
        data = found.as_dict()
        assert data["sentence"] == found.sentence
        assert len(data["error_m"]) == 20
        assert data["hidden"] == [False] * 20
        assert np.isnan(found.gain(found.hidden))

    def test_the_area_is_a_raster_and_not_the_series_box(self):
        area = Area.around(self.truth, 5000.0)
        for edge in (area.west_m, area.south_m, area.east_m, area.north_m):
            assert edge % 5000 == 0
        xy_m = area.plane.project(self.truth.lon, self.truth.lat)
        assert (xy_m >= [area.west_m, area.south_m]).all()
        assert (xy_m < [area.east_m, area.north_m]).all()
        grid = area.grid(10)
        assert max(grid.columns, grid.rows) == 10
        assert grid.distances_m(self.truth.lon, self.truth.lat).min(axis=1).max() <= grid.cell_m / np.sqrt(2) * 1.001

    @each("place", [(179.99, 0.0), (-179.99, 60.0), (0.0, 89.99), (10.0, -90.0)])
    def test_the_edges_of_the_map(self, place):
        truth = Trajectory(*geo.LocalPlane(*place).unproject(np.random.default_rng(1).normal(0, 2000, (30, 2))))
        release = released(truth)
        assert Localisation(step_variance_m2=4e6, cells=64).run(truth, release).error_m.mean() < 300

    def test_refusals(self, monkeypatch):
        attack = Localisation(step_variance_m2=1.0)
        with pytest.raises(DataError, match="the release must be of 19 events, got 20"):
            attack.run(self.truth.first(19), self.release)
        with pytest.raises(DataError, match="shared must mark 20 events"):
            attack.run(self.truth, self.release, shared=np.zeros(3, bool))
        with pytest.raises(DataError, match="at most 2,000,000 m"):
            Area.around(Trajectory([0.0, 60.0], [0.0, 0.0]), 1000.0)
        nothing = Release(Trajectory([], []), np.empty(0, np.int64), np.empty(0), np.empty(0, bool), np.empty(0))
        with pytest.raises(DataError, match="at least 1 event"):
            attack.run(Trajectory([], []), nothing)
        monkeypatch.setattr(localisation, "MOST_STATES", 1000)
        with pytest.raises(ParameterError, match="cells must be such that") as caught:
            attack.run(self.truth, self.release)
        assert caught.value.field == "cells"
