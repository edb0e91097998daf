"""Whether what was read makes sense: what cannot be meant is noted with an example and the option that mends it.

The notes quote positions and times: they are for the owner of the file alone.
"""

import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.geo import distance_m
from privacy_engine.core.land import near_land
from privacy_engine.core.plurals import quantity
from privacy_engine.data import Trajectory
from privacy_engine.formats.column import Column
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report

SAMPLE_SERIES = 1000
SAMPLE_EVENTS = 20_000
"""How much is looked at: the first series, and of each the first events."""
DAY_S = 86400.0
_FAR_M = 1000.0
_NEAR_M = 200.0
_FEWEST = 5
_FEWEST_SERIES = 20
_MOSTLY = 0.9
_FEW = 500
AT_SEA = "at_sea"
"""The code of the note that is no warning, since ships are at sea."""
_SHIPS = frozenset(("mmsi", "imo", "vessel", "ship", "boat", "buoy", "sog", "draught", "callsign"))


class Sample(NamedTuple):
    """The first series in their order: ``lon``, ``lat``, ``time_s`` (n,), nan without times, ``code`` the series."""

    lon: Floats
    lat: Floats
    time_s: Floats
    code: Ints
    names: list[str]
    sizes: list[int]

    def example(self, at: int) -> str:
        """An event as text."""
        when = "" if np.isnan(self.time_s[at]) else f" at {_instant(self.time_s[at])}"
        name = self.names[self.code[at]]
        return f"{self.lon[at]:.5f}, {self.lat[at]:.5f}{when}" + (f" of {name[:40]!r}" if name else "")


def check(series: Sequence[Trajectory], options: ReadOptions, report: Report) -> None:
    """Note in ``report`` what cannot be meant, by a sample of ``series``; options of an earlier reading are trusted."""
    if options.applied or not len(series):
        return
    first = [track.first(SAMPLE_EVENTS) for track in itertools.islice(series, SAMPLE_SERIES)]
    sample = Sample(
        np.concatenate([track.lon for track in first]),
        np.concatenate([track.lat for track in first]),
        np.concatenate([np.full(len(track), np.nan) if track.time_s is None else track.time_s for track in first]),
        np.repeat(np.arange(len(first)), [len(track) for track in first]),
        [track.name for track in first],
        [len(track) for track in first],
    )
    for code, message_of, option in CHECKS:
        if message := message_of(sample, report):
            report.note(code, message, level="info" if code == AT_SEA else "warning", option=option)


def _instant(time_s: float) -> str:
    return f"{str(np.datetime64(int(time_s), 's')).replace('T', ' ')} UTC"


def _midnight(sample: Sample, report: Report) -> str:
    """Every time is at midnight."""
    known = sample.time_s[np.isfinite(sample.time_s)]
    if len(known) < _FEWEST or (known % DAY_S).any():
        return ""
    return (
        f"Every time is at midnight UTC, such as {sample.example(0)}. If the times of day stand in another column, "
        "name it with the option clock."
    )


def _row_numbers(option: str, sample: Sample, report: Report) -> str:
    """A coordinate counts the rows."""
    axis = getattr(sample, option)
    if len(axis) < _FEWEST or (np.diff(axis) != 1).any():
        return ""
    shown = f"{axis[0]:g}, {axis[1]:g}, {axis[2]:g}"
    return f"The column read as {option} counts the rows: {shown} … Name the right one with the option {option}."


def _same_coordinates(sample: Sample, report: Report) -> str:
    """Longitude and latitude are the same column."""
    if len(np.unique(sample.lon)) < _FEWEST or (sample.lon != sample.lat).any():
        return ""
    return f"Every longitude equals its latitude, such as {sample.example(0)}. Name the columns with lon and lat."


def _at_sea(option: str, sample: Sample, report: Report) -> str:
    """All positions of a table but one lie in the sea, and on land if the coordinates change places, or one its sign.

    A table with columns of ships has none on land.
    """
    n, lon, lat = len(sample.lon), sample.lon, sample.lat
    names = [] if report.layout is None else report.layout.names
    if n < _FEWEST or not names or any(Column(0, name, ()).terms & _SHIPS for name in names):
        return ""
    few = slice(None, None, n // _FEW + 1)
    if near_land(lon[few], lat[few]).sum() > 1:  # which is quickly known
        return ""
    sea = np.flatnonzero(~near_land(lon, lat))
    other, how = {
        "swap": ((lat, lon), "with longitude and latitude in each other's place"),
        "lon": ((-lon, lat), "with the other sign of the longitude"),
        "lat": ((lon, -lat), "with the other sign of the latitude"),
    }[option]
    if len(sea) < n - 1 or np.abs(other[1]).max() > 90 or near_land(*other).mean() < _MOSTLY:
        return ""
    return (
        f"{len(sea):,} of {n:,} positions lie in the sea, such as {sample.example(int(sea[0]))}; {how} nearly all lie "
        f"on land. Is the option {option} right?"
    )


def _two_places(sample: Sample, report: Report) -> str:
    """One series is at two places at once, often."""
    same = (np.diff(sample.code) == 0) & (np.diff(sample.time_s) == 0)
    at = np.flatnonzero(same)
    far = at[_steps_m(sample, at) > _FAR_M]
    if len(far) < _FEWEST or len(far) * 10 < len(sample.lon):
        return ""
    return (
        f"{quantity(len(far), 'event')} of {len(sample.lon):,} are at a second place at the same time, such as "
        f"{sample.example(int(far[0]))} and {sample.example(int(far[0]) + 1)}. If the rows are of several people, name "
        "the column of the person with the option id."
    )


def _single_points(sample: Sample, report: Report) -> str:
    """Nearly every series is a single event."""
    single = sum(size == 1 for size in sample.sizes)
    if len(sample.sizes) < _FEWEST_SERIES or single < _MOSTLY * len(sample.sizes):
        return ""
    return (
        f"{single:,} of {len(sample.sizes):,} series are one event, such as {sample.example(0)}. If their column "
        "numbers the rows, set the option id to #0."
    )


def _future(sample: Sample, report: Report) -> str:
    """Times lie in the future."""
    late = np.flatnonzero(sample.time_s > time.time() + DAY_S)
    if not len(late) or any(note["code"] == "far_times" for note in report.notes):
        return ""
    return (
        f"{quantity(len(late), 'event')} in the future, such as {sample.example(int(late[0]))}. Are the order of dates "
        "(option date_order) and the unit of times (time_unit) right?"
    )


def _zone_jump(sample: Sample, report: Report) -> str:
    """The clock jumps by whole hours at the same place, as where it changes its zone."""
    steps = np.where(np.diff(sample.code) == 0, np.diff(sample.time_s), np.nan)
    known = steps[np.isfinite(steps)]
    usual = float(np.median(known)) if len(known) > 2 * _FEWEST else np.inf
    if usual > 600:
        return ""
    jump = steps - usual
    hours = np.flatnonzero((np.abs(jump) >= 3600) & (np.abs(jump / 3600 - np.round(jump / 3600)) < 1e-4))
    near = hours[_steps_m(sample, hours) < _NEAR_M]
    if not 1 <= len(near) <= 3:
        return ""
    return (
        f"The times jump by exactly {jump[near[0]] / 3600:g} h without a move, after {sample.example(int(near[0]))}. "
        "Does the file mix two time zones? State the zone of times that name none with the option time_zone."
    )


def _mostly_dropped(sample: Sample, report: Report) -> str:
    """Most rows were left out; archive members that were left out are no rows."""
    drops = {why: drop for why, drop in report.drops.items() if not why.endswith("_member")}
    dropped = sum(drop.count for drop in drops.values())
    if report.rows_read < _FEWEST or dropped * 2 <= report.rows_read:
        return ""
    reason, most = max(drops.items(), key=lambda item: item[1].count)
    row = f", first {report.unit} {most.rows[0]}" if most.rows else ""
    return f"{dropped:,} of {report.rows_read:,} rows were left out, most for one reason ({reason}{row})."


def _steps_m(sample: Sample, at: Ints) -> Floats:
    """The distance from each of some events to the next, metres."""
    return np.asarray(distance_m(sample.lon[at], sample.lat[at], sample.lon[at + 1], sample.lat[at + 1]))


CHECKS: tuple[tuple[str, Callable[[Sample, Report], str], str], ...] = (
    ("all_midnight", _midnight, "clock"),
    ("row_numbers", partial(_row_numbers, "lon"), "lon"),
    ("row_numbers", partial(_row_numbers, "lat"), "lat"),
    ("same_coordinates", _same_coordinates, "lat"),
    *((AT_SEA, partial(_at_sea, option), option) for option in ("swap", "lon", "lat")),
    ("two_places", _two_places, "id"),
    ("single_points", _single_points, "id"),
    ("future_times", _future, "date_order"),
    ("zone_jump", _zone_jump, "time_zone"),
    ("mostly_dropped", _mostly_dropped, ""),
)
"""The code of a note, what judges whether it is true, and the reading option that mends it."""
