"""w-event privacy for count streams: Uniform and Sample."""

# ruff: noqa: I001  (the order of registration is the order of forms and legends)

from privacy_engine.mechanisms.stream.uniform import StreamUniform
from privacy_engine.mechanisms.stream.sample import StreamSample

__all__ = ["StreamSample", "StreamUniform"]
