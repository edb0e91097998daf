"""Landmark privacy for trajectories: event, w-event and user level, Uniform, Skip, Adaptive,
Optimal split, Planned, Joint."""

# ruff: noqa: I001  (the order of registration is the order of forms and legends)

from privacy_engine.mechanisms.landmark.event_level import EventLevel
from privacy_engine.mechanisms.landmark.user_level import UserLevel
from privacy_engine.mechanisms.landmark.uniform import Uniform
from privacy_engine.mechanisms.landmark.skip import Skip
from privacy_engine.mechanisms.landmark.adaptive import Adaptive
from privacy_engine.mechanisms.landmark.w_event import WEvent
from privacy_engine.mechanisms.landmark.optimal import OptimalSplit
from privacy_engine.mechanisms.landmark.planned import Planned
from privacy_engine.mechanisms.landmark.joint import Joint
