"""``Trips``: who went from where to where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data.types import column, within
from privacy_engine.errors import DataError


@dataclass(frozen=True, eq=False)
class Trips:
    """n trips, those of a person after each other.

    Parameters
    ----------
    person, persons : (n,) int and texts
        Which of ``persons`` each trip is of, never decreasing.
    origin_lon, origin_lat, destination_lon, destination_lat : (n,) float
        The ends, degrees, WGS 84.
    start_s, end_s : (n,) float
        When the trip began and ended, seconds since 1970-01-01 UTC.

    Raises
    ------
    DataError
        Lengths differ, a code, position or time is out of range, persons lie among each other, a trip ends before it
        begins.
    """

    kind: ClassVar[str] = "trips"

    person: Ints
    persons: Sequence[str]
    origin_lon: Floats
    origin_lat: Floats
    destination_lon: Floats
    destination_lat: Floats
    start_s: Floats
    end_s: Floats

    def __post_init__(self) -> None:
        person = column(self.person, "person", np.int64)
        if (len(person) and not 0 <= person[0] <= person[-1] < len(self.persons)) or (np.diff(person) < 0).any():
            rule = f"codes from 0 to {len(self.persons) - 1} that never decrease"
            raise DataError(f"person must be {rule}", field="person", rule=rule)
        object.__setattr__(self, "person", person)
        bounds = {"origin_lon": 180.0, "origin_lat": 90.0, "destination_lon": 180.0, "destination_lat": 90.0}
        for field, bound in (bounds | {"start_s": 1e12, "end_s": 1e12}).items():
            values = column(getattr(self, field), field, np.float64)
            if len(values) != len(person):
                rule = f"as many values as person ({len(person)})"
                raise DataError(f"{field} must have {rule}, got {len(values)}", field=field, rule=rule)
            within(values, field, bound)
            object.__setattr__(self, field, values)
        if (self.end_s < self.start_s).any():
            first = int(np.argmax(self.end_s < self.start_s))
            rule = "not before start_s"
            raise DataError(f"end_s must be {rule}, it is at index {first}", field="end_s", rule=rule, value=first)

    def __len__(self) -> int:
        return len(self.person)
