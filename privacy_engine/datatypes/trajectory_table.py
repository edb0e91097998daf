"""Tables of trajectories: positions as whole numbers of a grid, times in milliseconds.

Columns: ``series`` (int32), the number of the series; ``lon`` and ``lat`` (int32), multiples of 1e-7 degrees;
``time_ms`` (int64), milliseconds since 1970-01-01 UTC, where every series has times; ``marked``, where any series has
marks; in a release ``event`` (int64). The metadata ``series`` and ``people`` list the names of each series and of its
person.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from privacy_engine.core.arrays import Ints, Mask, concatenated
from privacy_engine.core.progress import ROWS, advance, reported
from privacy_engine.data import Release, Trajectory
from privacy_engine.data.mapped_series import FileColumn, leave, piecewise
from privacy_engine.data.numbered import Numbered
from privacy_engine.data.people import Person, people_of
from privacy_engine.data.points_digest import CELLS_PER_DEGREE
from privacy_engine.data.releases import Releases
from privacy_engine.data.trajectories import Trajectories, has_times, labels_of, together, unchecked
from privacy_engine.formats.arrow import pa

T = TypeVar("T")
BATCH = 1_000_000
SLOW_COLUMNS = ("lon", "lat", "time_ms")
"""Whole numbers that differ little from row to row."""


class SeriesIndex(NamedTuple):
    """The m series of a table: names, persons, numbers of events (m,), first and last time (m,) in milliseconds.

    The times of a series without events are none of theirs; both columns are None where the table has no times.
    """

    names: list[str]
    people: list[str]
    sizes: Ints
    start_ms: Ints | None
    end_ms: Ints | None


class PublishedSeries(NamedTuple):
    """A series of a release, n positions, and the event (n,) that each stands for."""

    series: Trajectory
    event: Ints


def table_of(series: Sequence[Trajectory]) -> Any:
    """The table of the series of an upload."""
    return pa.concat_tables(tables_of(series))


def tables_of(series: Sequence[Trajectory]) -> Iterator[Any]:
    """The rows of :func:`table_of`, in tables of about a million."""
    whole = [series] if isinstance(series, Trajectories) else series
    marked, metadata = any(part.marked is not None for part in whole), metadata_of(*labels_of(series))
    for first, some, marks in _batches_of(series):
        columns = _positions(some, first=first, timed=has_times(series))
        if marked:
            columns["marked"] = pa.array(marks)
        yield pa.table(columns).replace_schema_metadata(metadata)


def _batches_of(series: Sequence[Trajectory]) -> Iterator[tuple[int, Trajectories, Mask]]:
    """Successive series of at least :data:`BATCH` events, the number of the first, and their marks."""
    if isinstance(series, Trajectories):
        for first, part in series.cut(BATCH):
            yield first, part, np.zeros(len(part.lon), dtype=np.bool_) if part.marked is None else part.marked
        return
    for first, held in batches(series, len):
        marks = [np.zeros(len(track), dtype=np.bool_) if track.marked is None else track.marked for track in held]
        columns = together(held)
        for track in held[:1]:  # series that lie in a file all lie in the same file
            leave(track)
        yield first, columns, concatenated(marks, np.bool_)


def batches(items: Iterable[T], size: Callable[[T], int]) -> Iterator[tuple[int, list[T]]]:
    """Successive items of at least :data:`BATCH` rows together, and the number of the first; at least a batch."""
    first, some, rows = 0, list[T](), 0
    for number, item in enumerate(reported(items)):
        some.append(item)
        rows += size(item)
        if rows >= BATCH:
            yield first, some
            first, some, rows = number + 1, [], 0
    if some or not first:
        yield first, some


def release_table_of(releases: Sequence[Release | PublishedSeries]) -> Any:
    """The table of what releases publish; budgets are no part of it."""
    return pa.concat_tables(release_tables_of(releases))


def release_tables_of(releases: Sequence[Release | PublishedSeries]) -> Iterator[Any]:
    """The rows of :func:`release_table_of`, in tables of about a million."""
    if isinstance(releases, Releases):
        timed, names, persons = releases.timed, releases.names, releases.persons
        tables = ((first, part.positions, part.event + ahead) for first, ahead, part in releases.cut(BATCH))
    else:
        series = [release.series.first(0) for release in reported(releases)]
        timed = has_times(series)
        names, persons = labels_of(series)
        held = batches(releases, lambda release: len(release.event))
        tables = ((first, together([release.series for release in some]), _events(some)) for first, some in held)
    metadata = metadata_of(names, persons)
    for first, some, event in tables:
        columns = _positions(some, first=first, timed=timed) | {"event": pa.array(event)}
        yield pa.table(columns).replace_schema_metadata(metadata)


def _events(some: Sequence[Release | PublishedSeries]) -> Ints:
    return concatenated([release.event for release in some], np.int64)


def series_of(table: Any) -> Trajectories:
    """The series of a table of either kind."""
    columns = _degrees({name: table.column(name).to_numpy() for name in table.column_names})
    for column in columns.values():
        column.setflags(write=False)  # a column that may be written would be copied
    return Trajectories(starts=_ends(table), names=_names(table.schema), persons=_people(table.schema), **columns)


def some_series(index: SeriesIndex, some: slice, column: dict[str, Any]) -> Trajectories:
    """Successive series of a table from its index and the columns of their rows, by name."""
    starts = np.append(0, np.cumsum(index.sizes[some]))
    return unchecked(starts=starts, names=index.names[some], persons=index.people[some], **_degrees(column))


def series_of_batches(schema: Any, batches: Iterable[Any]) -> Trajectories:
    """The series of a table of ``schema``, whose rows come in record batches, with columns in files."""
    names = _names(schema)
    starts, files = np.zeros(len(names) + 1, dtype=np.int64), dict[str, FileColumn]()
    for batch in reported(chain([schema.empty_table()], batches)):
        columns = {name: np.asarray(batch.column(name)) for name in schema.names}
        starts[1:] += np.bincount(columns["series"], minlength=len(names))
        for name, column in _degrees(columns).items():
            files.setdefault(name, FileColumn(column.dtype)).add(column)
    columns = {name: file.taken() for name, file in files.items()}
    return Trajectories(starts=starts.cumsum(), names=names, persons=_people(schema), **columns)


def index_of_batches(schema: Any, batches: Iterable[Any]) -> SeriesIndex:
    """The index of a table of ``schema``, whose rows of ``series`` and ``time_ms`` come in record batches."""
    names = _names(schema)
    sizes, start, end = (np.zeros(len(names), dtype=np.int64) for _ in range(3))
    for batch in reported(batches):
        number = batch.column("series").to_numpy()
        first = np.flatnonzero(np.diff(number, prepend=-1))
        here, counts = number[first], np.diff(first, append=len(number))
        if "time_ms" in schema.names:
            times = batch.column("time_ms").to_numpy()
            new = sizes[here] == 0
            start[here[new]], end[here] = times[first[new]], times[first + counts - 1]
        sizes[here] += counts
    spans = (start, end) if "time_ms" in schema.names else (None, None)
    return SeriesIndex(names, _people(schema), sizes, *spans)


def published_series(name: str, person: str, column: dict[str, Any]) -> PublishedSeries:
    """A series of a release from its columns in a release's table."""
    starts = np.array([0, len(column["event"])])
    positions = unchecked(starts=starts, names=[name], persons=[person], **_degrees(column))  # they were, as stored
    return PublishedSeries(positions[0], column["event"])


@dataclass(frozen=True, eq=False)
class PublishedTable(Numbered[PublishedSeries]):
    """The series of a release as columns: their ``positions``, and the event (n,) that each stands for."""

    positions: Trajectories
    event: Ints

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def sizes(self) -> Ints:
        """How many positions each series has, (m,)."""
        return np.diff(self.positions.starts)

    def _read(self, number: int) -> PublishedSeries:
        return PublishedSeries(self.positions[number], self.event[slice(*self.positions.starts[number : number + 2])])


def published_of(table: Any) -> PublishedTable:
    """The series of a release's table with their events."""
    return PublishedTable(series_of(table), table.column("event").to_numpy())


def columns_of(table: Any) -> list[dict[str, Any]]:
    """The columns of each series by name, as they are stored: slices of the table's."""
    column = {name: table.column(name).to_numpy() for name in table.column_names if name != "series"}
    ends = pairwise(_ends(table))
    return [{name: values[first:last] for name, values in column.items()} for first, last in reported(ends, ROWS)]


def people_columns(schema: Any) -> list[str]:
    """The columns that :func:`people_of_table` needs: times only where a person has several series."""
    names = _people(schema)
    several = len(set(names)) < len(names) and "time_ms" in schema.names
    return ["series", *["time_ms"] * several]


def people_of_table(table: Any) -> list[Person]:
    """The people of a table that has at least the :func:`people_columns`."""
    lengths, times = np.diff(_ends(table)).tolist(), [column.get("time_ms") for column in columns_of(table)]
    return people_of(_people(table.schema), lengths, times)


def _ends(table: Any) -> Ints:
    """Where each series begins, and where the last ends."""
    ends: Ints = np.searchsorted(table.column("series").to_numpy(), np.arange(len(_names(table.schema)) + 1))
    return ends


def _positions(some: Trajectories, *, timed: bool, first: int = 0) -> dict[str, Any]:
    advance()
    numbers = np.repeat(np.arange(first, first + len(some), dtype=np.int32), np.diff(some.starts))
    columns = {"series": pa.array(numbers)}
    for axis in ("lon", "lat"):
        advance()
        columns[axis] = pa.array(np.round(getattr(some, axis) * CELLS_PER_DEGREE).astype(np.int32))
    if timed:
        advance()
        time_s = np.empty(0) if some.time_s is None else some.time_s  # there is no series
        columns["time_ms"] = pa.array(np.round(time_s * 1000).astype(np.int64))
    return columns


def metadata_of(names: Sequence[str], persons: Sequence[str]) -> dict[str, str]:
    """What a table of series of these names and persons has as metadata."""
    return {"series": json.dumps(list(names)), "people": json.dumps(list(persons))}


def _degrees(column: dict[str, Any]) -> dict[str, Any]:
    """The columns of trajectories by name, from those of a table."""
    units = {"lon": ("lon", CELLS_PER_DEGREE), "lat": ("lat", CELLS_PER_DEGREE), "time_s": ("time_ms", 1000)}
    columns = {
        name: piecewise(lambda some, per=per: some / per, column[stored])
        for name, (stored, per) in units.items()
        if stored in column
    }
    return columns | {name: column[name] for name in ("marked",) if name in column}


def _names(schema: Any) -> list[str]:
    names: list[str] = json.loads(schema.metadata[b"series"])
    return names


def _people(schema: Any) -> list[str]:
    """The person of each series; where a table has none all are of the same person, which assumes the least."""
    return json.loads(schema.metadata.get(b"people", b"null")) or [""] * len(_names(schema))
