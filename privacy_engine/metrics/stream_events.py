"""Jumps and low signals of counts: how well they are detected in what was published, as a number.

A jump at t is a change of at least θ against L timestamps before, up or down; a low signal is a timestamp of a run of
at least L successive ones below θ. The truth is judged at θ, what was published at every threshold.
"""

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.params import Param
from privacy_engine.data import CountStream
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.metrics.base import metrics
from privacy_engine.metrics.stream import StreamMetric

Event = Literal["jump", "low-signal"]
Length = Annotated[
    int,
    Param(
        label="Timestamps",
        symbol="L",
        help="Over how many timestamps a jump is a change, and for how many a signal is low.",
        lowest=1,
        highest=10_000,
        example=10,
    ),
]
Threshold = Annotated[
    float,
    Param(
        label="Threshold",
        symbol="θ",
        unit="events",
        help="The least change of a jump; a low signal lies below it.",
        lowest=0.0,
        highest=1e12,
        example=50.0,
    ),
]


def jump_scores(counts: Floats, length: int) -> Floats:
    """How much each count differs from that ``length`` timestamps before, (T - L, d)."""
    return np.abs(counts[length:] - counts[:-length])


def low_signal_scores(counts: Floats, length: int) -> Floats:
    """Minus the smallest threshold at which a timestamp lies in a run of ``length`` counts below it, (T, d).

    It is minus the smallest, over the windows of ``length`` timestamps that hold it, of their largest count.
    """
    windows = np.lib.stride_tricks.sliding_window_view(counts, length, axis=0).max(axis=-1)  # (T - L + 1, d)
    padded = np.concatenate([np.full((length - 1, counts.shape[1]), np.inf), windows])
    padded = np.concatenate([padded, np.full((length - 1, counts.shape[1]), np.inf)])
    return np.asarray(-np.lib.stride_tricks.sliding_window_view(padded, length, axis=0).min(axis=-1))


def events(truth: Floats, published: Floats, event: Event, length: int, threshold: float) -> tuple[Floats, Mask]:
    """Scores of what was published, higher where an event is more likely, and where the truth has an event.

    For counts (T, d) of more than ``length`` timestamps: (T - L, d) for jumps, (T, d) for low signals.
    """
    if event == "jump":
        return jump_scores(published, length), jump_scores(truth, length) >= threshold
    return low_signal_scores(published, length), low_signal_scores(truth, length) > -threshold


def rates(scores: Floats, is_event: Mask) -> tuple[Floats, Floats] | None:
    """Shares of false and of true alarms, from none to all detected; None where there is no event, or nothing else.

    Equal scores are detected together, so the area under the curve is the chance that an event scores higher than a
    timestamp without an event, ties counted half.
    """
    score, event = scores.ravel(), is_event.ravel()
    positives, negatives = int(event.sum()), int((~event).sum())
    if not positives or not negatives:
        return None
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))  # of each group of equal scores
    true = np.concatenate([[0], np.cumsum(event[order])[last]]) / positives
    false = np.concatenate([[0], np.cumsum(~event[order])[last]]) / negatives
    return false, true


class _Detection(StreamMetric):
    """Base: the area under the ROC curve of an event; not a number where all or no timestamp has one."""

    less_is_better: ClassVar[bool] = False
    count_s: ClassVar[float] = 4e-7
    event: ClassVar[Event]

    length: Length
    threshold: Threshold

    @property
    def least_timestamps(self) -> int:
        return self.length + 1

    def of(self, truth: CountStream, release: StreamRelease) -> float:
        return super().of(truth, release) if len(truth) >= self.least_timestamps else float("nan")

    def _of(self, truth: Floats, published: Floats) -> float:
        curve = rates(*events(truth, published, self.event, self.length, self.threshold))
        return float("nan") if curve is None else float(np.trapezoid(curve[1], curve[0]))


@metrics.register
class StreamJumpDetection(_Detection):
    """The area under the ROC curve of changes of at least θ within L timestamps [1]_: 1 is perfect, 0.5 a guess.

    References
    ----------
    .. [1] Chen, Machanavajjhala, Hay, Miklau. "PeGaSus: Data-Adaptive Differentially Private Stream Processing".
       CCS 2017, section 6.
    """

    title: ClassVar[str] = "Jump detection"
    short: ClassVar[str] = "Jumps"
    summary: ClassVar[str] = "Area under the ROC curve of jumps of at least θ within L timestamps; 0.5 is a guess."
    event: ClassVar[Event] = "jump"

    name: Literal["stream-jump-detection"] = "stream-jump-detection"


@metrics.register
class StreamLowSignalDetection(_Detection):
    """The area under the ROC curve of runs of at least L timestamps below θ [1]_: 1 is perfect, 0.5 a guess.

    References
    ----------
    .. [1] Chen, Machanavajjhala, Hay, Miklau. "PeGaSus: Data-Adaptive Differentially Private Stream Processing".
       CCS 2017, section 6.
    """

    title: ClassVar[str] = "Low-signal detection"
    short: ClassVar[str] = "Low signals"
    summary: ClassVar[str] = "Area under the ROC curve of runs of at least L timestamps below θ; 0.5 is a guess."
    event: ClassVar[Event] = "low-signal"

    name: Literal["stream-low-signal-detection"] = "stream-low-signal-detection"
