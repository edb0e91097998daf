"""Stay points: the runs of a trajectory that remain near their first point for long enough.

References
----------
.. [1] Li, Zheng, Xie, Chen, Liu, Ma. "Mining User Similarity Based on Location History". ACM GIS 2008.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats, Ints, Mask, concatenated
from privacy_engine.core.params import DistanceM, DurationS, GapS, Param
from privacy_engine.core.progress import advance, blocks
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.mapped_series import leave, leaving
from privacy_engine.data.trajectories import in_blocks, lengths_of
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.landmarks.methods import LandmarkMethod, landmark_methods, split

STAY_RADIUS_M = 6371000.0
"""Radius of the Earth here, as in the published shares; everything else uses ``geo.EARTH_RADIUS_M``."""

AT_ONCE = 1 << 20
"""Comparisons of two events between two reports."""
Reading: TypeAlias = Literal["seed", "li08_def", "trackintel"]

# reading: (distance strictly less, duration to the first point outside, a failed anchor yields to the next point)
_READINGS = {"seed": (False, False, False), "li08_def": (False, False, True), "trackintel": (True, True, False)}


def stay_points(
    lon: ArrayLike,
    lat: ArrayLike,
    time_s: ArrayLike | None,
    *,
    distance_m: float,
    duration_s: float,
    reading: Reading = "seed",
    max_gap_s: float | None = None,
    starts: Ints | None = None,
) -> Ints:
    """Stays of a single trajectory, or of several, as half-open groups [i, j), (m, 2).

    A run [i, j) is maximal with every point within ``distance_m`` (great circle) of its anchor i; it is a stay if it
    lasts at least ``duration_s`` [1]_. The readings differ:

    ============  ===================  =================  ==============
    reading       duration runs to     a failed anchor    distance, time
    ============  ===================  =================  ==============
    seed          last point inside    jumps to j         <=, >=
    li08_def      last point inside    moves on by 1      <=, >=
    trackintel    first point outside  jumps to j         <, >=
    ============  ===================  =================  ==============

    Parameters
    ----------
    lon, lat : (n,) array_like
        Degrees; finite, -180..180 and -90..90.
    time_s : (n,) array_like
        Seconds, never decreasing.
    distance_m, duration_s : float
        Metres and seconds, at least 0.
    max_gap_s : float, optional
        A silence longer than this cuts the series in two: a logger that was off makes no stay.
    starts : (k + 1,) int, optional
        Where each of k trajectories begins and the last ends; without, all events are of the same.

    Raises
    ------
    ParameterError
        ``distance_m``, ``duration_s`` or ``max_gap_s`` is negative or not finite, or ``reading`` is unknown.
    DataError
        ``time_s`` is missing or decreases, lengths differ, a position is out of range.

    Examples
    --------
    >>> stay_points([0, 0, 0, 1], [0, 0, 0, 0], [0, 900, 1800, 1860], distance_m=100, duration_s=1800).tolist()
    [[0, 3]]
    """
    how: dict[str, Any] = {"distance_m": distance_m, "duration_s": duration_s, "reading": reading}
    stays = stays_in_turn(lon, lat, time_s, **how, max_gap_s=max_gap_s, starts=starts)
    return np.concatenate([np.empty((0, 2), dtype=np.int64), *stays])


def stays_in_turn(
    lon: ArrayLike,
    lat: ArrayLike,
    time_s: ArrayLike | None,
    *,
    distance_m: float,
    duration_s: float,
    reading: Reading = "seed",
    max_gap_s: float | None = None,
    starts: Ints | None = None,
) -> Iterator[Ints]:
    """The stays of :func:`stay_points`, some at a time; columns in files take no more memory than others."""
    from privacy_engine.kernels.staypoints import stay_groups

    if reading not in _READINGS:
        raise ParameterError.must_be("reading", f"one of {', '.join(_READINGS)}", reading)
    distance, duration = _amount(distance_m, "distance_m"), _amount(duration_s, "duration_s")
    gap = math.inf if max_gap_s is None else _amount(max_gap_s, "max_gap_s")
    if time_s is None:
        raise DataError("time_s is required: stay points need times", field="time_s", rule="required")
    times = _column(time_s, "time_s", None, math.inf)
    advance()
    x, y = _column(lon, "lon", len(times), 180.0), _column(lat, "lat", len(times), 90.0)
    starts = np.array([0, len(times)]) if starts is None else starts
    for some in leaving([times], blocks(len(times) - 1)):
        falls = np.flatnonzero(times[some.start + 1 : some.stop + 1] < times[some])
        if len(falls) and not np.isin(falls + some.start + 1, starts).all():
            raise DataError("time_s must never decrease", field="time_s", rule="sorted")
    limits, at = (*_limits(distance), duration, gap, *_READINGS[reading]), np.zeros(4, dtype=np.int64)
    while at[0] < len(times):
        advance()
        yield stay_groups(x, y, times, starts, *limits, at, AT_ONCE)
        leave([x, y, times])


def stay_point_mask(
    lon: ArrayLike,
    lat: ArrayLike,
    time_s: ArrayLike | None,
    *,
    distance_m: float,
    duration_s: float,
    reading: Reading = "seed",
    max_gap_s: float | None = None,
    starts: Ints | None = None,
) -> Mask:
    """Which events belong to a stay, (n,); arguments and errors of :func:`stay_points`."""
    how: dict[str, Any] = {"distance_m": distance_m, "duration_s": duration_s, "reading": reading}
    groups = stay_points(lon, lat, time_s, **how, max_gap_s=max_gap_s, starts=starts)
    edges = np.zeros(np.size(lon) + 1, dtype=np.int8)
    edges[groups[:, 0]] += 1
    edges[groups[:, 1]] -= 1
    return np.asarray(np.cumsum(edges[:-1], dtype=np.int8).astype(np.bool_))


def _limits(distance_m: float) -> tuple[float, float, float]:
    """Squared chords surely inside and surely outside, and the haversine that decides between them."""
    half = distance_m / (2 * STAY_RADIUS_M)
    if half > math.pi / 2:
        return math.inf, math.inf, math.inf
    chord, slack = 2 * math.sin(half), 2e-15  # slack: rounding of a difference of unit vectors
    error = slack * (2 * chord + slack + chord * chord)
    smallest = sys.float_info.min if distance_m > 0 else 0.0  # a positive distance may square to 0
    return chord * chord - error, chord * chord + error, max(chord * chord / 4, smallest)


def _amount(value: float, field: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{field} must be a number", field=field, rule="numeric", value=value) from error
    if not 0 <= number < math.inf:
        raise ParameterError(
            f"{field} must be finite and at least 0, got {value}", field=field, rule=">= 0", value=value
        )
    return number


def _column(values: ArrayLike, field: str, length: int | None, bound: float) -> Floats:
    try:
        column = np.ascontiguousarray(values, dtype=np.float64).view()
    except (TypeError, ValueError) as error:
        raise DataError(f"{field} must be numbers", field=field, rule="numeric") from error
    if column.ndim != 1 or np.ndim(values) != 1:
        raise DataError(f"{field} must be one-dimensional", field=field, rule="1-d", value=np.ndim(values))
    if length is not None and len(column) != length:
        message = f"{field} must have as many values as time_s ({length}), got {len(column)}"
        raise DataError(message, field=field, rule="same length", value=len(column))
    for some in leaving([column], blocks(len(column))):
        part = column[some]
        low, high = part.min(), part.max()
        if not (-bound <= low and high <= bound and math.isfinite(low) and math.isfinite(high)):
            rule = "finite" if bound == math.inf else f"finite and within -{bound:g} to {bound:g}"
            bad = float(part[~(np.isfinite(part) & (np.abs(part) <= bound))][0])
            raise DataError.must_be(field, rule, bad, got=bad)
    column.setflags(write=False)  # of the view: the kernel is compiled once, for arrays it may only read
    return column


READING = Param(
    label="Variant",
    help="Which variant of the published definition is used where it is ambiguous.",
    options=(
        ("seed", "As in the landmark privacy paper"),
        ("li08_def", "Li et al. 2008, to the letter"),
        ("trackintel", "As trackintel does"),
    ),
)


@landmark_methods.register
class StayPoints(LandmarkMethod):
    """Events of stays: a run of events near its first one that lasts long enough [1]_.

    References
    ----------
    .. [1] Li, Zheng, Xie, Chen, Liu, Ma. "Mining User Similarity Based on Location History". ACM GIS 2008.
    """

    title: ClassVar[str] = "Stay points"
    summary: ClassVar[str] = "Stays near one place for at least a given duration."
    found: ClassVar[str] = "found in positions as stay points"
    needs_time: ClassVar[bool] = True

    name: Literal["stay-points"] = "stay-points"
    distance_m: DistanceM
    duration_s: DurationS
    reading: Annotated[Reading, READING] = "seed"
    max_gap_s: GapS | None = None

    def _mark(self, series: Sequence[Trajectory]) -> Sequence[LandmarkSet]:
        how = self.model_dump(exclude={"name"})
        parts = [
            stay_point_mask(some.lon, some.lat, some.time_s, starts=some.starts, **how) for some in in_blocks(series)
        ]
        return split(concatenated(parts, np.bool_), lengths_of(series))

    def describe(self) -> str:
        minutes = self.duration_s / 60
        return f"stay points {self.distance_m:,.0f} m, {minutes:,.4g} min"
