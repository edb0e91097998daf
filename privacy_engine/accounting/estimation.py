r"""Transition matrices counted from data, for temporal privacy loss where the true ones are unknown.

With :math:`c_{ij}` the observed moves from state i to j, the additive (Laplace) estimate is
:math:`(c_{ij} + s) / (\sum_j c_{ij} + n s)` forwards and the same of :math:`c_{ji}` backwards: the posterior mean
under a Dirichlet prior of s for every move [1]_.

References
----------
.. [1] Gelman, Carlin, Stern, Dunson, Vehtari, Rubin. "Bayesian Data Analysis". 3rd edition, 2013, chapter 3.4.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.accounting.distance import cell_distances_m
from privacy_engine.accounting.validation import MAX_STATES, level, refused
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError, ParameterError

SMALLEST_CELL_M = 0.01
NOTE = (
    "Estimated from the data themselves: this matrix is itself a disclosure, and so are the losses and budgets "
    "computed with it. It is for the owner of the data; publish nothing that depends on it."
)


@dataclass(frozen=True, eq=False)
class CorrelationEstimate:
    """Transition matrices estimated from data, for :func:`~privacy_engine.accounting.temporal.temporal_loss`.

    ``backward`` is Pr(l_{t-1} | l_t), ``forward`` Pr(l_{t+1} | l_t), both (states, states) and row-stochastic.
    ``counts[i, j]`` are the observed moves from state i to j. ``labels`` (states, ...) describes each state: the
    value given, or the (column, row) of its cell. ``distances_m`` (states, states) is how far apart positions in two
    cells lie at most; None where the states have no geometry. Data-dependent: read ``note``.
    """

    data_dependent: ClassVar[bool] = True
    note: ClassVar[str] = NOTE

    backward: Floats
    forward: Floats
    counts: Ints
    labels: Ints
    distances_m: Floats | None = None


def estimate_from_states(states: ArrayLike | Sequence[ArrayLike], *, smoothing: float) -> CorrelationEstimate:
    """The correlation of ``states``, a whole number for each event, in order; or of several such series.

    Only values that occur become states (at most 400), in ascending order; a state that was never visited is taken to
    be impossible. Every move between two states counts ``smoothing`` beforehand: 1 is the rule of succession, more
    hides more of the correlation, 0 claims that what was not seen does not happen. Moves are from event to event,
    however much time lies between.

    Raises
    ------
    DataError
        A series is not a vector of whole numbers, or none has two events.
    ParameterError
        More than 400 states; ``smoothing`` is negative or not finite, or 0 where a state is never left or never entered
        (its row would be 0/0).

    Examples
    --------
    >>> estimate_from_states([5, 5, 9, 5, 5], smoothing=1.0).forward.round(4).tolist()
    [[0.6, 0.4], [0.6667, 0.3333]]
    """
    every = list(states) if isinstance(states, list | tuple) else []
    several = bool(every) and all(np.ndim(item) == 1 for item in every)
    arrays = [np.asarray(item) for item in (every if several else [states])]
    for values in reported(arrays):
        if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
            got = f"{values.ndim} dimensions of {values.dtype}"
            raise refused(DataError, "states", "be one whole number for each event of a series", got)
    parts = [array.astype(np.int64) for array in arrays]
    labels, index = np.unique(np.concatenate(parts), return_inverse=True)
    return _estimate(labels, index, [len(part) for part in parts], smoothing, "states", "have")


def estimate_correlation(
    series: Trajectory | Sequence[Trajectory], *, cell_m: float, smoothing: float
) -> CorrelationEstimate:
    """The correlation of the square cells of ``cell_m`` metres that ``series``, one or several, visit.

    The grid starts at the south-western corner of all events' bounds, its columns as wide as ``cell_m`` at their middle
    latitude; across the antimeridian it goes on. Otherwise as :func:`estimate_from_states`, which also has the errors.

    Raises
    ------
    ParameterError
        ``cell_m`` is not finite and at least 0.01, or so small that more than 400 cells are visited.
    """
    size = level(cell_m, "cell_m")
    if size < SMALLEST_CELL_M:
        raise refused(ParameterError, "cell_m", f"be at least {SMALLEST_CELL_M:g}", cell_m)
    every = list(series) if isinstance(series, Sequence) else [series]
    lengths = [len(track) for track in every]
    if not sum(lengths):
        raise refused(DataError, "series", "have two events", "none")
    lon, lat = (np.concatenate([getattr(track, axis) for track in every]) for axis in ("lon", "lat"))
    x = (lon - lon[0] + 180.0) % 360.0 - 180.0
    metres = math.radians(1.0) * EARTH_RADIUS_M
    per_column = metres * math.cos(math.radians((lat.min() + lat.max()) / 2))
    x = x * per_column
    column, row = (np.floor(offset / size).astype(np.int64) for offset in (x - x.min(), (lat - lat.min()) * metres))
    rows = int(row.max()) + 1  # at most 2e9, and 4e9 columns: a number identifies a cell
    cell, index = np.unique(column * rows + row, return_inverse=True)
    labels = np.column_stack([cell // rows, cell % rows])
    estimate = _estimate(labels, index, lengths, smoothing, "cell_m", "be so large that the series visit")
    south = float(lat.min())
    apart = cell_distances_m(labels[:, 0], labels[:, 1], size, south=south, metres_per_column=per_column)
    return replace(estimate, distances_m=apart)


def _estimate(
    labels: Ints, index: Ints, lengths: list[int], smoothing: float, field: str, rule: str
) -> CorrelationEstimate:
    added, n = level(smoothing, "smoothing"), len(labels)
    if n > MAX_STATES:
        raise refused(ParameterError, field, f"{rule} at most {MAX_STATES} states", n)
    last = np.cumsum(lengths) - 1  # no move leads from the end of a series to the start of the next
    move = np.ones(len(index), dtype=np.bool_)
    move[last[np.array(lengths) > 0]] = False
    before = np.flatnonzero(move)
    if not len(before):
        raise refused(DataError, "series" if field == "cell_m" else field, "have two events", len(index))
    counts = np.bincount(index[before] * n + index[before + 1], minlength=n * n).reshape(n, n).astype(np.int64)
    return CorrelationEstimate(_rows(counts.T, added), _rows(counts, added), counts, labels)


def _rows(counts: Ints, added: float) -> Floats:
    sums = counts.sum(axis=1, keepdims=True)
    if added == 0.0 and not sums.all():
        raise refused(
            ParameterError, "smoothing", "be greater than 0 where a state is never left or never entered", added
        )
    shares = (counts + added) / (sums + len(counts) * added)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
