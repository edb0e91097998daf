"""The cells of an experiment: a class for each kind of data, from the modules of this package.

>>> list(cells)[:3]
['trajectory', 'stream', 'checkins']
"""

# isort: off
from importlib import import_module
from pkgutil import iter_modules

from privacy_engine.experiments.cells.base import Cell, cells
from privacy_engine.experiments.cells.trajectory import TrajectoryCell
from privacy_engine.experiments.cells.releases import ReleaseCell
from privacy_engine.experiments.cells.stream import StreamCell
from privacy_engine.experiments.cells.checkins import CheckInCell
from privacy_engine.experiments.correlation import Correlation
# isort: on

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

__all__ = ["Cell", "CheckInCell", "Correlation", "ReleaseCell", "StreamCell", "TrajectoryCell", "cells"]
