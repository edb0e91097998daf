"""Released counts beside true ones: errors of dimensions, sums of windows, columns of a heat map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privacy_engine.analysis.stream_comparison import (
    MOST_CELLS,
    MOST_COLUMNS,
    column_edges,
    column_largest,
    column_means,
    dimension_errors,
    stream_comparison,
    window_sums,
)
from privacy_engine.data import CountStream
from privacy_engine.errors import DataError
from privacy_engine.metrics import StreamMeanAbsoluteError, StreamPearson, StreamRelativeError
from privacy_engine.stream_release import StreamRelease
from tests.cases import each

tables = st.integers(1, 6).flatmap(
    lambda d: st.tuples(*(arrays(np.int64, (7, d), elements=st.integers(0, 50)) for _ in range(2)))
)


class TestDimensionErrors:
    @given(tables=tables)
    @settings(max_examples=60, deadline=None)
    def test_their_means_are_the_metrics_of_the_release(self, tables):
        truth, published = tables
        names, labels = [f"n{k}" for k in range(truth.shape[1])], [str(t) for t in range(7)]
        stream, release = CountStream(truth, names, labels), StreamRelease(published, names, labels, None, np.ones(7))
        found = dimension_errors(stream.counts, published.astype(float))
        for values, cls in (
            (found.relative_error, StreamRelativeError),
            (found.absolute_error, StreamMeanAbsoluteError),
        ):
            assert np.mean(values) == pytest.approx(cls(name=cls.registered_name()).of(stream, release))
        changing = [value for value in found.correlation if value is not None]
        assert len(changing) == (np.ptp(truth, axis=0) > 0).sum()
        if changing:
            expected = StreamPearson(name="stream-pearson").of(stream, release)
            assert np.mean(changing) == pytest.approx(expected, abs=1e-12)

    @each(("one", "other"), [((3, 2), (3, 1)), ((0, 2), (0, 2))])
    def test_fail_on_other_shapes(self, one, other):
        with pytest.raises(DataError, match="at least one timestamp"):
            dimension_errors(np.zeros(one), np.zeros(other))


class TestColumns:
    @given(timestamps=st.integers(0, 10_000), dimensions=st.integers(1, 3_000_000))
    def test_edges_cover_all_timestamps_in_order_within_the_limits(self, timestamps, dimensions):
        edges = column_edges(timestamps, dimensions)
        assert (edges[0], edges[-1]) == (0, timestamps)
        assert (np.diff(edges) >= 1).all()
        assert len(edges) - 1 <= MOST_COLUMNS
        assert (len(edges) - 1) * dimensions <= max(MOST_CELLS, dimensions)

    def test_means_and_largest_values_of_columns(self):
        edges, counts = np.array([0, 2, 3]), np.array([[1, 9], [3, 0], [5, 5]])
        assert column_means(counts, edges).tolist() == [[2.0, 4.5], [5.0, 5.0]]
        assert column_largest(counts[:, 0], edges).tolist() == [3, 5]


class TestBudgets:
    @given(budgets=st.lists(st.floats(0, 1), min_size=1, max_size=40), window=st.integers(1, 50))
    def test_sums_are_those_of_the_last_w_timestamps(self, budgets, window):
        expected = [sum(budgets[max(t + 1 - window, 0) : t + 1]) for t in range(len(budgets))]
        assert window_sums(np.array(budgets), window).tolist() == pytest.approx(expected, abs=1e-12)

    def test_what_was_spent_at_most_and_budgets_that_are_missing(self):
        truth = np.arange(8.0).reshape(4, 2)
        found = stream_comparison(truth, truth, np.array([0.5, 0.25, 0.5, 0.0]), 2)
        assert (found.most_spent, found.window_spent) == (0.75, [0.5, 0.75, 0.75, 0.5])
        missing = stream_comparison(truth, truth, np.full(4, np.nan), 2)
        assert (missing.most_spent, missing.window_spent, missing.budgets) == (None, [None] * 4, [None] * 4)
