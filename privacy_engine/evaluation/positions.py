"""``Positions``: every place in users' sequences of cells where the next cell could be recommended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.errors import ParameterError
from privacy_engine.recommender import Sequences

LATER = 10
"""How many cells after a position count for precision and recall, at most."""


@dataclass(frozen=True, eq=False)
class Positions:
    """Where a next cell is known, in the order of users and times.

    Parameters
    ----------
    history : (n, m) int
        The last m cells up to each position, the present cell last; -1 in front where the sequence is shorter.
    position, later : (p,) int
        The different cells of the user's next :data:`LATER` but for the present cell: ``later[i]`` is a cell of
        position ``position[i]``, ascending; of each position the next cell comes first.
    sequence : (n,) int
        Which of the sequences each position is in, ascending.
    """

    history: Ints
    position: Ints
    later: Ints
    sequence: Ints

    def __len__(self) -> int:
        return len(self.history)

    @property
    def first(self) -> Ints:
        """Where the next cell of each position is in :attr:`later`, (n,)."""
        return np.flatnonzero(np.diff(self.position, prepend=-1)).astype(np.int64)

    @property
    def next(self) -> Ints:
        """The next cell of each position, (n,)."""
        return self.later[self.first]

    @classmethod
    def of(cls, sequences: Sequences, history: int) -> Positions:
        """Every position of ``sequences`` but the last of each user, with the last ``history`` cells.

        Raises
        ------
        ParameterError
            ``history`` is less than 1.
        """
        if history < 1:
            rule = "must be at least 1"
            raise ParameterError(f"history {rule}, got {history}", field="history", rule=rule, value=history)
        cells, starts = np.asarray(sequences.cells), np.asarray(sequences.starts)
        lengths = np.diff(starts)
        left = np.repeat(starts[1:], lengths) - np.arange(len(cells)) - 1  # cells that follow
        done = np.arange(len(cells)) - np.repeat(starts[:-1], lengths)  # cells before
        at = np.flatnonzero(left > 0)
        back = at[:, None] - np.arange(history)[::-1]
        rows = np.where(np.arange(history)[::-1] <= done[at, None], cells[np.maximum(back, 0)], -1)
        position, later = _later(cells, at, left[at])
        return cls(rows.astype(np.int64), position, later, np.repeat(np.arange(len(lengths)), lengths)[at])


def _later(cells: Ints, at: Ints, left: Ints) -> tuple[Ints, Ints]:
    """The different later cells of each position but its own, in the order of their first visit."""
    if not len(at):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    ahead = np.arange(1, LATER + 1)
    known = ahead <= left[:, None]
    table = np.where(known, cells[np.minimum(at[:, None] + ahead, len(cells) - 1)], -1)
    new = known & (table != cells[at, None])
    for i in range(1, LATER):
        new[:, i] &= (table[:, i, None] != table[:, :i]).all(axis=1)
    position, column = np.nonzero(new)
    return position.astype(np.int64), table[position, column].astype(np.int64)
