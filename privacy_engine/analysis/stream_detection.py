r"""Detection of jumps and low signals in published counts: ROC curves against the truth.

A jump at t is a change of at least θ against L timestamps before, up or down; a low signal is a timestamp of a run of
at least L successive ones below θ (Chen, Machanavajjhala, Hay, Miklau, "PeGaSus: data-adaptive differentially private
stream processing", CCS 2017, section 6). The truth is judged at θ, what was published at every threshold.
"""

import numpy as np

from privacy_engine.analysis.results import Result
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.metrics.stream_events import Event, events, rates


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
    positives: int
    """Timestamps, over all dimensions, with an event in the truth."""
    negatives: int
    """Timestamps, over all dimensions, without one."""


def detection(truth: Floats, published: Floats, event: Event, length: int, threshold: float) -> Detection:
    """How well events are detected in counts (T, d) of more than ``length`` timestamps.

    Raises
    ------
    DataError
        The tables differ in shape.
    ParameterError
        ``length`` is not at least 1 and below the number of timestamps, or ``threshold`` not a number of at least 0.
    """
    if truth.shape != published.shape or truth.ndim != 2:
        raise DataError.must_be("counts", "two tables of one shape", got=f"{truth.shape} and {published.shape}")
    if length < 1:
        raise ParameterError("length must be at least 1", field="length", rule=">= 1", value=length)
    if length >= len(truth):
        rule = f"below {len(truth)}, the number of timestamps of the stream"
        raise ParameterError.must_be("length", rule, length)
    if not threshold >= 0:
        raise ParameterError("threshold must be at least 0", field="threshold", rule=">= 0", value=threshold)
    scores, is_event = events(truth, published, event, length, threshold)
    positives = int(is_event.sum())
    return Detection(curve=roc(scores, is_event), positives=positives, negatives=is_event.size - positives)


def roc(scores: Floats, is_event: Mask) -> RocCurve | None:
    """The curve of ``scores``, higher where an event is more likely; None where there is no event, or nothing else.

    Equal scores are detected together, so the area is the chance that an event scores higher than a timestamp without
    an event, ties counted half.
    """
    curve = rates(scores, is_event)
    if curve is None:
        return None
    false, true = curve
    area = float(np.trapezoid(true, false))
    true, false = _thinned(true, false)
    return RocCurve(
        false_positive_rate=false.tolist(),
        true_positive_rate=true.tolist(),
        area=area,
        positives=int(is_event.sum()),
        negatives=int((~is_event).sum()),
    )


MOST_POINTS = 500


def _thinned(true: Floats, false: Floats) -> tuple[Floats, Floats]:
    """At most :data:`MOST_POINTS` points of the curve, its ends among them, evenly spaced along it."""
    if len(true) <= MOST_POINTS:
        return true, false
    along = true + false
    places = np.unique(np.searchsorted(along, np.linspace(0, along[-1], MOST_POINTS)))
    return true[places], false[places]
