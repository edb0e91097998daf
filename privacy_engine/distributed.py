"""``release_partitions``: a release of trajectories in Parquet files of any size, by the processes of a Dask scheduler.

It equals the seeded release of the same people in the order of their names, each person's events in the order of time
(events of the same time in the order of the files) as one series.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.core.optional import required
from privacy_engine.core.whole_files import write_whole
from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.data.units import units_of
from privacy_engine.datatypes.labelled_release import Marks, release_trajectories
from privacy_engine.errors import DataError, EngineError, FormatError, ParameterError
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.landmarks import LandmarkMethod, parse_short
from privacy_engine.releases.spec import ReleaseSpec

BATCH = 1 << 18
"""Rows in memory while a file is counted or split."""
TASK_ROWS = 1 << 22
"""Rows of a task that counts or splits, unless a row group has more."""
_dask = partial(required, "distributed", "release_partitions()", extra="distributed")


class ProcessesLost(EngineError):
    """The processes of a scheduler end again and again at the same task, or the scheduler itself ended."""

    code = "processes-lost"


@dataclass(frozen=True)
class Columns:
    """What the columns are called; ``time`` holds timestamps, or seconds since 1970-01-01 UTC."""

    person: str
    lon: str
    lat: str
    time: str


@dataclass(frozen=True)
class Piece:
    """Some row groups of a file: the work of a task that counts or splits."""

    filesystem: Any
    file: str
    groups: tuple[int, ...]
    drop: bool

    def batches(self, columns: Columns, *, timed: bool = True) -> Iterator[Any]:
        """Batches of the columns; without events out of range where these are dropped. FormatError names the file."""
        named = [name for field, name in vars(columns).items() if timed or field != "time"]
        try:
            with self.filesystem.open_input_file(self.file) as opened:
                file = pq.ParquetFile(opened, pre_buffer=False)
                for batch in file.iter_batches(BATCH, row_groups=list(self.groups), columns=named):
                    for name in named:
                        if batch.column(name).null_count:
                            raise _unfit(self.file, name, "without missing values")
                    yield self._within(batch, columns)
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self.file, error) from error

    def _within(self, batch: Any, columns: Columns) -> Any:
        inside = np.ones(len(batch), np.bool_)
        for name, limit in ((columns.lon, 180), (columns.lat, 90)):
            inside &= (fits := np.abs(_floats(batch, name, self.file)) <= limit)
            if not (self.drop or fits.all()):
                raise _unfit(self.file, name, f"finite and within -{limit} to {limit}")
        return batch if inside.all() else batch.filter(pa.array(inside))


def release_partitions(
    source: str | Path,
    spec: ReleaseSpec,
    *,
    person: str,
    out: str | Path,
    landmarks: str | LandmarkMethod | None = None,
    lon: str = "lon",
    lat: str = "lat",
    time: str = "time",
    partitions: int | None = None,
    invalid: str = "refuse",
    scheduler: Any = None,
) -> list[dict[str, Any]]:
    """Release all people of some Parquet files into ``out/part-00000.parquet`` and so on, and return their labels.

    Parameters
    ----------
    source : str or path
        A file, a folder, or a pattern of files in a folder; a local path or an address (``s3://bucket/*.parquet``).
    spec : ReleaseSpec
        Of a mechanism for trajectories.
    person, lon, lat, time : str
        The columns; degrees in WGS 84, timestamps or seconds since 1970-01-01 UTC.
    out : path
        An empty or new folder that all processes share. Where this call itself is killed, ``.unfinished-…`` in it has
        raw events, and must be deleted.
    landmarks : str or LandmarkMethod, optional
        In short (``stay-points:200m:30min``) or an object; it is to decide each series alone.
    partitions : int, optional
        The most files to write; without it one for each unit of about a million events.
    invalid : str
        ``drop`` leaves out events whose position is out of range; ``refuse`` raises.
    scheduler : address or dask.distributed.Client, optional
        ``local:2`` are two processes of this machine, as None is one for each core.

    Raises
    ------
    FormatError
        A storage or file cannot be read, lacks a column, or has values out of range.
    DataError
        A person is in two partitions.
    ParameterError
        ``out`` is not empty, there is no such file, no scheduler answers, or landmarks are read and none are marked.
    ProcessesLost
        Processes end whenever they do the same task, or the scheduler ended.
    MissingPackage
        Dask is not installed.
    """
    _dask()
    spec.checked(Trajectory.kind)
    method = (
        parse_short(landmarks, read=lambda name: Path(name).read_bytes()) if isinstance(landmarks, str) else landmarks
    )
    if spec.mechanism.reads_landmarks and method is None:
        raise ParameterError.must_be("landmarks", f"given: {spec.mechanism.name} reads them", got=False)
    if partitions is not None and partitions < 1:
        raise ParameterError.must_be("partitions", "at least 1", partitions)
    if invalid not in ("refuse", "drop"):
        raise ParameterError.must_be("invalid", "refuse or drop", invalid)
    folder = Path(out).absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParameterError.must_be("out", "an empty or new folder", folder.name)
    columns = Columns(person, lon, lat, time)
    pieces = _pieces(str(source), columns, drop=invalid == "drop")
    folder.mkdir(parents=True, exist_ok=True)
    # the processes end before their folder goes
    with _working_folder(folder) as work, _client(scheduler) as client:
        return _released(client, pieces, columns, spec, method, partitions, work, folder)


@contextmanager
def _working_folder(out: Path) -> Iterator[Path]:
    work = Path(tempfile.mkdtemp(dir=out, prefix=".unfinished-"))
    try:
        yield work
    finally:
        # a task of another's scheduler may go on after an error: below the old name it can write no more
        shutil.rmtree(work.rename(f"{work}-left"))


def _released(
    client: Any,
    pieces: list[Piece],
    columns: Columns,
    spec: ReleaseSpec,
    method: LandmarkMethod | None,
    partitions: int | None,
    work: Path,
    out: Path,
) -> list[dict[str, Any]]:
    every = partial(_every, client)
    counts = Counter[str]()
    for some in every(partial(_counted, columns=columns), pieces):
        counts.update(some)
    names = sorted(counts)
    sizes = np.array([counts[name] for name in names], dtype=np.int64)
    units = units_of(names, sizes)
    many = min(partitions or len(units), len(units))
    first_units = [number * len(units) // many for number in range(many)] + [len(units)]
    borders = np.array([*(units[first].start for first in first_units[:-1]), len(names)], dtype=np.int64)
    folders = every(
        partial(_split, columns=columns, names=names, borders=borders, work=work), pieces, range(len(pieces))
    )
    parts = [
        Part(number, first_units[number], first, tuple(names[first:last]), sizes[first:last], tuple(folders))
        for number, (first, last) in enumerate(pairwise(borders.tolist()))
    ]
    made = every(partial(_release_part, spec=spec, method=method, work=work), parts)
    for part, (_, file) in zip(parts, made, strict=True):
        Path(file).replace(out / part.file)
    return [label for label, _ in made]


def _every(client: Any, function: Any, items: list[Any], *more: Any) -> Any:
    """The results of a function for each Piece or Part; ProcessesLost where these cannot be had."""
    distributed = _dask()
    futures = client.map(function, items, *more, pure=False)
    results: dict[str, Any] = {future.key: None for future in futures}
    try:
        for future in distributed.as_completed(futures, loop=client.loop):
            results[future.key] = future.result()
            future.release()  # or it would be done again where its process ends later
        return list(results.values())
    except distributed.KilledWorker as error:
        file = items[list(results).index(error.task)].file
        got = f"{error.allowed_failures + 1} that ended at {file}; fewer at once, or more partitions, need less memory"
        raise ProcessesLost.must_be("scheduler", "one whose processes outlive a task", file, got=got) from error
    except CancelledError as error:
        raise ProcessesLost.must_be("scheduler", "one that answers until the end", client.scheduler.address) from error
    finally:
        client.cancel(futures)  # those that wait, after an error of another


@dataclass(frozen=True, eq=False)
class Part:
    """A partition of the output: whole units from ``first_unit`` on, of people from number ``first`` on."""

    number: int
    first_unit: int
    first: int
    names: tuple[str, ...]
    sizes: Ints
    folders: tuple[str, ...]

    @property
    def file(self) -> str:
        return f"part-{self.number:05d}.parquet"

    def series(self) -> Trajectories:
        """Its people, a series each; DataError where the events are not those that were counted."""
        paths = [Path(folder) / f"{self.number}.arrow" for folder in self.folders]
        table = pa.concat_tables([_read_piece(path) for path in paths if path.exists()])
        who = table.column("person").to_numpy() - self.first
        inside = len(who) == 0 or (who.min() >= 0 and who.max() < len(self.names))
        if not inside or not np.array_equal(np.bincount(who, minlength=len(self.names)), self.sizes):
            raise DataError.must_be("person", f"in one partition with all events; {self.file} has others", got=False)
        order = np.lexsort((table.column("time").to_numpy(), who))
        del who
        lon, lat, time_s = (table.column(name).to_numpy()[order] for name in ("lon", "lat", "time"))
        starts = np.append(0, np.cumsum(self.sizes))
        return Trajectories(lon, lat, starts, self.names, self.names, time_s)


def _read_piece(path: Path) -> Any:
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def _release_part(
    part: Part, *, spec: ReleaseSpec, method: LandmarkMethod | None, work: Path
) -> tuple[dict[str, Any], str]:
    """Write the release of a part, and return its label and its file.

    The file has a name of its own, as the folder of a split: a process that was given up for lost draws another
    release, and must not put it below this label.
    """
    series = part.series()
    marks = Marks.none(series) if method is None else Marks.of(series, method)
    made = release_trajectories(spec, series, marks, first_unit=part.first_unit)
    file = Path(tempfile.mkdtemp(dir=work, prefix=f"released-{part.number}-")) / part.file
    write_whole(file, partial(made.write, "parquet"))
    return made.label, str(file)


def _counted(piece: Piece, *, columns: Columns) -> Counter[str]:
    counts: Counter[str] = Counter()
    for batch in piece.batches(columns, timed=False):
        for entry in batch.column(columns.person).cast(pa.string()).value_counts().to_pylist():
            counts[entry["values"]] += entry["counts"]
    return counts


def _split(piece: Piece, number: int, *, columns: Columns, names: list[str], borders: Ints, work: Path) -> str:
    """Write the events of a piece into a file for each partition, in a folder that is returned.

    A task that is done again writes a folder of its own: its first process may still be writing.
    """
    folder = tempfile.mkdtemp(dir=work, prefix=f"{number}-")
    numbers = pa.array(names, pa.string())
    schema = pa.schema([("person", pa.int64()), ("lon", pa.float64()), ("lat", pa.float64()), ("time", pa.float64())])
    writers: dict[int, Any] = {}
    with ExitStack() as closing:
        for batch in piece.batches(columns):
            people = batch.column(columns.person).cast(pa.string())
            who = pa.compute.index_in(people, numbers).to_numpy().astype(np.int64)
            where = np.searchsorted(borders, who, "right") - 1
            order = np.argsort(where, kind="stable")
            values = [who, *(_floats(batch, name, piece.file) for name in (columns.lon, columns.lat, columns.time))]
            table = pa.table([column[order] for column in values], schema=schema)
            found, starts = np.unique(where[order], return_index=True)
            for to, first, last in zip(found.tolist(), starts, [*starts[1:], len(order)], strict=True):
                if to not in writers:
                    sink = closing.enter_context(pa.OSFile(str(Path(folder) / f"{to}.arrow"), "wb"))
                    writers[to] = closing.enter_context(pa.ipc.new_file(sink, schema))
                writers[to].write_table(table.slice(first, last - first))
    return folder


def _floats(batch: Any, name: str, path: str) -> Any:
    column = batch.column(name)
    try:
        if pa.types.is_timestamp(column.type):
            micros = column.cast(pa.timestamp("us", column.type.tz), safe=False).cast(pa.int64()).to_numpy()
            return micros / 1e6
        return column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        raise _unfit(path, name, "numbers") from None


def _pieces(source: str, columns: Columns, *, drop: bool = False) -> list[Piece]:
    pieces = []
    filesystem, paths = _filesystem(source)
    for path in paths:
        try:
            with filesystem.open_input_file(path) as opened:
                described = pq.ParquetFile(opened)
                metadata, held = described.metadata, described.schema_arrow.names
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(path, error) from error
        for field, name in vars(columns).items():
            if name not in held:
                rule = f"a column of {path}: {', '.join(held)}"
                raise FormatError(f"{field} must be {rule}; got {name!r}", field=field, rule=rule, value=name)
        groups, rows = list[int](), 0
        for group in range(metadata.num_row_groups):
            groups.append(group)
            rows += metadata.row_group(group).num_rows
            if rows >= TASK_ROWS or group == metadata.num_row_groups - 1:
                pieces.append(Piece(filesystem, path, tuple(groups), drop))
                groups, rows = [], 0
    if not pieces:
        raise ParameterError.must_be("source", "Parquet files with rows", source)
    return pieces


def _filesystem(source: str) -> tuple[Any, list[str]]:
    """The file system of a source, and its files in the order of their names."""
    from pyarrow import fs

    place, mark, query = source.partition("?") if "://" in source else (source, "", "")
    base, _, pattern = place.rpartition("/") if "*" in place else (place, "", "*.parquet")
    try:
        address = f"{base}{mark}{query}" if "://" in base else str(Path(base or ".").absolute())
        filesystem, path = fs.FileSystem.from_uri(address)
        if (what := filesystem.get_file_info(path)).is_file:
            return filesystem, [path]
        if what.type == fs.FileType.NotFound:
            bucket = path.partition("/")[0]  # empty of a local path
            lost = bucket and filesystem.get_file_info(bucket).type == fs.FileType.NotFound
            rule = "in a bucket that exists" if lost else "a file or folder that exists"
            raise ParameterError.must_be("source", rule, source)
        found = filesystem.get_file_info(fs.FileSelector(path))
    except pa.ArrowInvalid as error:
        raise ParameterError.must_be("source", f"a path or an address that Arrow reads ({error})", source) from error
    except OSError as error:
        raise _unreadable(source, error) from error
    return filesystem, sorted(one.path for one in found if one.is_file and fnmatch(one.base_name, pattern))


def _unreadable(place: str, error: Exception) -> FormatError:
    return FormatError(f"{place} cannot be read: {error}", field="source", rule="readable", value=place)


def _unfit(path: str, column: str, rule: str) -> FormatError:
    return FormatError(f"{column} of {path} must be {rule}", field=column, rule=rule, column=column)


@contextmanager
def _client(scheduler: Any) -> Iterator[Any]:
    distributed = _dask()
    if isinstance(scheduler, distributed.Client):
        yield scheduler
        return
    with ExitStack() as closing:
        address: Any = "local:" if scheduler is None else str(scheduler)
        kind, _, number = address.partition(":")
        try:
            if kind == "local" and (number == "" or (number.isdecimal() and int(number))):
                web = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}  # without an address it is port 8787
                one = {"threads_per_worker": 1, "memory_limit": 0, "scheduler_kwargs": web}
                address = distributed.LocalCluster(n_workers=int(number) if number else None, **one)
                closing.enter_context(address)
            else:
                distributed.comm.resolve_address(address)  # a Client of a wrong address waits when it is collected
            client = distributed.Client(address, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ParameterError.must_be("scheduler", "local:N, or a Dask scheduler that answers", scheduler) from error
        yield closing.enter_context(client)
