"""Long tables in good order, block by block: the text is never held whole, and the series are put together at the end.

Whatever must be decided for the whole column, and would be decided otherwise in two blocks, sends the file back to
be read as a whole: so both ways give the same series and the same report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from privacy_engine.data import Floats, Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.crs import above_slips
from privacy_engine.formats.dialect import Dialect, as_utf8, sniff
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import MAX_SERIES, Points, build, cut, tell_repeats
from privacy_engine.formats.source import Source
from privacy_engine.formats.table import order_is_plain

BLOCK = 2 << 20
ReadBlock = Callable[[bytes, Dialect, ReadOptions, Report], Points]
_MARKED = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_Parts = tuple[list[Floats], list[Floats], list[Floats]]


class _NotPlain(Exception):
    """The file must be read as a whole."""


def read(source: Source, options: ReadOptions, report: Report, points_in: ReadBlock) -> list[Trajectory] | None:
    """The series of a long table; None where it is short, or must be read as a whole (the source is at its start)."""
    blocks = source.blocks(BLOCK)
    first = next(blocks, b"")
    second = next(blocks, None)
    if second is None:
        source.unread(first)
        return None
    own = Report(file=report.file, format=report.format)
    try:
        parts, timed = _parts(_chained(first, second, blocks), options, own, points_in)
    except (_NotPlain, FormatError, UnicodeDecodeError):
        source.rewind()
        return None
    del first, second
    report.rows_read, report.drops = own.rows_read, own.drops
    report.notes += own.notes
    report.guesses += own.guesses
    return cut(_joined(parts, timed, report), options)


def _chained(first: bytes, second: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield second
    yield from others


def _parts(
    blocks: Iterator[bytes], options: ReadOptions, report: Report, points_in: ReadBlock
) -> tuple[dict[str, _Parts], bool]:
    """The columns of each series in pieces, and whether they have times."""
    whole = ReadOptions(**{**vars(options), "first_n": None})
    parts: dict[str, _Parts] = {}
    dialect, timed, row = None, False, 1
    for data in blocks:
        own = Report(unit=report.unit)
        lines = data.count(b"\n")
        if dialect is None:
            if data.startswith(_MARKED):
                raise _NotPlain
            data = as_utf8(data, own)
            dialect = sniff(data, whole, own)
            if "landmark" in dialect.roles or not order_is_plain(dialect):
                raise _NotPlain
            found, guessed = dialect, [dict(guess) for guess in own.guesses]
        else:
            data.decode("utf-8")
            found = replace(dialect, offset=0, first_row=row)
            own.guesses = [dict(guess) for guess in guessed]
        series = build(points_in(data, found, whole, own), whole, own)
        row += lines
        timed = _add(series, own, report, parts)
    _check_range(parts, options, report)
    return parts, timed


def _check_range(parts: dict[str, _Parts], options: ReadOptions, report: Report) -> None:
    """Longitudes above 180 may be too few in each block, and not in the file: see :func:`crs.eastward`."""
    off = report.dropped.get("out_of_range", 0)
    points = sum(len(piece) for lon, _, _ in parts.values() for piece in lon)
    if options.lon_range is None and off > 1 and above_slips(off, off + points):
        raise _NotPlain


def _add(series: list[Trajectory], own: Report, report: Report, parts: dict[str, _Parts]) -> bool:
    """File the series of a block under their names; whether they have times."""
    plain = {"repeated"} if series[0].time_s is not None else {"repeated", "untimed"}
    if {note["code"] for note in own.notes} - plain or (parts and own.guesses != report.guesses):
        raise _NotPlain
    if parts and (series[0].time_s is None) != any(note["code"] == "untimed" for note in report.notes):
        raise _NotPlain
    if not parts:
        report.guesses = own.guesses
        report.notes = [note for note in own.notes if note["code"] == "untimed"]
    report.rows_read += own.rows_read
    for reason, drops in own.drops.items():
        report.drop(reason, drops.count, drops.rows)
    for one in series:
        lon, lat, times = parts.setdefault(one.name, ([], [], []))
        if one.time_s is not None:
            if times and times[-1][-1] > one.time_s[0]:
                raise _NotPlain
            times.append(one.time_s)
        lon.append(one.lon)
        lat.append(one.lat)
    if len(parts) > MAX_SERIES:
        raise _NotPlain
    return series[0].time_s is not None


def _joined(parts: dict[str, _Parts], timed: bool, report: Report) -> list[Trajectory]:
    """Each series in one piece; the pieces are let go on the way."""
    series, repeats = [], 0
    for name in list(parts):
        lon, lat, times = (_whole(pieces) for pieces in parts.pop(name))
        same = np.diff(lon) == 0
        same &= np.diff(lat) == 0
        if timed:
            same &= np.diff(times) == 0
        repeats += int(same.sum())
        series.append(Trajectory(lon, lat, times if timed else None, name))
    tell_repeats(repeats, report)
    return series


def _whole(pieces: list[Floats]) -> Floats:
    """The pieces as one frozen array; the list is emptied."""
    one = np.concatenate(pieces) if pieces else np.array([])
    pieces.clear()
    one.setflags(write=False)
    return one
