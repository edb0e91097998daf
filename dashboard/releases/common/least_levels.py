"""The least ε of mechanisms for what is accepted, of kinds of data whose prices need the upload alone."""

from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import Any

from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from privacy_engine.analysis.accepted_error import at_level
from privacy_engine.analysis.least_level import least_level
from privacy_engine.analysis.repeated import ROUGH, SHOWN, Effort
from privacy_engine.analysis.results import Result
from privacy_engine.mechanisms.base.mechanism import Mechanism

LONGEST_S = 8.0
"""A search that takes longer ends without an answer."""


class KindLevel(Result):
    """The least ε of one mechanism, of two digits."""

    name: str
    title: str
    epsilon: float | None
    """null where it is not accepted at any ε."""
    fits: bool | None
    """Whether the budget has that much left."""


class KindLevels(Result):
    """For each mechanism the least ε at which what is accepted is reached."""

    accepted: float | None
    """null for a usable release."""
    mechanisms: list[KindLevel]
    left_out: list[str]
    """Names of mechanisms whose search took too long."""


def is_usable(verdict: Any) -> bool:
    """Whether a verdict of any kind of data, None where nothing is known, is "usable"."""
    return verdict is not None and verdict.name == "usable"


class _Late(Exception):
    """A search took too long."""


def kind_levels(
    dataset: Dataset, chosen: Sequence[Any], accepted: float | None, reached: Callable[..., bool]
) -> KindLevels:
    """Return the least ε of each mechanism at which ``reached(mechanism, how)``, confirmed as it is shown."""
    levels, left_out = [], []
    for mechanism in chosen:
        try:
            epsilon = _least(mechanism, reached)
        except _Late:
            left_out.append(mechanism.name)
            continue
        prices = [] if epsilon is None else ledger.prices(dataset, [at_level(mechanism, epsilon)])
        fits = None if epsilon is None else all(price.fits for price in prices)
        levels.append(KindLevel(name=mechanism.name, title=mechanism.title, epsilon=epsilon, fits=fits))
    return KindLevels(accepted=accepted, mechanisms=levels, left_out=left_out)


def _least(mechanism: Mechanism, reached: Callable[..., bool]) -> float | None:
    end = monotonic() + LONGEST_S

    def holds(epsilon: float, how: Effort = SHOWN) -> bool:
        if monotonic() > end:
            raise _Late
        return reached(at_level(mechanism, epsilon), how)

    return least_level(partial(holds, how=ROUGH), holds, start=float(mechanism.epsilon))
