"""What FAST and RescueDP share: an error that decides how long to wait, and a filter between the samples."""

from typing import Annotated

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import Param

PROPORTIONAL, INTEGRAL = 0.9, 0.1
"""Gains of the last error and of the mean of the last :data:`ERRORS`; the gain of their difference is 0."""
ERRORS = 5
LARGEST_STEP = 10.0
"""By how many timestamps an interval may grow or shrink at a time, before the error is taken into account."""

ProcessVariance = Annotated[
    float,
    Param(
        label="Process variance",
        symbol="Q",
        unit="events²",
        help="Variance of the change of a count from one timestamp to the next, from public knowledge, never from "
        "this stream. If unsure, choose it larger.",
        lowest=1e-6,
        highest=1e12,
        example=1000.0,
    ),
]


def feedback(errors: Floats) -> Floats:
    """The controller's output for the last errors, (n,) or (n, d), newest last; unmeasured ones left out or 0.

    >>> round(float(feedback(np.array([5.0, 1.0, 2.0, 4.0, 3.0])[::-1])), 9)
    4.8
    """
    recent = np.asarray(errors[-ERRORS:])
    return np.asarray(PROPORTIONAL * recent[-1] + INTEGRAL * recent.mean(axis=0))


def corrected(prior: Floats, variance: Floats, noisy: Floats, noise_variance: Floats) -> tuple[Floats, Floats]:
    """A scalar Kalman filter's estimates and variances after measurements; an infinite variance is no estimate."""
    with np.errstate(invalid="ignore"):
        gain = np.where(np.isinf(variance), 1.0, variance / (variance + noise_variance))
    return prior + gain * (noisy - prior), gain * noise_variance  # (1 - gain) variance, also where that is infinite
