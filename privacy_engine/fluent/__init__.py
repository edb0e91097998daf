"""The library of notebooks: data read, marked, released and shown in a chain of calls over the engine's functions.

>>> import privacy_engine as pe
>>> walk = pe.sample("walk").landmarks("stay-points:200m:30min")
>>> release = walk.release("landmark-uniform", epsilon=1, radius_m=200)
>>> release.private, release.label["level"]
(True, 'landmark')

:mod:`privacy_engine` has these names too and imports this package at their first use. library.md is the guide.
"""

from privacy_engine.datatypes.tables import Table
from privacy_engine.fluent.checkins import CheckInData, ModelRelease, RecommendedCell
from privacy_engine.fluent.experiments import Experiment, experiment
from privacy_engine.fluent.opening import catalogue, read, sample
from privacy_engine.fluent.streams import CountData, CountRelease
from privacy_engine.fluent.trajectories import TrajectoryData, TrajectoryRelease
