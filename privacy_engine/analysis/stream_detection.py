r"""Detection of jumps and low signals in published counts: ROC curves against the truth.

A jump at t is a change of at least θ against L timestamps before, up or down; a low signal is a timestamp of a run of
at least L successive ones below θ (Chen, Machanavajjhala, Hay, Miklau, "PeGaSus: data-adaptive differentially private
stream processing", CCS 2017, section 6). The truth is judged at θ, what was published at every threshold.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from privacy_engine.analysis.results import Result
from privacy_engine.data import Floats, Mask
from privacy_engine.errors import DataError, ParameterError

Event = Literal["jump", "low-signal"]


class RocCurve(Result):
    """Shares of true and of false alarms as the threshold on the published counts moves, from none to all detected."""

    false_positive_rate: list[float]
    """Detected of the timestamps without an event, ascending from 0 to 1."""
    true_positive_rate: list[float]
    """Detected of the timestamps with an event."""
    area: float
    """Area under the curve: 1 is perfect, 0.5 a guess."""
    positives: int
    """Timestamps, over all dimensions, with an event in the truth."""
    negatives: int
    """Timestamps, over all dimensions, without one."""


class Detection(Result):
    """How well events of the truth are detected in what was published."""

    curve: RocCurve | None
    """Null where no timestamp has such an event, or every one."""


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


def detection(truth: Floats, published: Floats, event: Event, length: int, threshold: float) -> RocCurve | None:
    """The curve for counts (T, d) of which there are more than ``length``; None where all or no timestamp has an event.

    Raises
    ------
    DataError
        The tables differ in shape, or have too few timestamps.
    ParameterError
        ``length`` is not at least 1, or ``threshold`` not a number of at least 0.
    """
    if truth.shape != published.shape or truth.ndim != 2 or len(truth) <= length:
        rule = f"two tables of one shape with more than {length} timestamps"
        raise DataError(f"counts must be {rule}, got {truth.shape} and {published.shape}", field="counts", rule=rule)
    if length < 1:
        raise ParameterError("length must be at least 1", field="length", rule=">= 1", value=length)
    if not threshold >= 0:
        raise ParameterError("threshold must be at least 0", field="threshold", rule=">= 0", value=threshold)
    if event == "jump":
        is_event = jump_scores(truth, length) >= threshold
        return roc(jump_scores(published, length), is_event)
    is_event = low_signal_scores(truth, length) > -threshold
    return roc(low_signal_scores(published, length), is_event)


def roc(scores: Floats, is_event: Mask) -> RocCurve | None:
    """The curve of ``scores``, higher where an event is more likely; None where there is no event, or nothing else.

    Equal scores are detected together, so the area is the chance that an event scores higher than a timestamp without
    one, ties counted half.
    """
    score, event = scores.ravel(), is_event.ravel()
    positives, negatives = int(event.sum()), int((~event).sum())
    if not positives or not negatives:
        return None
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))  # of each group of equal scores
    true = np.concatenate([[0], np.cumsum(event[order])[last]]) / positives
    false = np.concatenate([[0], np.cumsum(~event[order])[last]]) / negatives
    area = float(np.trapezoid(true, false))
    true, false = _thinned(true, false)
    return RocCurve(
        false_positive_rate=false.tolist(),
        true_positive_rate=true.tolist(),
        area=area,
        positives=positives,
        negatives=negatives,
    )


MOST_POINTS = 500


def _thinned(true: Floats, false: Floats) -> tuple[Floats, Floats]:
    """At most :data:`MOST_POINTS` points of the curve, its ends among them, evenly spaced along it."""
    if len(true) <= MOST_POINTS:
        return true, false
    along = true + false
    places = np.unique(np.searchsorted(along, np.linspace(0, along[-1], MOST_POINTS)))
    return true[places], false[places]
