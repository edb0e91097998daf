"""Errors of published counts."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.data import CountStream, Floats
from privacy_engine.metrics.base import Metric, metrics
from privacy_engine.stream_release import StreamRelease

SANITY = 0.01
"""The sanity bound of the relative error, as a share of each dimension's total."""


class StreamMetric(Metric):
    """Base of every metric of count streams."""

    kind: ClassVar[str] = CountStream.kind

    def of(self, truth: CountStream, release: StreamRelease) -> float:
        if not release.counts.size:
            return float("nan")
        return float(self._of(truth.counts, release.counts.astype(np.float64)))

    def _of(self, truth: Floats, published: Floats) -> float:
        """The value for counts (T, d) of which there is at least one."""
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
        bound = SANITY * truth.sum(axis=0)
        bound[bound == 0] = 1.0
        return float((np.abs(published - truth) / np.maximum(truth, bound)).mean())


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
