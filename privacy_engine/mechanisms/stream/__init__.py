"""w-event privacy for count streams: Uniform, Sample, and Kalman filters."""

# ruff: noqa: I001  (the order of registration is the order of forms and legends)

from privacy_engine.mechanisms.stream.uniform import StreamUniform
from privacy_engine.mechanisms.stream.sample import StreamSample
from privacy_engine.mechanisms.stream.kalman import StreamKalman
from privacy_engine.mechanisms.stream.kalman_uniform import StreamKalmanUniform

__all__ = ["StreamKalman", "StreamKalmanUniform", "StreamSample", "StreamUniform"]
