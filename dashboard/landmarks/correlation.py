"""The temporal correlation an adversary knows: smoothed, given, or estimated from the dataset.

It knows how far apart the positions of two states lie at most: a level is per radius and grows with the distance.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard.core.errors import require_state
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.storage import parquet
from privacy_engine.accounting.distance import MOST_M, diameter, scale
from privacy_engine.accounting.estimation import NOTE, estimate_correlation
from privacy_engine.accounting.markov_chains import mismatch, reversal
from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix
from privacy_engine.accounting.validation import transition
from privacy_engine.data import Floats
from privacy_engine.errors import EngineError, ParameterError

MAX_SHOWN_STATES = 10
MAX_S = 1e6
MAX_TEXT = 60_000
MAX_EVENTS = 1_000_000
"""Events a correlation is estimated from within a request."""
REVERSAL = "reversal"
ONE_CHAIN = 1e-6
"""Flows that differ by less belong to one stationary chain, written with six digits."""


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
    def asked(
        cls,
        *,
        dataset: Dataset | None = None,
        n: int = 2,
        s: float = 0.1,
        backward: Any = "",
        forward: Any = "",
        cell_m: float | None = None,
        smoothing: float | None = None,
        diameter_m: float | None = None,
    ) -> Correlation:
        """Given matrices where there are any, else estimated where there is ``cell_m``, else smoothed.

        ``diameter_m`` is needed where the states have no geometry, and refused beside ``cell_m``, where they have one.

        Raises
        ------
        EngineError
            Something lies outside its domain, or two ways are asked for at once; it names the field.
        """
        given, estimated = bool(backward or forward), cell_m is not None
        if given and estimated:
            raise _refused("cell_m", "left out beside matrices", cell_m)
        if smoothing is not None and not estimated:
            raise _refused("smoothing", "left out without cell_m", smoothing)
        if given:
            return cls.given(backward, forward, diameter_m)
        if cell_m is not None:
            if dataset is None:
                raise _refused("cell_m", "left out where there is no dataset", cell_m)
            if diameter_m is not None:
                raise _refused("diameter_m", "left out beside cell_m: the cells' distances are known", diameter_m)
            return cls.estimated(dataset, cell_m, 1.0 if smoothing is None else smoothing)
        return cls.smoothed(n, s, diameter_m)

    @classmethod
    def smoothed(cls, n: int, s: float, diameter_m: float | None) -> Correlation:
        """The same smoothing matrix both ways, for states at most ``diameter_m`` apart."""
        if not 0 <= s <= MAX_S:
            raise _refused("s", f"between 0 and {MAX_S:,.0f}", s)
        carried = _smoothed(n, s)
        return cls("smoothed", carried, carried, _diameter(diameter_m), s, n)

    @classmethod
    def given(cls, backward: Any, forward: Any, diameter_m: float | None) -> Correlation:
        """Matrices as lists or JSON text; without one there is no correlation in that direction.

        One of the two may be the word "reversal": it is then the other one's, in one stationary chain.
        """
        if backward == REVERSAL and forward == REVERSAL:
            raise _refused("backward", "a matrix where forward is its reversal", backward)
        back, ahead = (None if one == REVERSAL else _matrix(one, field) for one, field in _both(backward, forward))
        if backward == REVERSAL and ahead is not None:
            back = LossFunction(reversal(ahead.matrix))
        if forward == REVERSAL and back is not None:
            ahead = LossFunction(reversal(back.matrix))
        if (backward == REVERSAL and back is None) or (forward == REVERSAL and ahead is None):
            field = "forward" if backward == REVERSAL else "backward"
            raise _refused(field, "a matrix, for the other one to be its reversal", "")
        return cls("given", back, ahead, _diameter(diameter_m))

    @classmethod
    def estimated(cls, dataset: Dataset, cell_m: float, smoothing: float) -> Correlation:
        """Counted from the original over square cells: for the dataset's owner alone."""
        require_state(dataset, State.READY, "dataset")
        if dataset.points > MAX_EVENTS:
            rule = f"left out for a dataset of more than {MAX_EVENTS:,} events"
            raise _refused("cell_m", rule, f"{dataset.points:,} events")
        backward, forward, apart = _estimated(str(dataset.points_path), cell_m, smoothing)
        most = min(max(float(apart.max()), math.sqrt(2) * cell_m), MOST_M)  # of one cell alone its diagonal
        return cls("estimated", backward, forward, most, cell_m=cell_m, smoothing=smoothing, distances_m=apart)

    @property
    def data_dependent(self) -> bool:
        """True if it was read off the original, so that whatever follows from it discloses something of it."""
        return self.kind == "estimated"

    def scale(self, radius_m: float) -> float:
        """What a level within ``radius_m`` is multiplied by to hold at the states' distance."""
        return scale(self.diameter_m, radius_m)

    @functools.cached_property
    def mismatch(self) -> float:
        """How far the two matrices are from those of one stationary chain; see :func:`chains.mismatch`."""
        if self.kind == "smoothed":  # symmetric, so its own reversal
            return 0.0
        back, ahead = ([[1.0]] if one is None else one.matrix for one in (self.backward, self.forward))
        return mismatch(back, ahead)

    def unchained(self) -> str:
        """Why the bridged bound says nothing under this correlation; empty where it does.

        Two estimates of one chain are never quite each other's reversal (a series starts and ends somewhere), so for
        them ``mismatch`` is told and not judged.
        """
        if self.data_dependent or self.mismatch <= ONE_CHAIN:
            return ""
        return "backward and forward are not each other's reversal in one stationary chain"

    def shown(self) -> dict[str, Any]:
        """What an answer says about it."""
        found: dict[str, Any] = {
            "kind": self.kind,
            "s": self.s,
            "n": self.n,
            "cell_m": self.cell_m,
            "smoothing": self.smoothing,
            "diameter_m": self.diameter_m,
            "states": max(1 if one is None else len(one.matrix) for one in (self.backward, self.forward)),
            "mismatch": self.mismatch,
            "data_dependent": self.data_dependent,
            "note": NOTE if self.data_dependent else "",
        }
        for name, carried in (("backward_matrix", self.backward), ("forward_matrix", self.forward)):
            if carried is not None and len(carried.matrix) <= MAX_SHOWN_STATES:
                found[name] = carried.matrix.tolist()
        return found

    def supremum(self, epsilon: float, shared: float = 0.0) -> dict[str, float | None]:
        """What a series that spends at most ``epsilon`` at each event never exceeds, however long; None: no limit.

        ``shared`` is the level of one more draw, which adds no more than that.
        """
        back, ahead = (epsilon if one is None else one.supremum(epsilon) for one in (self.backward, self.forward))
        limits = {"backward": back + shared, "forward": ahead + shared, "total": back + ahead - epsilon + shared}
        return {"budget": epsilon} | {name: value if value < float("inf") else None for name, value in limits.items()}


@contextmanager
def named(field: str) -> Iterator[None]:
    """Errors from here name their field as a part of ``field``."""
    try:
        yield
    except EngineError as error:
        error.field = f"{field}.{error.field}" if error.field else field
        error.message = f"{field}.{error.message}"
        raise


def _both(backward: Any, forward: Any) -> list[tuple[Any, str]]:
    return [(backward, "backward"), (forward, "forward")]


def _refused(field: str, rule: str, value: Any) -> ParameterError:
    return ParameterError(f"{field} must be {rule}, got {value!r:.60}", field=field, rule=rule, value=value)


def _diameter(value: float | None) -> float:
    if value is None:
        rule = "given: how far apart the states lie at most, in metres"
        raise ParameterError(f"diameter_m must be {rule}", field="diameter_m", rule=rule)
    return diameter(value)


@functools.lru_cache(maxsize=16)
def _smoothed(n: int, s: float) -> LossFunction:
    return LossFunction(smoothing_matrix(n, s))


@functools.lru_cache(maxsize=8)
def _estimated(path: str, cell_m: float, smoothing: float) -> tuple[LossFunction, LossFunction, Floats]:
    """By the points' file, which is never written again under its name."""
    found = estimate_correlation(parquet.read_points(Path(path)), cell_m=cell_m, smoothing=smoothing)
    apart = found.distances_m
    if apart is None:
        raise TypeError("the cells of a grid have distances")
    return LossFunction(found.backward, field="backward"), LossFunction(found.forward, field="forward"), apart


def _matrix(asked: Any, field: str) -> LossFunction | None:
    if asked in ("", None, []):
        return None
    rows = _read(asked, field) if isinstance(asked, str) else asked
    square = isinstance(rows, list) and all(isinstance(row, list) and len(row) == len(rows) for row in rows)
    if not square or not all(type(value) in (int, float) for row in rows for value in row):
        raise _refused(field, "a square matrix of numbers as JSON, [[…], …]", asked)
    with_floats = [[float(value) if abs(value) < 2 else 2.0 for value in row] for row in rows]  # a share is at most 1
    return LossFunction(transition(with_floats, field), field=field)


def _read(text: str, field: str) -> Any:
    if len(text) > MAX_TEXT:
        raise _refused(field, f"at most {MAX_TEXT:,} characters", len(text))
    try:
        return json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return None
