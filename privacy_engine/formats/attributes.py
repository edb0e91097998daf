"""Tables whose positions are geometries: the times, series and landmarks beside them, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from privacy_engine.data import Ints
from privacy_engine.formats.columns import whose
from privacy_engine.formats.landmark_column import marks_of
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import Points
from privacy_engine.formats.times import times
from privacy_engine.formats.wkb import Geometries


def coded(column: Any) -> tuple[Ints, list[str]]:
    """A code for each row of a column of text or whole numbers, and the texts that they stand for."""
    found = column.cast("string").fill_null("").dictionary_encode()
    return found.indices.to_numpy(zero_copy_only=False).astype(np.int64), found.dictionary.to_pylist()


def points_of(
    found: Geometries,
    roles: Mapping[str, str],
    column: Callable[[str], Any],
    options: ReadOptions,
    report: Report,
) -> Points:
    """Positions with what stands beside them; ``column`` gives the Arrow array of a name.

    A geometry that is none, or no point or line, is one row that is dropped with its reason.
    """
    row = found.row
    points = Points(found.lon, found.lat, None, found.reasons, rows=lambda index: row[index] + 1)
    if "time" in roles:
        read = times(column(roles["time"]), options)
        points.times = replace(read, seconds=read.seconds[row], naive=read.naive[row], missing=read.missing[row])
    if "id" in roles:
        codes, points.names = coded(column(roles["id"]))
        points.codes = codes[row]
    if "person" in roles:
        codes, points.person_names = coded(column(roles["person"]))
        points.person_codes = codes[row]
    points.whose = whose(list(roles.values()), {role: i for i, role in enumerate(roles)}, options)
    if "landmark" in roles:
        marks = marks_of(column(roles["landmark"]), roles["landmark"], options)
        marks.yes, marks.filled, marks.bad = marks.yes[row], marks.filled[row], marks.bad[row]
        points.marks = marks
    if (np.bincount(row, minlength=1) > 1).any() and points.times is not None:
        message = "Positions of one line share the time of their row."
        report.note("shared_times", message, count=int((np.bincount(row) > 1).sum()))
    return points
