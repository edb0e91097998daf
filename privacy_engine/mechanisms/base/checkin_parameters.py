"""Parameters of the mechanisms of check-ins: domain, label and help of each."""

from __future__ import annotations

from typing import Annotated

from privacy_engine.params import Param

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
        help="How many check-ins of each user count, the first ones in the box. Only where users are protected.",
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
