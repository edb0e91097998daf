"""The least ε of mechanisms for what is accepted, of kinds of data whose prices need the upload alone."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from privacy_engine.analysis.least_level import least_level
from privacy_engine.analysis.results import Result
from privacy_engine.mechanisms.base.mechanism import Mechanism

SEARCH_SECONDS = 0.1
"""Each ε is simulated for about so long; the answer is confirmed as precisely as any forecast."""
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

    accepted: float
    mechanisms: list[KindLevel]
    left_out: list[str]
    """Names of mechanisms whose search took too long."""


class _Late(Exception):
    """A search took too long."""


def kind_levels(
    dataset: Dataset, chosen: Sequence[Any], accepted: float, reached: Callable[[Any, float | None], bool]
) -> KindLevels:
    """Return the least ε of each mechanism at which ``reached(mechanism, seconds)``, None for a full forecast."""
    found, left_out = [], []
    for one in chosen:
        try:
            epsilon = _least(one, reached)
        except _Late:
            left_out.append(one.name)
            continue
        prices = [] if epsilon is None else ledger.prices(dataset, [at_level(one, epsilon)])
        fits = None if epsilon is None else all(price.fits for price in prices)
        found.append(KindLevel(name=one.name, title=one.title, epsilon=epsilon, fits=fits))
    return KindLevels(accepted=accepted, mechanisms=found, left_out=left_out)


def _least(mechanism: Mechanism, reached: Callable[[Any, float | None], bool]) -> float | None:
    end = monotonic() + LONGEST_S

    def within(seconds: float | None) -> Callable[[float], bool]:
        def holds(epsilon: float) -> bool:
            if monotonic() > end:
                raise _Late
            return reached(at_level(mechanism, epsilon), seconds)

        return holds

    return least_level(within(SEARCH_SECONDS), within(None), start=float(mechanism.epsilon))


def at_level(mechanism: Mechanism, epsilon: float) -> Mechanism:
    """Return the mechanism at another level."""
    return type(mechanism)(**mechanism.model_dump() | {"epsilon": epsilon})
