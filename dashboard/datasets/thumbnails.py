"""Small drawings of datasets in lists, as the text of an SVG path: the owner's alone."""

from collections.abc import Iterable
from typing import Any

from dashboard.core.computing import computed_where
from dashboard.core.storage_errors import DamagedFile
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.storage.data_files import cached_data
from privacy_engine.core.arrays import Floats
from privacy_engine.datatypes import datatypes

UNITS = 100
"""Units of a drawing's side; y points downwards, as in SVG."""
MADE = 5
"""Drawings made at once of datasets that have none: those that were stored before there were any."""


def path_of(kind: str, data: Any) -> str:
    """Return the path of the drawing of ``data``."""
    return "".join(_line(line) for line in datatypes[kind].outline(data))


def _line(line: Floats) -> str:
    x, y = (line * UNITS).round().astype(int).T
    points = [f"{east} {UNITS - north}" for east, north in zip(x.tolist(), y.tolist(), strict=True)]
    distinct = [point for i, point in enumerate(points) if i == 0 or point != points[i - 1]]
    return "M" + "L".join(distinct) + ("h0" if len(distinct) == 1 else "")


def add_missing(rows: Iterable[Dataset]) -> None:
    """Make the drawings of the first of ``rows`` that have none."""
    missing = [row for row in rows if row.state == State.READY and not row.thumbnail]
    for row in missing[:MADE]:
        try:
            row.thumbnail = _made(row)
        except DamagedFile:  # the list has no drawing of it until it is restored
            continue
        Dataset.objects.filter(pk=row.pk).update(thumbnail=row.thumbnail)


@computed_where(lambda row: row.is_large)
def _made(row: Dataset) -> str:
    return path_of(row.kind, cached_data(row.kind, row.points_path)) or "M0 0"
