"""What a published model of check-ins is worth: counts over ranges, the most visited cells, next places."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.data import CheckIns, Floats, Ints
from privacy_engine.errors import DataError
from privacy_engine.metrics.base import Metric, metrics
from privacy_engine.popularity import PopularityModel

TOP = 10
RANGES, RANGE_SEED = 500, 20210
SANITY = 0.01


class CheckInMetric(Metric):
    """Base of every metric of check-ins."""

    kind: ClassVar[str] = CheckIns.kind

    def of(self, truth: CheckIns, release: PopularityModel) -> float:
        return float(self._of(truth, release))

    def _of(self, truth: CheckIns, model: PopularityModel) -> float:
        raise NotImplementedError


def cells_of(truth: CheckIns, model: PopularityModel) -> Ints:
    """The cell of every check-in, (n,), -1 outside the box; DataError where the check-ins have no positions."""
    if truth.lon is None or truth.lat is None:
        raise DataError("check-ins must have positions for a grid", field="lon", rule="positions")
    return model.grid.cells(truth.lon, truth.lat)


def _true_counts(truth: CheckIns, model: PopularityModel) -> Ints:
    cells = cells_of(truth, model)
    return np.bincount(cells[cells >= 0], minlength=len(model)).astype(np.int64)


def _range_sums(counts: Floats, side: int, corners: Ints) -> Floats:
    total = np.zeros((side + 1, side + 1))
    total[1:, 1:] = counts.reshape(side, side).cumsum(axis=0).cumsum(axis=1)
    south, north, west, east = corners
    return np.asarray(total[north, east] - total[south, east] - total[north, west] + total[south, west])


@metrics.register
class RangeCountError(CheckInMetric):
    r"""The mean over random rectangles of cells of :math:`|n - \tilde{n}| / \max(n, \delta)` [1]_.

    δ is 1 % of all check-ins in the box. The rectangles are the same for every model of one grid.

    References
    ----------
    .. [1] Cormode, Procopiuc, Srivastava, Shen, Yu. "Differentially private spatial decompositions". ICDE 2012.
    """

    title: ClassVar[str] = "Range-count error"
    summary: ClassVar[str] = "Mean relative error of the number of check-ins in random rectangles of cells."

    name: Literal["range-count-error"] = "range-count-error"

    def _of(self, truth: CheckIns, model: PopularityModel) -> float:
        side, counts = model.grid.side, _true_counts(truth, model)
        pairs = np.sort(np.random.default_rng(RANGE_SEED).integers(0, side, (2, RANGES, 2)), axis=2)
        corners = np.array([pairs[0, :, 0], pairs[0, :, 1] + 1, pairs[1, :, 0], pairs[1, :, 1] + 1])
        true, found = (_range_sums(one.astype(np.float64), side, corners) for one in (counts, model.counts))
        return float((np.abs(found - true) / np.maximum(true, max(SANITY * counts.sum(), 1.0))).mean())


@metrics.register
class TopOverlap(CheckInMetric):
    """The share of the ten most visited cells that are among the ten with the largest published counts [1]_.

    Of cells with equal counts those with the smaller number come first, in both lists.

    References
    ----------
    .. [1] Bhaskar, Laxman, Smith, Thakurta. "Discovering frequent patterns in sensitive data". KDD 2010.
    """

    title: ClassVar[str] = "Top-10 overlap"
    unit: ClassVar[str] = "%"
    less_is_better: ClassVar[bool] = False
    summary: ClassVar[str] = "How many of the ten most visited cells are among the ten published first."

    name: Literal["top-overlap"] = "top-overlap"

    def _of(self, truth: CheckIns, model: PopularityModel) -> float:
        most = PopularityModel(model.grid, _true_counts(truth, model)).top(TOP)
        return 100.0 * len(np.intersect1d(most, model.top(TOP))) / len(most)


@metrics.register
class HitRate(CheckInMetric):
    """The share of moves to another cell whose destination is among ten recommended cells: HR@10 [1]_.

    A move is from one check-in of a user in the box to that user's next one in another cell. Measured on the check-ins
    that the model was fitted to, it is optimistic: an evaluation takes other users. Not a number without any move.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
    """

    title: ClassVar[str] = "Hit rate"
    short: ClassVar[str] = "HR@10"
    unit: ClassVar[str] = "%"
    less_is_better: ClassVar[bool] = False
    summary: ClassVar[str] = "How often a user’s next cell is among the ten recommended; on the fitted check-ins."

    name: Literal["hit-rate"] = "hit-rate"

    def _of(self, truth: CheckIns, model: PopularityModel) -> float:
        cells = cells_of(truth, model)
        user, cells = truth.user[cells >= 0], cells[cells >= 0]
        moves = (user[1:] == user[:-1]) & (cells[1:] != cells[:-1])
        if not moves.any():
            return float("nan")
        return 100.0 * float(np.isin(cells[1:][moves], model.recommend([], TOP)).mean())
