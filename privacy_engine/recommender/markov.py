"""``MarkovModel``: exact counts of successive cells up to an order; the reference without noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError
from privacy_engine.recommender.base import Recommender, register, whole_numbers
from privacy_engine.recommender.sequences import Sequences


@dataclass(frozen=True, eq=False)
class GramLevel:
    """The runs of a length that occur: ``code`` (n,) sorted, ``count`` (n,) how often.

    A code is the place of the run without its last cell in the level before, times the number of cells, plus the last
    cell; runs of a single cell have the cell itself. The number of a run is its place in ``code``.
    """

    code: Ints
    count: Ints

    def find(self, code: int) -> int:
        """The place of ``code``, -1 where no such run occurs."""
        at = int(np.searchsorted(self.code, code))
        return at if at < len(self.code) and self.code[at] == code else -1

    def next_cells(self, prefix: int, cells: int) -> tuple[Ints, Ints]:
        """The cells that follow the run ``prefix`` of the level before, and how often."""
        low, high = np.searchsorted(self.code, [prefix * cells, (prefix + 1) * cells])
        return self.code[low:high] - prefix * cells, self.count[low:high]


def gram_levels(sequences: Sequences, longest: int) -> list[GramLevel]:
    """The runs of 1 to ``longest`` cells of the sequences, a level for each length."""
    cells, position = len(sequences.grid), sequences.position
    code, levels = sequences.cells, []
    for length in reported(range(1, longest + 1)):
        ends = np.flatnonzero(position >= length - 1)
        grams, place, count = np.unique(code[ends], return_inverse=True, return_counts=True)
        levels.append(GramLevel(grams.astype(np.int64), count.astype(np.int64)))
        number = np.full(len(code), -1)
        number[ends] = place
        code = np.empty_like(code)
        code[1:] = number[:-1] * cells + sequences.cells[1:]
    return levels


@register
@dataclass(frozen=True, eq=False)
class MarkovModel(Recommender):
    """Counts of runs of up to ``order`` + 1 cells, without noise: it is never private.

    Parameters
    ----------
    levels : list of GramLevel
        The runs of a single cell, of two, … of ``order`` + 1.
    least : int
        A history counts by its longest end that was followed by a cell at least so often.
    """

    model: ClassVar[str] = "markov"

    levels: Sequence[GramLevel]
    least: int = 1

    @classmethod
    def fitted(cls, sequences: Sequences, order: int = 1, least: int = 1) -> Self:
        """The model of sequences."""
        return cls(sequences.grid, gram_levels(sequences, order + 1), least)

    @property
    def order(self) -> int:
        """How many cells of a history count at most."""
        return len(self.levels) - 1

    def scores(self, history: Sequence[int]) -> Floats:
        """How often each cell followed the longest end of ``history`` with enough mass; unseen ones have 0."""
        visits, cells = self.checked(history), len(self.grid)
        for length in range(min(self.order, len(visits)), 0, -1):
            run = self._place(visits[len(visits) - length :])
            if run >= 0:
                after, count = self.levels[length].next_cells(run, cells)
                if count.sum() >= self.least:
                    return np.bincount(after, count, minlength=cells).astype(np.float64)
        return self.densities()

    def _place(self, run: Ints) -> int:
        place = 0
        for level, cell in zip(self.levels, run.tolist(), strict=False):
            place = level.find(place * len(self.grid) + cell)
            if place < 0:
                break
        return place

    def densities(self) -> Floats:
        first = self.levels[0]
        return np.bincount(first.code, first.count, minlength=len(self.grid)).astype(np.float64)

    def parts(self) -> dict[str, Any]:
        return {
            "least": self.least,
            "levels": [{"code": level.code.tolist(), "count": level.count.tolist()} for level in self.levels],
        }

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        levels: list[GramLevel] = []
        for i, level in enumerate(parts["levels"]):
            code = whole_numbers(level["code"], f"levels.{i}.code")
            count = whole_numbers(level["count"], f"levels.{i}.count", len(code))
            most = (len(levels[-1].code) if levels else 1) * len(grid)
            if (np.diff(code) <= 0).any() or (len(code) and not 0 <= code[0] <= code[-1] < most):
                raise DataError.must_be(f"levels.{i}.code", f"sorted codes from 0 to {most - 1}")
            levels.append(GramLevel(code, count))
        if not levels or type(parts["least"]) is not int:
            raise DataError("levels must be at least one, and least whole", field="levels", rule="at least one")
        return cls(grid, levels, parts["least"])
