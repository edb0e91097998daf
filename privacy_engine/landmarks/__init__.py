"""Ways to mark landmarks. Importing this package registers them."""

from privacy_engine.landmarks.methods import LandmarkMethod, Manual, StayPoints, landmark_methods, parse_short

__all__ = ["LandmarkMethod", "Manual", "StayPoints", "landmark_methods", "parse_short"]
