"""The radii of an experiment's levels, and the one within which its charts state them."""

from dashboard.datasets.services import set_budget
from dashboard.experiments.levels import stated_levels
from privacy_engine.experiments import ExperimentSpec
from tests.dashboard import kinds
from tests.dashboard.test_experiments_api import SPEC

UNIFORM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 1.0}
SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 50.0}


def spec_with(grid):
    return ExperimentSpec.parse(SPEC | {"grid": grid})


def test_radii_are_those_of_the_cells():
    for grid, axis, radii in [
        ({"landmarks.share": [0.1, 0.5]}, None, [1.0]),
        (
            {"landmarks.share": [0.1, 0.5], "release.mechanism.radius_m": [1.0, 200.0]},
            "release.mechanism.radius_m",
            [1.0, 200.0],
        ),
        ({"release": [{"mechanism": UNIFORM}, {"mechanism": SKIP}]}, "release", [1.0, 50.0]),
        ({"release.mechanism": [UNIFORM, UNIFORM | {"epsilon": 2.0}]}, None, [1.0]),
    ]:
        spec = spec_with(grid)
        found = stated_levels(spec, None)
        assert found is not None, (grid, axis, radii)
        assert found["radii"] == radii, (grid, axis, radii)
        assert (None if found["axis"] is None else spec.axes()[found["axis"]].name) == axis, (grid, axis, radii)
        assert found["reference_m"] == 1.0, "without a dataset that of the first cell"


def test_levels_are_stated_within_the_radius_of_the_dataset(ready_dataset):
    set_budget(dataset=ready_dataset, epsilon=3.0, radius_m=300.0)
    found = stated_levels(spec_with({}), ready_dataset)
    assert found == {"reference_m": 300.0, "axis": None, "radii": [1.0]}


def test_experiments_of_other_kinds_have_no_radius():
    spec = {"kind": "stream", "base": {"release": {"mechanism": kinds.STREAM}}, "repetitions": 1, "seed": 1}
    assert stated_levels(ExperimentSpec.parse(spec | {"metrics": ["stream-mean-absolute-error"]}), None) is None
