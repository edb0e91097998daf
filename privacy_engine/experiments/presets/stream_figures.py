"""The figures and tables of AdaPub's paper as experiments: each has the figure's sweep, mechanisms and measures.

On generated data two sets stand for the paper's: Syn, which the paper generates too, and low counts as in a shop. A
dataset takes their place.
"""

from typing import Any, ClassVar, Literal

from privacy_engine.core.params import Repetitions
from privacy_engine.data import CountStream
from privacy_engine.experiments.generated import Dimensions, NormalSteps, PoissonStream, Timestamps
from privacy_engine.experiments.inputs import Given
from privacy_engine.experiments.presets.base import ReleasePreset, presets

LEVELS = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0]
WINDOWS = [5, 10, 20, 50, 100, 200]
LOW_MEAN = 9.0
"""Mean count of the generated low counts: that of the paper's OnlineRetail."""
NAMES = ("stream-bd", "stream-ba", "stream-rescuedp", "stream-pegasus", "stream-adapub")
"""The mechanisms of figures 8 to 12 and table 5."""
OURS = "stream-shrink"
LENGTH = 10
"""Figures 10 and 11: timestamps of a jump and of a low signal."""


class StreamFigure(ReleasePreset):
    """Base: ``names`` or :meth:`variants` over levels, or another sweep at ε = 1, with a window of 100 [1]_.

    References
    ----------
    .. [1] Wang, Yang, Ren, Zhao. "Data-adaptive privacy-preserving mechanism for data stream publishing in real-time".
       Scientia Sinica Informationis 51, 2021. (The generated streams are Cairn's.)
    """

    kind: ClassVar[str] = CountStream.kind
    metrics: ClassVar[tuple[Any, ...]] = ("stream-relative-error", "stream-mean-absolute-error")
    names: ClassVar[tuple[str, ...]] = (*NAMES, OURS)

    repetitions: Repetitions = 20
    timestamps: Timestamps = 200
    dimensions: Dimensions = 20

    def parameters(self, given: Given | None) -> dict[str, Any]:
        return {"epsilon": 1.0, "window": 100, "sensitivity": 1}

    def variants(self, given: Given | None) -> list[dict[str, Any]]:
        return [{"name": name} for name in self.names]

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {"release.mechanism.epsilon": LEVELS}

    def generated(self) -> list[dict[str, Any]]:
        size: dict[str, Any] = {"timestamps": self.timestamps, "dimensions": self.dimensions, "seed": self.seed}
        return [NormalSteps(**size).model_dump(), PoissonStream(**size, mean=LOW_MEAN).model_dump()]


@presets.register
class StreamThresholds(StreamFigure):
    """Errors of AdaPub by its number of thresholds g, figure 6 of [1]_: ε = 1, w = 100."""

    title: ClassVar[str] = "AdaPub by thresholds"
    summary: ClassVar[str] = "Figure 6 of AdaPub’s paper: its errors over the number of thresholds g."

    name: Literal["stream-thresholds"] = "stream-thresholds"
    repetitions: Repetitions = 100

    def variants(self, given: Given | None) -> list[dict[str, Any]]:
        return [{"name": "stream-adapub", "mode": mode} for mode in ("code", "svt", "post")]

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {"release.mechanism.thresholds": [1, 2, 5, 10, 20, 40, 80]}


@presets.register
class StreamPartition(StreamFigure):
    """Errors of AdaPub with and without its partition of dimensions, figure 7 of [1]_: over ε, w = 100."""

    title: ClassVar[str] = "AdaPub without a partition"
    summary: ClassVar[str] = "Figure 7 of AdaPub’s paper: errors with and without the partition, over the level ε."

    name: Literal["stream-partition"] = "stream-partition"
    repetitions: Repetitions = 100

    def variants(self, given: Given | None) -> list[dict[str, Any]]:
        return [{"name": "stream-adapub", "partition": partition} for partition in ("thresholds", "none")]


@presets.register
class StreamPaperLevels(StreamFigure):
    """Errors of the paper's mechanisms and of stream-shrink over ε at w = 100, figure 8 of [1]_."""

    title: ClassVar[str] = "AdaPub’s paper by level"
    summary: ClassVar[str] = "Figure 8 of AdaPub’s paper: its mechanisms over the level ε, with Stream shrink."

    name: Literal["stream-paper-levels"] = "stream-paper-levels"


@presets.register
class StreamPaperWindows(StreamFigure):
    """Errors of the paper's mechanisms and of stream-shrink over w at ε = 1, figure 9 of [1]_."""

    title: ClassVar[str] = "AdaPub’s paper by window"
    summary: ClassVar[str] = "Figure 9 of AdaPub’s paper: its mechanisms over the window w, with Stream shrink."

    name: Literal["stream-paper-windows"] = "stream-paper-windows"

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {"release.mechanism.window": WINDOWS}


@presets.register
class StreamDetection(StreamFigure):
    """How well jumps and low signals are detected in what is published, figures 10 and 11 of [1]_: over ε, w = 10.

    L is 10; of the paper's curves the areas are measured. A jump is a change of at least half, a low signal lies below,
    the mean of the generated counts; of a dataset both thresholds are its mean count, which is allowed in an experiment
    alone: it reads the counts.
    """

    title: ClassVar[str] = "Detection of jumps and low signals"
    summary: ClassVar[str] = "Figures 10 and 11 of AdaPub’s paper: areas under ROC curves over the level ε."
    metrics: ClassVar[tuple[Any, ...]] = (
        {"name": "stream-jump-detection", "length": LENGTH, "threshold": 50.0},
        {"name": "stream-low-signal-detection", "length": LENGTH, "threshold": 100.0},
    )

    name: Literal["stream-detection"] = "stream-detection"
    repetitions: Repetitions = 30
    timestamps: Timestamps = 400
    dimensions: Dimensions = 1

    def parameters(self, given: Given | None) -> dict[str, Any]:
        return super().parameters(given) | {"window": 10}

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {"release.mechanism.epsilon": [0.01, 0.03, 0.1, 0.3, 1.0]}

    def measured(self, given: Given | None) -> list[Any]:
        known = super().measured(given)
        return known if given is None else [metric | {"threshold": given.mean} for metric in known]

    def generated(self) -> list[dict[str, Any]]:
        size: dict[str, Any] = {"timestamps": self.timestamps, "dimensions": self.dimensions, "seed": self.seed}
        return [PoissonStream(**size, mean=100.0).model_dump()]


@presets.register
class StreamCorrelation(StreamFigure):
    """Correlations of published with true counts over ε at w = 100, figure 12 of [1]_, which has ε = 1."""

    title: ClassVar[str] = "Stream correlations"
    summary: ClassVar[str] = "Figure 12 of AdaPub’s paper: Pearson and Spearman correlation over the level ε."
    metrics: ClassVar[tuple[Any, ...]] = ("stream-pearson", "stream-spearman")

    name: Literal["stream-correlation"] = "stream-correlation"


class StreamTree(StreamFigure):
    """Base: errors of the sums of all groups of a tree, for PeGaSus, AdaPub with and without partition, HierAdaPub."""

    tree: ClassVar[Literal["binary", "quad"]]

    repetitions: Repetitions = 50
    dimensions: Dimensions = 64

    def variants(self, given: Given | None) -> list[dict[str, Any]]:
        adapub = [{"name": "stream-adapub", "partition": partition} for partition in ("none", "thresholds")]
        return [{"name": "stream-pegasus"}, *adapub, {"name": "stream-hieradapub", "hierarchy": self.tree}]


@presets.register
class StreamBinaryTree(StreamTree):
    """Errors of sums over halves of the dimensions, over ε at w = 100, figure 13 of [1]_.

    Here all mechanisms but HierAdaPub publish the dimensions, and sums are added up from them. The paper spends ε in
    equal shares on each level instead; its variant is in docs/results/papers.md.
    """

    title: ClassVar[str] = "Sums over a binary tree"
    summary: ClassVar[str] = "Figure 13 of AdaPub’s paper: errors of sums over halves of the dimensions."
    metrics: ClassVar[tuple[Any, ...]] = ({"name": "stream-hierarchy-error", "tree": "binary"}, "stream-relative-error")
    tree: ClassVar[Literal["binary", "quad"]] = "binary"

    name: Literal["stream-binary-tree"] = "stream-binary-tree"


@presets.register
class StreamQuadTree(StreamTree):
    """Errors of sums over quarters of the dimensions, over ε at w = 100, figure 14 of [1]_.

    As for figure 13, the mechanisms but HierAdaPub publish the dimensions alone.
    """

    title: ClassVar[str] = "Sums over a quad-tree"
    summary: ClassVar[str] = "Figure 14 of AdaPub’s paper: errors of sums over quarters of the dimensions."
    metrics: ClassVar[tuple[Any, ...]] = ({"name": "stream-hierarchy-error", "tree": "quad"}, "stream-relative-error")
    tree: ClassVar[Literal["binary", "quad"]] = "quad"

    name: Literal["stream-quad-tree"] = "stream-quad-tree"


@presets.register
class StreamByDimensions(StreamFigure):
    """Errors over the number of dimensions, the sweep of tables 5 and 6 of [1]_: ε = 1, w = 100.

    Those tables have run times. A table of an experiment has none, since equal experiments give equal tables: measured
    run times are in docs/results/papers.md. Where there are fewer dimensions, the sweep ends with all of them.
    """

    title: ClassVar[str] = "Stream error by dimensions"
    summary: ClassVar[str] = "The sweep of tables 5 and 6 of AdaPub’s paper: errors over the number of dimensions."
    names: ClassVar[tuple[str, ...]] = (*NAMES, "stream-hieradapub", OURS)

    name: Literal["stream-dimensions"] = "stream-dimensions"
    repetitions: Repetitions = 10
    dimensions: Dimensions = 100

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        most = self.dimensions if given is None else given.dimensions
        fewer = [d for d in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if d < most]
        return {"dimensions": [*fewer, most]}

    def generated(self) -> list[dict[str, Any]]:
        return super().generated()[:1]


@presets.register
class StreamBySamples(StreamFigure):
    """Errors of the mechanisms that sample, over the samples M of a window [1]_: ε = 1, w = 100.

    References
    ----------
    .. [1] Fan, Xiong. "An adaptive approach to real-time aggregate monitoring with differential privacy". TKDE 2014.
       (FAST and its samples; the generated streams are Cairn's.)
    """

    title: ClassVar[str] = "Stream error by sampling rate"
    summary: ClassVar[str] = "Errors of FAST and the sampled Kalman filter over the samples M of a window."
    names: ClassVar[tuple[str, ...]] = ("stream-fast", "stream-kalman")

    name: Literal["stream-samples"] = "stream-samples"
    repetitions: Repetitions = 50

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {"release.mechanism.samples": [1, 2, 5, 10, 20, 50, 100]}
