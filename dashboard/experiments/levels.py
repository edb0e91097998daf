"""The radii of the levels that an experiment tried, and the radius within which its charts state them."""

from typing import Any

from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import reference_radius_m
from privacy_engine.experiments import Cell, ExperimentSpec


def stated_levels(spec: ExperimentSpec, dataset: Dataset | None) -> dict[str, Any] | None:
    """Return ``reference_m``, and the ``radii`` in metres: a radius for each value of ``axis``, or that of all cells.

    The reference is the radius of the dataset, and that of the first cell where there is none. None where no release
    has a radius.
    """
    axes, radii_m = spec.axes(), {point.at: _radius_m(point.cell) for point in spec.points()}
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


def _radius_m(cell: Cell) -> float | None:
    return None if cell.release is None else cell.release.mechanism.parameter("radius_m")
