"""AdaPub: dimensions with similar releases share noise, and timestamps with similar counts share a median."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import Param
from privacy_engine.core.progress import advance
from privacy_engine.data import CountStream
from privacy_engine.data.stream_release import Grouping, StreamRelease
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher, StreamEstimateMechanism
from privacy_engine.mechanisms.stream.adapub_run import AdaPubRun, Rates, Record

PERTURBATION, CLUSTERING = 0.8, 0.2
"""Shares of ε: for noisy sums, and for queries about clusters."""
CELLS_AT_ONCE = 2**18
"""Of releases that are drawn side by side."""
QUERY_SHARE = {"code": 1.0, "svt": 1 / 8, "text": 1 / 2}
START_SHARE = 1 / 4

MODE = Param(
    label="Clusters",
    help="How timestamps are clustered. Code: a cluster has at most two timestamps. Sparse vector: it grows until a "
    "noisy query ends it. Released values: no query reads the counts. Text: as the paper’s text, without a guarantee.",
    options=(
        ("code", "Code"),
        ("svt", "Sparse vector"),
        ("post", "Released values"),
        ("text", "Text (no guarantee)"),
    ),
)
ERROR = Param(
    label="Error",
    help="The error that the thresholds of clusters follow: in events, or relative to the estimate, at least 1.",
    options=(("absolute", "Absolute"), ("relative", "Relative")),
)
PARTITION = Param(
    label="Partition",
    help="Whether dimensions with similar last releases share one noisy mean.",
    options=(("thresholds", "By random thresholds"), ("none", "None")),
)
THRESHOLDS = Param(
    label="Thresholds",
    symbol="g",
    help="How many random thresholds divide the dimensions: at most g + 1 groups.",
    lowest=1,
    highest=1000,
    example=20,
)


class AdaptiveMechanism(StreamEstimateMechanism):
    """Base of AdaPub and HierAdaPub: their parameters, rates of noise, and releases side by side.

    A subclass writes :meth:`side_by_side` and :meth:`noise_sd`.
    """

    mode: Annotated[Literal["code", "svt", "post", "text"], MODE] = "code"
    error: Annotated[Literal["absolute", "relative"], ERROR] = "absolute"
    partition: Annotated[Literal["thresholds", "none"], PARTITION] = "thresholds"
    thresholds: Annotated[int, THRESHOLDS] = 20

    @property
    def unsound(self) -> str:
        if self.mode != "text":
            return ""
        return (
            "a count of a cluster that stays open is part of every query until the cluster ends, and the budget "
            "counts one query for each timestamp only"
        )

    def shares(self) -> tuple[float, float]:
        """What a window spends on noisy sums and on queries about clusters."""
        if self.mode == "post":
            return self.epsilon, 0.0
        return PERTURBATION * self.epsilon, CLUSTERING * self.epsilon

    def rates(self, perturbation: float, clustering: float) -> Rates:
        """The rates of noise of a run whose window spends so much on sums and on queries."""
        each, starts, queries = clustering / self.window, 0.0, 0.0
        if self.mode in QUERY_SHARE:
            queries = self.noise_rate(each * QUERY_SHARE[self.mode])
        if self.mode == "svt":
            starts = self.noise_rate(each * START_SHARE)
        return Rates(self.noise_rate(perturbation / self.window), starts, queries)

    def run(
        self, perturbation: float, clustering: float, dimensions: int, rng: noise.RandomSource, runs: int
    ) -> AdaPubRun:
        """AdaPub over the counts of ``dimensions``, ``runs`` times side by side."""
        thresholds = self.thresholds if self.partition == "thresholds" else 0
        rates, level = self.rates(perturbation, clustering), perturbation + clustering
        return AdaPubRun(rates, self.mode, thresholds, self.error == "relative", level, dimensions, rng, runs)

    def side_by_side(
        self, dimensions: int, names: Sequence[str] | None, rng: noise.RandomSource, runs: int
    ) -> Publisher:
        """A publisher that does ``runs`` independent runs over the same counts: it returns (n, runs d)."""
        raise NotImplementedError

    def publisher_of(self, dimensions: int, names: Sequence[str] | None, rng: noise.RandomSource) -> Publisher:
        return self.side_by_side(dimensions, names, rng, 1)

    @property
    def batched(self) -> bool:
        return True

    def releases(
        self, stream: CountStream, times: int, *, rng: noise.RandomSource | np.random.Generator
    ) -> list[StreamRelease]:
        """``times`` independent releases, at least 1, drawn side by side; errors of :meth:`release`."""
        source, (n, d) = noise.as_source(rng), stream.counts.shape
        releases: list[Any] = []
        at_once = max(CELLS_AT_ONCE // max(n * d, 1), 1)
        while len(releases) < times:
            advance()
            run = self.side_by_side(d, stream.names, source, min(at_once, times - len(releases)))
            drawn: Any = run.publish_all(stream.counts)
            releases += [*drawn.reshape(n, -1, d).transpose(1, 0, 2)]
        private = source.private and not self.unsound
        return [StreamRelease.of(stream, counts, run.budgets, private=private) for counts in releases]


class _AdaPub(Publisher):
    def __init__(self, mechanism: StreamAdaPub, dimensions: int, rng: noise.RandomSource, runs: int) -> None:
        super().__init__(mechanism, dimensions, rng)
        self._budget = mechanism.epsilon / mechanism.window
        self.run = mechanism.run(*mechanism.shares(), dimensions, rng, runs)

    def record_grouping(self) -> bool:
        self.run.record = Record()
        return True

    @property
    def grouping(self) -> Grouping | None:
        return self.run.record.grouping(self.dimensions)

    def _rows(self, counts: Ints) -> Floats:
        self.spend(np.full(len(counts), self._budget))
        return self.run.advance(counts)


@mechanisms.register
class StreamAdaPub(AdaptiveMechanism):
    r"""AdaPub: noisy means of similar dimensions, and medians over clusters of similar timestamps [1]_.

    At each timestamp g random thresholds between 0 and the largest last release divide the dimensions into groups. The
    sum of each group gets discrete Laplace noise [2]_ of rate :math:`\epsilon_p / (w \Delta)`, and its members share
    the mean. A dimension's release is the median of these estimates over its cluster of timestamps. A cluster takes the
    next timestamp if the deviation of its n counts, dev, the sum of distances from their mean, is below the threshold
    :math:`\max(1, (0.9 e + 0.1 \bar e)^2 / \epsilon)`: e is the distance of the estimate from the last release,
    :math:`\bar e` the mean of the last five. Thresholds and groups follow from earlier outputs alone.

    **Sums.** Given what was published before, the groups are fixed. Neighbours change the sums of one timestamp by at
    most Δ together, which leaks at most :math:`\epsilon_p / w`.

    **code**, as Algorithm 3: a cluster closes when it takes a second timestamp, and one that begins after a refusal
    takes none. So each count is part of one query at most, about two counts, whose dev is :math:`|x - x'|`: a change of
    a count by c changes it by c at most. Noise of rate :math:`\epsilon_c / (w \Delta)` leaks at most
    :math:`c \epsilon_c / (w \Delta)`, which is charged to the timestamp of the count.

    **svt**, sparse vector [3]_: a cluster stays open until a query refuses a timestamp, which then begins a cluster
    that takes none, so each count is part of the queries of one cluster only. An event changes dev by at most
    :math:`2 (1 - 1/n)` (k more events at k of the n timestamps: :math:`2k(1 - k/n)`), so changes of C in sum change the
    whole number ⌊dev⌋ by at most 2C. One draw ρ of rate :math:`\epsilon_c / (4 w \Delta)` serves the cluster, one of
    rate :math:`\epsilon_c / (8 w \Delta)` each query, ⌊dev⌋ + noise < threshold + ρ. Moving ρ by 2C and the noise of
    the query that refuses by at most 4C gives the neighbour the same answers: they leak at most :math:`2C \epsilon_c /
    (4 w \Delta) + 4C \epsilon_c / (8 w \Delta) = C \epsilon_c / (w \Delta)`, charged to the timestamps that changed.

    In both modes the changes of one window sum up to at most :math:`w \Delta`, so its queries leak at most
    :math:`\epsilon_c` and all of it at most :math:`\epsilon_p + \epsilon_c = \epsilon`, whether events are independent
    or not. **post** decides clusters on estimates instead of counts, without noise: all of ε goes to the sums. A
    cluster of 1,024 timestamps is closed, and counts above 2⁴⁰ count as 2⁴⁰: neither changes a bound.

    **Grouping.** Clusters follow from the queries' noisy answers, groups from earlier outputs and the thresholds' own
    draws. The bound above is one for all of these together, so they would leak nothing more; a release does not publish
    them all the same, and in mode text there is no such bound.

    **text**, as the text of [1]_: a cluster stays open, with noise of rate :math:`\epsilon_c / (2 w \Delta)` for each
    query. It has no such bound: Theorem 2 of [1]_ charges a count for one query, and the count is part of every query
    until its cluster ends. For reproduction only.

    References
    ----------
    .. [1] Wang, Yang, Ren, Zhao. "Data-adaptive privacy-preserving mechanism for data stream publishing in real-time".
       Scientia Sinica Informationis 51, 2021.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    .. [3] Chen, Machanavajjhala, Hay, Miklau. "PeGaSus: Data-Adaptive Differentially Private Stream Processing".
       CCS 2017.
    """

    title: ClassVar[str] = "AdaPub"
    summary: ClassVar[str] = "Noise shared by similar dimensions, and medians over clusters of similar timestamps."
    work: ClassVar[tuple[float, float, float]] = (5e-4, 3e-6, 1e-7)

    name: Literal["stream-adapub"] = "stream-adapub"

    def side_by_side(
        self, dimensions: int, names: Sequence[str] | None, rng: noise.RandomSource, runs: int
    ) -> Publisher:
        return _AdaPub(self, dimensions, rng, runs)

    def noise_sd(self) -> float:
        """That of a noisy sum: a group of n dimensions shares it, and the median of a cluster makes it smaller."""
        return noise.discrete_laplace_sd(self.rates(*self.shares()).sums)
