"""Removal of positions that cannot have been reached."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.cleaning.base import LeavesOut, Reads, cleaning_steps
from privacy_engine.core import geo
from privacy_engine.core.arrays import Mask
from privacy_engine.core.params import HighestSpeed
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import empty, leaving
from privacy_engine.data.trajectories import Trajectories

AGREE = 5
SLACK_S = 1.0


@cleaning_steps.register
class DropJumps(LeavesOut):
    """Drops events that cannot have been reached from the last one kept at the highest speed.

    Times are taken as exact to one second. Five successive events that cannot be reached from there but from each other
    are a place of their own, not faults: they stay, and if fewer than five came before them, those were the fault and
    go. So a wrong first position does not cost all others, and a flight with the logger off costs none.
    """

    title: ClassVar[str] = "Drop impossible speeds"
    short: ClassVar[str] = "Drop jumps"
    summary: ClassVar[str] = "Leaves out positions that cannot be reached from the one before."
    which: ClassVar[str] = "faster than {0.highest_km_h:g} km/h"
    reads: ClassVar[Reads] = "positions"
    needs_time: ClassVar[bool] = True

    name: Literal["drop-jumps"] = "drop-jumps"
    highest_km_h: HighestSpeed

    def _keeps(self, some: Trajectories) -> Mask:
        from privacy_engine.kernels.jumps import without_jumps

        keep, limits = empty(len(some.lon), np.bool_), (self.highest_km_h / 3.6 / geo.EARTH_RADIUS_M, SLACK_S, AGREE)
        assert some.time_s is not None
        columns, state = (some.lon, some.lat, some.time_s), (0, 0, 0, 0, 0, 0, 0)
        for part in leaving([keep, *columns], blocks(len(keep))):
            state = without_jumps(columns, some.starts, limits, part.start, part.stop, state, keep)
        return keep
