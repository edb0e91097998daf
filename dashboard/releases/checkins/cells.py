"""The cells that a published model of check-ins ranks first."""

from typing import Any

import numpy as np

from dashboard.core.computing import computed_where
from dashboard.datasets.checkins import cells
from dashboard.releases.common.release_data import original_of, read_release
from dashboard.releases.models import Release
from privacy_engine.core.arrays import Floats
from privacy_engine.recommender import Recommender

PLACES = 20
"""Cells that are listed and drawn."""


def masses_of(model: Recommender) -> Floats:
    """Return what a model published of every cell, (cells,): its masses, or its scores without a history."""
    masses = model.densities()
    return model.scores([]) if masses is None else masses


@computed_where(lambda row, _: row.dataset.is_large)
def released_cells(row: Release, k: int) -> dict[str, Any]:
    """Return the first cells of a release, beside the upload's counts of them: for its owner."""
    model = read_release(row)
    return cells.ranked(model.grid, masses_of(model), cells.counted(model.grid, original_of(row)), k)


def places(model: Recommender) -> list[dict[str, Any]]:
    """Return the first cells of a published model, by what it published alone."""
    none = np.zeros(len(model.grid), np.int64)
    ranked = cells.ranked(model.grid, masses_of(model), none, PLACES)["cells"]
    return [{name: cell[name] for name in cell if name != "uploaded"} for cell in ranked]
