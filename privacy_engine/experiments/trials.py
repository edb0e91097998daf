"""Repetitions of a cell over the series of a dataset: what each of them marks, releases and so makes measurable."""

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

from privacy_engine import noise
from privacy_engine.accounting.temporal import LossFunction
from privacy_engine.core.arrays import Mask
from privacy_engine.core.progress import reported
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.experiments.correlation import Correlation
from privacy_engine.experiments.landmark_cache import MarkCache, mark_cache
from privacy_engine.releases.spec import processed

_SERIES, _MARKS, _DUMMIES = range(3)

T = TypeVar("T")


class Repeated(Protocol):
    """What repetitions and measures read of a cell on trajectories, which is made of measures."""

    release: Any
    landmarks: Any
    dummies: Any
    correlation: Correlation | None
    redraw: bool

    @property
    def root(self) -> int: ...

    @property
    def draws(self) -> tuple[str, str | None, bool, int | None]: ...


class Trials:
    """The repetitions ``which`` of ``cell``, each a function of the cell, the series and its own number alone.

    Never private: everything is drawn from the cell's seed, and metrics read the truth.
    """

    def __init__(self, cell: Repeated, series: Sequence[Trajectory], which: range) -> None:
        self.cell, self.series, self.which = cell, series, which
        self._known: dict[Hashable, Any] = {}
        self._root = cell.root

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What ``compute`` returns, computed once: several measures may need it."""
        if key not in self._known:
            self._known[key] = compute()
        known: T = self._known[key]
        return known

    @property
    def alike(self) -> bool:
        """True if all repetitions have the same landmarks."""
        return not self.cell.redraw and self.cell.dummies is None

    @cached_property
    def seeds(self) -> list[int]:
        """The seed of each series' noise: the first has that of the cell."""
        more = (noise.spawned(self._root, noise.Stream.EXPERIMENTS, _SERIES, i) for i in range(1, len(self.series)))
        return [self._root, *more][: len(self.series)]

    @cached_property
    def carried(self) -> LossFunction | None:
        """How the correlation carries a loss; None without a correlation."""
        return None if self.cell.correlation is None else self.cell.correlation.carried()

    @cached_property
    def _cache(self) -> MarkCache:
        return mark_cache(self.series)

    @cached_property
    def _fixed(self) -> list[LandmarkSet]:
        return self._cache.once(self.cell.draws[0], lambda: list(self.cell.landmarks.mark(self.series)))

    def landmarks(self, repetition: int) -> list[LandmarkSet]:
        """The landmarks of each series in a repetition, dummies left out."""
        if not self.cell.redraw:
            return self._fixed
        method = self.cell.landmarks
        seed = noise.spawned(self._root, noise.Stream.EXPERIMENTS, _MARKS, repetition, method.seed)
        return list(method.model_copy(update={"seed": seed}).mark(self.series))

    def marked(self, repetition: int) -> list[LandmarkSet]:
        """What mechanisms take for landmarks in a repetition: landmarks, and dummies where there are some."""
        if self.alike:
            return self._fixed
        key = (*self.cell.draws, repetition)
        return self.once(("marked", key), lambda: self._cache.once(key, lambda: self._drawn_marks(repetition)))

    def _drawn_marks(self, repetition: int) -> list[LandmarkSet]:
        marks = self.landmarks(repetition)
        if self.cell.dummies is None:
            return marks
        seed = noise.spawned(self._root, noise.Stream.EXPERIMENTS, _DUMMIES, repetition)
        return [LandmarkSet(dummies.mask) for dummies in self.cell.dummies.select(marks, rng=noise.source(seed))]

    def draws(self, repetition: int) -> list[Release]:
        """One release of each series as the mechanism drew it."""
        return self.once(("draws", repetition), lambda: self._draw(repetition))

    def _draw(self, repetition: int) -> list[Release]:
        triples = zip(self.series, self.marked(repetition), self.seeds, strict=True)
        return [
            self.cell.release.mechanism.release(track, marks, rng=noise.simulated_releases(seed, repetition))
            for track, marks, seed in reported(triples)
        ]

    def releases(self, repetition: int) -> list[Release]:
        """:meth:`draws` with the post-processing done."""
        steps = self.cell.release.postprocess
        if not steps:
            return self.draws(repetition)
        draws = self.draws(repetition)
        return self.once(("releases", repetition), lambda: [processed(draw, steps) for draw in reported(draws)])

    def shared(self, repetition: int) -> list[Mask]:
        """Which draws of each series are of a joint draw of noise."""
        pairs = zip(self.marked(repetition), self.draws(repetition), strict=True)
        return [self.cell.release.mechanism.drawn_together(marks.mask, draw.fresh) for marks, draw in pairs]
