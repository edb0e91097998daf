"""Repetitions of one cell over the series of a dataset: what each of them marks, releases and so makes measurable."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from privacy_engine import noise
from privacy_engine.accounting.temporal import LossFunction
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.spec import processed

if TYPE_CHECKING:
    from privacy_engine.experiments.spec import Cell

_SERIES, _MARKS, _DUMMIES = range(3)


class Trials:
    """The repetitions ``which`` of ``cell``, each a function of the cell, the series and its own number alone.

    Never private: everything is drawn from the cell's seed, and metrics read the truth. ``found`` is where a metric
    leaves what others need too.
    """

    def __init__(self, cell: Cell, series: Sequence[Trajectory], which: range) -> None:
        self.cell, self.series, self.which = cell, series, which
        self.found: dict[str, Any] = {}
        self._root = cell.root
        self._marked: dict[int, list[LandmarkSet]] = {}
        self._released: dict[int, list[Release]] = {}

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
        """How the correlation carries a loss; None without one."""
        return None if self.cell.correlation is None else self.cell.correlation.carried()

    @cached_property
    def _fixed(self) -> list[LandmarkSet]:
        return list(self.cell.landmarks.mark(self.series))

    def landmarks(self, repetition: int) -> list[LandmarkSet]:
        """The landmarks of each series in one repetition, dummies left out."""
        if not self.cell.redraw:
            return self._fixed
        method = self.cell.landmarks
        seed = noise.spawned(self._root, noise.Stream.EXPERIMENTS, _MARKS, repetition, method.seed)
        return list(method.model_copy(update={"seed": seed}).mark(self.series))

    def marked(self, repetition: int) -> list[LandmarkSet]:
        """What mechanisms take for landmarks in one repetition: landmarks, and dummies where there are some."""
        if self.alike:
            return self._fixed
        if repetition not in self._marked:
            marks = self.landmarks(repetition)
            if self.cell.dummies is not None:
                seed = noise.spawned(self._root, noise.Stream.EXPERIMENTS, _DUMMIES, repetition)
                chosen = self.cell.dummies.select(marks, rng=noise.source(seed))
                marks = [LandmarkSet(one.mask) for one in chosen]
            self._marked[repetition] = marks
        return self._marked[repetition]

    def releases(self, repetition: int) -> list[Release]:
        """One release of each series, its post-processing done."""
        if repetition not in self._released:
            spec = self.cell.release
            triples = zip(self.series, self.marked(repetition), self.seeds, strict=True)
            self._released[repetition] = [
                processed(
                    spec.mechanism.release(one, marks, rng=noise.simulated_releases(seed, repetition)), spec.postprocess
                )
                for one, marks, seed in triples
            ]
        return self._released[repetition]
