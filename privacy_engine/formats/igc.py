"""IGC flight logs of gliders: B records with a time of day, the date in the header.

A day is added at each midnight that the records pass, so that dates follow from records before; the report names that
(`times_follow`).
"""

import re

import numpy as np

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import lines_of
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.rows import Rows
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.times import Times
from privacy_engine.formats.times_of_day import clock_s, dated, day_of, note_follows
from privacy_engine.formats.xmltools import plain_head

_DATE = re.compile(r"HFDTE(?:DATE:?)?\s*([0-9]{6})", re.IGNORECASE)
_FIX = re.compile(r"B([0-9]{6})([0-9]{2})([0-9]{5})([NS])([0-9]{3})([0-9]{5})([EW])([AV])")
_START = re.compile(rb"\s*A[A-Za-z0-9 ]{3}[^\n]*\r?\n(?:[A-Z][^\n]*\r?\n){0,40}?H[FOP]", re.IGNORECASE)


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The flight of an IGC file."""
    lines = lines_of(source.read_lines(), report, options)
    rows = Rows()
    clocks: list[float] = []
    days: list[float] = []
    bad: list[int] = []
    day = float("nan")
    for number, line in enumerate(reported(lines, ROWS), start=1):
        if line.startswith("B"):
            match = _FIX.match(line)
            if match is None:
                bad.append(number)
                continue
            _add(match, number, rows)
            clocks.append(clock_s(match[1]))
            days.append(day)
            day = float("nan")
        elif match := _DATE.match(line):
            day = day_of(match[1])
    report.rows_read += len(bad)
    report.drop("short_row", len(bad), bad[:20])
    if not rows:
        raise FormatError("The IGC file holds no B records, which are the positions.", code="no_points")
    points = rows.points(options)
    if options.time != "#0":
        points.times = _times(clocks, days, report)
    return build(points, options, report)


def _add(match: re.Match[str], number: int, rows: Rows) -> None:
    lat = int(match[2]) + int(match[3]) / 60_000
    lon = int(match[5]) + int(match[6]) / 60_000
    if match[8] == "V" and not lat and not lon:
        rows.add(None, None, None, number)
    else:
        rows.add(-lon if match[7] == "W" else lon, -lat if match[4] == "S" else lat, None, number)


def _times(clocks: list[float], days: list[float], report: Report) -> Times | None:
    seconds = dated(np.array(clocks), np.array(days))
    if not np.isfinite(days).any():
        report.note("no_date", "The log names no date, so that its times of day were left out.")
        return None
    note_follows(int(np.isnan(days).sum()), "fix", report)
    nothing = np.zeros(len(seconds), dtype=np.bool_)
    return Times(seconds, nothing, nothing)


def sniff(head: bytes) -> bool:
    """Whether the text begins with an A record and has H records soon after."""
    return _START.match(plain_head(head[:8192])) is not None


IGC = register(
    Format(
        "igc",
        "IGC flight log",
        ("igc",),
        sniff,
        read,
        rank=26,
        keeps="times",
        options=("encoding", "time"),
        person="everything is one person's: a log is one flight",
        source="https://www.fai.org/igc-documents",
    )
)
