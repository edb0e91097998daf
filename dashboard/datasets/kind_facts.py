"""Facts of count streams and check-ins as their pages show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.core.templatetags.display import moment, number, tenths, whole
from dashboard.datasets.models import Dataset, Kind
from privacy_engine.core.instants import instant

Fact = dict[str, str]
HIERARCHIES = {"path": "paths in the names", "quad": "quarters of the grid"}
"""The hierarchies that the names of streams can show."""


def facts_of(dataset: Dataset) -> list[Fact]:
    """Return the facts of a dataset that is ready, each with a ``label`` and a ``text``."""
    listed = {Kind.STREAM: _of_stream, Kind.CHECKINS: _of_checkins}[dataset.kind](dataset.summary or {})
    return [{"label": label, "text": str(text)} for label, text in listed if text is not None]


def _of_stream(known: Mapping[str, Any]) -> list[tuple[str, Any]]:
    interval = known["interval_s"]
    return [
        ("Timestamps", whole(known["timestamps"])),
        ("Streams", whole(len(known["dimensions"]))),
        ("Total", tenths(known["total"])),
        ("First", known["start"]),
        ("Last", known["end"]),
        ("Interval", None if interval is None else _interval(interval)),
        ("Gaps", whole(known["gaps"]) if known["gaps"] else None),
        ("Hierarchy", HIERARCHIES.get(known.get("hierarchy", {}).get("hierarchy", ""))),
        ("Counts", None if known["whole"] else "not whole: no mechanism can release them"),
    ]


def _of_checkins(known: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("Check-ins", whole(known["checkins"])),
        ("Users", whole(known["users"])),
        ("Places", None if known["places"] is None else whole(known["places"])),
        ("Listed venues", None if known.get("venues") is None else whole(known["venues"])),
        ("First", _moment(known["start_s"])),
        ("Last", _moment(known["end_s"])),
        ("Per user, mean", number(known["per_user"])),
        ("Per user, most", whole(known["most_per_user"])),
        ("Positions", "none: no mechanism can release them" if known["bounds"] is None else None),
    ]


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else str(moment(instant(seconds)))


def _interval(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds % size == 0:
            return f"{whole(seconds / size)} {unit}"
    return f"{number(seconds)} s"
