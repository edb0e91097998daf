"""The cells of an experiment: one class for each kind of data.

>>> sorted(cells)
['checkins', 'stream', 'trajectory']
"""

from collections.abc import Mapping

from privacy_engine.experiments.cells.base import Cell
from privacy_engine.experiments.cells.checkins import CheckInCell
from privacy_engine.experiments.cells.releases import ReleaseCell, StreamCell
from privacy_engine.experiments.cells.trajectory import TrajectoryCell
from privacy_engine.experiments.correlation import Correlation

cells: Mapping[str, type[Cell]] = {one.data_kind: one for one in (TrajectoryCell, StreamCell, CheckInCell)}

__all__ = ["Cell", "CheckInCell", "Correlation", "ReleaseCell", "StreamCell", "TrajectoryCell", "cells"]
