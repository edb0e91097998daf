"""Errors, correlations and detection of published counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privacy_engine import metrics
from privacy_engine.analysis import stream_comparison as comparison
from privacy_engine.analysis.stream_detection import MOST_POINTS, detection, roc
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.metrics.stream_events import jump_scores, low_signal_scores
from tests.cases import each
from tests.engine.stream_sets import measured as of
from tests.later import stats

tables = arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(0, 6))


@given(tables, st.integers(0, 2**32))
def test_correlations_are_those_of_scipy(truth, seed):
    published = np.random.default_rng(seed).permutation(truth)
    changing = [k for k in range(truth.shape[1]) if len(set(truth[:, k])) > 1]
    for metric, reference in ((metrics.StreamPearson(), stats.pearsonr), (metrics.StreamSpearman(), stats.spearmanr)):
        found = of(metric, truth, published)
        if not changing:
            assert np.isnan(found)
        else:
            expected = np.mean([reference(truth[:, k], published[:, k]).statistic for k in changing])
            assert found == pytest.approx(expected, abs=1e-12)


def test_of_a_constant_release_the_correlation_is_0():
    truth = np.array([[1, 2], [3, 4], [5, 1]])
    assert of(metrics.StreamPearson(), truth, np.full_like(truth, 7)) == 0
    assert of(metrics.StreamSpearman(), truth, truth) == pytest.approx(1)


def test_root_mean_square_error_by_hand():
    assert of(metrics.StreamRootMeanSquareError(), np.array([[0, 3]]), [[3, 7]]) == pytest.approx(np.sqrt((9 + 16) / 2))


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40).filter(
        lambda rows: len({event for _, event in rows}) == 2
    )
)
def test_the_area_is_the_chance_that_an_event_scores_higher(rows):
    """Against all pairs of an event and another timestamp, ties counted half."""
    scores, events = (np.array(column) for column in zip(*rows, strict=True))
    found = roc(scores.astype(float)[:, None], events[:, None])
    higher = [(a > b) + 0.5 * (a == b) for a in scores[events] for b in scores[~events]]
    assert found.area == pytest.approx(np.mean(higher))
    assert (found.positives, found.negatives) == (events.sum(), (~events).sum())
    for rates in (found.true_positive_rate, found.false_positive_rate):
        assert rates == sorted(rates)
        assert (rates[0], rates[-1]) == (0, 1)


@given(tables, st.integers(1, 4), st.integers(0, 7))
def test_low_signals_are_the_runs_below_the_threshold(counts, length, threshold):
    length = min(length, len(counts) - 1)
    found = low_signal_scores(counts.astype(float), length) > -threshold
    below = counts < threshold
    for k in range(counts.shape[1]):
        for t in range(len(counts)):
            starts = range(max(t - length + 1, 0), min(t, len(counts) - length) + 1)
            assert found[t, k] == any(below[s : s + length, k].all() for s in starts)


def test_jumps_by_hand():
    counts = np.array([[1.0], [5.0], [5.0], [0.0]])
    assert jump_scores(counts, 2).T.tolist() == [[4.0, 5.0]]
    found = detection(counts, counts, "jump", 1, 4.0).curve
    assert (found.area, found.positives, found.negatives) == (1.0, 2, 1)


def test_long_curves_are_thinned_and_keep_their_ends():
    scores = np.random.default_rng(1).random((20_000, 1))
    found = roc(scores, scores > 0.7 + 0.2 * np.random.default_rng(2).standard_normal(scores.shape))
    assert len(found.true_positive_rate) <= MOST_POINTS
    assert (found.true_positive_rate[-1], found.false_positive_rate[-1]) == (1, 1)


def test_where_all_or_no_timestamp_has_an_event_there_is_no_curve():
    counts = np.arange(5.0)[:, None]
    assert detection(counts, counts, "jump", 1, 1.0).curve is None
    assert detection(counts, counts, "jump", 1, 2.0).curve is None


@each(("length", "threshold", "error"), [(0, 1, ParameterError), (1, -1, ParameterError)])
def test_parameters_out_of_their_domain_are_refused(length, threshold, error):
    with pytest.raises(error):
        detection(np.zeros((5, 1)), np.zeros((5, 1)), "jump", length, float(threshold))


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(DataError):
        detection(np.zeros((5, 1)), np.zeros((5, 2)), "jump", 1, 1.0)
    with pytest.raises(ParameterError, match="length must be below 5, the number of timestamps of the stream, got 5"):
        detection(np.zeros((5, 1)), np.zeros((5, 1)), "jump", 5, 1.0)


@pytest.mark.parametrize("event", ["jump", "low-signal"])
@given(rows=tables, seed=st.integers(0, 2**32), length=st.integers(1, 4), threshold=st.integers(0, 6))
def test_the_measured_area_is_that_of_the_curve(event, rows, seed, length, threshold):
    cls = metrics.StreamJumpDetection if event == "jump" else metrics.StreamLowSignalDetection
    metric = cls(length=length, threshold=threshold)
    published = np.random.default_rng(seed).permutation(rows)
    found = (rows.astype(float), published.astype(float), event, length, threshold)
    curve = detection(*found).curve if len(rows) > length else None
    assert of(metric, rows, published) == pytest.approx(np.nan if curve is None else curve.area, nan_ok=True)


@given(tables, st.integers(0, 2**32), st.sampled_from(["binary", "quad"]))
def test_the_error_of_sums_counts_every_group_of_the_tree_once(rows, seed, tree):
    published = np.random.default_rng(seed).permutation(rows)
    d, relative = rows.shape[1], metrics.StreamRelativeError()
    levels = {1: [[0]], 2: [[0, 0], [0, 1]], 3: [[0, 0, 0], [0, 0, 1], [0, 1, 2]]}
    levels[4] = [[0] * 4, [0, 0, 1, 1], [0, 1, 2, 3]]
    if tree == "quad":
        levels = {d: [[0] * d, [*range(d)]] for d in (2, 3, 4)} | {1: [[0]]}
    groups = [[k for k in range(d) if level[k] == g] for level in levels[d] for g in range(max(level) + 1)]
    each = [of(relative, *(t[:, group].sum(axis=1, keepdims=True) for t in (rows, published))) for group in groups]
    assert of(metrics.StreamHierarchyError(tree=tree), rows, published) == pytest.approx(np.mean(each))


both = st.integers(1, 6).flatmap(
    lambda d: st.tuples(*(arrays(np.int64, (7, d), elements=st.integers(0, 50)) for _ in range(2)))
)


class TestDimensionErrors:
    @given(both=both)
    @settings(max_examples=60, deadline=None)
    def test_their_means_are_the_metrics_of_the_release(self, both):
        truth, published = both
        found = comparison.dimension_errors(truth.astype(float), published.astype(float))
        for values, cls in (
            (found.relative_error, metrics.StreamRelativeError),
            (found.absolute_error, metrics.StreamMeanAbsoluteError),
        ):
            assert np.mean(values) == pytest.approx(of(cls(), truth, published))
        changing = [value for value in found.correlation if value is not None]
        assert len(changing) == (np.ptp(truth, axis=0) > 0).sum()
        if changing:
            expected = of(metrics.StreamPearson(), truth, published)
            assert np.mean(changing) == pytest.approx(expected, abs=1e-12)

    @each(("one", "other"), [((3, 2), (3, 1)), ((0, 2), (0, 2))])
    def test_fail_on_other_shapes(self, one, other):
        with pytest.raises(DataError, match="at least one timestamp"):
            comparison.dimension_errors(np.zeros(one), np.zeros(other))


class TestColumns:
    @given(timestamps=st.integers(0, 10_000), dimensions=st.integers(1, 3_000_000))
    def test_edges_cover_all_timestamps_in_order_within_the_limits(self, timestamps, dimensions):
        edges = comparison.column_edges(timestamps, dimensions)
        assert (edges[0], edges[-1]) == (0, timestamps)
        assert (np.diff(edges) >= 1).all()
        assert len(edges) - 1 <= comparison.MOST_COLUMNS
        assert (len(edges) - 1) * dimensions <= max(comparison.MOST_CELLS, dimensions)

    def test_means_and_largest_values_of_columns(self):
        edges, counts = np.array([0, 2, 4]), np.array([[1, 9], [3, 0], [5, 5], [7, 5]])
        assert comparison.column_means(counts, edges).tolist() == [[2.0, 4.5], [6.0, 5.0]]
        assert comparison.column_largest(counts[:, 0], edges).tolist() == [3, 7]


class TestBudgets:
    @given(budgets=st.lists(st.floats(0, 1), min_size=1, max_size=40), window=st.integers(1, 50))
    def test_sums_are_those_of_the_last_w_timestamps(self, budgets, window):
        expected = [sum(budgets[max(t + 1 - window, 0) : t + 1]) for t in range(len(budgets))]
        assert comparison.window_sums(np.array(budgets), window).tolist() == pytest.approx(expected, abs=1e-12)

    def test_what_was_spent_at_most_and_budgets_that_are_missing(self):
        truth = np.arange(8.0).reshape(4, 2)
        found = comparison.stream_comparison(truth, truth, np.array([0.5, 0.25, 0.5, 0.0]), 2)
        assert (found.most_spent, found.window_spent) == (0.75, [0.5, 0.75, 0.75, 0.5])
        missing = comparison.stream_comparison(truth, truth, np.full(4, np.nan), 2)
        assert (missing.most_spent, missing.window_spent, missing.budgets) == (None, [None] * 4, [None] * 4)
