"""The tables about count streams in docs/results.md: each figure follows from stored runs."""

import pytest

from benchmarks.stream_errors import EPSILONS, WINDOWS, Store, rows
from benchmarks.stream_tables import ARE, MAE, Measured, best_other, beyond, ratio, shrink, whole_grid


@pytest.fixture
def store(tmp_path):
    """A set of which ours has an error of 0.9, other sound rows 1.0 and more, rows without a guarantee 0.5."""
    found = Store(tmp_path / "runs.jsonl")
    for epsilon in EPSILONS:
        for window in WINDOWS:
            for i, (row, mechanism) in enumerate(rows(epsilon, window).items()):
                value = 0.9 if row.startswith("shrink") else 0.5 if mechanism.unsound else 1.0 + 0.01 * i
                found.measured(("grid", "Set", epsilon, window, row), 2, lambda seed, v=value: [v, v + seed, 0.1, 0.2])
    return found


def test_a_run_that_was_interrupted_measures_nothing_twice(store):
    again = Store(store.path)
    assert again.found == store.found
    key = ("grid", "Set", 1.0, 100, "uniform")
    again.measured(key, 2, lambda seed: pytest.fail("measured again"))
    again.measured(key, 3, lambda seed: [1.0, 2.0, 0.0, 0.0])
    assert len(Store(store.path).found[key]) == 3


def test_ours_is_compared_with_the_best_sound_row(store):
    found = Measured(store)
    assert best_other(found, ARE, "Set", 1.0, 100) == "uniform"
    assert ratio(found, ARE, "Set", 1.0, 100) == pytest.approx(0.9)
    assert ratio(found, MAE, "Set", 1.0, 100) == pytest.approx(1.4 / 1.5)
    assert "| Set | 0.900 | 1.00 uniform | 0.900 | 0.900 (0.90) | 12 of 12 |" in shrink(found, ARE, ["Set"])
    assert beyond(found, ARE, ["Set"]) == "none"
    store.found["grid", "Set", 0.1, 20, "shrink relative"] = [[1.2, 1.0, 0.0, 0.0], [1.4, 1.0, 0.0, 0.0]]
    assert beyond(found, ARE, ["Set"]) == "Set (0.1, 20) 1.30 ± 0.10"


def test_the_grid_has_every_row_and_cell_once(store):
    text = whole_grid(Measured(store), "Set")
    lines = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    assert len(lines) == 4 * (len(rows(1.0, 100)) + 1)
    assert {line.count(" | ") for line in lines} == {len(EPSILONS) * len(WINDOWS)}
    assert "1.50 ± 0.5" in text
