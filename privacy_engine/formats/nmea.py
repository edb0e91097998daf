"""NMEA 0183 logs: RMC, GGA, GLL and GNS sentences; those of one instant are one fix. The date comes from RMC or ZDA.

The date of a sentence that bears none follows from those before, which the report names (`times_follow`).
"""

import math
import re
from dataclasses import dataclass, field

import numpy as np

from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import lines_of
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.rows import Rows
from privacy_engine.formats.series import build, nothing_left
from privacy_engine.formats.source import Source
from privacy_engine.formats.times import Times
from privacy_engine.formats.times_of_day import DAY_S, clock_s, dated, day_number, day_of, note_follows
from privacy_engine.formats.xmltools import plain_head

# sentence -> places of time, first coordinate, status, and the status that means no fix
_LAYOUT = {"RMC": (1, 3, 2, "V"), "GGA": (1, 2, 6, "0"), "GLL": (5, 1, 6, "V"), "GNS": (1, 2, 6, "N")}
_DATE_PLACE = 9  # in RMC
_ANGLE = re.compile(r"\s*([0-9]{0,3}?)([0-5]?[0-9](?:\.[0-9]{0,12})?)\s*")
_SENTENCE = re.compile(rb"\s*(?:[#;][^\n]*\n\s*){0,50}(?:\\[^\\\n]{0,200}\\)?[$!][A-Z]{2}[A-Z]{3},")
_CHECKED = re.compile(rb"\$([A-Z]{2}(?:RMC|GGA|GLL|GNS),[^*]{0,200})\*([0-9A-Fa-f]{2})")
_MOST_PROSE = 100


@dataclass
class _Log:
    options: ReadOptions
    rows: Rows = field(default_factory=Rows)
    clocks: list[float] = field(default_factory=list)
    clock_texts: list[str] = field(default_factory=list)
    days: list[float] = field(default_factory=list)
    no_fix: list[int] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)
    ais: int = 0
    day_ahead: float = math.nan
    clock_ahead: float = math.nan  # of the ZDA that names the day ahead
    dated: dict[tuple[float, str], int] = field(default_factory=dict)
    unread: set[int] = field(default_factory=set)  # places without a position that can be read and is on the earth
    follow: int = 0  # sentences of a position without a date of their own
    joined: int = 0

    def day_at(self, clock: float) -> float:
        """The day of a time of day near the ZDA that was read last, which may lie on the other side of midnight."""
        apart = clock - self.clock_ahead
        return self.day_ahead + (apart < -DAY_S / 2) - (apart > DAY_S / 2)


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The timeline of an NMEA log."""
    lines = lines_of(source.read_lines(), report, options)
    log = _Log(options)
    for number, line in enumerate(reported(lines, ROWS), start=1):
        _read_line(line, number, log)
    report.rows_read += len(log.no_fix) + len(log.damaged)
    report.drop("no_fix", len(log.no_fix), log.no_fix[:20])
    report.drop("bad_checksum", len(log.damaged), log.damaged[:20])
    if log.ais:
        message = "AIS sentences (positions of ships, without a date) are not read; decode them to CSV."
        report.note("ais", message, count=log.ais)
    if not log.rows:
        if log.ais:
            raise FormatError("The log holds AIS sentences only. Decode them to CSV and upload that.", code="no_points")
        raise nothing_left(report)
    note_follows(log.follow, "sentence", report)
    if log.joined:
        message = f"{quantity(log.joined, 'sentence')} of the time of an earlier one: one fix, its position the first."
        report.note("one_instant", message, level="info", count=log.joined)
    points = log.rows.points(options)
    if options.time != "#0":
        points.times = _times(log, report)
    return build(points, options, report)


def _times(log: _Log, report: Report) -> Times | None:
    if log.days and math.isfinite(log.day_ahead) and not np.isfinite(log.days).any():
        log.days[-1] = log.day_at(log.clocks[-1])  # a date that came after the last fix
    seconds = dated(np.array(log.clocks), np.array(log.days))
    missing = np.array([not text.strip() for text in log.clock_texts], dtype=np.bool_)
    if not np.isfinite(log.days).any():
        report.note("no_date", "The log names no date, so that its times of day were left out.")
        return None
    return Times(seconds, np.zeros(len(seconds), dtype=np.bool_), missing)


def _read_line(line: str, number: int, log: _Log) -> None:
    line = line.strip()
    if line.startswith("\\"):  # a tag block
        line = line[1:].partition("\\")[2]
    if line.startswith("!"):
        log.ais += 1
    if not line.startswith("$"):
        return
    body, star, given = line[1:].partition("*")
    cells = body.split(",")
    kind = cells[0][-3:]
    if kind not in _LAYOUT and kind != "ZDA":
        return
    if star and not _sound(body, given):
        log.damaged.append(number)
    elif kind == "ZDA":
        _date(cells, log)
    else:
        _fix(kind, cells, number, log)


def _sound(body: str, given: str) -> bool:
    total = 0
    for code in body.encode("latin-1", "replace"):
        total ^= code
    return given.strip()[:2].upper() == f"{total:02X}"


def _date(cells: list[str], log: _Log) -> None:
    """ZDA dates the fix of its own time, else the fix to come."""
    numbers = [int(cell) if re.fullmatch(r"[0-9]{1,4}", cell.strip()) else 0 for cell in (cells + [""] * 5)[2:5]]
    day = day_number(numbers[2], numbers[1], numbers[0])
    if log.clock_texts and cells[1:2] == [log.clock_texts[-1]]:
        log.days[-1] = log.days[-1] if math.isfinite(log.days[-1]) else day
    else:
        log.day_ahead, log.clock_ahead = day, clock_s(cells[1])


def _fix(kind: str, cells: list[str], number: int, log: _Log) -> None:
    time, first, status, void = _LAYOUT[kind]
    cells = cells + [""] * 10
    if cells[status].strip().startswith(void) and (kind != "GNS" or not cells[status].strip("N ")):
        log.no_fix.append(number)
        return
    day = day_of(cells[_DATE_PLACE]) if kind == "RMC" else math.nan
    log.follow += not math.isfinite(day)
    if cells[time].strip() and (same := _lately(cells[time], day, log)) is not None:
        log.days[same] = day if math.isfinite(day) else log.days[same]
        log.dated.setdefault((log.days[same], cells[time]), same)
        log.joined += 1
        return
    lat, lon = (_degrees(cells[at], cells[at + 1], letters) for at, letters in ((first, "NS"), (first + 2, "EW")))
    if not _is_position(lon, lat, log.options):
        log.unread.add(len(log.clocks))
    log.rows.add(lon, lat, None, number)
    log.clocks.append(clock_s(cells[time]))
    log.clock_texts.append(cells[time])
    log.days.append(day if math.isfinite(day) else log.day_at(log.clocks[-1]))
    if len(log.days) - 1 not in log.unread:
        log.dated.setdefault((log.days[-1], cells[time]), len(log.days) - 1)
    log.day_ahead = math.nan


def _is_position(lon: float | str | None, lat: float | str | None, options: ReadOptions) -> bool:
    """Whether a row of these is not dropped, so that it may stand for later sentences of its instant."""
    if not (isinstance(lon, float) and isinstance(lat, float)):
        return False
    if options.crs not in (None, "EPSG:4326"):
        return True
    if options.swap == "yes":
        lon, lat = lat, lon
    return abs(lat) <= 90 and -180 <= lon <= (180 if options.lon_range == "180" else 360)


def _lately(text: str, day: float, log: _Log) -> int | None:
    """The place of the fix of that time: receivers send an instant in several sentences.

    Of a sentence with its date it is that of the same date, else one of the last few that bears no other date.
    """
    if math.isfinite(day) and (day, text) in log.dated:
        return log.dated[day, text]
    last = range(len(log.clock_texts) - 1, max(-1, len(log.clock_texts) - 5), -1)
    same = (place for place in last if log.clock_texts[place] == text and place not in log.unread)
    return next((place for place in same if math.isnan(day) or math.isnan(log.days[place])), None)


def _degrees(text: str, letter: str, letters: str) -> float | str | None:
    """``ddmm.mmm`` and a hemisphere as degrees; what cannot be read goes on as it is, to be dropped by reason."""
    letter = letter.strip().upper()
    if not text.strip():
        return None
    match = _ANGLE.fullmatch(text)
    if match is None or len(letter) != 1 or letter not in letters:
        return "?"
    degrees = int(match[1] or 0) + float(match[2]) / 60
    return -degrees if letter in "SW" else degrees


def sniff(head: bytes) -> bool:
    """Whether the first line that is no comment is a sentence (the first of all may be cut off), or one whose checksum
    is right follows within a hundred lines of other text."""
    text = plain_head(head[:8192])
    if _SENTENCE.match(text) is not None or _SENTENCE.match(text.partition(b"\n")[2]) is not None:
        return True
    return any(map(_is_checked, text.split(b"\n")[:_MOST_PROSE]))


def _is_checked(line: bytes) -> bool:
    """Whether a line is a sentence of a position with its right checksum."""
    match = _CHECKED.fullmatch(line.strip())
    return match is not None and _sound(match[1].decode("ascii", "replace"), match[2].decode("ascii"))


NMEA = register(
    Format(
        "nmea",
        "NMEA log",
        ("nmea", "nme", "log", "txt"),
        sniff,
        read,
        rank=24,
        keeps="times",
        options=("encoding", "time"),
        person="everything is one person's: a log is one receiver's",
        source="https://gpsd.gitlab.io/gpsd/NMEA.html",
    )
)
