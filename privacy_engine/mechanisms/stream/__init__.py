"""w-event privacy for count streams: Uniform, Sample, AdaPub, and Kalman filters."""

# ruff: noqa: I001  (the order of registration is the order of forms and legends)

from privacy_engine.mechanisms.stream.uniform import StreamUniform
from privacy_engine.mechanisms.stream.sample import StreamSample
from privacy_engine.mechanisms.stream.adapub import StreamAdaPub
from privacy_engine.mechanisms.stream.hieradapub import StreamHierAdaPub
from privacy_engine.mechanisms.stream.kalman import StreamKalman
from privacy_engine.mechanisms.stream.kalman_uniform import StreamKalmanUniform

__all__ = [
    "StreamAdaPub",
    "StreamHierAdaPub",
    "StreamKalman",
    "StreamKalmanUniform",
    "StreamSample",
    "StreamUniform",
]
