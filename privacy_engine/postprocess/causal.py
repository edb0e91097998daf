"""Causal filter: the best estimate from the releases so far, for live use."""

import math
from typing import ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import StepVarianceM2
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.postprocess.base import PostProcess, postprocesses


@postprocesses.register
class CausalFilter(PostProcess):
    r"""The best linear estimate of every position from the releases *up to it*: a Kalman filter [1]_.

    Model: positions take independent steps of variance q per axis, known beforehand; a draw adds noise of
    known variance (planar Laplace: :math:`3 r^2/\epsilon_t^2`). With P the variance of the last estimate, a draw of
    variance R moves it by the share :math:`(P + q)/(P + q + R)` of what it is off. Events before the first draw
    stay as they are. Theorem: a function of the release alone, so every guarantee of the release holds unchanged
    (post-processing), at every prefix and also where the model is wrong.

    References
    ----------
    .. [1] Kalman. "A new approach to linear filtering and prediction problems". Journal of Basic Engineering 1960.
    """

    title: ClassVar[str] = "Causal filter"
    summary: ClassVar[str] = "Estimates each position from it and those before it only: works on live data."
    causal: ClassVar[bool] = True

    name: Literal["causal-filter"] = "causal-filter"
    step_variance_m2: StepVarianceM2

    def estimate(self, xy_m: Floats, precision: Floats) -> Floats:
        gains = np.array(_gains(precision.tolist(), self.step_variance_m2))
        return np.column_stack([_follow(gains.tolist(), axis.tolist()) for axis in xy_m.T])


def _gains(precision: list[float], q: float) -> list[float]:
    """How much each draw counts against what was known before; 1 for the first."""
    gains, variance = [], math.inf
    for weight in reported(precision, ROWS):
        variance += q
        gain = 0.0 if weight == 0 else 1.0 if math.isinf(variance) else variance / (variance + 1 / weight)
        variance = 1 / weight if gain == 1.0 else variance * (1 - gain)
        gains.append(gain)
    return gains


def _follow(gains: list[float], values: list[float]) -> list[float]:
    """x += gain · (value - x); not a number before the first draw."""
    estimates, x = [], math.nan
    for gain, value in reported(zip(gains, values, strict=True), ROWS):
        if gain:
            x = value if math.isnan(x) else x + gain * (value - x)
        estimates.append(x)
    return estimates
