"""Ways to mark landmarks, and dummies beside them. Importing this package registers them."""

from privacy_engine.landmarks.dummy_methods import DummyMethod, SelectionSpec, dummy_methods, parse_short_dummies
from privacy_engine.landmarks.methods import LandmarkMethod, Manual, StayPoints, landmark_methods, parse_short

__all__ = [
    "DummyMethod",
    "LandmarkMethod",
    "Manual",
    "SelectionSpec",
    "StayPoints",
    "dummy_methods",
    "landmark_methods",
    "parse_short",
    "parse_short_dummies",
]
