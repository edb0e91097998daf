"""``CountGrid``: equal cells over a box in degrees, each a dimension of a count stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_engine.errors import DataError

MOST_CELLS = 20_000


@dataclass(frozen=True)
class CountGrid:
    """``rows`` times ``columns`` cells over a box in degrees, WGS 84; west < east and south < north.

    Cell 0 is in the south-west, 1 the next one to the east. East and north edges of the box belong to the last cells.

    Raises
    ------
    DataError
        There is no cell, there are more than :data:`MOST_CELLS`, or the box is none.
    """

    west: float
    south: float
    east: float
    north: float
    columns: int
    rows: int

    def __post_init__(self) -> None:
        whole = all(type(count) is int and 1 <= count <= MOST_CELLS for count in (self.columns, self.rows))
        if not (whole and self.columns * self.rows <= MOST_CELLS):
            rule = f"1 to {MOST_CELLS:,} cells"
            raise DataError(f"grid must have {rule}", field="grid", rule=rule)
        if not (-180 <= self.west < self.east <= 180 and -90 <= self.south < self.north <= 90):
            rule = "a west less than its east and a south less than its north, in degrees"
            raise DataError(f"grid must have {rule}", field="grid", rule=rule)

    def __len__(self) -> int:
        return self.columns * self.rows

    def cells(self, lon: ArrayLike, lat: ArrayLike) -> NDArray[np.int64]:
        """The cell of each position, (n,), -1 outside the box."""
        x, y = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
        inside = (x >= self.west) & (x <= self.east) & (y >= self.south) & (y <= self.north)
        column = np.clip(np.floor((x - self.west) / (self.east - self.west) * self.columns), 0, self.columns - 1)
        row = np.clip(np.floor((y - self.south) / (self.north - self.south) * self.rows), 0, self.rows - 1)
        return np.where(inside, row * self.columns + column, -1).astype(np.int64)

    def boxes(self) -> NDArray[np.float64]:
        """West, south, east and north of each cell, (cells, 4), in degrees."""
        lon = np.linspace(self.west, self.east, self.columns + 1)
        lat = np.linspace(self.south, self.north, self.rows + 1)
        row, column = np.divmod(np.arange(len(self)), self.columns)
        return np.column_stack([lon[column], lat[row], lon[column + 1], lat[row + 1]])

    def names(self) -> list[str]:
        """The name of each cell by its row, from the south, and its column, from the west.

        >>> CountGrid(0.0, 0.0, 3.0, 2.0, 3, 2).names()
        ['r0c0', 'r0c1', 'r0c2', 'r1c0', 'r1c1', 'r1c2']
        """
        return [f"r{row}c{column}" for row in range(self.rows) for column in range(self.columns)]
