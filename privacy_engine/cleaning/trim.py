"""Series without their beginning and their end: by time, by distance."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.cleaning.base import LeavesOut, Reads, cleaning_steps
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.params import Param
from privacy_engine.core.progress import blocks
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import leaving, spread
from privacy_engine.data.trajectories import Trajectories

TRIM_S = Param(
    label="Time at each end",
    unit="s",
    help="Events less than this after the first or before the last one of a series are left out.",
    lowest=0.0,
    highest=1e9,
    example=300.0,
)
TRIM_M = Param(
    label="Distance at each end",
    unit="m",
    help="Events go until one is this far from the first of the series, and after the last one as far from its end.",
    lowest=0.0,
    highest=2.1e7,
    example=500.0,
)


class Trim(LeavesOut):
    """Base of the steps that shorten series at both ends; a series of which nothing is left goes."""

    which: ClassVar[str] = "at the ends of series"

    def _keeps(self, some: Trajectories) -> Mask:
        parts = []
        for start, track in zip(some.starts.tolist(), some, strict=False):
            first, stop = self._middle(track) if len(track) else (0, 0)
            parts += [start, start + first, start + max(first, stop)]
        return spread(np.tile([False, True, False], len(some)), np.array([*parts, some.starts[-1]], dtype=np.int64))

    def _middle(self, track: Trajectory) -> tuple[int, int]:
        """The first event of a series that stays, and the event after the last that does."""
        raise NotImplementedError


@cleaning_steps.register
class TrimTime(Trim):
    """Leaves out the first and the last minutes of each series. Which events stay follows from the times alone."""

    title: ClassVar[str] = "Trim the ends by time"
    summary: ClassVar[str] = "Leaves out the first and last minutes of each series."
    reads: ClassVar[Reads] = "times"
    needs_time: ClassVar[bool] = True

    name: Literal["trim-time"] = "trim-time"
    trim_s: Annotated[float, TRIM_S]

    def _middle(self, track: Trajectory) -> tuple[int, int]:
        times = track.time_s
        assert times is not None
        first = np.searchsorted(times, times[0] + self.trim_s, "left")
        return int(first), int(np.searchsorted(times, times[-1] - self.trim_s, "right"))


@cleaning_steps.register
class TrimDistance(Trim):
    """Leaves out each series until it is first as far as the distance from its first event, and likewise its end.

    The distance is the straight one, so that standing still with a noisy receiver trims nothing. A series that stays
    nearer goes as a whole. The first and the last position decide how many events go.
    """

    title: ClassVar[str] = "Trim the ends by distance"
    summary: ClassVar[str] = "Leaves out the first and last metres of each series."
    reads: ClassVar[Reads] = "positions"

    name: Literal["trim-distance"] = "trim-distance"
    trim_m: Annotated[float, TRIM_M]

    def _middle(self, track: Trajectory) -> tuple[int, int]:
        return self._left(track.lon, track.lat), len(track) - self._left(track.lon[::-1], track.lat[::-1])

    def _left(self, lon: Floats, lat: Floats) -> int:
        """How many events come before the first as far away; all where none is."""
        for part in leaving([lon, lat], blocks(len(lon))):
            far = geo.distance_m(lon[0], lat[0], lon[part], lat[part]) >= self.trim_m
            if far.any():
                return int(part.start + far.argmax())
        return len(lon)
