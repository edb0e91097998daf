"""Arrays in any layout give what their copies in C's order give, though kernels take that order alone."""

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.pairwise import pairwise_loss
from privacy_engine.accounting.temporal import landmark_temporal_loss, temporal_loss
from privacy_engine.data import CountStream, LandmarkSet, Trajectory
from privacy_engine.landmarks.orders import heuristic_order
from privacy_engine.landmarks.staypoints import stay_point_mask
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.cases import each

MATRIX = np.array([[0.8, 0.15, 0.05], [0.1, 0.7, 0.2], [0.3, 0.1, 0.6]])
APART = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]])
COLUMN = np.linspace(0.0, 0.01, 12)
MARKS = np.arange(12) % 5 == 0


def strided(values):
    """The same numbers with others between them, in Fortran's order, not to be written to."""
    wide = np.zeros([2 * n for n in values.shape], dtype=values.dtype, order="F")
    view = wide[tuple(slice(None, None, 2) for _ in values.shape)]
    view[...] = values
    view.setflags(write=False)
    return view


def losses(of):
    found = [temporal_loss(of(COLUMN), of(MATRIX), of(MATRIX)), pairwise_loss(of(COLUMN), of(APART), of(MATRIX), None)]
    marked = landmark_temporal_loss(of(COLUMN), of(MARKS), of(MATRIX), of(MATRIX), bound="bridge")
    return [one.total for one in found] + [marked]


def drawn(of):
    here = of(COLUMN), of(COLUMN)
    source = noise.seeded(1)
    exact = [noise.planar_laplace(*here, of(COLUMN + 0.1), rng=source), noise.joint_planar(*here, 0.1, rng=source)]
    plain = noise.simulated_laplace(of(COLUMN + 1.0), 1.0, seed=1)
    return [*exact, noise.simulated_planar(*here, of(COLUMN + 0.1), seed=1), plain]


def landmarks(of):
    one = Trajectory(of(COLUMN), of(COLUMN), of(COLUMN * 1e6))
    stays = stay_point_mask(one.lon, one.lat, one.time_s, distance_m=300, duration_s=120)
    return [stays, heuristic_order(LandmarkSet(of(MARKS)).mask, "gaps")]


@each("what", [losses, drawn, landmarks])
def test_results_do_not_depend_on_the_layout(what):
    for found, expected in zip(what(strided), what(np.ascontiguousarray), strict=True):
        assert np.array_equal(found, expected)


@each("name", sorted(one.registered_name() for one in mechanisms.of("stream")))
def test_counts_may_have_any_layout(name):
    counts = np.arange(24.0).reshape(12, 2) % 7
    labels, names = [str(at) for at in range(12)], ["a", "b"]
    mechanism = mechanisms.parse({"name": name, "epsilon": 1.0, "window": 3, "sensitivity": 1})
    found = [
        mechanism.release(CountStream(of(counts), names, labels), rng=noise.seeded(1)).counts
        for of in (strided, np.ascontiguousarray)
    ]
    assert np.array_equal(*found)
