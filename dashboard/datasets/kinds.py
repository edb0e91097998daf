"""Kinds of data, and the units of privacy loss that their releases are charged in."""

from __future__ import annotations

from dashboard.core.choices import TextChoices


class Kind(TextChoices):
    """The kind of data of a dataset; mechanisms, pages, exports and metrics follow from it."""

    TRAJECTORY = "trajectory", "Trajectories"
    STREAM = "stream", "Count streams"
    CHECKINS = "checkins", "Check-ins"


class Unit(TextChoices):
    """What a level ε is about. Levels of different units are never added."""

    EVENT_PER_M = "event_per_m", "one event, by distance"
    EVENT = "event", "one event of a stream"
    USER = "user", "one user"
    RECORD = "record", "one record"


def kind_text(kind: str) -> str:
    """Return the name of a kind of data within a sentence: count streams."""
    return str(dict(Kind.choices)[kind]).lower()


def unit_text(unit: str) -> str:
    """Return the name of a unit of loss within a sentence: one user."""
    return str(dict(Unit.choices)[unit])


UNITS: dict[str, tuple[str, ...]] = {
    Kind.TRAJECTORY: (Unit.EVENT_PER_M,),
    Kind.STREAM: (Unit.EVENT,),
    Kind.CHECKINS: (Unit.USER, Unit.RECORD),
}
"""The units that releases of each kind of data are charged in, the usual one first."""
