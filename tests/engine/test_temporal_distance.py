"""The temporal privacy loss at the distance of the states: exact likelihood ratios and black-box bounds beside it.

No formula of the accounting is used for what an adversary learns: paths are listed, densities of planar Laplace noise
multiplied, posteriors divided. A bound must lie above all of it, and where it is exact, not far above.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.accounting.distance import cell_distances_m, levels_at
from privacy_engine.accounting.estimation import estimate_correlation, estimate_from_states
from privacy_engine.accounting.pairwise import MAX_PAIRWISE_STATES, pairwise_loss, pairwise_seconds
from privacy_engine.accounting.temporal import LossFunction, landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.core import geo
from privacy_engine.data import Trajectory
from privacy_engine.errors import EngineError
from tests.cases import each, refusal
from tests.engine.test_temporal import reverse, stationary
from tests.examples import examples
from tests.later import optimize

STAY = np.array([[0.9, 0.1], [0.1, 0.9]])
RADIUS_M, EPSILON = 200.0, 1.0
RADII = (0.1, 0.5, 1, 2, 5, 10, 50)


class PlacedChain:
    """A stationary chain over states at ``places`` (states, 2) in radii; every event's output is planar Laplace."""

    def __init__(self, matrix, places, epsilons):
        self.matrix, self.epsilons, n = matrix, epsilons, len(epsilons)
        self.backward = reverse(matrix)
        self.paths = np.array(list(itertools.product(range(len(matrix)), repeat=n)))
        self.log_chance = np.log(stationary(matrix)[self.paths[:, 0]])
        self.log_chance += np.log(matrix[self.paths[:, :-1], self.paths[:, 1:]]).sum(axis=1)
        self.places = places
        self.far = np.hypot(*(places[:, None] - places).T)

    def log_joint(self, outputs):
        """The log-density of every path and of ``outputs`` (m, n, 2), up to a constant: (m, paths)."""
        away = np.hypot(*(outputs[:, :, None] - self.places).transpose(3, 0, 1, 2))  # (m, n, states)
        log_density = -self.epsilons[:, None] * away
        return np.asarray(self.log_chance + log_density[:, np.arange(len(self.epsilons)), self.paths].sum(axis=2))

    def loss(self, joint, among):
        """The largest log-ratio of the density at outputs, given two states of the events ``among``."""
        group = self.paths[:, among] @ len(self.matrix) ** np.arange(len(among))
        found = []
        for one in range(len(self.matrix) ** len(among)):
            prior = np.logaddexp.reduce(self.log_chance[group == one])
            found.append(np.logaddexp.reduce(joint[:, group == one], axis=1) - prior)
        return float((np.max(found, axis=0) - np.min(found, axis=0)).max())

    def outputs(self, rng, many):
        """Outputs far beyond a state, seen from another, at the states, and anywhere: (m, n, 2)."""
        centre = self.places.mean(axis=0)
        beyond = centre + 1e3 * (1 + self.far.max()) * (self.places - centre)
        choices = np.concatenate([beyond, self.places, centre + rng.normal(0, self.far.max() + 1, (4, 2))])
        return np.asarray(choices[rng.integers(len(choices), size=(many, len(self.epsilons)))])


def line(distance):
    return np.array([[0.0, 0.0], [distance, 0.0]])


class TestTwoStates:
    @each("radii", RADII)
    def test_is_the_exact_loss_at_every_distance(self, radii):
        """Below one radius too: the level shrinks with the distance, and the bound with it."""
        epsilons = np.array([0.7, 0.0, 1.3, 0.4])
        chain = PlacedChain(STAY, line(radii), epsilons)
        ends = np.array(list(itertools.product([-1e6, 1e6], repeat=4)))
        outputs = np.stack([ends, np.zeros_like(ends)], axis=2)
        joint = chain.log_joint(outputs)
        bound = temporal_loss(levels_at(epsilons, radii * RADIUS_M, RADIUS_M), STAY, STAY).total
        for t in range(4):
            assert bound[t] == pytest.approx(chain.loss(joint, [t]), rel=1e-6)

    @each(("field", "values"), [("distance_m", (0.0, math.inf, 3e7)), ("radius_m", (0.001,)), ("epsilons", ([-1.0],))])
    def test_names_what_it_refuses(self, field, values):
        for value in values:
            with pytest.raises(EngineError, match=rf"^{field} must be") as caught:
                levels_at(**{"epsilons": [1.0], "distance_m": 100.0, "radius_m": 200.0, field: value})
            assert caught.value.field == field


class TestLandmarks:
    @each("radii", RADII)
    def test_the_bridge_at_the_distance_is_never_below_the_exact_joint_loss(self, radii):
        """Twenty chains of two or three states at each distance, seeds 0 to 19, budgets of 0 among them."""
        for seed in range(20):
            rng = np.random.default_rng(seed)
            n, states = int(rng.integers(2, 6)), int(rng.integers(2, 4))
            epsilons = rng.random(n) * (rng.random(n) < 0.8)
            matrix = rng.dirichlet(np.full(states, 0.4), size=states) + 1e-4
            matrix /= matrix.sum(axis=1, keepdims=True)
            places = line(radii) if states == 2 else np.vstack([line(radii), [radii / 2, radii / 3]])
            chain, mask = PlacedChain(matrix, places, epsilons), rng.random(n) < 0.5
            at_distance = levels_at(epsilons, radii * RADIUS_M, RADIUS_M)
            bound = landmark_temporal_loss(at_distance, mask, chain.backward, matrix, bound="bridge")
            joint = chain.log_joint(chain.outputs(rng, 300))
            for t in range(n):
                among = sorted({*np.flatnonzero(mask).tolist(), t})
                assert chain.loss(joint, among) <= bound[t] + 1e-9, (seed, t)

    @each("radii", RADII)
    def test_a_shared_draw_counts_at_the_distance(self, radii):
        """Joint noise of two landmarks, density exp(-B max d/r), beside own noise of the event between them."""
        level, own, places = 0.6, 0.4, line(radii)
        paths = np.array(list(itertools.product([0, 1], repeat=3)))
        log_chance = np.log(0.5) + np.log(STAY[paths[:, :-1], paths[:, 1:]]).sum(axis=1)
        ends = np.array(list(itertools.product([-1e6, 0.0, radii / 2, radii, 1e6], repeat=3)))
        away = np.abs(ends[:, None, :] - places[paths][:, :, 0])  # (outputs, paths, events)
        joint = log_chance - level * np.maximum(away[..., 0], away[..., 2]) - own * away[..., 1]
        for t in range(3):
            at = [np.logaddexp.reduce(joint[:, paths[:, t] == one], axis=1) for one in (0, 1)]
            exact = float(np.abs(at[0] - at[1]).max())  # both states are as likely
            distance = radii * RADIUS_M
            spent = levels_at([0.0, own, 0.0], distance, RADIUS_M)
            shared = float(levels_at(level, distance, RADIUS_M))
            assert exact <= temporal_loss(spent, STAY, STAY, shared=shared).total[t] + 1e-9


def exact_step(matrix, losses):
    """What losses between pairs add to the next event's, by linear programs: the largest ratio of two rows' means."""
    n = len(matrix)
    rows = []
    for k, m in itertools.permutations(range(n), 2):
        row = np.zeros(n)
        row[k], row[m] = 1.0, -math.exp(losses[k, m])
        rows.append(row)
    found = np.zeros((n, n))
    for i, j in itertools.permutations(range(n), 2):
        solved = optimize.linprog(-matrix[i], A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=[matrix[j]], b_eq=[1.0])
        assert solved.success
        found[i, j] = math.log(-solved.fun)
    return found


@st.composite
def placed_chains(draw):
    """Up to four states in the plane, nearly deterministic to nearly uniform, and up to five budgets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    states = draw(st.integers(2, 4))
    matrix = rng.dirichlet(np.full(states, draw(st.sampled_from([0.2, 1.0, 5.0]))), size=states) + 1e-4
    places = rng.random((states, 2)) * draw(st.sampled_from([0.1, 1.0, 5.0]))
    epsilons = rng.random(draw(st.integers(1, 5))) * (rng.random() < 0.9)
    return PlacedChain(matrix / matrix.sum(axis=1, keepdims=True), places, epsilons)


class TestPairwise:
    @settings(max_examples=examples(100))
    @given(placed_chains(), st.integers(0, 2**32))
    def test_lies_between_the_exact_loss_and_that_at_the_diameter(self, chain, seed):
        found = pairwise_loss(chain.epsilons, chain.far, chain.backward, chain.matrix)
        scalar = temporal_loss(chain.epsilons * chain.far.max(), chain.backward, chain.matrix)
        assert (found.total <= scalar.total + 1e-9).all()
        assert (found.backward <= scalar.backward + 1e-9).all()
        assert (found.forward <= scalar.forward + 1e-9).all()
        joint = chain.log_joint(chain.outputs(np.random.default_rng(seed), 400))
        for t in range(len(chain.epsilons)):
            assert chain.loss(joint, [t]) <= found.total[t] + 1e-9

    @settings(max_examples=examples(25))
    @given(placed_chains())
    def test_is_never_below_the_linear_programs(self, chain):
        backward = np.zeros_like(chain.far)
        found = pairwise_loss(chain.epsilons, chain.far, chain.backward).backward
        for t, epsilon in enumerate(chain.epsilons):
            backward = epsilon * chain.far + (exact_step(chain.backward, backward) if t else 0.0)
            assert found[t] >= backward.max() - 1e-6

    @settings(max_examples=examples(50))
    @given(st.floats(0.02, 0.98), st.floats(0.1, 50), st.lists(st.floats(0, 3), max_size=20))
    def test_of_two_states_is_the_scalar_recursion(self, stay, radii, epsilons):
        matrix = [[stay, 1 - stay], [1 - stay, stay]]
        found = pairwise_loss(epsilons, [[0, radii], [radii, 0]], matrix, matrix)
        expected = temporal_loss(levels_at(epsilons, radii * RADIUS_M, RADIUS_M), matrix, matrix)
        for part in ("backward", "forward", "total"):
            assert np.allclose(getattr(found, part), getattr(expected, part), rtol=1e-9, atol=1e-9)

    def test_a_rare_distant_state_costs_less_than_its_distance_everywhere(self):
        """Two persistent states one radius apart, and a third fifty radii away that is left at once."""
        matrix = np.array([[0.98, 0.019, 0.001], [0.019, 0.98, 0.001], [0.5, 0.5, 0.0]])
        far = np.array([[0, 1, 50], [1, 0, 50], [50, 50, 0.0]])
        backward = reverse(matrix)
        found = pairwise_loss(np.full(200, 0.1), far, backward, matrix).total.max()
        scalar = temporal_loss(np.full(200, 0.1 * 50), backward, matrix).total.max()
        assert found < 0.9 * scalar

    def test_large_losses_and_long_series_stay_finite(self):
        far = np.array([[0, 1e3], [1e3, 0]])
        found = pairwise_loss(np.full(300, 50.0), far, np.eye(2), np.eye(2))
        assert found.total == pytest.approx(np.full(300, 300 * 5e4))

    def test_without_correlation_is_the_level_at_the_largest_distance(self):
        far = np.array([[0, 3.0, 1.0], [3.0, 0, 2.0], [1.0, 2.0, 0]])
        found = pairwise_loss([0.1, 0.0, 0.3], far, shared=0.5)
        assert found.total == pytest.approx([0.8, 0.5, 1.4])

    def test_names_what_it_refuses(self):
        far, most = [[0, math.inf], [math.inf, 0]], np.zeros((MAX_PAIRWISE_STATES + 1,) * 2)
        for distances in ([[0, 1], [2, 0]], [[1, 1], [1, 0]], [[0, 1, 2]], far, most):
            assert refusal(EngineError, pairwise_loss, [1.0], distances, None).field == "distances"
        assert refusal(EngineError, pairwise_loss, [1.0], [[0, 1], [1, 0]], np.eye(3)).field == "backward"

    def test_its_time_is_foreseen(self):
        few, many = (pairwise_seconds(1000, LossFunction(smoothing_matrix(n, 0.1))) for n in (5, 50))
        assert 0 < few < 0.1 < many < 60


class TestCells:
    @settings(max_examples=examples(100))
    @given(st.integers(0, 2**32), st.floats(-85, 85), st.floats(-180, 180), st.sampled_from([10.0, 500.0, 2e4, 5e5]))
    def test_no_two_positions_in_cells_lie_farther_apart(self, seed, lat, lon, cell_m):
        """Two positions of the series itself, whatever cells they are in, and others in the same ones."""
        rng = np.random.default_rng(seed)
        spread = np.degrees(3 * cell_m / geo.EARTH_RADIUS_M)
        lats = np.clip(lat + rng.uniform(-spread, spread, 40), -89.9, 89.9)
        lons = geo.wrap_lon(lon + rng.uniform(-spread, spread, 40) / np.cos(np.radians(lat)))
        found = estimate_correlation(Trajectory(lons, lats), cell_m=cell_m, smoothing=1.0)
        assert np.array_equal(found.distances_m, found.distances_m.T)
        metres = math.radians(1.0) * geo.EARTH_RADIUS_M
        per_column = metres * math.cos(math.radians((lats.min() + lats.max()) / 2))
        x = ((lons - lons[0] + 180.0) % 360.0 - 180.0) * per_column
        cell = np.floor(np.column_stack([x - x.min(), (lats - lats.min()) * metres]) / cell_m).astype(int)
        which = [found.labels.tolist().index(one) for one in cell.tolist()]
        apart = np.array([geo.distance_m(lons, lats, *one) for one in zip(lons, lats, strict=True)])
        different = np.not_equal.outer(which, which)
        assert (apart <= found.distances_m[np.ix_(which, which)])[different].all()

    def test_adjacent_cells_are_as_far_apart_as_their_far_corners(self):
        x, y = np.array([0, 1, 1]), np.array([0, 0, 1])
        found = cell_distances_m(x, y, 1000.0, south=48.0, metres_per_column=111_195.0 * 0.669)
        assert found[0, 1] == pytest.approx(1000 * math.sqrt(5), rel=1e-2)
        assert found[0, 2] == pytest.approx(1000 * math.sqrt(8), rel=1e-2)
        assert np.diagonal(found).tolist() == [0.0] * 3

    def test_states_without_geometry_have_no_distances(self):
        assert estimate_from_states([1, 2, 1], smoothing=1.0).distances_m is None
