"""Registered ways to mark landmarks: stay points, by hand. Frozen descriptions, like mechanisms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.landmarks.staypoints import stay_point_mask
from privacy_engine.params import DistanceM, DurationS, GapS, Param
from privacy_engine.registry import Described, Registry

landmark_methods: Registry[LandmarkMethod] = Registry("method")


class LandmarkMethod(Described):
    """Base of every way to mark landmarks over the series of a dataset."""

    needs_time: ClassVar[bool] = False

    def mark(self, series: Sequence[Trajectory]) -> list[LandmarkSet]:
        """One landmark set for each series, in order.

        Raises
        ------
        DataError
            The data lack what the method needs (times).
        """
        if self.needs_time and any(one.time_s is None for one in series):
            raise DataError(
                f"{self.title} need times, and this dataset has none",
                field="method.name",
                rule="needs times",
                value=self.name,
            )
        return self._mark(series)

    def _mark(self, series: Sequence[Trajectory]) -> list[LandmarkSet]:
        raise NotImplementedError

    def describe(self) -> str:
        """The method with its parameters in a few words, to name a set by."""
        raise NotImplementedError


READING = Param(
    label="Reading",
    help="How the published definition is read where it is silent.",
    options=(
        ("seed", "As in the landmark privacy paper"),
        ("li08_def", "Li et al. 2008, to the letter"),
        ("trackintel", "As trackintel does"),
    ),
)
EVENTS = Param(label="Events", help="Numbers of the landmark events, counted from 0 over the whole dataset.")


@landmark_methods.register
class StayPoints(LandmarkMethod):
    """Events of stays: a run of events near its first one that lasts long enough [1]_.

    References
    ----------
    .. [1] Li, Zheng, Xie, Chen, Liu, Ma. "Mining user similarity based on location history". ACM GIS 2008.
    """

    title: ClassVar[str] = "Stay points"
    summary: ClassVar[str] = "Where somebody stayed near one place for long enough."
    needs_time: ClassVar[bool] = True

    name: Literal["stay-points"] = "stay-points"
    distance_m: DistanceM
    duration_s: DurationS
    reading: Annotated[Literal["seed", "li08_def", "trackintel"], READING] = "seed"
    max_gap_s: GapS | None = None

    def _mark(self, series: Sequence[Trajectory]) -> list[LandmarkSet]:
        return [
            LandmarkSet(
                stay_point_mask(
                    one.lon,
                    one.lat,
                    one.time_s,
                    distance_m=self.distance_m,
                    duration_s=self.duration_s,
                    reading=self.reading,
                    max_gap_s=self.max_gap_s,
                )
            )
            for one in series
        ]

    def describe(self) -> str:
        minutes = self.duration_s / 60
        return f"stay points {self.distance_m:,.0f} m, {minutes:,.4g} min"


@landmark_methods.register
class Manual(LandmarkMethod):
    """Events picked one by one, on the map or by number."""

    title: ClassVar[str] = "By hand"
    summary: ClassVar[str] = "The events you picked."

    name: Literal["manual"] = "manual"
    events: Annotated[list[Annotated[int, Field(ge=0, lt=2**53)]], EVENTS]

    def _mark(self, series: Sequence[Trajectory]) -> list[LandmarkSet]:
        lengths = [len(one) for one in series]
        try:
            mask = LandmarkSet.at(self.events, sum(lengths)).mask
        except DataError as error:
            error.field = "method.events"
            raise
        return split(mask, lengths)

    def describe(self) -> str:
        return f"{len(self.events):,} picked by hand"


def split(mask: np.ndarray, lengths: Sequence[int]) -> list[LandmarkSet]:
    """A mask over a whole dataset as one landmark set for each of its series."""
    parts = np.split(np.asarray(mask, dtype=np.bool_), np.cumsum(lengths, dtype=np.int64)[:-1])
    return [LandmarkSet(part) for part in parts][: len(lengths)]


_DURATIONS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_DISTANCES = {"m": 1.0, "km": 1000.0}


def _quantity(text: str, units: dict[str, float], what: str) -> float:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-z]+)", text)
    if not match or match[2] not in units:
        rule = f"a number with its unit ({', '.join(units)})"
        raise ParameterError(
            f"{what} must be {rule}, got {text!r:.60}", field=f"landmarks.{what}", rule=rule, value=text
        )
    return float(match[1]) * units[match[2]]


def parse_short(text: str) -> LandmarkMethod:
    """The method written in short, as the command line takes it.

    >>> parse_short("stay-points:200m:30min").describe()
    'stay points 200 m, 30 min'
    >>> parse_short("manual:0,2,4,7").describe()
    '4 picked by hand'
    """
    name, *parts = text.split(":")
    description: dict[str, Any] = {"name": name}
    if name == "stay-points" and len(parts) == 2:
        description["distance_m"] = _quantity(parts[0], _DISTANCES, "distance")
        description["duration_s"] = _quantity(parts[1], _DURATIONS, "duration")
    elif name == "manual" and len(parts) == 1 and re.fullmatch(r"([0-9]{1,15}(,[0-9]{1,15})*)?", parts[0]):
        description["events"] = [int(part) for part in parts[0].split(",") if part]
    else:
        rule = "stay-points:DISTANCE:DURATION (stay-points:200m:30min) or manual:EVENT,EVENT,…"
        raise ParameterError(f"landmarks must be {rule}, got {text!r:.60}", field="landmarks", rule=rule, value=text)
    return landmark_methods.parse(description, field="landmarks")
