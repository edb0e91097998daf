"""Metrics of places: what a map of the release still shows of where people are and stay."""

import math
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.on_demand import scipy
from privacy_engine.core.params import DistanceM, DurationS, Param
from privacy_engine.data import Trajectory
from privacy_engine.landmarks.staypoints import stay_points
from privacy_engine.metrics.base import TrajectoryMetric, metrics, on_sphere

BOUND = 0.01
"""Counts below this share of the events are divided by it, or an empty query would decide alone."""

CIRCLE = Param(
    label="Radius of a query",
    unit="m",
    help="How far around its centre a query counts events.",
    lowest=0.01,
    highest=2e7,
    example=500.0,
)
QUERIES = Param(
    label="Queries",
    help="How many circles are counted, centred on events of the original at even steps.",
    lowest=1,
    highest=1000,
    example=200,
)


@metrics.register
class RangeQueryError(TrajectoryMetric):
    """The mean relative error of "how many events lie within this circle?" [1]_, as per cent.

    Circles are centred on events of the original, evenly spaced along it, so that it can be repeated without a seed. An
    answer's error is divided by the true count, or by 1 % of the events where that is more (the source's sanity bound).

    References
    ----------
    .. [1] Gursoy, Liu, Truex, Yu, Wei. "Utility-Aware Synthesis of Differentially Private and Attack-Resilient
       Location Traces". CCS 2018.
    """

    title: ClassVar[str] = "Range query error"
    summary: ClassVar[str] = "The error of counts of events around a place, computed on the release."
    unit: ClassVar[str] = "%"

    name: Literal["range-query-error"] = "range-query-error"
    radius_m: Annotated[float, CIRCLE]
    queries: Annotated[int, QUERIES] = 200

    def seconds_once(self, events: int) -> float:
        return 1e-4 + events * 3e-7 + min(self.queries, events) * (1e-6 + 4e-9 * events)

    def _one(self, truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> float:
        places = on_sphere(truth.lon, truth.lat)
        centres = places[np.linspace(0, len(places) - 1, min(self.queries, len(places))).round().astype(np.int64)]
        true = _within(places, centres, self.radius_m)
        released = _within(on_sphere(lon, lat), centres, self.radius_m)
        return float(100 * (np.abs(released - true) / np.maximum(true, BOUND * len(places))).mean())


def _within(places: Floats, centres: Floats, radius_m: float) -> Ints:
    """How many of the ``places`` (n, 3) lie within ``radius_m`` of each centre (q, 3)."""
    counts = scipy.spatial.cKDTree(places).query_ball_point(centres, _chord(radius_m), return_length=True)
    return np.asarray(counts, dtype=np.int64)


def _chord(distance_m: float) -> float:
    """The straight line between two points of the unit sphere that are so far apart along it."""
    return 2 * math.sin(min(distance_m / (2 * geo.EARTH_RADIUS_M), math.pi / 2)) + 1e-12


@metrics.register
class PoiRecall(TrajectoryMetric):
    """The share of the original's stays that a stay found on the release lies near [1]_, as per cent.

    Stays are those of Li et al. (:func:`privacy_engine.landmarks.staypoints.stay_points`), on both with the same
    distance and duration; a stay is found if the centre of one on the release is within that distance of its own. A
    map maker wants it high, whoever stayed there may want it low. Not a number where the original has no stay.

    References
    ----------
    .. [1] Primault, Ben Mokhtar, Lauradoux, Brunie. "Differentially Private Location Privacy in Practice". MoST 2014.
    """

    title: ClassVar[str] = "Stay points detected"
    short: ClassVar[str] = "POI recall"
    summary: ClassVar[str] = "How many stay points of the original are detected on the release."
    unit: ClassVar[str] = "%"
    needs_time: ClassVar[bool] = True

    name: Literal["poi-recall"] = "poi-recall"
    distance_m: DistanceM
    duration_s: DurationS

    def seconds_once(self, events: int) -> float:
        return 1e-4 + 1.5e-7 * events

    def _one(self, truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> float:
        assert truth.time_s is not None
        true = self._stays(truth.lon, truth.lat, truth.time_s)
        if not len(true):
            return math.nan
        stays = self._stays(lon, lat, truth.time_s[event])
        if not len(stays):
            return 0.0
        apart = scipy.spatial.cKDTree(stays).query(true)[0]
        return float(100 * np.mean(apart <= _chord(self.distance_m)))

    def _stays(self, lon: Floats, lat: Floats, time_s: Floats) -> Floats:
        """Centres of the stays as unit vectors, (k, 3)."""
        groups = stay_points(lon, lat, time_s, distance_m=self.distance_m, duration_s=self.duration_s)
        if not len(groups):
            return np.empty((0, 3))
        sums = np.add.reduceat(np.vstack([on_sphere(lon, lat), np.zeros(3)]), groups.ravel())[::2]
        return np.unique(sums / np.linalg.norm(sums, axis=1, keepdims=True), axis=0)
