"""``DetectedStays``: how check-ins were made of trajectories, and what a promise about them is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class DetectedStays:
    """Check-ins that are stays: events within ``distance_m`` metres of the first for at least ``duration_s`` seconds.

    A user is a person of the trajectories, and their check-ins follow from their events alone. So a person who is
    present, absent or elsewhere is a user who is added, removed or replaced, and a promise about a user covers all
    events of a person. An event can change any number of the stays after it, so that a promise about a check-in
    covers no event.

    ``cleaned`` are the names of the cleaning steps before the detection.
    """

    distance_m: float
    duration_s: float
    cleaned: tuple[str, ...] = ()

    @property
    def covers(self) -> str:
        """What a promise about a user covers, a noun phrase that continues its sentence."""
        what = f"stays of at least {self.duration_s:,.0f} s within {self.distance_m:,.0f} m"
        return f"all events of one person of the uploaded trajectories, whose {what} are that user's check-ins"

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What no promise about the check-ins covers, noun phrases."""
        if not self.cleaned:
            return ()
        return (f"what cleaning ({', '.join(self.cleaned)}) made of the upload before stays were detected",)

    def as_dict(self) -> dict[str, Any]:
        """The description as JSON-ready data."""
        return asdict(self) | {"cleaned": list(self.cleaned)}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> DetectedStays:
        """What :meth:`as_dict` describes."""
        rest = dict(description)
        return cls(cleaned=tuple(map(str, rest.pop("cleaned"))), **{name: float(value) for name, value in rest.items()})
