"""Kinds of data: frozen columnar arrays, checked once on construction and trusted afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from mmap import mmap
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import advance
from privacy_engine.data.counted import Counted
from privacy_engine.data.venues import Venues
from privacy_engine.errors import DataError

LARGEST_COUNT = 2.0**52  # that the mechanisms for count streams take


def column(values: ArrayLike, field: str, dtype: type[Any]) -> NDArray[Any]:
    """The values as an array that is never changed, (n,); DataError where they are no such numbers."""
    try:
        array = np.array(values, dtype=dtype, copy=None if _frozen(values) else True, order="C")  # no caller changes it
    except (TypeError, ValueError) as error:
        raise DataError(f"{field} must be numbers", field=field, rule="numeric") from error
    if array.ndim != 1:
        message = f"{field} must be one-dimensional, got {array.ndim} dimensions"
        raise DataError(message, field=field, rule="1-d", value=array.ndim)
    array.setflags(write=False)
    return array


def _frozen(values: ArrayLike) -> bool:
    """Whether an array owns its data, or lies in a file, and may not be written: such an array need not be copied."""
    if not isinstance(values, np.ndarray) or values.flags.writeable:
        return False
    base: Any = values.base
    return base is None or (isinstance(base, memoryview) and isinstance(base.obj, mmap))


def within(array: Floats, field: str, bound: float) -> None:
    """DataError where a value is not finite or further than ``bound`` from 0."""
    if len(array) and not (array.min() >= -bound and array.max() <= bound):  # also where there is a nan
        first = int(np.argmax(~(np.abs(array) <= bound)))
        value = float(array[first])
        raise DataError(
            f"{field} must be finite and within -{bound:g} to {bound:g}, got {value} at index {first}",
            field=field,
            rule=f"-{bound:g}..{bound:g}",
            value=value,
        )


def instants(values: ArrayLike, n: int, starts: Ints | Sequence[int] = ()) -> Floats:
    """n instants that never decrease, but where another series of them ``starts``."""
    time_s = column(values, "time_s", np.float64)
    if len(time_s) != n:
        message = f"time_s must have as many values as there are events ({n}), got {len(time_s)}"
        raise DataError(message, field="time_s", rule="same length", value=len(time_s))
    within(time_s, "time_s", 1e12)
    falls = time_s[1:] < time_s[:-1]
    if falls.any() and not np.isin(np.flatnonzero(falls) + 1, starts).all():
        raise DataError("time_s must never decrease", field="time_s", rule="sorted")
    return time_s


def _mask(values: ArrayLike, field: str, what: str = "") -> Mask:
    mask = np.array(values, copy=None if _frozen(values) else True, order="C")
    if mask.ndim != 1 or (mask.dtype != np.bool_ and mask.size):
        raise DataError(f"{what or field} must be a one-dimensional array of true and false", field=field, rule="mask")
    mask = mask.astype(np.bool_, copy=False)
    mask.setflags(write=False)
    return mask


@dataclass(frozen=True, eq=False)
class Trajectory:
    """One trajectory in the order of its events.

    Parameters
    ----------
    lon, lat : (n,) float
        Degrees, WGS 84; -180..180 and -90..90.
    time_s : (n,) float or None
        Seconds since 1970-01-01 UTC, never decreasing. None where the file has no times.
    name : str
        Which series of the dataset this is (a user, a taxi, a track).
    marked : (n,) bool or None
        The events that the file itself marks as landmarks. None where it has no such column. It belongs to what came
        in: :meth:`moved`, and with it every release, leaves it behind.
    person : str
        Whose trajectory this is. Series with the same ``person`` are the same person's and share a budget
        (:mod:`privacy_engine.data.people`); all with the default "" are those of a person without a name.

    Raises
    ------
    DataError
        Lengths differ, a value is not finite or out of range, times decrease, marks are not true or false.
    """

    kind: ClassVar[str] = "trajectory"
    lon: Floats
    lat: Floats
    time_s: Floats | None = None
    name: str = ""
    marked: Mask | None = None
    person: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "lon", column(self.lon, "lon", np.float64))
        object.__setattr__(self, "lat", column(self.lat, "lat", np.float64))
        self._same_length(self.lat, "lat")
        advance()
        within(self.lon, "lon", 180.0)
        within(self.lat, "lat", 90.0)
        if self.time_s is not None:
            object.__setattr__(self, "time_s", instants(self.time_s, len(self)))
        if self.marked is not None:
            object.__setattr__(self, "marked", _mask(self.marked, "marked"))
            self._same_length(self.marked, "marked")

    def _same_length(self, column: Floats | Mask, field: str) -> None:
        if len(column) != len(self.lon):
            raise DataError(
                f"{field} must have as many values as lon ({len(self.lon)}), got {len(column)}",
                field=field,
                rule="same length",
                value=len(column),
            )

    def __len__(self) -> int:
        return len(self.lon)

    def called(self, name: str, person: str) -> Trajectory:
        """The same under another name, and of another person; columns are not checked again."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, name=name, person=person)
        return other

    def first(self, n: int) -> Trajectory:
        """Its first ``n`` events with all their columns."""
        return self.picked(slice(n))

    def picked(self, index: Mask | NDArray[np.intp] | slice, name: str | None = None) -> Trajectory:
        """The events that ``index`` selects, with all their columns, under ``name`` if given."""
        return Trajectory(
            self.lon[index],
            self.lat[index],
            None if self.time_s is None else self.time_s[index],
            self.name if name is None else name,
            None if self.marked is None else self.marked[index],
            self.person,
        )

    def moved(self, lon: ArrayLike, lat: ArrayLike, keep: Mask | None = None) -> Trajectory:
        """The same events at other positions; with ``keep`` only the events it marks (positions already cut).

        The marks of the file stay behind: what is moved may be published.
        """
        time_s = self.time_s if keep is None or self.time_s is None else self.time_s[keep]
        return Trajectory(np.asarray(lon), np.asarray(lat), time_s, self.name, person=self.person)


@dataclass(frozen=True, eq=False)
class CountStream:
    """Counts of d streams at T timestamps, in the order of time.

    Parameters
    ----------
    counts : (T, d) float
        How many, at each timestamp in each stream; finite and at least 0.
    names : d texts
        What is counted in each stream.
    labels : T texts
        The timestamps as the file writes them.
    time_s : (T,) float or None
        Seconds since 1970-01-01 UTC, never decreasing; None where the labels are no instants (weeks, numbers).
    time_name : str
        What the file calls the column of its timestamps.
    counted : Counted or None
        How the counts were made of events in the cells of a grid; None where they were uploaded.

    Raises
    ------
    DataError
        Shapes differ, a count is not finite or negative, times decrease, the grid has other cells than dimensions.
    """

    kind: ClassVar[str] = "stream"

    counts: Floats
    names: Sequence[str]
    labels: Sequence[str]
    time_s: Floats | None = None
    time_name: str = "time"
    counted: Counted | None = None

    def __post_init__(self) -> None:
        try:
            counts = np.array(self.counts, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise DataError("counts must be numbers", field="counts", rule="numeric") from error
        shape = (len(self.labels), len(self.names))
        if counts.shape != shape:
            raise DataError(
                f"counts must have shape {shape}, got {counts.shape}", field="counts", rule="labels by names"
            )
        if not ((counts >= 0) & np.isfinite(counts)).all():
            raise DataError("counts must be finite and at least 0", field="counts", rule=">= 0")
        counts.setflags(write=False)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "labels", tuple(self.labels))
        if self.time_s is not None:
            object.__setattr__(self, "time_s", instants(self.time_s, len(self)))
        if self.counted is not None and len(self.counted.grid) != len(self.names):
            rule = "a grid with a cell for each name"
            raise DataError(f"counted must have {rule}", field="counted", rule=rule, value=len(self.counted.grid))

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class CheckIns:
    """Who was where and when: n events by user, each user's in the order of time.

    Parameters
    ----------
    user, users : (n,) int and texts
        Which of ``users`` each event belongs to.
    time_s : (n,) float
        Seconds since 1970-01-01 UTC, never decreasing for a user; users follow each other.
    place, places : (n,) int and texts, or None
        Which of ``places`` each event was at.
    lon, lat : (n,) float or None
        Degrees, WGS 84.
    place_names : texts
        A name to show for each of ``places``, empty where it has none; empty where no place has a name. Two places
        may have the same name.
    venues : Venues, optional
        The list that came with the check-ins, of visited places and others.

    Raises
    ------
    DataError
        Neither places nor positions, lengths differ, a code or position out of range, events out of order.
    """

    kind: ClassVar[str] = "checkins"

    user: Ints
    users: Sequence[str]
    time_s: Floats
    place: Ints | None = None
    places: Sequence[str] = ()
    lon: Floats | None = None
    lat: Floats | None = None
    place_names: Sequence[str] = ()
    venues: Venues | None = None

    def __post_init__(self) -> None:
        if len(self.place_names) not in (0, len(self.places)):
            rule = f"as many names as places ({len(self.places)})"
            raise DataError(f"place_names must be {rule}, got {len(self.place_names)}", field="place_names", rule=rule)
        if self.place is None and (self.lon is None or self.lat is None):
            raise DataError("check-ins must have places or positions", field="place", rule="places or positions")
        self._codes("user", self.users)
        if self.place is not None:
            self._codes("place", self.places)
        for axis, bound in (("lon", 180.0), ("lat", 90.0)):
            if getattr(self, axis) is not None:
                advance()
                values = column(getattr(self, axis), axis, np.float64)
                self._same_length(values, axis)
                within(values, axis, bound)
                object.__setattr__(self, axis, values)
        time_s = column(self.time_s, "time_s", np.float64)
        self._same_length(time_s, "time_s")
        within(time_s, "time_s", 1e12)
        steps = np.diff(self.user)
        if (steps < 0).any() or (np.diff(time_s)[steps == 0] < 0).any():
            raise DataError("check-ins must be sorted by user, then time", field="time_s", rule="sorted")
        object.__setattr__(self, "time_s", time_s)

    def _codes(self, field: str, names: Sequence[str]) -> None:
        values = column(getattr(self, field), field, np.int64)
        self._same_length(values, field)
        if len(values) and not 0 <= values.min() <= values.max() < len(names):
            raise DataError(f"{field} must be between 0 and {len(names) - 1}", field=field, rule="a known code")
        object.__setattr__(self, field, values)

    def _same_length(self, column: NDArray[Any], field: str) -> None:
        if len(column) != len(self.user):
            raise DataError(
                f"{field} must have as many values as user ({len(self.user)}), got {len(column)}",
                field=field,
                rule="same length",
            )

    def __len__(self) -> int:
        return len(self.user)


@dataclass(frozen=True, eq=False)
class LandmarkSet:
    """Which events of a series are landmarks: a mask over its events.

    ``LandmarkSet(mask)`` or ``LandmarkSet.at(events, n)`` with 0-based events.
    """

    mask: Mask

    def __post_init__(self) -> None:
        object.__setattr__(self, "mask", _mask(self.mask, "mask", "landmarks"))

    @classmethod
    def of(cls, mask: Mask) -> LandmarkSet:
        """The landmark set of a part of another set's mask, which is not copied."""
        marks = object.__new__(cls)
        marks.__dict__["mask"] = mask
        return marks

    @classmethod
    def at(cls, events: Sequence[int] | Ints, n: int) -> LandmarkSet:
        """The landmark set of the 0-based ``events`` of a series of length ``n``."""
        index = np.array(events, dtype=np.int64)
        for event in index[(index < 0) | (index >= n)][:1]:
            message = f"events must be between 0 and {n - 1}, got {event}"
            raise DataError(message, field="events", rule=f"0..{n - 1}", value=int(event))
        mask = np.zeros(n, dtype=np.bool_)
        mask[index] = True
        return cls(mask)

    def __len__(self) -> int:
        return len(self.mask)

    def must_cover(self, series: Trajectory) -> None:
        """DataError unless this marks the events of ``series``, each of them."""
        if len(self) != len(series):
            message = f"landmarks must mark {len(series)} events, got {len(self)}"
            raise DataError(message, field="landmarks", rule="same length", value=len(self))

    @property
    def count(self) -> int:
        """How many events are landmarks (k)."""
        return int(np.count_nonzero(self.mask))

    @property
    def share(self) -> float:
        """k / n, between 0 and 1; 0 for an empty series."""
        return self.count / len(self.mask) if len(self.mask) else 0.0

    @property
    def events(self) -> Ints:
        """The 0-based landmark events in order."""
        return np.flatnonzero(self.mask).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Release:
    """What a mechanism publishes of a series, and what it spent.

    ``series`` holds the published positions; ``event[j]`` is the 0-based event the j-th of them stands for
    (a gap leaves its event out). ``budgets`` (n,) is the budget each event's own draw consumed, 0 where the
    position was derived from other releases; ``fresh`` (n,) is True where a draw was made. ``sd_m`` (n,) is the
    standard deviation per axis of each draw's noise in metres, 0 where none was made: as public as the mechanism.

    ``private`` is True only if every draw came from the operating system's generator, as
    ``TrajectoryMechanism.release`` records it from the source it drew from. False means that the release is not known
    to be private: only True may carry its mechanism's guarantee. Post-processing keeps it.

    Raises
    ------
    DataError
        ``series`` still carries the marks of the file, which are raw data.
    """

    series: Trajectory
    event: Ints
    budgets: Floats
    fresh: Mask
    sd_m: Floats
    private: bool = False

    def __post_init__(self) -> None:
        if self.series.marked is not None:
            raise DataError("a release must not carry the landmark column", field="marked", rule="none in a release")
