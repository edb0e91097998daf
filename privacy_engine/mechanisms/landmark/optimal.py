"""Optimal split: the shares of landmarks and other events with the least mean error."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Ints
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism


@mechanisms.register
class OptimalSplit(PlanarLaplaceMechanism):
    r"""Planar Laplace noise; the other events share *one* slot, split from the landmarks for the least mean error.

    The theorem of landmark privacy [1]_ bounds :math:`\sum_{L \cup \{t\}} \epsilon_i`: over the regular events it is a
    maximum, not a sum, so all n - k of them may spend the same b, and k landmarks a each, with
    :math:`k a + b = \epsilon`. Planar Laplace noise is off by 2/ε on average [2]_; the mean error
    :math:`(2k/a + 2(n - k)/b)/n` is least where :math:`b = a\sqrt{n - k}`, thus
    :math:`a = \epsilon / (k + \sqrt{n - k})`, with mean error :math:`2(k + \sqrt{n - k})^2 / (n\epsilon)` against
    :math:`2(k + 1)/\epsilon` of Uniform. Where every event is a landmark it is user level, without landmarks event
    level. Assumes independent events.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022. (The theorem; the split is Cairn's.)
    .. [2] Andrés, Bordenabe, Chatzikokolakis, Palamidessi. "Geo-indistinguishability". CCS 2013.
    """

    title: ClassVar[str] = "Optimal split"
    summary: ClassVar[str] = "Landmarks share the budget with one slot for all other events, split for the least error."

    name: Literal["landmark-optimal"] = "landmark-optimal"

    def shares(self, n: Ints, k: Ints) -> tuple[ArrayLike, ArrayLike]:
        root = np.sqrt(n - k)
        landmark = self.epsilon / np.maximum(k + root, 1)
        return landmark, np.where(k == 0, self.epsilon, landmark * root)
