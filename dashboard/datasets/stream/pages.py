"""The page of a count stream."""

from collections.abc import Mapping
from typing import Any

from dashboard.core.templatetags.display import number, tenths, whole
from dashboard.datasets.common.pages import Page
from dashboard.datasets.models import Dataset
from dashboard.datasets.stream.counts import listed_streams

HIERARCHIES = {"path": "paths in the names", "quad": "quarters of the grid"}
"""The hierarchies that the names of streams can show."""


class StreamPage(Page):
    """Its counts over time."""

    def context(self, dataset: Dataset) -> dict[str, Any]:
        return {"streams": listed_streams(dataset)}

    def listed(self, known: Mapping[str, Any]) -> list[tuple[str, Any]]:
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


def _interval(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds % size == 0:
            return f"{whole(seconds / size)} {unit}"
    return f"{number(seconds)} s"


ADAPTER = StreamPage()
