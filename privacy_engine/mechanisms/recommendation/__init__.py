"""Models of check-ins for location recommendation: Popularity."""

from privacy_engine.mechanisms.recommendation.popularity import CheckInPopularity

__all__ = ["CheckInPopularity"]
