"""w-event: every window of w successive events shares the budget."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.accounting.promise import Neighbours
from privacy_engine.core.arrays import Ints, Mask
from privacy_engine.core.params import WindowLength
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark.base import (
    CLEAR_TIMES,
    ONE_RECORD,
    RECORD_NEIGHBOURS,
    PlanarLaplaceMechanism,
)


@mechanisms.register
class WEvent(PlanarLaplaceMechanism):
    r"""Planar Laplace noise with :math:`\epsilon_t = \epsilon / w` at every event, w the window's length.

    Theorem: for series that differ by at most ``radius_m`` in each of the events of one window of w successive
    events, the odds of any output differ by at most :math:`e^\epsilon`. Only the w factors of that window differ, each
    by at most :math:`e^{\epsilon / w}` [1]_ [2]_. Between event level (w = 1) and user level (w = n); landmarks get
    nothing more. Assumes independent events.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       PVLDB 2014.
    .. [2] Andrés, Bordenabe, Chatzikokolakis, Palamidessi. "Geo-indistinguishability". CCS 2013.
    """

    title: ClassVar[str] = "w-event"
    summary: ClassVar[str] = "Every window of w successive events shares the budget, landmarks like other events."
    level: ClassVar[str] = "w-event"
    reads_landmarks: ClassVar[bool] = False
    sentence_without_landmarks: ClassVar[str] = ""
    sentence: ClassVar[str] = (
        "Any {window} successive events of {unit} together leak at most ε = {epsilon} per {radius} m moved by each, "
        "with the same times"
    )
    sentence_of_records: ClassVar[str] = ONE_RECORD
    remark: ClassVar[str] = "Landmarks further apart than a window may leak more."
    neighbours: ClassVar[Neighbours] = Neighbours(
        "Two traces of one person with the same times that differ in the positions of events within one window of w "
        "successive events.",
        "x ~ x′ ⇔ there is t with x_i = x′_i for all i outside t, …, t + w − 1",
    )
    neighbours_of_records: ClassVar[Neighbours | None] = RECORD_NEIGHBOURS
    exposes: ClassVar[str] = "events further apart than w"
    caveats: ClassVar[tuple[str, ...]] = (
        "Losses of events further apart than a window add up; landmarks get no extra care.",
        CLEAR_TIMES,
    )

    name: Literal["w-event"] = "w-event"
    window: WindowLength

    def shares(self, n: Ints, k: Ints) -> tuple[ArrayLike, ArrayLike]:
        return self.epsilon / self.window, self.epsilon / self.window

    def protected(self, is_landmark: Mask) -> Mask:
        """w - 1 events, which make a window with the target; budgets are alike, so any of them stand for all."""
        return np.asarray(np.arange(len(is_landmark)) < self.window - 1)
