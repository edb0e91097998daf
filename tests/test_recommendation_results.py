"""Tables of recommendation state what was measured; the plain reference counts what the engine counts."""

from itertools import product

import numpy as np
import pytest

from benchmarks.explorer_city import BOX, explorer_city
from benchmarks.recommendation_runs import LEVELS, METRICS, UNITS, Line, Runs
from benchmarks.recommendation_tables import difference, grids, levels, losses, number
from benchmarks.references.recommendation import COUNTED, plain_fit, plain_sequences, visits
from privacy_engine.experiments import MemoryStore
from privacy_engine.grid import Grid
from privacy_engine.recommender import Sequences

RATES = {"Popularity": 30.0, "Nearest cell": 45.0, "Markov, not private": 50.0, "Gravity": 46.0, "Blend": 47.0}


def runs(**changes):
    """Ten runs of every line with the given rate, and ±1 run by run."""
    found = Runs(MemoryStore())
    for (model, value), unit, epsilon in product((RATES | changes).items(), UNITS, LEVELS):
        rates = value + np.where(np.arange(10) % 2, 1.0, -1.0)
        found.found[Line("Manhattan", 16, unit, model), epsilon] = np.array([rates, rates / 200, rates / 300])
    return found


def test_rates_are_shares_with_their_standard_deviation():
    assert number(np.array([0.31, 0.29])) == ".300 ± .014"
    assert number(np.array([np.nan, np.nan])) == "–"
    text = levels(runs(), "Manhattan", 16)
    assert "| Gravity | " + " | ".join([".460 ± .011"] * 8) + " |" in text
    assert grids(runs()).count("| Gravity |") == len(METRICS)


def test_differences_are_of_runs_on_the_same_users():
    assert difference(np.array([0.5, 0.3]), np.array([0.4, 0.2])) == "+.100 ± .000"
    assert difference(np.array([0.1, 0.1]), np.array([0.2, 0.3])) == "-.150 ± .050"


def test_a_better_mechanism_than_the_blend_is_listed():
    assert losses(runs()).count("in 8 of 8 combinations") == 2
    assert "| Manhattan | 16 |" not in losses(runs())
    worse = losses(runs(Gravity=47.5))
    assert "that of gravity in 0 of 8 combinations" in worse
    assert "| Manhattan | 16 | user | 0.1 | Gravity | .470 ± .011 | -.005 ± .000 |" in worse


@pytest.fixture(scope="module")
def city():
    return explorer_city(80, 20, count=200)


def test_the_plain_reference_counts_what_the_engine_counts(city):
    grid = Grid.square(*BOX, 16)
    rows = list(zip(city.user.tolist(), city.lon.tolist(), city.lat.tolist(), strict=True))
    for most in (3, 10_000):
        ours, plain = Sequences.of(city, grid, most), plain_sequences(rows, grid, most)
        assert [cell for one in plain for cell in one] == ours.cells.tolist()
        (counts,) = visits(plain, grid)
        assert [counts[cell] for cell in range(256)] == np.bincount(ours.cells, minlength=256).tolist()
    for name in COUNTED:
        assert all(len(table) for table in plain_fit(name, rows, grid, 10))
