"""Event level: every event gets the whole budget."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.accounting.promise import Neighbours
from privacy_engine.core.arrays import Ints, Mask
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark.base import (
    CLEAR_TIMES,
    ONE_RECORD,
    RECORD_NEIGHBOURS,
    PlanarLaplaceMechanism,
)


@mechanisms.register
class EventLevel(PlanarLaplaceMechanism):
    r"""Planar Laplace noise with the whole budget at every event: :math:`\epsilon_t = \epsilon`.

    Any single event is protected with ``epsilon`` within ``radius_m`` [1]_ [2]_; landmarks get nothing more, and
    together they may leak k times as much. Assumes independent events.

    References
    ----------
    .. [1] Dwork, Naor, Pitassi, Rothblum. "Differential privacy under continual observation". STOC 2010.
    .. [2] Andrés, Bordenabe, Chatzikokolakis, Palamidessi. "Geo-indistinguishability". CCS 2013.
    """

    title: ClassVar[str] = "Event level"
    summary: ClassVar[str] = "Every event separately; landmarks are not protected together."
    level: ClassVar[str] = "event"
    reads_landmarks: ClassVar[bool] = False
    sentence_without_landmarks: ClassVar[str] = ""
    sentence: ClassVar[str] = (
        "Whichever event of {unit} an adversary targets, it alone leaks at most ε = {epsilon} per {radius} m, "
        "with the same times"
    )
    sentence_of_records: ClassVar[str] = ONE_RECORD
    remark: ClassVar[str] = "Landmarks together may leak more."
    neighbours: ClassVar[Neighbours] = Neighbours(
        "Two traces of one person with the same times that differ in the position of one event.",
        "x ~ x′ ⇔ there is t with x_i = x′_i for all i ≠ t",
    )
    neighbours_of_records: ClassVar[Neighbours | None] = RECORD_NEIGHBOURS
    exposes: ClassVar[str] = "several events together"
    caveats: ClassVar[tuple[str, ...]] = ("Losses of several events add up; landmarks get no extra care.", CLEAR_TIMES)

    name: Literal["event-level"] = "event-level"

    def shares(self, n: Ints, k: Ints) -> tuple[ArrayLike, ArrayLike]:
        return self.epsilon, self.epsilon

    def protected(self, is_landmark: Mask) -> Mask:
        return np.zeros_like(is_landmark)
