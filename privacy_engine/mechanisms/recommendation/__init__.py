"""Models of check-ins for location recommendation, and two to compare with: Markov without noise, Nearest cell."""

from privacy_engine.mechanisms.recommendation.blend import CheckInBlend
from privacy_engine.mechanisms.recommendation.gravity import CheckInGravity
from privacy_engine.mechanisms.recommendation.kdtree import CheckInKdTree
from privacy_engine.mechanisms.recommendation.markov import CheckInMarkov
from privacy_engine.mechanisms.recommendation.nearest import CheckInNearest
from privacy_engine.mechanisms.recommendation.ngram import CheckInNgram
from privacy_engine.mechanisms.recommendation.popularity import CheckInPopularity
from privacy_engine.mechanisms.recommendation.privtree import CheckInPrivTree
from privacy_engine.mechanisms.recommendation.quadtree import CheckInQuadtree
from privacy_engine.mechanisms.recommendation.venues import CheckInVenues

__all__ = [
    "CheckInBlend",
    "CheckInGravity",
    "CheckInKdTree",
    "CheckInMarkov",
    "CheckInNearest",
    "CheckInNgram",
    "CheckInPopularity",
    "CheckInPrivTree",
    "CheckInQuadtree",
    "CheckInVenues",
]
