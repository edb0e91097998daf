"""Check-ins counted in the cells of a grid, for the owner's map."""

from typing import Any

import numpy as np
from rest_framework import serializers

from dashboard.core.errors import must_be
from dashboard.core.rest.parsing import Whole
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.errors import ParameterError

MOST = 1000
SIDE = 24
"""Cells per side of the grid that a dataset's page shows."""


class CellsQuery(serializers.Serializer[Any]):
    """How many cells."""

    k = Whole(default=50, help_text=f"The first so many cells, 1 to {MOST:,}.")


class CellSerializer(serializers.Serializer[Any]):
    """One cell of a grid, its box in degrees."""

    rank = serializers.IntegerField()
    cell = serializers.IntegerField(help_text="0 in the south-west, 1 the next one to the east.")
    west = serializers.FloatField()
    south = serializers.FloatField()
    east = serializers.FloatField()
    north = serializers.FloatField()
    count = serializers.FloatField(
        help_text="Of the upload, or what a release published: a count, or a mass that need not be whole."
    )
    uploaded = serializers.IntegerField(help_text="Of the upload: the owner's alone.")


class CellsSerializer(serializers.Serializer[Any]):
    """Cells in the order of their counts, the largest first."""

    cells = CellSerializer(many=True)
    of = serializers.IntegerField(help_text="How many cells the grid has.")


def display_grid(checkins: CheckIns) -> Grid:
    """Return a grid over the extent of the check-ins; it reads them, so it is for their owner's page alone.

    Raises
    ------
    ParameterError
        The check-ins have no positions.
    """
    if checkins.lon is None or checkins.lat is None:
        raise ParameterError("check-ins must have positions for a map", field="lon", rule="positions")
    west, east = float(checkins.lon.min()), float(checkins.lon.max())
    south, north = float(checkins.lat.min()), float(checkins.lat.max())
    return Grid.square(west, south, max(east, west + 1e-4), max(north, south + 1e-4), SIDE)


def checked(k: int) -> int:
    """Return how many cells are shown; ParameterError where ``k`` is not between 1 and :data:`MOST`."""
    if not 1 <= k <= MOST:
        raise must_be("k", f"between 1 and {MOST:,}", k)
    return k


def ranked(grid: Grid, counts: Ints | Floats, uploaded: Ints, k: int, *, positive: bool = False) -> dict[str, Any]:
    """Return the ``k`` cells with the largest counts, as :class:`CellsSerializer` has them.

    Raises
    ------
    ParameterError
        ``k`` is not between 1 and :data:`MOST`.
    """
    order = np.argsort(-counts, kind="stable")[: checked(k)]
    order = order[counts[order] > 0] if positive else order
    cells = []
    for rank, (cell, edges) in enumerate(zip(order.tolist(), grid.boxes(order).tolist(), strict=True), 1):
        box = dict(zip(("west", "south", "east", "north"), edges, strict=True))
        count = float(counts[cell])
        shown = int(count) if count.is_integer() else count
        cells.append({"rank": rank, "cell": cell, **box, "count": shown, "uploaded": int(uploaded[cell])})
    return {"cells": cells, "of": len(grid)}


def counted(grid: Grid, checkins: CheckIns) -> Ints:
    """Return how many check-ins lie in each cell, (cells,)."""
    assert checkins.lon is not None
    assert checkins.lat is not None
    cells = grid.cells(checkins.lon, checkins.lat)
    return np.bincount(cells[cells >= 0], minlength=len(grid)).astype(np.int64)
