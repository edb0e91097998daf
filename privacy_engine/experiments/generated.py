"""Generated count streams and check-ins, by public parameters: what an experiment without a dataset is run on.

A generator is a class here, registered: its name and parameters are all that specs, forms and legends need of it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import ValidationInfo, field_validator

from privacy_engine.core.arrays import Floats
from privacy_engine.core.component import Component
from privacy_engine.core.params import Param, Seed, broken
from privacy_engine.core.plurals import quantity
from privacy_engine.data import CheckIns, CountStream
from privacy_engine.registry import Registry

MOST = 2_000_000
"""Counts of a generated stream, or check-ins, at most."""
DAY = 24
"""Timestamps of a period of a generated stream."""
SWING = 0.5
"""How far the rate of a generated stream rises and falls over a period, as a share of its mean."""
CITY = (8.40, 47.30, 8.68, 47.46)
"""West, south, east and north of the box of generated check-ins, in degrees: about 21 by 18 km."""
PLACES, CENTRES, CENTRE_SD, FAVOURITES = 400, 6, 0.08, 4
HOUR_S = 3600.0


TIMESTAMPS = Param(
    label="Timestamps",
    symbol="T",
    help="How many the generated stream has; 24 are one period.",
    lowest=1,
    highest=100_000,
    example=200,
)
DIMENSIONS = Param(
    label="Dimensions", symbol="d", help="How many counts each timestamp has.", lowest=1, highest=10_000, example=5
)
MEAN = Param(
    label="Mean count",
    symbol="μ",
    unit="events",
    help="Mean of all counts. Where it is below w/ε, uniform noise is larger than the counts.",
    lowest=0.001,
    highest=1e6,
    example=100.0,
)
USERS = Param(label="Users", help="How many users check in.", lowest=1, highest=100_000, example=500)
PER_USER = Param(
    label="Check-ins per user",
    help="How many each user has on average; every user has at least one.",
    lowest=1,
    highest=1_000,
    example=20,
)
FIRST = Param(
    label="First count",
    symbol="x₁",
    unit="events",
    help="Where every dimension begins.",
    lowest=0,
    highest=1e6,
    example=500,
)
STEP = Param(
    label="Step",
    symbol="σ",
    unit="events",
    help="Standard deviation of the change from one timestamp to the next.",
    lowest=0.0,
    highest=1e6,
    example=20.0,
)
Timestamps = Annotated[int, TIMESTAMPS]
Dimensions = Annotated[int, DIMENSIONS]
Mean = Annotated[float, MEAN]
Users = Annotated[int, USERS]
PerUser = Annotated[int, PER_USER]


class Generator(Component):
    """Base of every generator: data of one kind, the same for equal descriptions."""

    def sizes(self) -> list[int]:
        """Sizes of the data, as :meth:`~privacy_engine.experiments.cells.Cell.sizes_of` has them."""
        raise NotImplementedError

    def describe(self) -> str:
        """What a legend calls the data."""
        raise NotImplementedError

    def data(self) -> Any:
        """The data: an object of the class of its kind."""
        raise NotImplementedError


generators: Registry[Generator] = Registry("generator")


class StreamGenerator(Generator):
    """Base of the generators of count streams."""

    kind: ClassVar[str] = CountStream.kind

    timestamps: Timestamps = 200
    dimensions: Dimensions = 5

    @field_validator("dimensions")
    @classmethod
    def _limited(cls, value: int, info: ValidationInfo) -> int:
        return _few(value, info.data.get("timestamps"), "timestamps")

    def sizes(self) -> list[int]:
        return [self.timestamps, self.dimensions]


@generators.register
class PoissonStream(StreamGenerator):
    """Poisson counts whose rates rise and fall once every 24 timestamps; dimension k has a share that goes as 1/k."""

    title: ClassVar[str] = "Generated stream"
    summary: ClassVar[str] = "Poisson counts with a period of 24 timestamps; dimension k has a share as 1/k."

    name: Literal["poisson-stream"] = "poisson-stream"
    mean: Mean = 100.0
    seed: Seed = 1

    def describe(self) -> str:
        return f"{self.title} {self.timestamps:,} × {self.dimensions:,}, mean {self.mean:,g}"

    def data(self) -> CountStream:
        return _stream(self)


@generators.register
class NormalSteps(StreamGenerator):
    """Counts that change from one timestamp to the next by normal steps and stay at 0 or above [1]_.

    References
    ----------
    .. [1] Wang, Yang, Ren, Zhao. "Data-adaptive privacy-preserving mechanism for data stream publishing in real-time".
       Scientia Sinica Informationis 51, 2021. (The set Syn: first count 500, steps of standard deviation 20.)
    """

    title: ClassVar[str] = "Normal steps"
    summary: ClassVar[str] = "Counts that change by normal steps, dimensions alike: the set Syn of AdaPub’s paper."

    name: Literal["normal-steps"] = "normal-steps"
    first: Annotated[int, FIRST] = 500
    step: Annotated[float, STEP] = 20.0
    seed: Seed = 1

    def describe(self) -> str:
        return f"{self.title} {self.timestamps:,} × {self.dimensions:,}"

    def data(self) -> CountStream:
        return _steps(self)


@generators.register
class CityCheckIns(Generator):
    """Check-ins of users who visit four places of their own half of the time and popular ones otherwise.

    400 places lie about six centres in :data:`CITY`; the popularity of the k-th goes as 1/k.
    """

    kind: ClassVar[str] = CheckIns.kind
    title: ClassVar[str] = "Generated check-ins"
    summary: ClassVar[str] = "Users in a city of 400 places, half of the time at one of four places of their own."

    name: Literal["city-checkins"] = "city-checkins"
    users: Users = 500
    per_user: PerUser = 20
    seed: Seed = 1

    @field_validator("per_user")
    @classmethod
    def _limited(cls, value: int, info: ValidationInfo) -> int:
        return _few(value, info.data.get("users"), "users")

    def sizes(self) -> list[int]:
        return [self.users * self.per_user]

    def describe(self) -> str:
        return f"{self.title} of {quantity(self.users, 'user')}, {self.per_user:,} each on average"

    def data(self) -> CheckIns:
        return _checkins(self)


def _few(value: int, times: int | None, what: str) -> int:
    if times is not None and value * times > MOST:
        raise broken(f"must be at most {MOST // times:,} with {times:,} {what}")
    return value


def _generator(seed: int, *part: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=part)))


@lru_cache(maxsize=4)
def _stream(about: PoissonStream) -> CountStream:
    share = 1.0 / np.arange(1, about.dimensions + 1)
    share *= about.dimensions / share.sum()
    rhythm = 1 + SWING * np.sin(2 * np.pi * np.arange(about.timestamps) / DAY)
    return _named(_generator(about.seed).poisson(about.mean * rhythm[:, None] * share))


@lru_cache(maxsize=4)
def _steps(about: NormalSteps) -> CountStream:
    steps = about.step * _generator(about.seed).standard_normal((about.timestamps, about.dimensions))
    counts = np.empty(steps.shape)
    counts[0] = about.first
    for t in range(1, about.timestamps):
        counts[t] = np.maximum(counts[t - 1] + steps[t], 0.0)
    return _named(np.rint(counts))


def _named(counts: Any) -> CountStream:
    timestamps, dimensions = counts.shape
    names = [f"dimension {k}" for k in range(1, dimensions + 1)]
    labels = [str(t) for t in range(1, timestamps + 1)]
    time_s: Floats = np.arange(timestamps, dtype=np.float64) * HOUR_S
    return CountStream(counts.astype(np.float64), names, labels, time_s)


@lru_cache(maxsize=4)
def _checkins(about: CityCheckIns) -> CheckIns:
    rng = _generator(about.seed)
    west, south, east, north = CITY
    centres = rng.uniform(0.2, 0.8, (CENTRES, 2))
    places = centres[rng.integers(0, CENTRES, PLACES)] + CENTRE_SD * rng.standard_normal((PLACES, 2))
    places = np.clip(places, 0.001, 0.999)
    weight = 1.0 / np.arange(1, PLACES + 1)
    weight /= weight.sum()
    each = 1 + rng.poisson(about.per_user - 1, about.users)
    user = np.repeat(np.arange(about.users), each)
    own = rng.integers(0, PLACES, (about.users, FAVOURITES))
    usual = own[user, rng.integers(0, FAVOURITES, len(user))]
    place = np.where(rng.random(len(user)) < 0.5, usual, rng.choice(PLACES, len(user), p=weight))
    starts = np.concatenate([[0], np.cumsum(each)[:-1]])
    number = np.arange(len(user)) - np.repeat(starts, each)
    lon = west + (east - west) * places[place, 0]
    lat = south + (north - south) * places[place, 1]
    users = [f"user {i}" for i in range(1, about.users + 1)]
    names = [f"place {i}" for i in range(1, PLACES + 1)]
    return CheckIns(user, users, 12 * HOUR_S * number, place, names, lon, lat)
