"""Ornstein-Uhlenbeck smoother: movement about a place of its own, its parameters fitted on the release."""

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.on_demand import scipy
from privacy_engine.postprocess.base import PostProcess, postprocesses
from privacy_engine.postprocess.chain import LONGEST_FIT, deviance, ornstein_uhlenbeck, smooth

FEWEST_DRAWS = 4
LEAST_DECAY = 1e-5  # 1 - φ²: ties over more than 1e5 events are not distinguished from a random walk
LEAST_SPREAD = 1e-4  # σ² over the least noise variance: less is standing still
LEAST_NOISE = 1e-12  # noise variance over the largest σ²: less would drown in rounding, and smooths nothing


@postprocesses.register
class OUSmoother(PostProcess):
    r"""The best linear estimate of every position from *all* releases, if movement is drawn back to a centre.

    Model: an Ornstein-Uhlenbeck process per axis [1]_ with variance :math:`\sigma^2` about an unknown mean and
    correlation :math:`\varphi` from one event to the next; a draw adds noise of known variance (planar
    Laplace: :math:`3 r^2/\epsilon_t^2`). Mean, :math:`\sigma^2` and :math:`\varphi` are those that make the
    *release* most likely [2]_ (its first 16,384 events); the estimate is that of a Rauch-Tung-Striebel smoother. Unlike
    the random walk it has a bound on how far people stray, so very noisy draws are drawn to the centre. Fewer than four
    draws stay as they are. Theorem: a function of the release alone, so every guarantee of the release holds unchanged
    (post-processing), also where the model is wrong.

    References
    ----------
    .. [1] Uhlenbeck, Ornstein. "On the theory of the Brownian motion". Physical Review 1930.
    .. [2] Durbin, Koopman. "Time Series Analysis by State Space Methods". Oxford 2012, chapters 4 and 7.
    """

    title: ClassVar[str] = "Ornstein-Uhlenbeck smoother"
    short: ClassVar[str] = "OU smoother"
    summary: ClassVar[str] = "Estimates each position from its neighbours and, where noise is large, from the centre."

    name: Literal["ou-smoother"] = "ou-smoother"

    def seconds(self, events: int) -> float:
        return 7e-3 + 1.1e-5 * events  # the fit comes first

    def estimate(self, xy_m: Floats, precision: Floats) -> Floats:
        if np.count_nonzero(precision[:LONGEST_FIT]) < FEWEST_DRAWS:
            return np.full_like(xy_m, np.nan)
        precision = np.minimum(precision, 1 / (LEAST_NOISE * _largest(xy_m, precision)))
        mean, variance, correlation = _most_likely(xy_m[:LONGEST_FIT], precision[:LONGEST_FIT])
        chain = ornstein_uhlenbeck(len(xy_m), variance, correlation)
        return smooth(chain, xy_m - mean, precision)[0] + mean


def _largest(xy_m: Floats, precision: Floats) -> float:
    """The largest σ² that is considered."""
    return max(float(np.var(xy_m[precision > 0])) * 4, 2 * LEAST_SPREAD / float(precision.max()))


def _most_likely(xy_m: Floats, precision: Floats) -> tuple[Floats, float, float]:
    """Mean (2,), σ² and φ: the best of a coarse grid, then downhill from there."""
    least, most = LEAST_SPREAD / float(precision.max()), _largest(xy_m, precision)

    def at(log_variance: float, log_decay: float) -> tuple[float, float]:
        variance = float(np.exp(np.clip(log_variance, np.log(least), np.log(most))))
        return variance, float(np.sqrt(1 - np.exp(np.clip(log_decay, np.log(LEAST_DECAY), np.log(0.999)))))

    def of(point: Floats) -> float:
        return deviance(ornstein_uhlenbeck(len(xy_m), *at(*point.tolist())), xy_m, precision, level=True)[0]

    starts = [
        np.array([v, d])
        for v in np.linspace(np.log(least), np.log(most), 7)[1:]
        for d in np.log([1e-4, 3e-3, 0.1, 0.7])
    ]
    optimum = scipy.optimize.minimize(
        of, min(starts, key=of), method="Nelder-Mead", options={"xatol": 0.02, "fatol": 0.01}
    )
    variance, correlation = at(*optimum.x.tolist())
    mean = deviance(ornstein_uhlenbeck(len(xy_m), variance, correlation), xy_m, precision, level=True)[1]
    return mean, variance, correlation
