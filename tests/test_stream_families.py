"""``stream-shrink`` on generated families of streams, and the table of docs/results-streams.md about them."""

import re

import numpy as np
import pytest

from benchmarks.results_families import CELLS, compared, ratio
from benchmarks.stream_families import FAMILIES, generated
from benchmarks.written import ROOT
from privacy_engine import noise
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms.stream import StreamShrink
from tests.cases import each

NAMES = {name.partition(":")[0]: name for name in FAMILIES}


def by(name, other, epsilon, window, seeds=2):
    """The mean absolute error of ``stream-shrink`` by that of another mechanism."""
    errors = np.zeros(2)
    for seed in range(seeds):
        rows = generated(NAMES[name], seed)
        for i, (mechanism, how) in enumerate((("stream-shrink", {"objective": "absolute"}), (other, {}))):
            one = mechanisms[mechanism](epsilon=epsilon, window=window, sensitivity=1, **how)
            errors[i] += np.abs(one.start(rows.shape[1], noise.seeded(seed)).publish_all(rows) - rows).mean()
    return float(errors[0] / errors[1])


class TestErrors:
    """Cells in which an earlier version had 1.5 to 5.6 times the error of the other mechanism."""

    @each(
        ("name", "other", "epsilon", "window", "most"),
        [
            ("rough", "stream-uniform", 10.0, 10, 1.2),  # counts around levels that vary, far above noise
            ("trend", "stream-uniform", 10.0, 10, 1.2),  # and the interval where counts are Poisson variables
            ("large", "stream-kalman", 10.0, 100, 1.3),  # levels above the grid
            ("schedule", "stream-sample", 1.0, 10, 1.1),  # counts that hardly vary
            ("short", "stream-sample", 0.1, 100, 1.6),  # what the first sample spends
        ],
    )
    def test_are_near_those_of_the_mechanism_that_was_better(self, name, other, epsilon, window, most):
        assert by(name, other, epsilon, window) <= most

    def test_the_first_sample_is_held_without_a_bias(self):
        rows = np.full((8, 100), 5000)
        published = StreamShrink(epsilon=10.0, window=100, sensitivity=1).start(100, noise.seeded(1)).publish_all(rows)
        assert published[1:].mean() == pytest.approx(5000, rel=0.01)


class TestTable:
    def test_a_quotient_of_means_and_its_interval(self):
        ours, other = np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0])
        assert ratio(ours, other) == pytest.approx((2.0, 4.3027 / np.sqrt(3)), rel=1e-4)
        assert ratio(ours, ours) == (1.0, 0.0)
        assert ratio(np.full(3, 5e-4), np.zeros(3)) == (1.0, 0.0)

    def test_ours_is_beside_the_least_mean_error(self):
        runs = {"zero": [[1.0, 9.0]] * 2, "sample": [[2.0, 4.0]] * 2}
        runs |= {"shrink relative": [[1.5, 0.0]] * 2, "shrink absolute": [[0.0, 5.0]] * 2}
        assert compared(runs, 0) == ("zero", 1.5, 0.0)
        assert compared(runs, 1) == ("sample", 1.25, 0.0)

    def test_the_texts_state_what_the_page_has(self):
        page = (ROOT / "docs" / "results-streams.md").read_text()
        table = page.partition("<!-- families -->")[2].partition("<!-- /families -->")[0]
        within = re.findall(r"Within 5 % in (\d+) of (\d+) cells", table)
        assert [int(of) for _, of in within] == [len(FAMILIES) * len(CELLS)] * 2
        assert table.count("**") // 2 == sum(int(of) - int(some) for some, of in within)
        counts = f"{within[0][0]} of 120 cells by ARE and {within[1][0]} of 120 by MAE"
        for name in ("README.md", "docs/results.md"):
            assert counts in " ".join((ROOT / name).read_text().split()), name
        assert "sample" in StreamShrink.better_elsewhere
        assert "Kalman" in StreamShrink.better_elsewhere
