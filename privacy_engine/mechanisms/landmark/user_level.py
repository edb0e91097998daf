"""User level: the budget is shared by all events."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.accounting.promise import Neighbours
from privacy_engine.core.arrays import Ints, Mask
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark.base import CLEAR_TIMES, PlanarLaplaceMechanism


@mechanisms.register
class UserLevel(PlanarLaplaceMechanism):
    r"""Planar Laplace noise, the budget shared by all n events: :math:`\epsilon_t = \epsilon / n`.

    The whole series is protected with ``epsilon`` within ``radius_m`` for every event at once [1]_, whatever the
    correlation between events. The strongest level, and the noisiest.

    References
    ----------
    .. [1] Dwork, Naor, Pitassi, Rothblum. "Differential privacy under continual observation". STOC 2010.
    """

    title: ClassVar[str] = "User level"
    summary: ClassVar[str] = "The whole series together; every event shares the budget."
    level: ClassVar[str] = "user"
    reads_landmarks: ClassVar[bool] = False
    sentence_without_landmarks: ClassVar[str] = ""
    sentence: ClassVar[str] = (
        "All events of {unit} together leak at most ε = {epsilon} per {radius} m moved by each, with the same times"
    )
    sentence_of_records: ClassVar[str] = ""
    neighbours: ClassVar[Neighbours] = Neighbours(
        "Two traces of one person with the same times.", "x ~ x′ ⇔ x and x′ have the same times"
    )
    neighbours_of_records: ClassVar[Neighbours | None] = None
    assumptions: ClassVar[tuple[str, ...]] = ()
    caveats: ClassVar[tuple[str, ...]] = (CLEAR_TIMES,)

    name: Literal["user-level"] = "user-level"

    def shares(self, n: Ints, k: Ints) -> tuple[ArrayLike, ArrayLike]:
        share = self.epsilon / np.maximum(n, 1)
        return share, share

    def protected(self, is_landmark: Mask) -> Mask:
        return np.ones_like(is_landmark)
