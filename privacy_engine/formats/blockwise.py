"""Long tables in good order, block by block: the text is never held whole, and the series are put together at the end.

Whatever must be decided for the whole column, and would be decided otherwise in two blocks, sends the file back to
be read as a whole: so both ways give the same series and the same report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from privacy_engine.core.growing_column import Column
from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import FEW, MappedSeries, mapped
from privacy_engine.errors import FormatError
from privacy_engine.formats.crs import report_eastward
from privacy_engine.formats.dialect import Dialect, as_utf8, encoding_of_mark, sniff
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.people import Whose, settle
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import MAX_SERIES, Points, cut, report_repeats, split
from privacy_engine.formats.source import Source
from privacy_engine.formats.table import order_is_plain

BLOCK = 2 << 20
ReadBlock = Callable[[bytes, Dialect, ReadOptions, Report], Points]


class _NotPlain(Exception):
    """The file must be read as a whole."""


class _TooMany(Exception):
    """There are more rows than are read."""


_Parts = tuple[Column, Column, Column]
_Owner = tuple[str, str]  # a series' name and its person


def read(source: Source, options: ReadOptions, report: Report, points_in: ReadBlock) -> list[Trajectory] | None:
    """The series of a long table; None where it is short, or must be read as a whole (the source is at its start)."""
    blocks = source.blocks(BLOCK)
    first = next(blocks, b"")
    second = next(blocks, None)
    if second is None:
        source.unread(first)
        return None
    own = Report(file=report.file, format=report.format, format_title=report.format_title)
    most = source.meter.limits.points
    try:
        parts, timed, counts, whose = _parts(_chained(first, second, blocks), options, own, points_in, most)
    except _TooMany:
        message = f"The table has more than {most:,} rows. Split it, with all rows of a person in one part."
        raise FormatError(message, code="too_large", rule=f"at most {most} rows") from None
    except (_NotPlain, FormatError, UnicodeDecodeError):
        source.rewind()
        return None
    del first, second
    report.rows_read, report.drops = own.rows_read, own.drops
    report.notes += own.notes
    report.guesses += own.guesses
    report.decided |= own.decided
    report.layout = own.layout
    report_eastward(counts["eastward"], report)
    report_repeats(counts["repeated"], report)
    joined = _joined(parts, timed)
    if own.rows_read <= FEW:
        return cut(settle(list(joined), whose, options, report), options)
    return MappedSeries(cut(settle(list(mapped(joined)), whose, options, report), options))


def _chained(first: bytes, second: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield second
    yield from others


def _parts(
    blocks: Iterator[bytes], options: ReadOptions, report: Report, points_in: ReadBlock, most: int
) -> tuple[dict[_Owner, _Parts], bool, Counter[str], Whose]:
    """The columns of each series, whether they have times, the counts of notes on all blocks, and whose they are."""
    whole = ReadOptions(**{**vars(options), "first_n": None})
    parts: dict[_Owner, _Parts] = {}
    dialect, timed, row, whose = None, False, 1, Whose()
    counts: Counter[str] = Counter()
    for data in reported(blocks):
        own = Report(unit=report.unit)
        lines = data.count(b"\n")
        if dialect is None:
            if (encoding_of_mark(data) or whole.encoding or "UTF-8") != "UTF-8":
                raise _NotPlain
            data = as_utf8(data, own, whole)
            dialect = sniff(data, whole, own)
            if "landmark" in dialect.roles or not order_is_plain(dialect):
                raise _NotPlain
            found, guessed, decided = dialect, [dict(guess) for guess in own.guesses], dict(own.decided)
            report.layout = own.layout
        else:
            data.decode("utf-8")
            found = replace(dialect, offset=0, first_row=row)
            own.guesses, own.decided = [dict(guess) for guess in guessed], dict(decided)
        points = points_in(data, found, whole, own)
        series, whose = split(points, whole, own), points.whose
        row += lines
        timed = series[0].time_s is not None
        for note in own.notes:
            counts[note["code"]] += note.get("count", 0)
        counts["repeated"] += _add(series, own, report, parts)
        if report.rows_read > most:
            raise _TooMany
    return parts, timed, counts, whose


def _add(series: list[Trajectory], own: Report, report: Report, parts: dict[_Owner, _Parts]) -> int:
    """File the series of a block under their names; how many begin by repeating the last record of the block before."""
    plain = {"repeated", "eastward"} if series[0].time_s is not None else {"repeated", "eastward", "untimed"}
    if {note["code"] for note in own.notes} - plain or (
        parts and (own.guesses, own.decided) != (report.guesses, report.decided)
    ):
        raise _NotPlain
    if "no_person" in own.drops:  # its column may be empty throughout, which is an error
        raise _NotPlain
    if parts and (series[0].time_s is None) != any(note["code"] == "untimed" for note in report.notes):
        raise _NotPlain
    if not parts:
        report.guesses, report.decided = own.guesses, own.decided
        report.notes = [note for note in own.notes if note["code"] == "untimed"]
    report.rows_read += own.rows_read
    for reason, drops in own.drops.items():
        report.drop(reason, drops.count, drops.rows)
    repeats = 0
    for one in series:
        columns = parts.setdefault((one.name, one.person), (Column(), Column(), Column()))
        pieces = [piece for piece in (one.lon, one.lat, one.time_s) if piece is not None]
        if columns[0].size:
            if one.time_s is not None and columns[2].last > one.time_s[0]:
                raise _NotPlain
            repeats += all(column.last == piece[0] for column, piece in zip(columns, pieces, strict=False))
        for column, piece in zip(columns, pieces, strict=False):
            column.add(piece)
    if len(parts) > MAX_SERIES:
        raise _NotPlain
    return repeats


def _joined(parts: dict[_Owner, _Parts], timed: bool) -> Iterator[Trajectory]:
    """Each series in one piece, which no longer takes memory in ``parts``."""
    for name, person in list(parts):
        lon, lat, times = (column.taken() for column in parts.pop((name, person)))
        yield Trajectory(lon, lat, times if timed else None, name, person=person)
