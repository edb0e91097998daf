"""Landmarks that the uploaded file marks itself."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.landmarks.methods import LandmarkMethod, landmark_methods


@landmark_methods.register
class Column(LandmarkMethod):
    """Events whose cell in the file's landmark column is true (true, 1, yes)."""

    title: ClassVar[str] = "Landmark column"
    summary: ClassVar[str] = "The events marked in the landmark column of the file."
    found: ClassVar[str] = "marked by a column of the file"
    own_mark: ClassVar[str] = "no record of the file decides the mark of another"
    needs_column: ClassVar[bool] = True

    name: Literal["column"] = "column"

    def _mark(self, series: Sequence[Trajectory]) -> list[LandmarkSet]:
        return [LandmarkSet(track.marked) for track in series if track.marked is not None]

    def describe(self) -> str:
        return "marked in the file"
