"""Halves: one half of the budget for all landmarks together, the other for the current event."""

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism


class Halves(PlanarLaplaceMechanism):
    r"""Planar Laplace noise; landmarks share one half of the budget evenly, every other event has the other half.

    Whichever event is targeted, it and all k landmarks spend at most
    :math:`k \cdot \epsilon / 2k + \epsilon / 2 = \epsilon` [1]_. Where no event is a landmark, or all are, there is
    nothing to save for. Assumes independent events.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022.
    """

    title: ClassVar[str] = "Halves"
    summary: ClassVar[str] = "Half of the budget for the landmarks together, half for the current event."

    name: Literal["landmark-halves"] = "landmark-halves"

    def shares(self, n, k):
        """What each landmark and each other event has, of people with ``n`` events, ``k`` of them landmarks."""
        of_landmarks = np.where(k < n, self.epsilon / 2, self.epsilon)
        return of_landmarks / np.maximum(k, 1), np.where(k > 0, self.epsilon / 2, self.epsilon)
