"""Landmarks picked individually."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import FailFast, Field

from privacy_engine.core.params import Param
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.landmarks.methods import LandmarkMethod, landmark_methods, split

EVENTS = Param(label="Events", help="Numbers of the landmark events, counted from 0 over the whole dataset.")


@landmark_methods.register
class Manual(LandmarkMethod):
    """Events picked one by one, on the map or by number."""

    title: ClassVar[str] = "Manual"
    summary: ClassVar[str] = "The events you selected."
    found: ClassVar[str] = "selected manually"

    name: Literal["manual"] = "manual"
    events: Annotated[list[Annotated[int, Field(ge=0, lt=2**53)]], FailFast(), EVENTS]

    def _mark(self, series: Sequence[Trajectory]) -> Sequence[LandmarkSet]:
        lengths = [len(track) for track in series]
        try:
            mask = LandmarkSet.at(self.events, sum(lengths)).mask
        except DataError as error:
            error.field = "method.events"
            raise
        return split(mask, lengths)

    def describe(self) -> str:
        return f"{len(self.events):,} selected manually"
