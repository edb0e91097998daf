"""Counting: the grid and the steps of a spec over events, and the counts of their cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from privacy_engine.aggregation.events import Events
from privacy_engine.aggregation.spec import AggregationSpec
from privacy_engine.aggregation.steps import Steps, instant_of, numbers_of
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.core.progress import advance
from privacy_engine.data import CountStream
from privacy_engine.data.counted import Counted
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError, ParameterError

MOST_CELLS = 20_000
MOST_STEPS = 1_000_000
MOST_COUNTS = 20_000_000
FIRST_S, LAST_S = -59_011_459_200.0, 247_093_459_200.0
"""The years 100 and 9800: every step that contains a time between them has a beginning in the calendar."""
DEGREE_M = EARTH_RADIUS_M * np.pi / 180
_WHOLE = 1e-9
"""A box that is longer than whole cells by less than this share of a cell has no further cell."""


class Size(NamedTuple):
    """What aggregation would make: rows, columns and steps, the share of counts that are 0, and what is left out.

    ``outside`` counts events outside the box or the steps, ``cut`` visits of cells beyond the most that are counted.
    """

    rows: int
    columns: int
    steps: int
    zero: float
    outside: int
    cut: int


@dataclass(frozen=True)
class Aggregated:
    """A count stream made of events, its ``size``, and the events of it."""

    stream: CountStream
    size: Size


class Extent(NamedTuple):
    """Where and when events are: degrees, and seconds since 1970 UTC."""

    west: float
    south: float
    east: float
    north: float
    start_s: float
    end_s: float

    @classmethod
    def around(cls, extents: Iterable[Self]) -> Self:
        """The extent of all events, from those of parts of them, of which there is one at least."""
        west, south, east, north, start_s, end_s = zip(*extents, strict=True)
        return cls(min(west), min(south), max(east), max(north), min(start_s), max(end_s))


class Visits(NamedTuple):
    """The counts that are not 0, (k,): which of the steps times cells, and how many; the rest as in :class:`Size`."""

    at: Ints
    often: Ints
    outside: int
    cut: int

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Those that were written as arrays, by their names."""
        return cls(arrays["at"], arrays["often"], int(arrays["outside"]), int(arrays["cut"]))


def aggregate(events: Events, spec: AggregationSpec) -> Aggregated:
    """Count ``events`` in the cells and steps of ``spec``.

    Raises
    ------
    ParameterError
        There would be more than :data:`MOST_CELLS` cells, :data:`MOST_STEPS` steps or :data:`MOST_COUNTS` counts, or
        the box of the data crosses the antimeridian.
    DataError
        A time lies outside the calendar.
    """
    extent = extent_of(events)
    visits = [visits_of(events, spec, *layout(extent, spec))]
    return aggregate_parts(visits, extent, spec, events.cleaned, events.decided)


def aggregate_parts(
    parts: Iterable[Visits], extent: Extent, spec: AggregationSpec, cleaned: Sequence[str], decided: Sequence[str] = ()
) -> Aggregated:
    """:func:`aggregate`, from the :func:`visits_of` parts of the events, of which each has all events of its people."""
    grid, steps = layout(extent, spec)
    counts, outside, cut = np.zeros(steps.count * len(grid)), 0, 0
    for part in parts:
        counts[part.at] += part.often
        outside, cut = outside + int(part.outside), cut + int(part.cut)
    is_from_data = (spec.box is None, len(spec.given_times()) < 2)  # the box; the first and the last timestamp
    counted = Counted(grid, spec.unit, spec.most, spec.changed, *is_from_data, tuple(cleaned), tuple(decided))
    advance()
    table = counts.reshape(steps.count, len(grid))
    stream = CountStream(table, grid.names(), steps.labels(), steps.starts(), "time", counted)
    return Aggregated(stream, _size(grid, steps, int(np.count_nonzero(counts)), outside, cut))


def size_of(events: Events, spec: AggregationSpec) -> Size:
    """The size of what :func:`aggregate` would make, without making it; the same errors."""
    grid, steps = layout(extent_of(events), spec)
    visits = visits_of(events, spec, grid, steps)
    return _size(grid, steps, len(visits.at), visits.outside, visits.cut)


def _size(grid: Grid, steps: Steps, counted: int, outside: int, cut: int) -> Size:
    zero = 1 - counted / (steps.count * len(grid))
    return Size(grid.rows, grid.columns, steps.count, zero, outside, cut)


def extent_of(events: Events) -> Extent:
    """The extent of events, of which there is one at least."""
    ends = [(values.min(), values.max()) for values in (events.lon, events.lat, events.time_s)]
    (west, east), (south, north), times = [(float(low), float(high)) for low, high in ends]
    return Extent(west, south, east, north, *times)


def layout(extent: Extent, spec: AggregationSpec) -> tuple[Grid, Steps]:
    """The grid and the steps of a spec, without counting; the same errors as of :func:`aggregate`."""
    grid, steps = _grid(extent, spec), _steps(extent, spec)
    counts = steps.count * len(grid)
    if counts > MOST_COUNTS:
        rule = f"long enough for at most {MOST_COUNTS:,} counts"
        got = f"{counts:,} ({steps.count:,} steps of {len(grid):,} cells); larger cells or a smaller box help too"
        raise ParameterError.must_be("step", rule, counts, got=got)
    return grid, steps


def _grid(extent: Extent, spec: AggregationSpec) -> Grid:
    """Cells of at most ``cell_m`` over the box; without a box over whole cells around the data."""
    west, south, east, north = spec.box or _box(extent)
    middle = float(np.cos(np.radians((south + north) / 2)))
    high = spec.cell_m / DEGREE_M
    wide = min(high / max(middle, 1e-6), 360.0)
    if spec.box is None:
        west, east = (float(edge) for edge in np.clip(_around(west, east, wide), -180, 180))
        south, north = (float(edge) for edge in np.clip(_around(south, north, high), -90, 90))
    columns, rows = _whole((east - west) / wide), _whole((north - south) / high)
    if columns * rows > MOST_CELLS:
        rule = f"large enough for at most {MOST_CELLS:,} cells"
        got = f"{spec.cell_m:g} m ({columns * rows:,} cells: {rows:,} rows of {columns:,})"
        raise ParameterError.must_be("cell_m", rule, spec.cell_m, got=got)
    return Grid(west, south, east, north, columns, rows)


def _whole(cells: float) -> int:
    return max(int(np.ceil(cells * (1 - _WHOLE))), 1)


def _around(low: float, high: float, size: float) -> tuple[float, float]:
    """Multiples of ``size`` with ``low`` and ``high`` between them."""
    return float(np.floor(low / size) * size), float((np.floor(high / size) + 1) * size)


def _box(extent: Extent) -> tuple[float, float, float, float]:
    if extent.east - extent.west > 180:
        rule = "given where the data reach over more than 180 degrees, or across the antimeridian"
        raise ParameterError(f"box must be {rule}; count its two sides apart", field="box", rule=rule)
    return extent.west, extent.south, extent.east, extent.north


def _steps(extent: Extent, spec: AggregationSpec) -> Steps:
    length, zone = spec.length, spec.time_zone
    bounds = np.array([extent.start_s, extent.end_s])
    for field, text in spec.given_times():
        bounds[("start", "end").index(field)] = instant_of(text, zone)
    _must_have_dates(bounds)
    first, last = numbers_of(bounds, length, zone).tolist()
    if first > last:
        rule = "before the end of the data" if spec.end is None else "after the beginning of the data"
        field = "start" if spec.end is None else "end"
        raise ParameterError.must_be(field, rule, getattr(spec, field), got=False)
    if last - first >= MOST_STEPS:
        rule = f"long enough for at most {MOST_STEPS:,} steps"
        got = f"{spec.step} ({last - first + 1:,} steps)"
        raise ParameterError.must_be("step", rule, spec.step, got=got)
    return Steps(length, zone, first, last - first + 1)


def _must_have_dates(bounds: Floats) -> None:
    if not ((bounds > FIRST_S) & (bounds < LAST_S)).all():
        rule = "within the years 100 to 9800"
        raise DataError(f"times must lie {rule}", field="time_s", rule=rule)


def visits_of(events: Events, spec: AggregationSpec, grid: Grid, steps: Steps) -> Visits:
    """Which counts of a layout the events make."""
    cell = grid.cells(events.lon, events.lat)
    advance()
    step = numbers_of(events.time_s, spec.length, spec.time_zone) - steps.first
    advance()
    inside = (cell >= 0) & (step >= 0) & (step < steps.count)
    outside = len(events) - int(inside.sum())
    at, cut = step[inside] * len(grid) + cell[inside], 0
    if spec.unit != "event":
        times = events.time_s[inside] if spec.pick == "first" else None
        at, cut = _first_cells(getattr(events, spec.unit)[inside], at, times, spec.most, (steps.count, len(grid)))
    advance()
    visited, often = np.unique(at, return_counts=True)
    return Visits(visited, often, outside, cut)


def _first_cells(who: Ints, at: Ints, times: Floats | None, most: int, shape: tuple[int, int]) -> tuple[Ints, int]:
    """The first ``most`` cells of each unit in each step, in steps times cells, and how many others there are.

    Cells are ranked by their first time, without ``times`` by how many events they have, and equal ones by their
    number: the order of the events decides nothing.
    """
    counts, cells = shape[0] * shape[1], shape[1]
    visit = who * counts + at  # at most 2e7 counts: fits for 4e11 units
    advance()
    order = np.argsort(visit)
    advance()
    starts = np.flatnonzero(np.diff(visit[order], prepend=-1))
    visit = visit[order][starts]
    step = visit // cells
    sizes = np.diff(np.flatnonzero(np.diff(step, prepend=-1, append=-1)))
    crowded = np.repeat(sizes > most, sizes)
    if times is None:
        rank_by = -np.diff(starts, append=len(order)).astype(np.float64)
    else:
        rank_by = np.minimum.reduceat(times[order], starts) if len(starts) else np.empty(0)
    advance()
    ranked = np.lexsort((rank_by[crowded], step[crowded]))  # stable: equal ones stay in the order of their cells
    larger = sizes[sizes > most]
    rank = np.arange(len(ranked)) - np.repeat(np.cumsum(larger) - larger, larger)
    chosen = np.concatenate([visit[~crowded], visit[crowded][ranked[rank < most]]])
    return chosen % counts, len(visit) - len(chosen)
