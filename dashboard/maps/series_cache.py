"""Stored series as the map reads them; the last ones read are cached: a file never changes, a map reads it often."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dashboard.core.errors import must_be
from dashboard.maps import line_simplification
from dashboard.storage import parquet
from dashboard.storage.data_files import StoredSeries
from dashboard.storage.stored_path import Source, StoredPath, decoding, stored_files
from privacy_engine.core.arrays import ceil_div
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import piecewise
from privacy_engine.datatypes.trajectory_table import columns_of

MOST = 1_000_000  # points held by a process, 28 bytes each at most
LEVEL = 100_000
BLOCK = 1 << 20  # positions of a large series that are read at once


@dataclass(frozen=True, eq=False)
class Line:
    """Positions (n,) in 1e-7 degrees, times, and the events they stand for.

    ``event`` is None where the j-th position stands for event j.
    """

    lon: np.ndarray
    lat: np.ndarray
    time_ms: np.ndarray | None = None
    event: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.lon)

    @cached_property
    def y(self) -> np.ndarray:
        """Their heights on the map."""
        return line_simplification.heights(self.lat)

    @cached_property
    def importance(self) -> np.ndarray:
        """What views of the map choose by; see :func:`dashboard.maps.line_simplification.importance_of`."""
        return line_simplification.importance_of(self.lon, self.y)


def importances(some: Sequence[Line]) -> list[np.ndarray]:
    """The importance of the points of each line; what is not known yet is computed together, which is faster."""
    missing = [series for series in some if "importance" not in vars(series)]
    fresh = line_simplification.importances_of([(series.lon, series.y) for series in missing])
    for track, values in zip(missing, fresh, strict=True):
        vars(track)["importance"] = values  # the cached property takes it from there
    return [series.importance for series in some]


_kept: OrderedDict[Source, list[Line]] = OrderedDict()
_lock = threading.Lock()


def line(path: Source, series: int) -> Line:
    """One series of a file of points or of a release.

    Raises
    ------
    ParameterError
        There is no such series.
    FileNotFoundError
        Nor is there such a file (any more).
    """
    loaded = lines(path)  # where the file is large only that series is read
    if 0 <= series < len(loaded):
        return loaded[series]
    raise must_be("series", f"between 0 and {len(loaded) - 1}", series)


def lines(path: Source) -> Sequence[Line]:
    """All series of a file of points or of a release; those of a file of more than :data:`MOST` points in no memory.

    Raises
    ------
    FileNotFoundError
        There is no such file (any more).
    """
    with _lock:
        if path in _kept and path.exists():  # what was deleted is not answered from memory
            _kept.move_to_end(path)
            if isinstance(path, StoredPath) and not stored_files().shared:
                path.require_sound()
            return _kept[path]
        _kept.pop(path, None)
    if parquet.rows_of(path) > MOST:
        return StoredSeries(path, lambda _name, _person, columns: _line(columns, of_a_file=True))
    with decoding(path):
        loaded = [_line(columns) for columns in columns_of(parquet.read_table(path))]
    with _lock:
        _kept[path] = loaded
        while sum(len(track) for series in _kept.values() for track in series) > MOST:
            _kept.popitem(last=False)
    return loaded


def level(path: Source, series: int) -> Line:
    """What views of the map show of a series: every k-th position and the last, :data:`LEVEL` at most, of a large file.

    Errors as of :func:`line`.
    """
    held = lines(path)  # none of a file that was deleted
    is_large = isinstance(held, StoredSeries) and 0 <= series < len(held)
    return _level(path, series) if is_large else line(path, series)


@lru_cache(maxsize=16)
def _level(path: Source, series: int) -> Line:
    held: Any = lines(path)
    start, size = int(held.sizes[:series].sum()), int(held.sizes[series])
    every = max(ceil_div(size, LEVEL - 1), 1)
    parts = [{name: values[:0] for name, values in held.columns(0, 0).items()} | {"event": np.arange(0)}]
    for part in blocks(size, BLOCK):
        columns = held.columns(start + part.start, start + part.stop)
        index = np.arange(-part.start % every, part.stop - part.start, every)
        if part.stop == size:
            index = np.union1d(index, part.stop - part.start - 1)
        columns.setdefault("event", np.arange(part.start, part.stop))
        parts.append({name: values[index] for name, values in columns.items()})
    return _line({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def sizes_of(some: Sequence[Line]) -> list[int]:
    """How many points each line has."""
    return some.sizes.tolist() if isinstance(some, StoredSeries) else [len(track) for track in some]


def _line(column: dict[str, np.ndarray], *, of_a_file: bool = False) -> Line:
    """A series of its own arrays: a slice of the file's would keep all of the file in memory."""
    own = column if of_a_file else {name: values.copy() for name, values in column.items()}
    event = own.get("event")
    if event is not None:  # ascending
        is_each = not len(event) or event[-1] == len(event) - 1
        event = None if is_each else piecewise(lambda of: of.astype(np.int32), event, dtype=np.int32)
    return Line(own["lon"], own["lat"], own.get("time_ms"), event)
