"""``Sequences``: the cells that each user visits, in the order of time and without repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError


def grid_cells(checkins: CheckIns, grid: Grid) -> Ints:
    """The cell of every check-in, (n,), -1 outside the box; DataError where the check-ins have no positions."""
    if checkins.lon is None or checkins.lat is None:
        raise DataError("check-ins must have positions for a grid", field="lon", rule="positions")
    return grid.cells(checkins.lon, checkins.lat)


def truncated(user: Ints, most: int) -> Ints:
    """Where the first ``most`` events of each user are among events sorted by user, (m,) positions."""
    starts = np.flatnonzero(np.diff(user, prepend=-1))
    place = np.arange(len(user)) - np.repeat(starts, np.diff(starts, append=len(user)))
    return np.flatnonzero(place < most)


@dataclass(frozen=True, eq=False)
class Sequences:
    """The cells of users in turn: those of user i are ``cells[starts[i] : starts[i + 1]]``.

    Parameters
    ----------
    cells : (n,) int
        In the order of time; a cell never follows itself.
    starts : (users + 1,) int
        Users without a check-in in the box have an empty sequence.
    grid : Grid
        What the cells are of.
    """

    cells: Ints
    starts: Ints
    grid: Grid

    @classmethod
    def of(cls, checkins: CheckIns, grid: Grid, most: int | None = None) -> Sequences:
        """The sequences of check-ins: those in the box, successive ones in a cell collapsed, then the first ``most``.

        Raises
        ------
        DataError
            The check-ins have no positions.
        """
        cells = grid_cells(checkins, grid)
        inside = np.flatnonzero(cells >= 0)
        cells, user = cells[inside], checkins.user[inside]
        first = np.flatnonzero((np.diff(cells, prepend=-1) != 0) | (np.diff(user, prepend=-1) != 0))
        cells, user = cells[first], user[first]
        if most is not None:
            counted = truncated(user, most)
            cells, user = cells[counted], user[counted]
        starts = np.searchsorted(user, np.arange(len(checkins.users) + 1))
        return cls(cells, starts.astype(np.int64), grid)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def user(self) -> Ints:
        """Whose each cell is, (n,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def position(self) -> Ints:
        """The place of each cell in its user's sequence, (n,), from 0."""
        return np.arange(len(self.cells)) - np.repeat(self.starts[:-1], np.diff(self.starts))

    def windows(self, length: int) -> Ints:
        """All runs of ``length`` successive cells of a user, (m, length)."""
        ends = np.flatnonzero(self.position >= length - 1)
        return np.asarray(self.cells[ends[:, None] - np.arange(length - 1, -1, -1)], dtype=np.int64)
