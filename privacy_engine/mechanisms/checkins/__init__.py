"""Models of check-ins for location recommendation, and two to compare with: Markov without noise, Nearest cell."""

from privacy_engine.mechanisms.checkins.blend import CheckInBlend
from privacy_engine.mechanisms.checkins.gravity import CheckInGravity
from privacy_engine.mechanisms.checkins.kdtree import CheckInKdTree
from privacy_engine.mechanisms.checkins.markov import CheckInMarkov
from privacy_engine.mechanisms.checkins.nearest import CheckInNearest
from privacy_engine.mechanisms.checkins.ngram import CheckInNgram
from privacy_engine.mechanisms.checkins.popularity import CheckInPopularity
from privacy_engine.mechanisms.checkins.privtree import CheckInPrivTree
from privacy_engine.mechanisms.checkins.quadtree import CheckInQuadtree
from privacy_engine.mechanisms.checkins.venues import CheckInVenues
