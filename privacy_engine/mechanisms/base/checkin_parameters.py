"""Parameters of the mechanisms of check-ins: domain, label and help of each."""

from typing import Annotated

from privacy_engine.core.params import Param
from privacy_engine.recommender.tree import MOST_ORDER

CheckInEpsilon = Annotated[
    float,
    Param(
        label="Level",
        symbol="ε",
        help="How far the odds may move for one user, or for one check-in. Smaller protects more.",
        lowest=1e-3,
        highest=1e4,
        example=1.0,
    ),
]
Contributions = Annotated[
    int,
    Param(
        label="Check-ins per user",
        symbol="c",
        help="How many check-ins of each user count, the first ones in the box; successive ones in one cell are one "
        "for models of moves. Only where users are protected.",
        lowest=1,
        highest=1000,
        example=10,
    ),
]
Side = Annotated[
    int,
    Param(
        label="Cells per side",
        symbol="G",
        help="The grid has G times G cells. Choose it without looking at the check-ins.",
        lowest=1,
        highest=512,
        example=16,
    ),
]
Order = Annotated[
    int,
    Param(
        label="Order",
        symbol="m",
        unit="cells",
        help="How many cells of the history the next one depends on. More than 1 rarely helps with noise.",
        lowest=1,
        highest=MOST_ORDER,
        example=1,
    ),
]
LeastMass = Annotated[
    int,
    Param(
        label="Least mass",
        help="The last cells count as far back as they were followed by a cell at least so often.",
        lowest=1,
        highest=1_000_000,
        example=1,
    ),
]
PRIVACY_UNIT = Param(
    label="Protected",
    help="Whether the level is for all check-ins of a user together, or for each check-in alone.",
    options=(("user", "each user"), ("record", "each check-in")),
)
RELATION = Param(
    label="Neighbours",
    help="Which change is hidden: a user or check-in more or less, or one replaced by another, which needs twice "
    "the noise.",
    options=(("add-remove", "added or removed"), ("replace-one", "replaced by another")),
)


def _edge(label: str, bound: float, example: float) -> Param:
    help_text = "An edge of the box of the grid. Choose it without looking at the check-ins."
    return Param(label, unit="°", help=help_text, lowest=-bound, highest=bound, example=example)


West = Annotated[float, _edge("West", 180.0, -74.03)]
East = Annotated[float, _edge("East", 180.0, -73.91)]
South = Annotated[float, _edge("South", 90.0, 40.69)]
North = Annotated[float, _edge("North", 90.0, 40.83)]
