"""What a release costs in use. These read the truth: they are the owner's, never a part of a release.

A metric is a class in a file here, registered: its name, sentence, unit and source are all a page needs of it.

>>> from privacy_engine.data import Trajectory
>>> truth = Trajectory([0.0, 0.001], [0.0, 0.0])
>>> metric = metrics.parse({"name": "mean-absolute-error"})
>>> metric.over(truth, truth.lon + [0.0, 0.002], truth.lat, [0, 1]).round(1).item()
111.2
"""

# ruff: noqa: I001  (the order of registration is the order of forms)

from privacy_engine.metrics.pointwise import (
    ErrorQuantile,
    MeanAbsoluteError,
    RootMeanSquareError,
    error_m,
    mean_absolute_error_m,
)
from privacy_engine.metrics.shape import DynamicTimeWarping, Hausdorff, TripLengthError
from privacy_engine.metrics.places import PoiRecall, RangeQueryError
from privacy_engine.metrics.stream import (
    StreamHierarchyError,
    StreamMeanAbsoluteError,
    StreamPearson,
    StreamRelativeError,
    StreamRootMeanSquareError,
    StreamSpearman,
)
from privacy_engine.metrics.stream_events import StreamJumpDetection, StreamLowSignalDetection
from privacy_engine.metrics.checkins import CheckInMetric, RangeCountError, RangeShareError, TopOverlap
from privacy_engine.metrics.recommendation import (
    HitRate,
    HitRateByUser,
    HitRateOfFive,
    HitRateOfOne,
    Precision,
    Recall,
    ReciprocalRank,
)
from privacy_engine.metrics.base import Metric, TrajectoryMetric, metrics
from privacy_engine.registry import import_all

import_all(__name__)  # those that are not listed come last
