"""``Grid``: equal cells over a box in degrees, of count streams and of models of check-ins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_engine.errors import DataError

MOST_CELLS = 512**2
_FIELDS = {"west", "south", "east", "north", "columns", "rows"}


@dataclass(frozen=True)
class Grid:
    """``rows`` times ``columns`` cells over a box in degrees, WGS 84; west < east and south < north.

    Cell 0 is in the south-west, 1 the next to the east. East and north edges of the box belong to the last cells.

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

    @classmethod
    def square(cls, west: float, south: float, east: float, north: float, side: int) -> Grid:
        """A grid of ``side`` columns and as many rows; the errors of the class."""
        return cls(west, south, east, north, side, side)

    def __len__(self) -> int:
        return self.columns * self.rows

    @property
    def box_text(self) -> str:
        """The box as text: longitudes -74.03 to -73.91 and latitudes 40.69 to 40.83."""
        return f"longitudes {self.west:g} to {self.east:g} and latitudes {self.south:g} to {self.north:g}"

    @property
    def side(self) -> int:
        """The number of columns and rows, of a grid with as many of both; DataError of any other."""
        if self.columns != self.rows:
            raise DataError("grid must have as many rows as columns", field="grid", rule="rows = columns")
        return self.rows

    def cells(self, lon: ArrayLike, lat: ArrayLike) -> NDArray[np.int64]:
        """The cell of each position, (n,), -1 outside the box."""
        x, y = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
        inside = (x >= self.west) & (x <= self.east) & (y >= self.south) & (y <= self.north)
        column = np.clip(np.floor((x - self.west) / (self.east - self.west) * self.columns), 0, self.columns - 1)
        row = np.clip(np.floor((y - self.south) / (self.north - self.south) * self.rows), 0, self.rows - 1)
        return np.where(inside, row * self.columns + column, -1).astype(np.int64)

    def edges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Longitudes (columns + 1,) and latitudes (rows + 1,) of the edges of columns and rows, in degrees."""
        lon = np.linspace(self.west, self.east, self.columns + 1)
        return lon, np.linspace(self.south, self.north, self.rows + 1)

    def boxes(self, which: ArrayLike | None = None) -> NDArray[np.float64]:
        """West, south, east and north of the cells ``which`` (n,), or of all, (n, 4), in degrees."""
        lon, lat = self.edges()
        row, column = np.divmod(np.arange(len(self)) if which is None else np.asarray(which), self.columns)
        return np.column_stack([lon[column], lat[row], lon[column + 1], lat[row + 1]])

    def names(self) -> list[str]:
        """The name of each cell by its row, from the south, and its column, from the west.

        >>> Grid(0.0, 0.0, 3.0, 2.0, 3, 2).names()
        ['r0c0', 'r0c1', 'r0c2', 'r1c0', 'r1c1', 'r1c2']
        """
        return [f"r{row}c{column}" for row in range(self.rows) for column in range(self.columns)]

    def as_dict(self) -> dict[str, Any]:
        """The grid as JSON-ready data: ``side`` in place of ``columns`` and ``rows`` where they are equal.

        >>> Grid.square(0.0, 0.0, 3.0, 2.0, 4).as_dict()
        {'west': 0.0, 'south': 0.0, 'east': 3.0, 'north': 2.0, 'side': 4}
        """
        fields = asdict(self)
        if self.columns == self.rows:
            fields["side"] = fields.pop("columns")
            del fields["rows"]
        return fields

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Grid:
        """The grid of :meth:`as_dict`; DataError where a field is missing or unknown, or is no number."""
        fields = dict(description)
        if "side" in fields:
            fields["columns"] = fields["rows"] = fields.pop("side")
        if fields.keys() != _FIELDS:
            rule = "west, south, east, north, and side or columns and rows"
            raise DataError(f"grid must have {rule}, got {', '.join(map(str, description))}", field="grid", rule=rule)
        edges = {name: fields[name] for name in ("west", "south", "east", "north")}
        if not all(isinstance(edge, float | int) and not isinstance(edge, bool) for edge in edges.values()):
            raise DataError("edges of the grid must be numbers, in degrees", field="grid", rule="numbers")
        return cls(**fields)
