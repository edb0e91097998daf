"""Repetitions with landmarks of their own, in one batch: the bits of each alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import geo
from privacy_engine.analysis import simulation
from privacy_engine.analysis.simulation import simulate_each, simulate_errors
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark import Uniform
from tests.engine.test_simulation import HOW, Rounded, marks, of, walk
from tests.examples import examples


def alone(
    mechanism: TrajectoryMechanism, series: Trajectory, landmarks: list[LandmarkSet], seed: int, first: int = 0
) -> np.ndarray:
    parts = [
        simulate_errors(mechanism, series, one, seed=seed, repetitions=1, first_repetition=first + i)
        for i, one in enumerate(landmarks)
    ]
    return np.concatenate([np.empty(0), *parts])


@settings(max_examples=examples(150))
@given(
    which=st.integers(0, len(of(1, 1)) - 1),
    masks=st.integers(1, 40).flatmap(
        lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=6)
    ),
    noise_m=st.floats(0, 7).map(lambda power: 10**power),
    seed=st.integers(0, 2**70),
    first=st.sampled_from([0, 5, 2**32 - 6]),
)
def test_are_the_same_bits_as_alone(which: int, masks: list[list[bool]], noise_m: float, seed: int, first: int) -> None:
    """Noise from a metre to many times round the Earth, where draws are looked at again."""
    n, rng = len(masks[0]), np.random.default_rng(seed)
    places = geo.destination(179.9, 60.0, 300.0 * rng.exponential(1, n), rng.uniform(0, 7, n))
    series, sets = Trajectory(*places), [LandmarkSet(np.array(mask)) for mask in masks]
    mechanism = of(1.0, noise_m)[which]
    found = simulate_each(mechanism, series, iter(sets), seed=seed, first_repetition=first)
    assert found.tobytes() == alone(mechanism, series, sets, seed, first).tobytes()


@pytest.mark.parametrize("mechanism", of(1.0, 50.0), ids=lambda one: "-".join(str(v) for _, v in one))
def test_over_several_chunks_and_tiles(mechanism: TrajectoryMechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    series, sets = (
        walk(600),
        [marks(600, share, seed) for seed, share in enumerate((0.0, 0.1, 0.4, 0.9, 1.0, 0.5, 0.5))],
    )
    expected = alone(mechanism, series, sets, 3, 9).tobytes()
    assert simulate_each(mechanism, series, sets, seed=3, first_repetition=9).tobytes() == expected
    for name, value in (("REPETITIONS", 3), ("MASKED_EVENTS", 1300), ("MASKED_EVENTS", 1), ("EVENTS", 64)):
        with monkeypatch.context() as changed:
            changed.setattr(simulation, name, value)
            assert simulate_each(mechanism, series, sets, seed=3, first_repetition=9).tobytes() == expected


def test_more_than_a_tile_of_them() -> None:
    series, sets = walk(20), [marks(20, 0.3, seed) for seed in range(150)]
    found = simulate_each(Uniform(**HOW), series, sets, seed=1)
    assert found.tobytes() == alone(Uniform(**HOW), series, sets, 1).tobytes()


def test_a_mechanism_without_a_plan_is_released() -> None:
    series, sets = walk(20), [marks(20, 0.3, seed) for seed in range(3)]
    found = simulate_each(Rounded(**HOW), series, sets, seed=1, first_repetition=4)
    assert found.tobytes() == alone(Rounded(**HOW), series, sets, 1, 4).tobytes()


def test_none_and_nothing() -> None:
    assert simulate_each(Uniform(**HOW), walk(5), [], seed=1).shape == (0,)
    for mechanism in of(1.0, 50.0):
        assert np.isnan(
            simulate_each(mechanism, Trajectory([], []), [LandmarkSet(np.zeros(0, bool))] * 2, seed=1)
        ).all()


def test_refusals() -> None:
    with pytest.raises(DataError, match="must mark 5 events"):
        simulate_each(Uniform(**HOW), walk(5), [marks(5, 0.5), marks(4, 0.5)], seed=1)
    with pytest.raises(ParameterError, match="first_repetition"):
        simulate_each(Uniform(**HOW), walk(5), [marks(5, 0.5)] * 2, seed=1, first_repetition=2**32 - 1)
    with pytest.raises(ParameterError, match="seed"):
        simulate_each(Uniform(**HOW), walk(5), [marks(5, 0.5)], seed=-1)
