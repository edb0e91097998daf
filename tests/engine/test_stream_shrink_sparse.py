"""``stream-shrink`` where all dimensions together count less than the noise."""

import numpy as np
import pytest

from privacy_engine import noise
from privacy_engine.mechanisms.stream import StreamShrink
from tests.cases import each


class TestNextToNothing:
    """Counts whose total is below the noise: nothing is better than zeros, and next to them is where this stays."""

    @staticmethod
    def by_zeros(rows, seeds=2, **how):
        """Mean absolute and relative error by those of zeros."""
        least = np.maximum(rows, 0.01 * np.maximum(rows.sum(axis=0), 1))
        runs = [StreamShrink(**how).start(rows.shape[1], noise.seeded(seed)).publish_all(rows) for seed in range(seeds)]
        errors = np.abs(np.array(runs) - rows)
        return errors.mean() / rows.mean(), (errors / least).mean() / (rows / least).mean()

    @each("objective", ["relative", "absolute"])
    @each("window", [10, 100])
    def test_cells_of_a_grid_with_a_few_events_at_a_timestamp(self, window, objective):
        rng = np.random.default_rng(0)
        rows = rng.multinomial(12, np.full(300, 1 / 300), size=60)
        absolute, relative = self.by_zeros(rows, epsilon=1.0, window=window, sensitivity=1, objective=objective)
        assert absolute <= 1.1
        assert relative <= 1.5

    def test_a_clear_dimension_among_empty_ones_is_published(self):
        rows = np.zeros((60, 100), dtype=np.int64)
        rows[:, 7] = 500
        published = StreamShrink(epsilon=1.0, window=20, sensitivity=1).start(100, noise.seeded(1)).publish_all(rows)
        assert np.median(published[:, 7]) == pytest.approx(500, rel=0.1)
        assert np.delete(published, 7, axis=1).mean() < 0.5

    def test_less_than_half_a_count_is_published_as_none(self):
        rows = np.random.default_rng(1).poisson(0.3, (60, 40))
        published = StreamShrink(epsilon=5.0, window=10, sensitivity=1).start(40, noise.seeded(1)).publish_all(rows)
        assert not ((published > 0) & (published < 0.5)).any()
