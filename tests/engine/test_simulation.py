"""Repetitions of mechanisms: equal to plain loops, alike to releases, and the same bits however they are cut."""

import hashlib
from typing import ClassVar, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import metrics, noise
from privacy_engine.analysis import simulation
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.mechanisms import landmark
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from tests.cases import each
from tests.engine.compiled_for import compiled_for
from tests.engine.mechanism_examples import example
from tests.engine.memory import peak_bytes
from tests.engine.plain_simulation import plain_errors
from tests.later import stats

HOW = {"epsilon": 1.0, "radius_m": 1.0}
BITS = "0db85b54ff30a10d818ad2a17ca858323798e8087fd01f306e63d3b52f74064c"


def of(epsilon, radius_m, q=1e5):
    """Mechanisms, with every choice that a simulation could get wrong; bits are known of these."""
    how = {"epsilon": epsilon, "radius_m": radius_m}
    return [
        landmark.EventLevel(**how),
        landmark.UserLevel(**how),
        landmark.WEvent(**how, window=3),
        landmark.Uniform(**how),
        landmark.Skip(**how),
        landmark.Skip(**how, leading="gap"),
        landmark.OptimalSplit(**how),
        landmark.Planned(**how, step_variance_m2=q),
        landmark.Joint(**how, step_variance_m2=q),
        *(
            landmark.Adaptive(**how, reading=reading, redistribution=redistribution)
            for reading in ("calibrated", "literal")
            for redistribution in ("uniform", "absorption")
        ),
    ]


def every(epsilon, radius_m, q=1e5):
    """The same, and an example of each mechanism that is registered beside them."""
    known = of(epsilon, radius_m, q)
    others = [cls for cls in mechanisms.of("trajectory") if cls not in set(map(type, known))]
    return known + [example(cls, epsilon=epsilon, radius_m=radius_m) for cls in others]


def walk(n, step_deg=0.002, seed=1):
    rng = np.random.default_rng(seed)
    steps = rng.uniform(-1.7, 1.7, (2, n)) * step_deg  # no logarithm of a library's
    lon, lat = np.cumsum(steps, axis=1)
    return Trajectory(116.4 + lon, 39.9 + lat)


def marks(n, share, seed=1):
    return LandmarkSet.at(np.random.default_rng(seed).permutation(n)[: round(n * share)], n)


@given(
    which=st.integers(0, len(every(1, 1)) - 1),
    mask=st.lists(st.booleans(), min_size=1, max_size=40),
    lon=st.floats(-180, 180),
    lat=st.floats(-90, 90),
    step_m=st.floats(0, 3).map(lambda power: 10**power),
    noise_m=st.floats(0, 6).map(lambda power: 10**power),
    seed=st.integers(0, 2**70),
    first=st.sampled_from([0, 5, 2**32 - 2]),
)
def test_equals_plain_loops_to_1e_12(which, mask, lon, lat, step_m, noise_m, seed, first):
    """Relative; absolute 10 nm, as near as degrees report positions. Noise from a metre to all round the Earth."""
    n, rng = len(mask), np.random.default_rng(seed)
    places = geo.destination(lon, lat, step_m * rng.exponential(1, n), rng.uniform(0, 7, n))
    series, landmarks = Trajectory(*places), LandmarkSet(np.array(mask))
    mechanism = every(1.0, noise_m, q=max(step_m**2, 1.0))[which]
    found = simulation.simulate(
        [mechanism], series, [landmarks], seed=seed, repetitions=2, first_repetition=first, by_event=True
    )
    expected = np.array([plain_errors(mechanism, series, landmarks, seed, first + one) for one in range(2)])
    published = ~np.isnan(expected[0])
    means = expected[:, published].mean(axis=1) if published.any() else np.full(2, np.nan)
    assert np.allclose(found.errors_m[0, 0], means, rtol=1e-12, atol=1e-8, equal_nan=True)
    assert np.allclose(found.by_event_m[0, 0], expected.mean(axis=0), rtol=1e-12, atol=1e-8, equal_nan=True)


@pytest.mark.slow
@each("mechanism", every(1.0, 400.0), ids=lambda one: "-".join(str(v) for _, v in one))
def test_agrees_with_releases_in_distribution(mechanism):
    """Two samples of 400 errors each by Kolmogorov and Smirnov; false alarms 1e-5 for each mechanism.

    Landmarks come first, so that leading ones are among them. Positions of one fifth are 300 km apart.
    """
    mask = np.arange(15) % 3 != 2
    places = geo.destination(179.9, 60.0, np.where(np.arange(15) % 5, 300.0, 300e3), np.arange(15) * 1.0)
    series, landmarks = Trajectory(*places), LandmarkSet(mask)
    ours = simulation.simulate_errors(mechanism, series, landmarks, seed=5, repetitions=400)
    drawn = (mechanism.release(series, landmarks, rng=noise.seeded(one)) for one in range(400))
    theirs = [metrics.mean_absolute_error_m(series, one) for one in drawn]
    assert stats.ks_2samp(ours, theirs).pvalue > 1e-5


class Rounded(TrajectoryMechanism):
    """A mechanism without a simulation of its own: it rounds, and leaves the last event out."""

    level: ClassVar[str] = "event"
    name: Literal["rounded"] = "rounded"
    epsilon: float = 1.0
    radius_m: float = 1.0

    def draw(self, series, is_landmark, *, rng):
        release = landmark.EventLevel(**HOW).release(series, LandmarkSet(is_landmark), rng=rng)
        keep = np.arange(len(series)) < len(series) - 1
        shorter = release.series.moved(release.series.lon[keep].round(3), release.series.lat[keep].round(3), keep)
        return type(release)(shorter, release.event[keep], release.budgets, release.fresh, release.sd_m)


def test_a_mechanism_without_a_walk_is_released_again_and_again():
    series, landmarks = walk(20), marks(20, 0.3)
    found = simulation.simulate([Rounded()], series, [landmarks], seed=3, repetitions=4, by_event=True)
    for repetition, error in enumerate(found.errors_m[0, 0]):
        release = Rounded().release(series, landmarks, rng=noise.simulated_releases(3, repetition))
        assert error == metrics.mean_absolute_error_m(series, release)
    assert np.flatnonzero(np.isnan(found.by_event_m[0, 0])).tolist() == [19]
    assert np.nanmean(found.by_event_m) == pytest.approx(found.errors_m.mean(), rel=1e-12)


def digest(found):
    return hashlib.sha256(found.errors_m.tobytes() + found.by_event_m.tobytes()).hexdigest()


def simulated(first=0, repetitions=20, *, radius_m=1e4, **given):
    """Every mechanism over two sets; noise from kilometres to all round the Earth, repeats near and far."""
    series = walk(300, step_deg=0.3)
    sets = [marks(300, 0.3), LandmarkSet(np.arange(300) < 250)]
    return simulation.simulate(
        of(1.0, radius_m), series, sets, seed=7, repetitions=repetitions, first_repetition=first, by_event=True, **given
    )


class TestSameBits:
    @pytest.mark.parametrize("common", [True, False])
    @pytest.mark.parametrize(("events", "tile"), [(1, 128), (7, 8), (64, 3), (299, 1), (1000, 17)])
    def test_for_every_chunk_and_tile(self, events, tile, common, monkeypatch):
        expected = digest(simulated(common=common))
        monkeypatch.setattr(simulation, "EVENTS", events)
        monkeypatch.setattr(simulation, "REPETITIONS", tile)
        assert digest(simulated(common=common)) == expected

    def test_for_a_mechanism_alone_and_among_others(self):
        series, landmarks = walk(300, step_deg=0.3), LandmarkSet(np.arange(300) < 250)
        for common in (True, False):
            together = simulated(common=common).errors_m[:, 1]
            for mechanism, errors in zip(of(1.0, 1e4), together, strict=True):
                alone = simulation.simulate_errors(mechanism, series, landmarks, seed=7, repetitions=20, common=common)
                assert alone.tobytes() == errors.tobytes()

    @each("one", [*of(1.0, 1.0)[-4:], *of(1.0, 1.0)[4:6], landmark.Planned(**HOW, step_variance_m2=1e5)])
    def test_with_a_far_event_at_the_end(self, one):
        """Where all events are near each other the distances of held positions are measured in another place."""
        series, mask = walk(300, 1e-4), np.append(marks(299, 0.6).mask, False)
        far = series.moved(np.append(series.lon[:299], 20.0), series.lat)
        how = {"seed": 3, "repetitions": 20, "by_event": True}
        near, other = (simulation.simulate([one], places, [LandmarkSet(mask)], **how) for places in (series, far))
        assert near.by_event_m[0, 0].tobytes() == other.by_event_m[0, 0].tobytes()
        assert near.errors_m.tobytes() == other.errors_m.tobytes()

    def test_as_when_this_was_written(self):
        assert bits() == BITS

    @pytest.mark.slow
    @pytest.mark.parametrize("cpu", ["generic", pytest.param("native", marks=pytest.mark.thorough)])
    def test_on_every_processor_and_without_fused_operations(self, cpu, tmp_path):
        assert compiled_for(cpu, ELSEWHERE, tmp_path) == ["generic" if cpu == "generic" else "None", BITS, "[]"]


def bits():
    """Noise of metres and of all round the Earth, from budgets that no mathematics library computed."""
    return hashlib.sha256("".join(digest(simulated(radius_m=one)) for one in (1.0, 1e4)).encode()).hexdigest()


ELSEWHERE = r"""
import re, numba
from privacy_engine.kernels import dispatch, joint, lanes, simulation
from tests.engine.test_simulation import bits
print(numba.config.CPU_NAME, bits())
kernels = (joint.half_reach_sines, lanes.frames, lanes.fill, lanes.redraw, lanes.draw_joint, dispatch.fixed_each)
kernels += (dispatch.adaptive_each, dispatch.start_adaptive_each, simulation.fixed, simulation.adaptive)
assembly = ["".join(kernel.inspect_asm().values()) for kernel in kernels]
assert all(assembly)
print(re.findall(r"\b(?:vfn?m(?:add|sub)|fn?m(?:add|sub|la|ls))\w*", " ".join(assembly)))
"""


def test_common_noise_is_shared_by_all_and_differences_vary_less():
    """Uniform at twice the budget is half the error, draw by draw; with noise of its own it is not."""
    series, sets = walk(50), [marks(50, 0.2), marks(50, 0.4)]
    two = [landmark.EventLevel(epsilon=1.0, radius_m=1.0), landmark.EventLevel(epsilon=2.0, radius_m=1.0)]
    how = {"seed": 1, "repetitions": 100}
    common, own = (simulation.simulate(two, series, sets, **how, common=common) for common in (True, False))
    assert common.common
    assert not own.common
    assert np.allclose(common.errors_m[0], 2 * common.errors_m[1], rtol=1e-14)
    assert np.array_equal(common.errors_m[:, 0], common.errors_m[:, 1])
    independent = [own.errors_m[i, j] for i in (0, 1) for j in (0, 1)]
    for i, one in enumerate(independent):
        for other in independent[:i]:
            assert abs(np.corrcoef(one, other)[0, 1]) < 0.5  # five standard errors


@each("mechanism", [landmark.Adaptive(**HOW), landmark.Skip(**HOW)], ids=["adaptive", "skip"])
def test_memory_depends_on_neither_repetitions_nor_events(mechanism):
    """Beyond the series and what the mechanism states of it: budgets, sources and masks, 100 bytes an event."""

    def peak(n, repetitions):
        given_ = mechanism, walk(n, 1e-6), marks(n, 0.2)
        return peak_bytes(lambda: simulation.simulate_errors(*given_, seed=1, repetitions=repetitions))

    peak(10, 1)
    few, many = peak(3000, 100), peak(3000, 1000)
    assert many < few + 100_000
    assert peak(30_000, 100) < few + 100 * 27_000


class TestInterface:
    def test_shapes(self):
        two, three = [landmark.Uniform(**HOW), landmark.Adaptive(**HOW)], [marks(9, share) for share in (0, 0.5, 1)]
        found = simulation.simulate(two, walk(9), three, seed=1, repetitions=4, first_repetition=6, by_event=True)
        assert found.errors_m.shape == (2, 3, 4)
        assert found.by_event_m.shape == (2, 3, 9)
        assert (found.seed, found.first_repetition) == (1, 6)
        assert np.allclose(found.by_event_m.mean(axis=-1), found.errors_m.mean(axis=-1), rtol=1e-13)
        assert simulation.simulate(two, walk(9), three, seed=1, repetitions=4).by_event_m is None

    def test_nothing_to_repeat_or_to_publish(self):
        empty = Trajectory([], [])
        for mechanism in of(1.0, 1.0):
            assert simulation.simulate_errors(mechanism, walk(9), marks(9, 0.5), seed=1, repetitions=0).shape == (0,)
            none = simulation.simulate_errors(mechanism, empty, LandmarkSet([]), seed=1, repetitions=2)
            assert np.isnan(none).all()
        assert simulation.simulate([], walk(9), [marks(9, 0.5)], seed=1, repetitions=2).errors_m.shape == (0, 1, 2)

    def test_leaves_its_input_alone(self):
        series, landmarks = walk(30), marks(30, 0.5)
        before = series.lon.tobytes(), series.lat.tobytes(), landmarks.mask.tobytes()
        simulation.simulate(of(1.0, 1.0), series, [landmarks], seed=1, repetitions=2)
        assert (series.lon.tobytes(), series.lat.tobytes(), landmarks.mask.tobytes()) == before

    def test_landmarks_over_another_series_are_refused(self):
        for mechanism in (landmark.Uniform(**HOW), Rounded()):
            with pytest.raises(DataError, match="landmarks must mark 5 events, got 4"):
                simulation.simulate_errors(mechanism, walk(5), marks(4, 0.5), seed=1, repetitions=1)

    @each(
        ("field", "values"),
        [("seed", (-1, 0.5)), ("repetitions", (-1, 2**32, True)), ("first_repetition", (-1, 2**32 - 1))],
    )
    def test_names_what_it_refuses(self, field, values):
        for value in values:
            given = {"seed": 1, "repetitions": 2} | {field: value}
            with pytest.raises(ParameterError, match=rf"^{field} must be ") as caught:
                simulation.simulate_errors(landmark.Uniform(**HOW), walk(5), marks(5, 0.5), **given)
            assert caught.value.field == field
