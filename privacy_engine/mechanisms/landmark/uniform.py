"""Uniform: the budget is shared by the landmarks and a further event."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Ints
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism


@mechanisms.register
class Uniform(PlanarLaplaceMechanism):
    r"""Planar Laplace noise, the budget shared evenly by the landmarks and one more event.

    :math:`\epsilon_t = \epsilon / (k + 1)` with k landmarks, so whichever event t is targeted,
    :math:`L \cup \{t\}` spends at most ``epsilon`` [1]_. Where every event is a landmark there is no other event to
    save for, and the share is ε/n: user level. Without landmarks it is ε: event level. Assumes independent events;
    :mod:`privacy_engine.accounting.temporal` has the loss when they are not.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022.
    """

    title: ClassVar[str] = "Uniform"
    summary: ClassVar[str] = "The budget shared evenly by the landmarks and the current event."

    name: Literal["landmark-uniform"] = "landmark-uniform"

    def shares(self, n: Ints, k: Ints) -> tuple[ArrayLike, ArrayLike]:
        share = self.epsilon / np.maximum(k + (k < n), 1)
        return share, share
