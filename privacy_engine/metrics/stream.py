"""Errors and correlations of published counts."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import Param
from privacy_engine.core.progress import reported
from privacy_engine.data import CountStream
from privacy_engine.data import hierarchy as trees
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.metrics.base import Metric, metrics

SANITY = 0.01
"""The sanity bound of the relative error, as a share of each dimension's total."""
TREE = Param(
    label="Tree",
    help="Whether groups are divided into halves or into quarters.",
    options=(("binary", "Halves"), ("quad", "Quarters")),
)


class StreamMetric(Metric):
    """Base of every metric of count streams."""

    kind: ClassVar[str] = CountStream.kind
    count_s: ClassVar[float] = 2e-8

    def seconds_once(self, counts: int) -> float:
        """About how long a release of so many counts takes, on a single core of a small machine."""
        return 2e-5 + self.count_s * counts

    @property
    def least_timestamps(self) -> int:
        """Of how many timestamps it is defined at least."""
        return 1

    def of(self, truth: CountStream, release: StreamRelease) -> float:
        if not release.counts.size:
            return float("nan")
        return float(self._of(truth.counts, release.counts.astype(np.float64)))

    def _of(self, truth: Floats, published: Floats) -> float:
        """The value for counts (T, d) of which there is at least a single count."""
        raise NotImplementedError


@metrics.register
class StreamRelativeError(StreamMetric):
    r"""The mean over all counts of :math:`|x - r| / \max(x, \delta_k)`, δ the sanity bound [1]_.

    :math:`\delta_k` is 1 % of the total of dimension k, and 1 where that dimension never counts anything. Publishing
    zeros has at most 100/T, so compare with that, and see the mean absolute error beside it.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       VLDB 2014.
    """

    title: ClassVar[str] = "Average relative error"
    short: ClassVar[str] = "ARE"
    summary: ClassVar[str] = "Mean of |published − true| / max(true, 1 % of the dimension’s total)."

    name: Literal["stream-relative-error"] = "stream-relative-error"

    def _of(self, truth: Floats, published: Floats) -> float:
        return float(relative_errors(truth, published).mean())


@metrics.register
class StreamHierarchyError(StreamMetric):
    """The average relative error of the sums of all groups of a tree over the order of the dimensions [1]_.

    The groups are all dimensions, their halves or quarters, and so on down to each dimension; published sums are sums
    of published counts.

    References
    ----------
    .. [1] Wang, Yang, Ren, Zhao. "Data-adaptive privacy-preserving mechanism for data stream publishing in real-time".
       Scientia Sinica Informationis 51, 2021.
    """

    title: ClassVar[str] = "Relative error of sums"
    short: ClassVar[str] = "ARE of sums"
    summary: ClassVar[str] = "Average relative error of sums over all groups of a tree of the dimensions."
    count_s: ClassVar[float] = 1e-7

    name: Literal["stream-hierarchy-error"] = "stream-hierarchy-error"
    tree: Annotated[Literal["binary", "quad"], TREE]

    def _of(self, truth: Floats, published: Floats) -> float:
        parts = trees.halves(truth.shape[1]) if self.tree == "binary" else trees.quarters(truth.shape[1])
        return float(relative_errors(_sums(parts, truth), _sums(parts, published)).mean())


def _sums(tree: trees.Hierarchy, counts: Floats) -> Floats:
    """The sums of the groups of all levels, (T, groups)."""
    return np.concatenate([tree.counts(level, counts) for level in range(len(tree.levels))], axis=1)


@metrics.register
class StreamMeanAbsoluteError(StreamMetric):
    """The mean over all counts of the distance to the truth [1]_.

    References
    ----------
    .. [1] Fan, Xiong. "An adaptive approach to real-time aggregate monitoring with differential privacy". TKDE 2014.
    """

    title: ClassVar[str] = "Mean absolute error"
    short: ClassVar[str] = "MAE"
    unit: ClassVar[str] = "events"
    summary: ClassVar[str] = "Mean of |published − true|."

    name: Literal["stream-mean-absolute-error"] = "stream-mean-absolute-error"

    def _of(self, truth: Floats, published: Floats) -> float:
        return float(np.abs(published - truth).mean())


@metrics.register
class StreamRootMeanSquareError(StreamMetric):
    """The square root of the mean, over all counts, of the squared distance to the truth [1]_.

    References
    ----------
    .. [1] Willmott, Matsuura. "Advantages of the mean absolute error (MAE) over the root mean square error (RMSE) in
       assessing average model performance". Climate Research 30, 2005.
    """

    title: ClassVar[str] = "Root mean square error"
    short: ClassVar[str] = "RMSE"
    unit: ClassVar[str] = "events"
    summary: ClassVar[str] = "Square root of the mean of (published − true)²."

    name: Literal["stream-root-mean-square-error"] = "stream-root-mean-square-error"

    def _of(self, truth: Floats, published: Floats) -> float:
        return float(np.sqrt(np.square(published - truth).mean()))


class _Correlation(StreamMetric):
    """Base of the correlations over time: their mean over the dimensions that change."""

    less_is_better: ClassVar[bool] = False
    count_s: ClassVar[float] = 5e-8

    def _of(self, truth: Floats, published: Floats) -> float:
        changing = truth.min(axis=0) < truth.max(axis=0)
        if not changing.any():
            return float("nan")
        return float(correlations(self._scored(truth[:, changing]), self._scored(published[:, changing])).mean())

    def _scored(self, counts: Floats) -> Floats:
        raise NotImplementedError


@metrics.register
class StreamPearson(_Correlation):
    """Pearson's correlation over time [1]_, the mean over the dimensions whose true counts change.

    A dimension of which one value is published throughout counts 0.

    References
    ----------
    .. [1] Pearson. "Note on regression and inheritance in the case of two parents". Proc. Royal Society of London 58,
       1895.
    """

    title: ClassVar[str] = "Pearson correlation"
    short: ClassVar[str] = "r"
    summary: ClassVar[str] = "Linear correlation over time of published and true counts, mean over dimensions."

    name: Literal["stream-pearson"] = "stream-pearson"

    def _scored(self, counts: Floats) -> Floats:
        return counts


@metrics.register
class StreamSpearman(_Correlation):
    """Spearman's rank correlation over time [1]_, the mean over the dimensions whose true counts change.

    Equal counts have the mean of their ranks. A dimension of which one value is published throughout counts 0.

    References
    ----------
    .. [1] Spearman. "The proof and measurement of association between two things". American Journal of Psychology 15,
       1904.
    """

    title: ClassVar[str] = "Spearman correlation"
    short: ClassVar[str] = "ρ"
    count_s: ClassVar[float] = 4e-7
    summary: ClassVar[str] = "Rank correlation over time of published and true counts, mean over dimensions."

    name: Literal["stream-spearman"] = "stream-spearman"

    def _scored(self, counts: Floats) -> Floats:
        return ranks(counts)


def relative_errors(truth: Floats, published: Floats) -> Floats:
    """The relative error of each count (T, d), as :class:`StreamRelativeError` has it."""
    return np.asarray(np.abs(published - truth) / np.maximum(truth, sanity_bounds(truth)))


def sanity_bounds(truth: Floats) -> Floats:
    """What the relative error of each dimension of counts (T, d) is divided by at least, (d,)."""
    bound = SANITY * truth.sum(axis=0)
    bound[bound == 0] = 1.0
    return np.asarray(bound)


def correlations(table: Floats, other: Floats) -> Floats:
    """Pearson's correlation of each column of two tables (T, d), (d,): 0 where a column is constant."""
    first, second = table - table.mean(axis=0), other - other.mean(axis=0)
    scale = np.sqrt((first * first).sum(axis=0) * (second * second).sum(axis=0))
    constant = (np.ptp(table, axis=0) == 0) | (np.ptp(other, axis=0) == 0)
    return np.asarray(np.where(constant, 0.0, (first * second).sum(axis=0) / np.where(constant, 1.0, scale)))


def ranks(counts: Floats) -> Floats:
    """The rank of each count in its column (T, d), from 1; equal counts have the mean of their ranks.

    >>> ranks(np.array([[5.0], [1.0], [5.0]])).T.tolist()
    [[2.5, 1.0, 2.5]]
    """
    rank = np.empty(counts.shape)
    for k, column in enumerate(reported(counts.T)):
        _, group, size = np.unique(column, return_inverse=True, return_counts=True)
        rank[:, k] = (np.cumsum(size) - (size - 1) / 2)[group]
    return rank
