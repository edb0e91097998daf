"""How an experiment reads as charts: every value of an axis has a label of its own, short enough for a legend."""

from privacy_engine.experiments import ExperimentSpec, figure
from tests.cases import each

UNIFORM = {"mechanism": {"name": "landmark-uniform", "epsilon": 1, "radius_m": 100}}


def circles(*lons):
    zones = [{"type": "Circle", "center": [lon, 48.8], "radius_m": 100, "label": f"the place at {lon}"} for lon in lons]
    return {"name": "zones", "zones": zones}


def labels(*landmarks):
    spec = {"base": {"release": UNIFORM}, "grid": {"landmarks": list(landmarks)}, "repetitions": 1, "seed": 1}
    (axis,) = figure(ExperimentSpec.parse(spec | {"metrics": ["error"]}))["axes"]
    return [value["label"] for value in axis["values"]]


@each(
    ("landmarks", "expected"),
    [
        ([{"name": "manual", "events": [1]}, circles(1, 2)], ["1 selected manually", "2 zones"]),
        (
            [{"name": "manual", "events": [1]}, {"name": "manual", "events": [2]}],
            ["1 selected manually (events [1])", "1 selected manually (events [2])"],
        ),
        (
            [circles(1, 2), circles(3, 4), {"name": "manual", "events": [1]}, circles(5, 6)],
            ["2 zones (1)", "2 zones (2)", "1 selected manually", "2 zones (3)"],
        ),
    ],
    ids=["different", "distinguished by what differs", "numbered where that is long"],
)
def test_landmark_sets_are_distinguished(landmarks, expected):
    assert labels(*landmarks) == expected
