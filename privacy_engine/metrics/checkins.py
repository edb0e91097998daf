"""What the published numbers of a model of check-ins are worth: masses over ranges, the most visited cells."""

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data import CheckIns
from privacy_engine.evaluation import Evaluation
from privacy_engine.metrics.base import Metric, metrics
from privacy_engine.recommender import PopularityModel, Recommender, grid_cells

TOP = 10
RANGES, RANGE_SEED = 500, 20210
SANITY = 0.01


class CheckInMetric(Metric):
    """Base of every metric of check-ins."""

    kind: ClassVar[str] = CheckIns.kind

    def of(self, truth: CheckIns, release: Recommender) -> float:
        return float(self._of(truth, release))

    def over(self, evaluation: Evaluation) -> float:
        """Its value for a model: of those it was fitted to, of a metric that is ``held_out`` of the others."""
        return self.of(evaluation.fitted, evaluation.model)

    def _of(self, truth: CheckIns, model: Recommender) -> float:
        raise NotImplementedError


def _true_counts(truth: CheckIns, model: Recommender) -> Ints:
    cells = grid_cells(truth, model.grid)
    return np.bincount(cells[cells >= 0], minlength=len(model.grid)).astype(np.int64)


def _first(masses: Floats | Ints) -> Ints:
    return np.argsort(-masses, kind="stable")[:TOP].astype(np.int64)


def _range_sums(counts: Floats, columns: int, corners: Ints) -> Floats:
    rows = len(counts) // columns
    total = np.zeros((rows + 1, columns + 1))
    total[1:, 1:] = counts.reshape(rows, columns).cumsum(axis=0).cumsum(axis=1)
    south, north, west, east = corners
    return np.asarray(total[north, east] - total[south, east] - total[north, west] + total[south, west])


def _range_error(true: Floats, released: Floats, model: Recommender) -> float:
    """The mean relative error over random rectangles, errors of small true sums relative to 1 % of the whole."""
    columns, rows = model.grid.columns, model.grid.rows
    rng = np.random.default_rng(RANGE_SEED)
    pairs = np.sort(rng.integers(0, [[[rows]], [[columns]]], (2, RANGES, 2)), axis=2)
    corners = np.array([pairs[0, :, 0], pairs[0, :, 1] + 1, pairs[1, :, 0], pairs[1, :, 1] + 1])
    expected, published = (_range_sums(mass.astype(np.float64), columns, corners) for mass in (true, released))
    return float((np.abs(expected - published) / np.maximum(expected, SANITY * true.sum())).mean())


@metrics.register
class RangeCountError(CheckInMetric):
    r"""The mean over random rectangles of cells of :math:`|n - \tilde{n}| / \max(n, \delta)` [1]_.

    δ is 1 % of all check-ins in the box. The rectangles are the same for every model of one grid. Not a number for a
    model whose masses are no counts of check-ins, and without check-ins in the box.

    References
    ----------
    .. [1] Cormode, Procopiuc, Srivastava, Shen, Yu. "Differentially private spatial decompositions". ICDE 2012.
    """

    title: ClassVar[str] = "Range-count error"
    summary: ClassVar[str] = "Mean relative error of the number of check-ins in random rectangles of cells."

    name: Literal["range-count-error"] = "range-count-error"

    def _of(self, truth: CheckIns, model: Recommender) -> float:
        counts = _true_counts(truth, model)
        if not isinstance(model, PopularityModel) or not counts.any():
            return float("nan")
        return _range_error(counts.astype(np.float64), model.densities(), model)


@metrics.register
class RangeShareError(CheckInMetric):
    r"""The mean over random rectangles of cells of :math:`|s - \tilde{s}| / \max(s, 0.01)`, s a share of the mass [1]_.

    The share of the check-ins in the box, by what is published the share of all masses, which may be counts of
    check-ins or of sequences: so models of different masses are compared. A sum of all masses below 1 is taken for 1.
    Not a number for a model without masses, and without check-ins in the box.

    References
    ----------
    .. [1] Cormode, Procopiuc, Srivastava, Shen, Yu. "Differentially private spatial decompositions". ICDE 2012.
       (The rectangles and the least denominator; shares in place of counts are Cairn's.)
    """

    title: ClassVar[str] = "Range-share error"
    summary: ClassVar[str] = "Mean relative error of the share of check-ins in random rectangles of cells."

    name: Literal["range-share-error"] = "range-share-error"

    def _of(self, truth: CheckIns, model: Recommender) -> float:
        counts, masses = _true_counts(truth, model), model.densities()
        if masses is None or not counts.any():
            return float("nan")
        return _range_error(counts / counts.sum(), masses / max(masses.sum(), 1.0), model)


@metrics.register
class TopOverlap(CheckInMetric):
    """The share of the ten most visited cells that are among the ten with the largest published masses [1]_.

    Of cells with equal masses those with the smaller number come first, in both lists. Not a number for a model without
    masses.

    References
    ----------
    .. [1] Bhaskar, Laxman, Smith, Thakurta. "Discovering frequent patterns in sensitive data". KDD 2010.
    """

    title: ClassVar[str] = "Top-10 overlap"
    unit: ClassVar[str] = "%"
    less_is_better: ClassVar[bool] = False
    summary: ClassVar[str] = "How many of the ten most visited cells are among the ten published first."

    name: Literal["top-overlap"] = "top-overlap"

    def _of(self, truth: CheckIns, model: Recommender) -> float:
        masses = model.densities()
        if masses is None:
            return float("nan")
        most = _first(_true_counts(truth, model))
        return 100.0 * len(np.intersect1d(most, _first(masses))) / len(most)
