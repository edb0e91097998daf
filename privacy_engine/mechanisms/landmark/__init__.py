"""Landmark privacy for trajectories: event level, user level, Uniform, Skip, Adaptive."""

# ruff: noqa: I001  (the order of registration is the order of forms and legends)

from privacy_engine.mechanisms.landmark.event_level import EventLevel
from privacy_engine.mechanisms.landmark.user_level import UserLevel
from privacy_engine.mechanisms.landmark.uniform import Uniform
from privacy_engine.mechanisms.landmark.skip import Skip
from privacy_engine.mechanisms.landmark.adaptive import Adaptive

__all__ = ["Adaptive", "EventLevel", "Skip", "Uniform", "UserLevel"]
