"""Metrics of the line as a whole: how far apart two are at worst, how they align, how long they are."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.on_demand import scipy
from privacy_engine.core.params import Param
from privacy_engine.core.progress import ROWS, advance, blocks
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterError
from privacy_engine.metrics.base import TrajectoryMetric, metrics, on_sphere

MOST_CELLS = 4 * 10**8
"""Pairs of an event and a position that dynamic time warping looks at, at most: about two seconds."""

BAND = Param(
    label="Band",
    unit="events",
    help="How far in events a position may be aligned from its own event. Left out, any alignment is tried.",
    lowest=0,
    highest=10_000_000,
    example=100,
)


@metrics.register
class Hausdorff(TrajectoryMetric):
    """The largest distance from an event of either series to the nearest of the other [1]_; exact.

    Series are read as sets of places, without order or time. O(n log n) through two trees of unit vectors, whose
    chords sort as great circles do.

    References
    ----------
    .. [1] Huttenlocher, Klanderman, Rucklidge. "Comparing Images Using the Hausdorff Distance". IEEE TPAMI 1993.
    """

    title: ClassVar[str] = "Hausdorff distance"
    short: ClassVar[str] = "Hausdorff"
    summary: ClassVar[str] = "The largest distance from a point of one line to the nearest point of the other."

    name: Literal["hausdorff"] = "hausdorff"

    def seconds_once(self, events: int) -> float:
        return 2e-4 + 2e-6 * events

    def _one(self, truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> float:
        true, other = _distinct(truth.lon, truth.lat), _distinct(lon, lat)
        return max(_farthest_m(true, other), _farthest_m(other, true))


def _distinct(lon: Floats, lat: Floats) -> Floats:
    """Each position once, degrees, (k, 2): repeats would make a tree slow."""
    advance()
    order = np.lexsort((lat, lon))
    lon, lat = lon[order], lat[order]
    first = np.ones(len(lon), dtype=np.bool_)
    first[1:] = (np.diff(lon) != 0) | (np.diff(lat) != 0)
    return np.column_stack([lon[first], lat[first]])


def _farthest_m(line: Floats, other: Floats) -> float:
    """The largest distance from a position of ``line`` (n, 2) to the nearest of ``other`` (m, 2)."""
    tree, farthest = scipy.spatial.cKDTree(on_sphere(*other.T)), 0.0
    for some in blocks(len(line), ROWS * 16):
        nearest = tree.query(on_sphere(*line[some].T))[1]
        farthest = max(farthest, float(geo.distance_m(*line[some].T, *other[nearest].T).max()))
    return farthest


@metrics.register
class DynamicTimeWarping(TrajectoryMetric):
    """The least sum of distances over all ways to walk both series from their first event to their last [1]_.

    Either walker may wait for the other; the sum, in metres, is exact without a band. With one, a published position
    is aligned with events at most so many from its own (Sakoe and Chiba's band) or from those left out after it, and
    the sum is an upper bound. O(n m) time, O(n + m) memory; beyond 400 million pairs it is refused.

    References
    ----------
    .. [1] Sakoe, Chiba. "Dynamic programming algorithm optimization for spoken word recognition". IEEE Transactions
       on Acoustics, Speech, and Signal Processing 1978.
    """

    title: ClassVar[str] = "Dynamic time warping"
    short: ClassVar[str] = "DTW"
    summary: ClassVar[str] = "The total distance between the two lines under the best alignment in time."

    name: Literal["dynamic-time-warping"] = "dynamic-time-warping"
    band: Annotated[int, BAND] | None = None

    def seconds_once(self, events: int) -> float:
        wide = events if self.band is None else min(2 * self.band + 1, events)
        return 1e-4 + events * (1e-7 + 5e-9 * wide)

    def _one(self, truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> float:
        from privacy_engine.kernels.warping import warped

        low, high = self._reach(len(truth), event)
        cells = int((high - low + 1).sum())
        if cells > MOST_CELLS:
            rule = f"such that at most {MOST_CELLS:,} pairs are compared"
            raise ParameterError.must_be("band", rule, cells, got=f"{cells:,}")
        angle = warped(on_sphere(truth.lon, truth.lat), on_sphere(lon, lat), low, high)
        return geo.EARTH_RADIUS_M * float(angle)

    def _reach(self, n: int, event: Ints) -> tuple[Ints, Ints]:
        """The first and last event each position may be aligned with, (m,) each; neither ever decreases."""
        band = n if self.band is None else self.band
        first, last = event.copy(), np.append(event[1:] - 1, n - 1)  # events left out go with the position before them
        first[0] = 0
        low, high = np.maximum(first - band, 0), np.minimum(last + band, n - 1)
        return low, high


@metrics.register
class TripLengthError(TrajectoryMetric):
    """How much the length of the published line differs from that of the original, either way [1]_.

    References
    ----------
    .. [1] Gursoy, Liu, Truex, Yu, Wei. "Utility-Aware Synthesis of Differentially Private and Attack-Resilient
       Location Traces". CCS 2018.
    """

    title: ClassVar[str] = "Trip length error"
    summary: ClassVar[str] = "How much longer or shorter the published line is than the original."

    name: Literal["trip-length-error"] = "trip-length-error"

    def _over(self, truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> Floats:
        return np.abs(_length_m(lon, lat) - _length_m(truth.lon, truth.lat))


def _length_m(lon: Floats, lat: Floats) -> Floats:
    return np.asarray(geo.distance_m(lon[..., :-1], lat[..., :-1], lon[..., 1:], lat[..., 1:]).sum(axis=-1))
