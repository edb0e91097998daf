"""States of an earlier layout: what was spent and published is kept, and nothing else of them is read."""

import numpy as np
import pytest

from privacy_engine import noise
from privacy_engine.kernels.level_grid import medians_ahead
from privacy_engine.mechanisms.base.publisher_state import from_bytes, to_bytes
from privacy_engine.mechanisms.stream.shrink import LAYOUT, SIGNIFICANT, StreamShrink
from privacy_engine.mechanisms.stream.shrinkage.factor import LEAST_STRICT
from privacy_engine.mechanisms.stream.shrinkage.levels import ONE_EVENT
from privacy_engine.mechanisms.stream.shrinkage.single import Single

WINDOW = 30


@pytest.mark.parametrize("dimensions", [1, 3])
@pytest.mark.parametrize("layout", [None, LAYOUT - 1, LAYOUT + 1])
def test_only_levels_and_budgets_of_another_layout_are_read(dimensions, layout):
    mechanism = StreamShrink(epsilon=1.0, window=WINDOW, sensitivity=1)
    rows = np.tile(np.arange(1, dimensions + 1) * 1000, (40, 1))
    run, other = (mechanism.start(dimensions, noise.seeded(seed)) for seed in (1, 2))
    run.publish_all(rows)
    stored = from_bytes(run.state())
    stored["own"] = {"_layout": layout, "_levels": stored["own"]["_levels"], "_total": "of another layout"}
    other.restore(to_bytes(stored))
    fresh = mechanism.start(dimensions, noise.seeded(2))
    assert other._last == -1
    assert vars(other._total).keys() == vars(fresh._total).keys()
    wait = other._wait
    assert 0 < wait < WINDOW
    between = other.publish_all(rows[:wait])
    assert between == pytest.approx(np.tile(run._levels.level, (wait, 1)), abs=5e-4)
    other.publish(rows[0])
    assert other._last == 40 + wait


@pytest.mark.parametrize(("count", "doubted"), [(0, True), (5000, False)])
def test_levels_are_doubted_where_the_total_may_be_noise(count, doubted):
    run = StreamShrink(epsilon=1.0, window=WINDOW, sensitivity=1).start(3, noise.seeded(1))
    run.publish(np.full(3, count))
    near = run._levels.near
    strict = near.mean / np.sqrt(near.variance + ONE_EVENT)
    assert (run._total.value < SIGNIFICANT * run._total.deviation) == doubted
    assert np.allclose(run._levels.signal, strict, rtol=1e-12) == doubted
    assert (run._factor.gate >= LEAST_STRICT) == doubted


def test_a_sample_ends_the_time_without_samples():
    one = Single(1.0)
    for level in (40.0, 60.0):
        one.sample(level, 2.0)
        found = one.ahead(3)
        assert np.array_equal(found, medians_ahead(0, 3, one._kept, *one._counts()))
