"""What an experiment can measure: registered descriptions that make a number of each repetition.

Its own measures, every metric and the headlines of every attack; the last two derive from their registries. An entry of
a spec is a name, or an object with parameters. Losses and distances read which events are landmarks and never a
position; errors, metrics and attacks read the truth, so they are the owner's.

>>> measures.parse("error").plain
'error'
>>> measures.parse({"name": "error-quantile", "p": 0.5}).plain
{'name': 'error-quantile', 'p': 0.5}
"""

# isort: off
from privacy_engine.experiments.measures import error, landmarks, losses
from privacy_engine.experiments.measures.landmarks import MarkedShare
from privacy_engine.experiments.measures.derived import AttackMeasure
from privacy_engine.experiments.measures.base import Measure, Work, measures
# isort: on

__all__ = ["AttackMeasure", "MarkedShare", "Measure", "Work", "measures"]
