"""Events at chosen hours, on chosen days and dates."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, ValidationError, field_validator

from privacy_engine.cleaning.base import LeavesOut, Reads, cleaning_steps, of_events
from privacy_engine.core.arrays import Mask
from privacy_engine.core.params import Param, broken
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.schedule import MOST_WINDOWS, Date, Schedule, Window, ZoneName, in_order, windows_of

_ALWAYS = "daily:00:00-24:00"
_DATE = {"help": "A date of that time zone, such as 2024-06-15; empty for no such limit.", "control": "date"}


def _windows(text: str) -> list[Window]:
    try:
        windows = [Window.model_validate(window) for window in windows_of(text.replace(" ", "")[:2000])]
    except (ParameterError, ValidationError):
        windows = []
    if not 1 <= len(windows) <= MOST_WINDOWS:
        raise broken(f"must be 1 to {MOST_WINDOWS} of DAYS:FROM-TO, such as mon-fri:08:00-18:00, sat:10:00-14:00")
    return windows


def _readable(text: str) -> str:
    _windows(text)
    return text


@cleaning_steps.register
class OnlyHours(LeavesOut):
    """Keeps what happened at chosen times of the week, and perhaps between two dates, of every person alike.

    An hour is what the clocks of the time zone show, as in the landmark method *Schedule*: a window whose end is not
    after its start goes on into the next day. Which events stay follows from the times alone.
    """

    title: ClassVar[str] = "Only some hours or dates"
    summary: ClassVar[str] = "Keeps events at chosen hours, days and dates."
    which: ClassVar[str] = "at other times"
    reads: ClassVar[Reads] = "times"
    needs_time: ClassVar[bool] = True

    name: Literal["only-hours"] = "only-hours"
    time_zone: Annotated[
        ZoneName,
        Param(label="Time zone", help="Whose clocks show the hours, such as Europe/Paris.", example="Europe/Paris"),
    ]
    first_date: Annotated[Date, Param(label="First date", **_DATE)] = None
    last_date: Annotated[Date, Param(label="Last date", **_DATE)] = None
    hours: Annotated[
        str,
        AfterValidator(_readable),
        Param(label="Hours", help="Days and times that stay, such as mon-fri:08:00-18:00, sat:10:00-14:00."),
    ] = _ALWAYS

    _in_order = field_validator("last_date")(in_order)

    def _keeps(self, some: Trajectories) -> Mask:
        assert some.time_s is not None
        about = {name: getattr(self, name) for name in ("time_zone", "first_date", "last_date")}
        return of_events(Schedule(windows=_windows(self.hours), **about).holds, some.time_s)
