"""The form warns exactly where the measured table has a mechanism at or below the nearest cell."""

from itertools import product

from benchmarks.recommendation_page import MODULE, PAGE, Place, hit_rates, module
from benchmarks.recommendation_runs import LEVELS, UNITS, label, models, variants
from benchmarks.recommendation_tables import NEAREST
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms.recommendation.beside_nearest import not_better
from tests.cases import each

RATES = hit_rates(PAGE.read_text())
SETS, SIDES = ("Manhattan", "Brooklyn", "City"), (8, 16, 32)


def model_of(one, **changes):
    known = {"epsilon": 1.0, "side": 16, "west": 8.4, "south": 47.3, "east": 8.6, "north": 47.4} | changes
    return mechanisms.parse(with_examples(mechanisms[one["name"]], known) | one | changes)


def test_the_module_of_rates_is_that_of_the_page():
    """``module`` is formatted as it is stored but for nothing: a page that was measured again needs a new module."""
    assert len(RATES) == len(SETS) * len(SIDES) * len(UNITS) * len(LEVELS) * 10
    assert MODULE.read_text() == module(RATES)


@each("one", [one for name in models() for one in variants(name)], ids=lambda one: "-".join(one.values()))
def test_a_set_is_named_where_the_mechanism_is_not_above_the_nearest_cell_there(one):
    for side, unit, epsilon in product(SIDES, UNITS, LEVELS):
        mechanism = model_of(one, side=side, privacy_unit=unit, epsilon=epsilon)
        text, title = not_better(mechanism), label(mechanism)
        if title == NEAREST:
            assert text == ""
            continue
        for name in SETS:
            own, other = (RATES[Place(name, side, unit, epsilon, row)].mean for row in (title, NEAREST))
            assert (f"{own:.3f} beside {other:.3f} on {name}" in text) == (own <= other)
        assert (f"{side} × {side} cells and ε = {epsilon:g} per" in text) == bool(text)


def test_other_grids_and_levels_are_taken_for_the_nearest_measured_ones_and_venues_for_popularity():
    trees = {"name": "checkin-quadtree"}
    same = not_better(model_of(trees))
    assert same.startswith("On 2 of 3 measured sets of check-ins this recommends no better than the nearest cells")
    assert not_better(model_of(trees, side=20, epsilon=1.3)) == same
    assert "32 × 32 cells and ε = 2 per user" in not_better(model_of(trees, side=200, epsilon=50.0))
    assert "8 × 8 cells and ε = 0.1 per user" in not_better(model_of(trees, side=2, epsilon=0.001))
    venues, popularity = (not_better(model_of({"name": f"checkin-{name}"})) for name in ("venues", "popularity"))
    assert venues == popularity != ""
