"""Long plain tables, block by block: a table is never held whole, and the series are put together at the end.

Whatever must be decided for the whole column, and would be decided otherwise in two blocks, sends the file back to
be read as a whole: so both ways give the same series and the same report.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import FileColumn, parts_at
from privacy_engine.data.merged_runs import merged
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.errors import FormatError
from privacy_engine.formats.crs import report_eastward
from privacy_engine.formats.dialect import Dialect, as_utf8, encoding_of_mark, requoted, sniff
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.people import Whose, settle
from privacy_engine.formats.points import Points
from privacy_engine.formats.report import SHOWN_ROWS, Report
from privacy_engine.formats.series import MAX_SERIES, cut, laid_out, repeats, report_late, report_repeats
from privacy_engine.formats.source import Source
from privacy_engine.formats.table import order_is_plain

BLOCK = 2 << 20
ReadBlock = Callable[[bytes, Dialect, ReadOptions, Report], Points]
Block = tuple[Points, Report]
"""The rows of a block, and a report with what was decided before; that of the first block states the layout."""


class _NotPlain(Exception):
    """The file must be read as a whole."""


class _TooMany(Exception):
    """There are more rows than are read."""


class _Filed:
    """The series of the blocks so far: what each block has of them, sorted by time, and their latest records."""

    def __init__(self) -> None:
        self._columns = FileColumn(), FileColumn(), FileColumn()
        self._owners: dict[tuple[str, str], int] = {}  # a series' name and its person: its number
        self._named: Ints = np.empty(0, dtype=np.int64)
        self._last = np.empty((3, 0))
        self._numbers: list[Ints] = []
        self._lengths: list[Ints] = []
        self._overlap = False
        self.late: list[int] = []
        """The numbers of the first rows that come after a later row of their series."""

    def __len__(self) -> int:
        return len(self._owners)

    def latest(self, owners: Sequence[tuple[str, str]]) -> Floats:
        """The latest times (k,) of the series that the rows of the next block name, which are numbered with this."""
        before = len(self)
        numbers = self._named = np.array([self._owners.setdefault(owner, len(self._owners)) for owner in owners])
        self._last = np.concatenate([self._last, np.full((3, len(self) - before), np.nan)], axis=1)
        return np.asarray(self._last[2, numbers])

    def add(self, some: Trajectories) -> int:
        """Take the series of a block; return how many begin by repeating the last record of the block before."""
        numbers = self._named
        if len(some) < len(numbers):  # some have none of their rows
            numbers = np.array([self._owners[owner] for owner in zip(some.names, some.persons, strict=True)])
        columns = [column for column in (some.lon, some.lat, some.time_s) if column is not None]
        first, last = (np.stack([column[at] for column in columns]) for at in (some.starts[:-1], some.starts[1:] - 1))
        known = self._last[: len(columns), numbers]
        if len(np.unique(numbers)) < len(numbers):
            raise _NotPlain
        self._last[: len(columns), numbers] = last
        if some.time_s is not None:
            self._last[2, numbers] = np.fmax(known[2], last[2])
            self._overlap |= bool((known[2] > first[2]).any())
        for column, piece in zip(self._columns, columns, strict=False):
            column.add(piece)
        self._numbers.append(numbers)
        self._lengths.append(np.diff(some.starts))
        return int((known == first).all(axis=0).sum())

    def series(self, timed: bool) -> Trajectories:
        """Each series as a whole, sorted by time, in a file where there are many events; nothing is left here."""
        numbers, lengths = np.concatenate(self._numbers), np.concatenate(self._lengths)
        order = np.argsort(numbers, kind="stable")
        sizes = np.bincount(numbers, lengths).astype(np.int64)
        runs = (np.cumsum(lengths) - lengths)[order], lengths[order]
        written = (column.taken() for column in self._columns[: 3 if timed else 2])
        if self._overlap:
            columns = merged(list(written), numbers[order], *runs)
        else:
            columns = [parts_at(column, *runs) for column in written]
        held = np.flatnonzero(sizes)
        owners = list(self._owners)
        names, persons = zip(*(owners[i] for i in held), strict=True)
        lon, lat, *times = columns
        return Trajectories(lon, lat, np.append(0, np.cumsum(sizes[held])), names, persons, times[0] if timed else None)


def read(source: Source, options: ReadOptions, report: Report, points_in: ReadBlock) -> Sequence[Trajectory] | None:
    """The series of a long text; None where it is short, or must be read as a whole (the source is at its start)."""
    blocks = source.blocks(BLOCK)
    first = next(blocks, b"")
    second = next(blocks, None)
    if second is None:
        source.unread(first)
        return None
    coming = itertools.chain([first, second], blocks)
    del first, second
    whole = replace(options, first_n=None)
    series = series_of(_points(coming, whole, points_in), whole, options, report, source.meter.limits.points)
    if series is None:
        source.rewind()
    return series


def series_of(
    blocks: Iterator[Block], used: ReadOptions, options: ReadOptions, report: Report, most: int
) -> Sequence[Trajectory] | None:
    """The series of a table of at most so many rows, read with the options ``used``; None where it is not plain.

    Raises
    ------
    FormatError
        It has more rows.
    """
    own = Report(file=report.file, format=report.format, format_title=report.format_title)
    try:
        filed, timed, counts, whose = _of_blocks(blocks, used, own, most)
    except _TooMany:
        message = f"The table has more than {most:,} rows. Split it, with all rows of a person in one part."
        raise FormatError(message, code="too_large", rule=f"at most {most} rows") from None
    except (_NotPlain, FormatError, UnicodeDecodeError):
        return None
    report.rows_read, report.drops = own.rows_read, own.drops
    report.notes += own.notes
    report.guesses += own.guesses
    report.decided |= own.decided
    report.layout, report.first = own.layout, own.first
    report_eastward(counts["eastward"], report)
    tracks = filed.series(timed)
    if late := counts["out_of_order"]:
        report_late(late, filed.late, report)
        counts["repeated"] = repeats(tracks.lon, tracks.lat, tracks.time_s, tracks.starts[:-1])
    report_repeats(counts["repeated"], report)
    series = settle(tracks, whose, options, report)
    return series if options.first_n is None else cut(series, options)


def _points(blocks: Iterator[bytes], options: ReadOptions, points_in: ReadBlock) -> Iterator[Block]:
    """The rows of each block of a text, the first of which decides the dialect."""
    data = next(blocks)
    if (encoding_of_mark(data) or options.encoding or "UTF-8") != "UTF-8":
        raise _NotPlain
    own, row = Report(), data.count(b"\n") + 1
    data = as_utf8(data, own, options)
    if requoted(data) is not data:
        raise _NotPlain
    dialect = sniff(data, options, own)
    if "landmark" in dialect.roles or not order_is_plain(dialect):
        raise _NotPlain
    begun, first = deepcopy(replace(own, layout=None)), own
    yield points_in(data, dialect, options, own), own
    for data in blocks:
        data.decode("utf-8")
        own = replace(deepcopy(begun), first=first.first, layout=first.layout)
        yield points_in(data, replace(dialect, offset=0, first_row=row), options, own), own
        row += data.count(b"\n")


def _of_blocks(
    blocks: Iterator[Block], options: ReadOptions, report: Report, most: int
) -> tuple[_Filed, bool, Counter[str], Whose]:
    """The series of all blocks, whether they have times, the counts of notes on all blocks, and whose they are."""
    filed, timed, whose = _Filed(), False, Whose()
    counts: Counter[str] = Counter()
    for points, own in reported(blocks):
        report.layout = report.layout or own.layout
        series, whose = laid_out(points, options, own, filed.latest), points.whose
        timed = series.time_s is not None
        for note in own.notes:
            counts[note["code"]] += note.get("count", 0)
            if note["code"] == "out_of_order":
                filed.late += note["rows"][: SHOWN_ROWS - len(filed.late)]
        counts["repeated"] += _add(series, own, report, filed)
        if report.rows_read > most:
            raise _TooMany
    return filed, timed, counts, whose


def _add(series: Trajectories, own: Report, report: Report, filed: _Filed) -> int:
    """File the series of a block; how many begin by repeating the last record of the block before.

    That both orders of coordinates are possible is noted of the whole where it is of every block.
    """
    begun = report.rows_read > 0
    plain = {"repeated", "eastward", "out_of_order" if series.time_s is not None else "untimed"}
    if {note["code"] for note in own.notes} - plain or (
        begun and (_firm(own), own.decided) != (_firm(report), report.decided)
    ):
        raise _NotPlain
    if "no_person" in own.drops:  # its column may be empty throughout, which is an error
        raise _NotPlain
    if begun and (series.time_s is None) != any(note["code"] == "untimed" for note in report.notes):
        raise _NotPlain
    if not begun:
        report.guesses, report.decided, report.first = own.guesses, own.decided, own.first
        report.notes = [note for note in own.notes if note["code"] == "untimed"]
    report.guesses = [guess for guess in report.guesses if guess in own.guesses]
    report.rows_read += own.rows_read
    for reason, drops in own.drops.items():
        report.drop(reason, drops.count, drops.rows)
    repeats = filed.add(series)
    if len(filed) > MAX_SERIES:
        raise _NotPlain
    return repeats


def _firm(report: Report) -> list[dict[str, object]]:
    return [guess for guess in report.guesses if guess["option"] != "swap"]
