"""What charts show of an experiment: out of its table when it is done, out of the blocks that are kept before.

The page of a running experiment requests it every second: what was read and summed up once is remembered, by what it
follows from. Workers remember nothing, since what is remembered may have been cleared away.
"""

from collections import OrderedDict
from collections.abc import Hashable
from itertools import product
from threading import Lock
from typing import Any

import numpy as np

from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import reference_radius_m
from dashboard.experiments import files
from dashboard.experiments.context import Material, material_of
from dashboard.experiments.models import Experiment
from dashboard.experiments.naming import figure_of
from dashboard.jobs.models import State
from privacy_engine import experiments
from privacy_engine.core.arrays import Floats
from privacy_engine.experiments import Block, ExperimentSpec


def stated_levels(spec: ExperimentSpec, dataset: Dataset | None) -> dict[str, Any] | None:
    """Return ``reference_m``, and the ``radii`` in metres: a radius for each value of ``axis``, or that of all cells.

    The reference is the radius of the dataset, and that of the first cell where there is none. None where no release
    has a radius.
    """
    axes, releases = spec.axes(), {point.at: point.cell.release for point in spec.points()}
    radii_m = {at: release and release.mechanism.parameter("radius_m") for at, release in releases.items()}
    first = (0,) * len(axes)
    every = [[radii_m[*first[:i], j, *first[i + 1 :]] for j in range(len(axis.values))] for i, axis in enumerate(axes)]
    varying = [i for i, radii in enumerate(every) if len(set(radii)) > 1]
    axis = varying[-1] if varying else None  # the deepest: it is set last
    radii = [radii_m[first]] if axis is None else every[axis]
    known = [radius for radius in radii if radius is not None]
    if not known:
        return None
    reference_m = known[0] if dataset is None else reference_radius_m(dataset, ledger.budget_of(dataset))
    return {"reference_m": reference_m, "axis": axis, "radii": radii}


class Memory:
    """The latest ``most`` things that were remembered."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._known: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        return self._known.get(key)

    def put(self, key: Hashable, value: Any) -> None:
        with self._lock:
            self._known[key] = value
            if len(self._known) > self._most:
                self._known.popitem(last=False)


_sums = Memory(50_000)  # of whole cells, about a kilobyte each
_blocks = Memory(5_000)  # of cells that are begun, a few hundred bytes to some kilobytes each


def results(row: Experiment) -> dict[str, Any]:
    """How it reads (:func:`privacy_engine.experiments.figure`) and its points so far."""
    spec = material_of(row).spec
    points = _finished(row, len(spec.metrics)) if row.state == State.DONE else _so_far(row)
    return figure_of(spec, row.dataset) | {"level": stated_levels(spec, row.dataset), "points": points}


def _so_far(row: Experiment) -> list[dict[str, Any]]:
    material, dataset = material_of(row), row.data_digest
    begun = material.store.begun(dataset) if dataset else set()
    by_cell = {}
    for digest in begun & material.by_cell.keys():
        known = _sum(row, material, digest)
        if known is not None:
            by_cell[digest] = known
    return experiments.placed(material.spec, by_cell)


def _sum(row: Experiment, material: Material, cell: str) -> dict[str, Any] | None:
    """What is known of a cell so far."""
    blocks = material.by_cell[cell]
    whole = (row.owner_id, row.data_digest, cell, tuple(block.count for block in blocks))
    known: dict[str, Any] | None = _sums.get(whole)
    if known is None:
        parts = [values for block in blocks if (values := _kept(row, material, block)) is not None]
        known = experiments.summed(np.concatenate(parts, axis=1)) if parts else None
        if len(parts) == len(blocks):
            _sums.put(whole, known)
    return known


def _kept(row: Experiment, material: Material, block: Block) -> Floats | None:
    key = (row.owner_id, block.key(row.data_digest))
    known: Floats | None = _blocks.get(key)
    if known is None and (known := material.kept(block, row.data_digest)) is not None:
        _blocks.put(key, known)
    return known


def _finished(row: Experiment, metrics: int) -> list[dict[str, Any]]:
    table = files.read(row)
    wanted = [name for name in ("cell", "marked_share", "mean", "low", "high", "n") if name in table.column_names]
    columns = table.select(wanted).to_pylist()
    at = product(*(range(len(axis.values)) for axis in material_of(row).spec.axes()))
    rows = []
    for i, place in enumerate(at):
        mine = columns[i * metrics : (i + 1) * metrics]
        values = [{name: point[name] for name in ("mean", "low", "high", "n")} for point in mine]
        rows.append(
            {"at": list(place), "cell": mine[0]["cell"], "share": mine[0].get("marked_share"), "values": values}
        )
    return rows
