"""Mechanisms of count streams: each in a file."""

# ruff: noqa: I001  (the order of registration is the order of forms and legends)

from privacy_engine.mechanisms.stream.uniform import StreamUniform
from privacy_engine.mechanisms.stream.sample import StreamSample
from privacy_engine.mechanisms.stream.bd import StreamBD
from privacy_engine.mechanisms.stream.ba import StreamBA
from privacy_engine.mechanisms.stream.fast import StreamFAST
from privacy_engine.mechanisms.stream.rescuedp import StreamRescueDP
from privacy_engine.mechanisms.stream.pegasus import StreamPeGaSus
from privacy_engine.mechanisms.stream.adapub import StreamAdaPub
from privacy_engine.mechanisms.stream.hieradapub import StreamHierAdaPub
from privacy_engine.mechanisms.stream.kalman import StreamKalman
from privacy_engine.mechanisms.stream.kalman_uniform import StreamKalmanUniform
from privacy_engine.mechanisms.stream.shrink import StreamShrink
