"""Experiments: a spec over a grid, its cells repeated by a seed, the same table however the work is cut.

>>> from privacy_engine.data import Trajectory
>>> spec = ExperimentSpec.parse({
...     "base": {"landmarks": {"name": "synthetic", "share": 0.5, "seed": 1}, "redraw": True},
...     "grid": {"landmarks.share": [0.0, 0.5]},
...     "repetitions": 10,
...     "seed": 1,
...     "metrics": ["temporal-distance"],
... })
>>> run(spec, [Trajectory([8.5] * 9, [47.3] * 9)]).column("mean").to_pylist()[0]
2.7777777777777777
"""

from privacy_engine.experiments.cells import Cell, CheckInCell, TrajectoryCell, cells
from privacy_engine.experiments.figure import figure, placed, summed
from privacy_engine.experiments.generated import CityCheckIns, PoissonStream, generators
from privacy_engine.experiments.inputs import Given, uncached
from privacy_engine.experiments.measures import Measure, measures
from privacy_engine.experiments.partition import (
    AT_ONCE_S,
    Block,
    blocks,
    cell_seconds,
    in_order,
    parts,
    predicted_seconds,
)
from privacy_engine.experiments.presets import Preset, SeriesPreset, presets
from privacy_engine.experiments.runner import data_of, dataset_digest, given_of, must_suit, run, run_block
from privacy_engine.experiments.selection import AS_THEY_ARE, SeriesSelection
from privacy_engine.experiments.spec import UNSTATED, ExperimentSpec, kind_of
from privacy_engine.experiments.store import FolderStore, Key, MemoryStore, Store
from privacy_engine.experiments.table import FILES, assemble, latex, write
