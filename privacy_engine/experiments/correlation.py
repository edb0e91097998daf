"""``Correlation``: what an adversary is taken to know of how positions follow each other."""

from functools import lru_cache
from typing import Annotated, Literal

from privacy_engine.accounting.distance import LEAST_M, MOST_M, scale
from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix
from privacy_engine.accounting.validation import MAX_STATES
from privacy_engine.core.params import Frozen, Param

STATES = Param(label="States", help="Places the adversary distinguishes.", lowest=1, highest=MAX_STATES, example=2)
SMOOTHING = Param(
    label="Smoothing",
    symbol="s",
    help="0 is the strongest correlation. The paper calls 1 weak, 0.1 moderate and 0.01 strong.",
    lowest=0.0,
    highest=1e6,
    example=0.1,
)
DIAMETER = Param(
    label="Largest distance of states",
    symbol="D",
    unit="m",
    help="ε within the radius r counts D / r times. None: states one radius apart, the plain levels of the papers.",
    lowest=LEAST_M,
    highest=MOST_M,
    example=1000.0,
)


class Correlation(Frozen):
    """What an adversary knows of how positions follow one another: a smoothed matrix, the same in both directions.

    ``diameter_m`` is how far apart the positions of two states lie at most. It must be given, if only as None: states
    one radius of the mechanism apart, whose levels are plain numbers as in the papers.
    ``bound`` defines how landmark losses are put together:
    :func:`privacy_engine.accounting.temporal.landmark_temporal_loss`.
    """

    smoothing: Annotated[float, SMOOTHING]
    diameter_m: Annotated[float | None, DIAMETER]
    states: Annotated[int, STATES] = 2
    bound: Literal["published", "bridge"] = "published"

    def scale(self, radius_m: float) -> float:
        """What a level within ``radius_m`` is multiplied by to hold at the states' distance."""
        return 1.0 if self.diameter_m is None else scale(self.diameter_m, radius_m)

    def carried(self) -> LossFunction:
        """The loss function of the matrix, cached for the next call."""
        return _carried(self.states, self.smoothing)


@lru_cache(maxsize=8)
def _carried(states: int, smoothing: float) -> LossFunction:
    return LossFunction(smoothing_matrix(states, smoothing))
