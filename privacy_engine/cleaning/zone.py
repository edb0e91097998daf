"""Removal of what happened in a zone."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, ValidationError

from privacy_engine.cleaning.base import LeavesOut, Reads, cleaning_steps, of_events
from privacy_engine.core.arrays import Mask
from privacy_engine.core.params import Param, broken
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.landmarks.zones import Circle, Polygon

_NUMBER = re.compile(r"[+-]?[0-9]{1,8}(\.[0-9]{1,15})?", re.ASCII)
_RULE = (
    "must be a circle (latitude, longitude, metres: 48.85, 2.35, 500), a box (two opposite corners: 48.8, 2.3; "
    "48.9, 2.4) or a polygon (three corners or more, separated by semicolons)"
)


def _zone(text: str) -> Circle | Polygon:
    rows = [[cell.strip() for cell in part.split(",")] for part in text.split(";")]
    sizes = [len(row) for row in rows]
    if len(text) > 10_000 or not all(_NUMBER.fullmatch(cell) for row in rows for cell in row):
        raise broken(_RULE)
    numbers = [[float(cell) for cell in row] for row in rows]
    if sizes == [3]:
        ((lat, lon, radius_m),) = numbers
        return Circle(type="Circle", center=(lon, lat), radius_m=radius_m)
    if len(sizes) < 2 or set(sizes) != {2}:
        raise broken(_RULE)
    corners = [(lon, lat) for lat, lon in numbers]
    if len(corners) == 2:
        (west, south), (east, north) = corners
        corners = [(west, south), (east, south), (east, north), (west, north)]
    return Polygon(type="Polygon", coordinates=[corners])


def _drawn(text: str) -> str:
    try:
        _zone(text)
    except ValidationError:
        raise broken(_RULE) from None
    return text


@cleaning_steps.register
class LeaveOutZone(LeavesOut):
    """Leaves out every event in a circle, a box or a polygon, or on its border.

    The others stay as they were. Where a series goes on after the zone, its times state how long it was there, and the
    events before and after, where it lies: a zone around a home hides the address, not that there is one.
    """

    title: ClassVar[str] = "Leave out a zone"
    summary: ClassVar[str] = "Leaves out the events in a circle, a box or a polygon."
    which: ClassVar[str] = "in the zone"
    reads: ClassVar[Reads] = "positions"

    name: Literal["leave-out-zone"] = "leave-out-zone"
    zone: Annotated[
        str,
        AfterValidator(_drawn),
        Param(
            label="Zone",
            help="Latitude, longitude and metres of a circle, or corners of a box or polygon: 48.8, 2.3; 48.9, 2.4.",
            example="48.85, 2.35, 500",
        ),
    ]

    def _keeps(self, some: Trajectories) -> Mask:
        zone = _zone(self.zone)
        return of_events(lambda lon, lat: ~zone.holds(lon, lat), some.lon, some.lat)
