"""How good recommendations are for users that a model was not fitted to: a split by user, positions, shared ranks.

>>> from privacy_engine.evaluation import Ranks
>>> ranks = Ranks([3], [4])  # three cells are better, four share the place of the next
>>> ranks.hits(1).tolist(), ranks.hits(5).tolist(), ranks.reciprocal().round(6).tolist()
([0.0], [0.5], [0.189881])
"""

from privacy_engine.evaluation.positions import LATER, Positions
from privacy_engine.evaluation.ranks import Evaluation, Ranks, ranked
from privacy_engine.evaluation.split import Split, split_by_user

__all__ = ["LATER", "Evaluation", "Positions", "Ranks", "Split", "ranked", "split_by_user"]
