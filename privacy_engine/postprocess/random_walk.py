"""Random-walk smoother: every release, earlier and later, contributes to the estimate of an event."""

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.on_demand import scipy
from privacy_engine.core.params import AssumedStepVarianceM2
from privacy_engine.postprocess.base import PostProcess, postprocesses
from privacy_engine.postprocess.chain import LONGEST_FIT, deviance, random_walk, smooth

SLOWEST = 1e-9  # of the least noise variance: slower than this is standing still, and the system stays well conditioned


@postprocesses.register
class RandomWalkSmoother(PostProcess):
    r"""The best linear estimate of every position from *all* releases, if movement is a random walk.

    Model: positions take independent steps of variance q per axis; a draw adds noise of known variance (planar
    Laplace: :math:`3 r^2/\epsilon_t^2`). The estimate is that of a Rauch-Tung-Striebel smoother [1]_, the least mean
    squared error of all linear ones. Without q it is the most likely one *given the release* [2]_ (the first 16,384
    events). Theorem: a function of the release alone, so every guarantee of the release holds unchanged
    (post-processing), also where the model is wrong.

    References
    ----------
    .. [1] Rauch, Tung, Striebel. "Maximum likelihood estimates of linear dynamic systems". AIAA Journal 1965.
    .. [2] Durbin, Koopman. "Time Series Analysis by State Space Methods". Oxford 2012, chapters 4 and 7.
    """

    title: ClassVar[str] = "Random-walk smoother"
    summary: ClassVar[str] = "Estimates each position from those before and after it, by a random walk."

    name: Literal["random-walk-smoother"] = "random-walk-smoother"
    step_variance_m2: AssumedStepVarianceM2 | None = None

    def estimate(self, xy_m: Floats, precision: Floats) -> Floats:
        slowest = SLOWEST / float(precision.max())
        q = self.step_variance_m2 or _most_likely(xy_m[:LONGEST_FIT], precision[:LONGEST_FIT])
        return smooth(random_walk(len(xy_m), max(q, slowest)), xy_m, precision)[0]


def _most_likely(xy_m: Floats, precision: Floats) -> float:
    """The q that makes the draws most likely; standing still for fewer than two draws."""
    drawn = precision > 0
    if np.count_nonzero(drawn) < 2:
        return 0.0
    least = SLOWEST / float(precision.max())
    most = 4 * float(np.var(xy_m[drawn])) + 4 / float(precision[drawn].min())

    def of(log_q: float) -> float:
        return deviance(random_walk(len(xy_m), float(np.exp(log_q))), xy_m, precision, level=False)[0]

    optimum = scipy.optimize.minimize_scalar(
        of, bounds=(np.log(least), np.log(most)), method="bounded", options={"xatol": 0.01}
    )
    return float(np.exp(optimum.x))
