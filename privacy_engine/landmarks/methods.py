"""What all ways to mark landmarks share: frozen descriptions, like mechanisms. Each lies in a file beside this file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from privacy_engine.core.arrays import Ints, Mask, parts_of
from privacy_engine.core.component import Component
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.numbered import Numbered
from privacy_engine.data.trajectories import has_times
from privacy_engine.errors import DataError
from privacy_engine.registry import Registry

Reads: TypeAlias = Literal["positions", "release", "times", "nothing"]

landmark_methods: Registry[LandmarkMethod] = Registry("method")


class LandmarkMethod(Component):
    """Base of every way to mark landmarks over the series of a dataset; ``needs_…`` states what the dataset must have.

    ``reads`` names what decides which events are landmarks: positions of the upload, those of an earlier release,
    times, or nothing of the data. Promises are about traces with the same landmarks: where positions of the upload
    decide, what the choice itself reveals is not covered by them. ``found`` describes how they were found.

    ``condition`` is a clause that the promise about such landmarks needs to hold; ``own_mark`` is one under which a
    record decides no mark but its own, empty where it may decide any number of them.
    """

    reads: ClassVar[Reads] = "positions"
    found: ClassVar[str] = ""
    condition: ClassVar[str] = ""
    own_mark: ClassVar[str] = ""

    def mark(self, series: Sequence[Trajectory]) -> Sequence[LandmarkSet]:
        """One landmark set for each series, in order.

        Raises
        ------
        DataError
            The data lack what the method needs (times, a landmark column), or do not suit it.
        """
        if self.needs_time and not has_times(series):
            raise self._lacking("times")
        if self.needs_column and any(track.marked is None for track in series):
            raise self._lacking("a landmark column")
        return self._mark(series)

    def _lacking(self, what: str) -> DataError:
        return DataError(
            f"Landmarks of the method {self.title} need {what}, and this dataset has none",
            field="method.name",
            rule=f"needs {what}",
            value=self.name,
        )

    def _mark(self, series: Sequence[Trajectory]) -> Sequence[LandmarkSet]:
        raise NotImplementedError

    @classmethod
    def uncovered(cls) -> tuple[str, ...]:
        """What no promise covers of this method, as noun phrases; none where no position of the upload is read."""
        if cls.reads != "positions":
            return ()
        return (f"which events are landmarks, {cls.found or 'found in positions'}",)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """:meth:`uncovered`."""
        return self.uncovered()

    @classmethod
    def coverage(cls) -> str:
        """A sentence on what promises state about landmarks marked by this method."""
        if not cls.uncovered():
            given = f", provided that {cls.condition}" if cls.condition else ""
            return f"Covered by the promise of a release{given}."
        return f"Not covered by the promise of a release: {cls.uncovered()[0]}."

    def describe(self) -> str:
        """The method with its parameters as a short text, to name a set by."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Marked(Numbered[LandmarkSet]):
    """A landmark set for each series of a dataset, which begin at ``starts`` (m + 1,) of a ``mask`` (n,)."""

    mask: Mask
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def _read(self, number: int) -> LandmarkSet:
        return LandmarkSet.of(self.mask[slice(*self.starts[number : number + 2])])

    def __iter__(self) -> Iterator[LandmarkSet]:
        return map(LandmarkSet.of, parts_of(self.mask, self.starts))


def split(mask: Mask, lengths: Sequence[int] | Ints) -> Marked:
    """A mask over a whole dataset as a landmark set for each of its series."""
    whole = LandmarkSet(np.asarray(mask, dtype=np.bool_)).mask
    return Marked(whole, np.append(0, np.cumsum(lengths, dtype=np.int64)))
