"""The temporal correlation an adversary is assumed to know: smoothed, given, or estimated from series.

It has the largest distance between the positions of two states: a level is per radius and grows with the distance.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from privacy_engine.accounting.distance import MOST_M, diameter, scale
from privacy_engine.accounting.estimation import NOTE, estimate_correlation
from privacy_engine.accounting.markov_chains import mismatch, reversal
from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix
from privacy_engine.accounting.validation import transition
from privacy_engine.analysis.results import Result
from privacy_engine.core.arrays import Floats
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterError

MAX_SHOWN_STATES = 10
MAX_S = 1e6
MAX_TEXT = 60_000
REVERSAL = "reversal"
ONE_CHAIN = 1e-6
"""Flows that differ by less belong to the same stationary chain, written with six digits."""

Matrix = list[list[float]]


class CorrelationDescription(Result):
    """The correlation a result was computed under."""

    kind: str
    """smoothed, given or estimated."""
    s: float | None
    n: int | None
    cell_m: float | None
    smoothing: float | None
    diameter_m: float
    """The largest distance between the positions of two states."""
    states: int
    mismatch: float
    """0 where both matrices belong to one stationary chain."""
    data_dependent: bool
    """Computed from the original: publish nothing of this result."""
    note: str
    backward_matrix: Matrix | None = Field(default=None, exclude_if=lambda value: value is None)
    forward_matrix: Matrix | None = Field(default=None, exclude_if=lambda value: value is None)


class Supremum(Result):
    """What a series that spends at most ``budget`` at each event never exceeds; null: there is no such limit."""

    budget: float
    backward: float | None
    forward: float | None
    total: float | None


@dataclass(frozen=True, eq=False)
class Correlation:
    """What an adversary is taken to know; ``kind`` is smoothed, given or estimated.

    ``diameter_m`` is how far apart positions of two states lie at most, in metres; ``distances_m`` (states, states) the
    same of each two, where the states are cells of a grid.
    """

    kind: str
    backward: LossFunction | None
    forward: LossFunction | None
    diameter_m: float
    s: float | None = None
    n: int | None = None
    cell_m: float | None = None
    smoothing: float | None = None
    distances_m: Floats | None = None

    @classmethod
    def smoothed(cls, n: int, s: float, diameter_m: float | None) -> Correlation:
        """The same smoothing matrix both ways, for states at most ``diameter_m`` apart."""
        if not 0 <= s <= MAX_S:
            raise ParameterError.must_be("s", f"between 0 and {MAX_S:,.0f}", s)
        carried = _smoothed(n, s)
        return cls("smoothed", carried, carried, _diameter(diameter_m), s, n)

    @classmethod
    def given(cls, backward: Any, forward: Any, diameter_m: float | None) -> Correlation:
        """Matrices as lists or JSON text; without a matrix there is no correlation in that direction.

        Either may be the text "reversal": it is then the other's, in the same stationary chain.
        """
        if backward == REVERSAL and forward == REVERSAL:
            raise ParameterError.must_be("backward", "a matrix where forward is its reversal", backward)
        back, ahead = (None if side == REVERSAL else _matrix(side, field) for side, field in _both(backward, forward))
        if backward == REVERSAL and ahead is not None:
            back = LossFunction(reversal(ahead.matrix))
        if forward == REVERSAL and back is not None:
            ahead = LossFunction(reversal(back.matrix))
        if (backward == REVERSAL and back is None) or (forward == REVERSAL and ahead is None):
            field = "forward" if backward == REVERSAL else "backward"
            raise ParameterError.must_be(field, "a matrix, for the other one to be its reversal", "")
        return cls("given", back, ahead, _diameter(diameter_m))

    @classmethod
    def estimated(cls, series: Sequence[Trajectory], cell_m: float, smoothing: float) -> Correlation:
        """Counted from ``series`` over square cells: for the owner of these alone."""
        estimate = estimate_correlation(series, cell_m=cell_m, smoothing=smoothing)
        apart = estimate.distances_m
        if apart is None:
            raise TypeError("the cells of a grid have distances")
        most = min(max(float(apart.max()), math.sqrt(2) * cell_m), MOST_M)  # of a single cell its diagonal
        sides = LossFunction(estimate.backward, field="backward"), LossFunction(estimate.forward, field="forward")
        return cls("estimated", *sides, most, cell_m=cell_m, smoothing=smoothing, distances_m=apart)

    @property
    def data_dependent(self) -> bool:
        """True if it was read off the original, so that whatever follows from it discloses something of it."""
        return self.kind == "estimated"

    def scale(self, radius_m: float) -> float:
        """What a level within ``radius_m`` is multiplied by to hold at the states' distance."""
        return scale(self.diameter_m, radius_m)

    @functools.cached_property
    def mismatch(self) -> float:
        """How far the two matrices are from those of a stationary chain; see :func:`chains.mismatch`."""
        if self.kind == "smoothed":  # symmetric, so its own reversal
            return 0.0
        back, ahead = ([[1.0]] if side is None else side.matrix for side in (self.backward, self.forward))
        return mismatch(back, ahead)

    def unchained(self) -> str:
        """Why the bridged bound does not hold under this correlation; empty where it does.

        Two estimates of a chain are never quite each other's reversal (a series starts and ends somewhere), so for
        them ``mismatch`` is reported, and no reason to refuse.
        """
        if self.data_dependent or self.mismatch <= ONE_CHAIN:
            return ""
        return "backward and forward are not each other's reversal in one stationary chain"

    def shown(self) -> CorrelationDescription:
        """As results describe it, with matrices of few states."""
        sides = {"backward_matrix": self.backward, "forward_matrix": self.forward}
        few = {name: side for name, side in sides.items() if side is not None and len(side.matrix) <= MAX_SHOWN_STATES}
        return CorrelationDescription(
            kind=self.kind,
            s=self.s,
            n=self.n,
            cell_m=self.cell_m,
            smoothing=self.smoothing,
            diameter_m=self.diameter_m,
            states=max(1 if side is None else len(side.matrix) for side in (self.backward, self.forward)),
            mismatch=self.mismatch,
            data_dependent=self.data_dependent,
            note=NOTE if self.data_dependent else "",
            **{name: side.matrix.tolist() for name, side in few.items()},
        )

    def supremum(self, epsilon: float, shared: float = 0.0) -> Supremum:
        """What a series that spends at most ``epsilon`` at each event never exceeds, however long; None: no limit.

        ``shared`` is the level of another draw, which adds no more than that.
        """
        back, ahead = (epsilon if side is None else side.supremum(epsilon) for side in (self.backward, self.forward))
        limits = (back + shared, ahead + shared, back + ahead - epsilon + shared)
        backward, forward, total = (value if value < math.inf else None for value in limits)
        return Supremum(budget=epsilon, backward=backward, forward=forward, total=total)


def _both(backward: Any, forward: Any) -> list[tuple[Any, str]]:
    return [(backward, "backward"), (forward, "forward")]


def _diameter(value: float | None) -> float:
    if value is None:
        raise ParameterError.must_be("diameter_m", "given: how far apart the states lie at most, in metres")
    return diameter(value)


@functools.lru_cache(maxsize=16)
def _smoothed(n: int, s: float) -> LossFunction:
    return LossFunction(smoothing_matrix(n, s))


def _matrix(given: Any, field: str) -> LossFunction | None:
    if given in ("", None, []):
        return None
    rows = _read(given, field) if isinstance(given, str) else given
    square = isinstance(rows, list) and all(isinstance(row, list) and len(row) == len(rows) for row in rows)
    if not square or not all(type(value) in (int, float) for row in rows for value in row):
        raise ParameterError.must_be(field, "a square matrix of numbers as JSON, [[…], …]", given)
    with_floats = [[float(value) if abs(value) < 2 else 2.0 for value in row] for row in rows]  # a share is at most 1
    return LossFunction(transition(with_floats, field), field=field)


def _read(text: str, field: str) -> Any:
    if len(text) > MAX_TEXT:
        raise ParameterError.must_be(field, f"at most {MAX_TEXT:,} characters", len(text))
    try:
        return json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return None
