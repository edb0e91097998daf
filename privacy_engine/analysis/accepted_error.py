"""The least ε at which a mechanism's errors on given data are accepted: the inverse of the forecast of errors."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, TypeVar

from privacy_engine.analysis.error_forecast import MOST_EVENTS, ErrorForecast, ForecastData, error_forecast
from privacy_engine.analysis.repeated import ROUGH
from privacy_engine.analysis.results import Result
from privacy_engine.core.on_demand import scipy
from privacy_engine.mechanisms.base.mechanism import Mechanism
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.postprocess import PostProcess

M = TypeVar("M", bound=Mechanism)
Figure = Literal["typical_m", "p95_m"]
LEAST, MOST = 1e-6, 1e4
"""The least and the greatest ε that are tried: the domain of the parameter."""
FACTOR = 8.0
"""The interval of ε in which the answer lies is sought by this factor."""
TOLERANCE = 0.005
"""Of log ε."""


class AcceptedError(Result):
    """The least ε of a mechanism at which its ``figure`` is at most an accepted error.

    ``epsilon`` has three digits and is up to 3 % too high; null where the error is larger even at ε = 10,000: repeated
    positions are off by the movement since. ``errors`` is the forecast at that ε, or, if null, at the greatest.
    """

    epsilon: float | None
    errors: ErrorForecast


def least_epsilon(
    mechanism: TrajectoryMechanism,
    data: ForecastData,
    accepted_m: float,
    *,
    figure: Figure = "typical_m",
    steps: Sequence[PostProcess] = (),
) -> AcceptedError | None:
    """Return the least ε at which ``figure`` of the errors on ``data`` is at most ``accepted_m``; None without errors.

    Errors fall as ε grows, as far as noise goes: where plans change with ε there may be an ε below the answer that
    also has an accepted error, but the error at the answer is accepted.
    """

    def at(log_epsilon: float) -> ErrorForecast:
        tried = at_level(mechanism, math.exp(log_epsilon))
        return error_forecast(tried, searched, steps, ROUGH)

    @cache  # the ends of the interval are needed twice
    def excess(log_epsilon: float) -> float:
        value = getattr(at(log_epsilon).overall, figure)
        return math.log(max(value, 1e-9) / accepted_m)

    searched = data
    highest = at(math.log(MOST))
    if not highest.exact:
        searched = data.some(MOST_EVENTS)
    if getattr(highest.overall, figure) is None:
        return None
    if getattr(highest.overall, figure) > accepted_m:
        return AcceptedError(epsilon=None, errors=highest)
    low, high = _bracket(excess, math.log(mechanism.epsilon))
    root = low if low == high else scipy.optimize.brentq(excess, low, high, xtol=TOLERANCE)
    epsilon = math.exp(root)
    if searched is not data:  # of everyone the error is another, and about inverse to ε
        errors = error_forecast(at_level(mechanism, epsilon), data, steps, ROUGH)
        epsilon *= getattr(errors.overall, figure) / accepted_m
    return _raised_until_accepted(mechanism, data, accepted_m, figure, steps, epsilon)


def _bracket(excess: Callable[[float], float], start: float) -> tuple[float, float]:
    """Return logarithms of ε with too large and with an accepted error; twice the least ε if that is accepted."""
    least, most, step = math.log(LEAST), math.log(MOST), math.log(FACTOR)
    low = high = min(max(start, least), most)
    if excess(start) > 0:
        while high < most and excess(high := min(high + step, most)) > 0:
            low = high
        return low, high
    while low > least:
        high, low = low, max(low - step, least)
        if excess(low) > 0:
            return low, high
    return least, least


def _raised_until_accepted(
    mechanism: TrajectoryMechanism,
    data: ForecastData,
    accepted_m: float,
    figure: Figure,
    steps: Sequence[PostProcess],
    epsilon: float,
) -> AcceptedError | None:
    """Return the first ε from ``epsilon`` upwards, of three digits, at which all of ``data`` has an accepted error."""
    factor = 1 + 2 * TOLERANCE
    while True:
        epsilon = min(_rounded_up(epsilon), MOST)
        errors = error_forecast(at_level(mechanism, epsilon), data, steps)
        if (error_m := getattr(errors.overall, figure)) is None:  # more runs than a rough forecast take too long
            return None
        if error_m <= accepted_m or epsilon == MOST:
            return AcceptedError(epsilon=epsilon if error_m <= accepted_m else None, errors=errors)
        epsilon *= max(factor, error_m / accepted_m)
        factor **= 2


def _rounded_up(epsilon: float) -> float:
    """Return ``epsilon`` with three digits, never rounded down."""
    places = 2 - math.floor(math.log10(epsilon))
    scaled = epsilon * 10.0**places
    return round(math.ceil(scaled * (1 - 1e-12)) / 10.0**places, max(places, 0))


def at_level(mechanism: M, epsilon: float) -> M:
    """Return the mechanism at another level, the nearest in its domain."""
    return type(mechanism)(**mechanism.model_dump() | {"epsilon": min(max(epsilon, LEAST), MOST)})
