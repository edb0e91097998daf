"""What no page, file or command gives, but a program may: each refusal names field, rule and value."""

from functools import partial

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.pairwise import pairwise_loss
from privacy_engine.aggregation.events import events_of
from privacy_engine.data import CheckIns, Trajectory
from privacy_engine.data.venues import Venues
from privacy_engine.errors import EngineError
from privacy_engine.fluent.frames import with_geometry
from privacy_engine.landmarks import ReleasedZones
from privacy_engine.landmarks.polygon_rings import polygon
from privacy_engine.mechanisms.stream import StreamUniform
from privacy_engine.recommender import PopularityModel, Recommender
from privacy_engine.recommender.venues import VenuesModel
from tests.cases import refusal
from tests.engine.checkin_samples import GRID
from tests.later import pandas as pd

CHOOSE = partial(noise.exponential_mechanism, rng=noise.seeded(1))
UNIFORM = StreamUniform(epsilon=1, window=2)
GEOMETRY = "of positions or of cells of a grid"
ONE = np.zeros(1, dtype=np.int64)
VENUE = Venues(["v"], np.array([9.0]), np.array([1.0]), [""])
PLACED = CheckIns(ONE, ("u",), np.zeros(1), ONE, ("p",))
ZONES = ReleasedZones(release="r", zones=[{"type": "Circle", "center": [0.0, 0.0], "radius_m": 9.0}])
TWO = (Trajectory([0.0], [0.0]), np.array([1]))
ROUND = [[lon, lat] for lat, side in ((0, [-170, 0, 170, -20]), (5, [-20, 170, 0, -170])) for lon in side]


def test_name_field_rule_and_value():
    for message, call, *given in [
        ("utilities must be within ±1e+100, got -2e+100", CHOOSE, [1.0, -2e100], 1.0, 1.0),
        ("values must be numbers, got [[1], [1, 2]]", noise.validation.numbers, [[1], [1, 2]], "values"),
        (
            "counts must be whole numbers, one for each of 16 cells, got float64 of (2,)",
            PopularityModel,
            GRID,
            [1.0, 2],
        ),
        ("counts must be whole numbers, one for each of 1 venues, got int64 of (2,)", VenuesModel, GRID, VENUE, [1, 2]),
        ("venues must lie in the box of the grid", VenuesModel, GRID, VENUE, [1]),
        ("model must be an object", Recommender.from_dict, []),
        ("epsilons must be one-dimensional, got 2 dimensions", pairwise_loss, [[1.0]], np.zeros((1, 1))),
        ("data must be events at positions and times", events_of, 5),
        ("check-ins must have positions to be counted on a grid", events_of, PLACED),
        ("every series must have times to be counted by steps", events_of, [Trajectory([0.0], [0.0])]),
        ("events must be at least 1, got 0", events_of, []),
        ("coordinates must not overlap itself around the globe", polygon, [ROUND]),
        ("Zones on a release need the release, and only the dataset is given", ZONES.mark, []),
        ("The release is not over the series of this dataset", ZONES.mark_released, [TWO], [1]),
        ("The release is not over the series of this dataset", ZONES.mark_released, [TWO], [2, 3]),
        ("dimensions must be a whole number of at least 1, got True", UNIFORM.start, True, noise.seeded(1)),
        ("dimensions must be a whole number of at least 1, got 0", UNIFORM.start, 0, noise.seeded(1)),
        (f"a GeoDataFrame must be {GEOMETRY}, and this table has neither", with_geometry, pd.DataFrame()),
    ]:
        assert str(refusal(EngineError, call, *given)) == message
    assert ZONES.mark_released([TWO], [2])[0].mask.tolist() == [True, True]
