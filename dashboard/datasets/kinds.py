"""Kinds of data, those of the engine, and the units of privacy loss that their releases are charged in."""

from typing import Any

from dashboard.core.choices import TextChoices
from privacy_engine.datatypes import datatypes

_MEMBERS: Any = [(kind.upper(), (kind, datatype.title)) for kind, datatype in datatypes.items()]
Kind: Any = TextChoices("Kind", _MEMBERS)
"""The kind of data of a dataset; mechanisms, pages, exports and metrics follow from it."""


class Unit(TextChoices):
    """What a level ε is about. Levels of different units are never added."""

    EVENT_PER_M = "event_per_m", "one event, by distance"
    EVENT = "event", "one event of a stream"
    USER = "user", "one user"
    RECORD = "record", "one record"


def kind_text(kind: str) -> str:
    """Return the name of a kind of data within a sentence: count streams."""
    return datatypes[kind].title.lower()


def unit_text(unit: str) -> str:
    """Return the name of a unit of loss within a sentence: one user."""
    return str(dict(Unit.choices)[unit])
