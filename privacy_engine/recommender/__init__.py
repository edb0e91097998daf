"""Models that recommend the next cell from published numbers, and the sequences of cells they are fitted to."""

from privacy_engine.recommender.base import Recommender, first_cells, model_digest, registered
from privacy_engine.recommender.gravity import GravityModel
from privacy_engine.recommender.markov import MarkovModel
from privacy_engine.recommender.nearest import NearestModel
from privacy_engine.recommender.ngrams import NgramModel
from privacy_engine.recommender.popularity import PopularityModel
from privacy_engine.recommender.sequences import Sequences, grid_cells
from privacy_engine.recommender.transitions import TransitionModel
from privacy_engine.recommender.tree import TreeModel
from privacy_engine.recommender.venues import VenuesModel
