"""``ExperimentSpec``: what is tried, over which values, how often. It expands to cells; equal ones have equal keys.

A cell is one combination: a release, a way to mark landmarks, perhaps dummies beside them and a correlation that an
adversary knows, with the seed and the metrics. What it gives is a function of the cell, the dataset and the number of
the repetition, and of nothing else: not of the experiment it is part of, and not of how the work is cut.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import (
    AfterValidator,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)

from privacy_engine import noise
from privacy_engine.accounting.distance import LEAST_M, MOST_M, scale
from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix
from privacy_engine.accounting.validation import MAX_STATES
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.experiments.measures import Measure, measures
from privacy_engine.experiments.selection import SeriesSelection
from privacy_engine.landmarks import DummyMethod, LandmarkMethod, dummy_methods, landmark_methods
from privacy_engine.params import Frozen, Param, Repetitions, Seed, Spec, brief, broken
from privacy_engine.spec import ReleaseSpec

MAX_CELLS = 10_000
MAX_METRICS = 16
EXACT = 2.0**53
"""Whole numbers up to here are exact as floating point numbers."""
RESULTS = 1
"""Part of every dataset's key: raised when the same cell would give other numbers, so that kept ones are not used."""

STATES = Param(label="States", help="Places the adversary distinguishes.", lowest=1, highest=MAX_STATES, example=2)
SMOOTHING = Param(
    label="Smoothing",
    symbol="s",
    help="0 is the strongest correlation. The paper calls 1 weak, 0.1 moderate and 0.01 strong.",
    lowest=0.0,
    highest=1e6,
    example=0.1,
)
DIAMETER = Param(
    label="How far apart states lie at most",
    symbol="D",
    unit="m",
    help="ε within the radius r counts D / r times. None: states one radius apart, the plain levels of the papers.",
    lowest=LEAST_M,
    highest=MOST_M,
    example=1000.0,
)


def _distance(value: float | None) -> Any:
    return None if value is None else DIAMETER.check(value)


class Correlation(Frozen):
    """What an adversary knows of how positions follow one another: a smoothed matrix, the same in both directions.

    ``diameter_m`` is how far apart the positions of two states lie at most. It must be given, if only as None: states
    one radius of the mechanism apart, whose levels are plain numbers as in the papers.
    ``bound`` defines how landmark losses are put together:
    :func:`privacy_engine.accounting.temporal.landmark_temporal_loss`.
    """

    smoothing: Annotated[float, AfterValidator(SMOOTHING.check), SMOOTHING]
    diameter_m: Annotated[float | None, AfterValidator(_distance), DIAMETER]
    states: Annotated[int, AfterValidator(STATES.check), STATES] = 2
    bound: Literal["published", "bridge"] = "published"

    def scale(self, radius_m: float) -> float:
        """What a level within ``radius_m`` is multiplied by to hold at the states' distance."""
        return 1.0 if self.diameter_m is None else scale(self.diameter_m, radius_m)

    def carried(self) -> LossFunction:
        """The loss function of the matrix, cached for the next call."""
        return _carried(self.states, self.smoothing)


@lru_cache(maxsize=8)
def _carried(states: int, smoothing: float) -> LossFunction:
    return LossFunction(smoothing_matrix(states, smoothing))


class Cell(Spec):
    """One combination of an experiment.

    ``redraw`` marks new landmarks in each repetition, by a seed made of that of the method and the cell's; dummies
    are always new ones. With ``common`` all cells of a seed see the same noise and the same landmarks (common random
    numbers: their differences vary less than they do), otherwise each its own.
    """

    release: Any = None
    landmarks: Any
    dummies: Any = None
    correlation: Correlation | None = None
    redraw: bool = False
    metrics: Any
    seed: Seed
    common: bool = True

    _DESCRIBED: ClassVar[dict[str, Any]] = {
        "release": lambda value: ReleaseSpec.parse(value).checked("trajectory"),
        "landmarks": landmark_methods.parse,
        "dummies": dummy_methods.parse,
    }

    @field_validator("release", "landmarks", "dummies", mode="before")
    @classmethod
    def _registered(cls, value: Any, info: Any) -> ReleaseSpec | LandmarkMethod | DummyMethod | None:
        field = str(info.field_name)
        if value is None and field != "landmarks":
            return None
        try:
            found: ReleaseSpec | LandmarkMethod | DummyMethod = cls._DESCRIBED[field](value)
        except ParameterErrors as wrong:
            raise ParameterErrors(
                [moved(error, error.field, f"{field}.{error.field}") for error in wrong.errors]
            ) from None
        if isinstance(found, ReleaseSpec) and found.seed is not None:
            rule = "must be left out: the experiment has one"
            raise ParameterErrors([ParameterError(f"release.seed {rule}", field="release.seed", rule=rule)])
        return found

    @field_serializer("release", "landmarks", "dummies")
    def _dumped(self, value: ReleaseSpec | LandmarkMethod | DummyMethod | None) -> dict[str, Any] | None:
        return None if value is None else value.model_dump()

    @field_validator("metrics", mode="before")
    @classmethod
    def _measured(cls, value: Any) -> tuple[Measure, ...]:
        return _measures(value)

    @field_serializer("metrics")
    def _dumped_metrics(self, value: tuple[Measure, ...]) -> list[Any]:
        return [one.plain for one in value]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for one in self.metrics:
            if one.needs_release and self.release is None:
                raise ParameterErrors([_lacks("release", f"is required by the metric {one.name}", None)])
        if self.redraw and "seed" not in type(self.landmarks).model_fields:
            rule = "must be a random method to be drawn again"
            raise ParameterErrors([_lacks("landmarks", rule, self.landmarks.name)])
        return self

    @cached_property
    def digest(self) -> str:
        return super().digest

    @property
    def root(self) -> int:
        """What all of its randomness is spawned from."""
        if self.common:
            return int(self.seed)
        keys = np.frombuffer(bytes.fromhex(self.digest), dtype="<u4").tolist()
        return noise.spawned(self.seed, noise.Stream.EXPERIMENTS, *keys)

    @cached_property
    def draws(self) -> tuple[str, str | None, bool, int | None]:
        """What its landmarks and dummies follow from, but for the repetition."""
        dummies = None if self.dummies is None else self.dummies.model_dump_json()
        random = self.redraw or dummies is not None
        return self.landmarks.model_dump_json(), dummies, self.redraw, self.root if random else None


def _measures(value: Any) -> tuple[Measure, ...]:
    """What is to be measured: each entry a name, or an object with parameters."""
    rule = f"must be a list of 1 to {MAX_METRICS} different metrics"
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_METRICS:
        raise broken(rule)
    found, errors = [], []
    for i, one in enumerate(value):
        try:
            found.append(measures.parse(one, field=f"metrics.{i}"))
        except ParameterErrors as wrong:
            errors += wrong.errors
    if errors:
        raise ParameterErrors(errors)
    if len({one.model_dump_json() for one in found}) < len(found):
        raise broken(rule)
    return tuple(found)


class Point(NamedTuple):
    """A cell, and which value of each axis it has."""

    at: tuple[int, ...]
    cell: Cell


class Axis(NamedTuple):
    """What one entry of a grid sets: the places in a cell, and for each of its values what to put there."""

    name: str
    paths: tuple[str, ...]
    values: list[Any]


class ExperimentSpec(Spec):
    """A base and a grid over it, times repetitions by one seed; the same spec gives the same table, to the last bit.

    ``base`` describes a cell: ``release``, ``landmarks``, ``dummies``, ``correlation``, ``redraw``. ``grid`` maps a
    place in it (``release.mechanism.epsilon``, ``landmarks.share``, ``correlation``) to the values to put there;
    several places that move together are joined by commas, and each value is then a list with one entry for each.
    Every combination is a cell: axes by depth and name, whatever order the JSON had, and the last moves first.
    ``metrics`` are measures by name, or with parameters as ``{"name": …}``.

    ``series`` states what the cells are tried on, as a
    :class:`~privacy_engine.experiments.selection.SeriesSelection`. Without it they are the series of the dataset
    as they are, which is what specs of earlier versions mean.
    """

    base: dict[str, Any]
    grid: dict[str, Any] = {}
    repetitions: Repetitions
    seed: Seed
    metrics: Any
    common: bool = True
    series: SeriesSelection | None = None

    _points: tuple[Point, ...] = PrivateAttr(())

    @field_validator("base", "grid", mode="after")
    @classmethod
    def _own(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            text = json.dumps(value, allow_nan=False)
            copy: dict[str, Any] = _in_one_order(json.loads(text, parse_float=_number))
        except (TypeError, ValueError, RecursionError):
            raise broken("must be plain JSON") from None
        return copy

    @field_validator("base", mode="after")
    @classmethod
    def _described(cls, value: dict[str, Any]) -> dict[str, Any]:
        if taken := sorted({"metrics", "seed", "common"} & value.keys()):
            rule = "belongs to the experiment, not to its base"
            field = f"base.{taken[0]}"
            raise ParameterErrors([ParameterError(f"{field} {rule}", field=field, rule=rule)])
        return value

    @field_validator("metrics", mode="before")
    @classmethod
    def _measured(cls, value: Any) -> tuple[Measure, ...]:
        return _measures(value)

    @field_serializer("metrics")
    def _dumped_metrics(self, value: tuple[Measure, ...]) -> list[Any]:
        return [one.plain for one in value]

    @model_serializer(mode="wrap")
    def _dumped(self, dumped: SerializerFunctionWrapHandler) -> dict[str, Any]:
        found: dict[str, Any] = dumped(self)
        if self.series is None:
            del found["series"]  # a spec without it keeps its digest
        return found

    def on(self, series: SeriesSelection) -> Self:
        """The same experiment, with ``series`` as what it is tried on."""
        return self.parse(self.model_dump() | {"series": series.model_dump()})

    @model_validator(mode="after")
    def _expands(self) -> Self:
        axes = self.axes()
        if prod(len(axis.values) for axis in axes) > MAX_CELLS:
            rule = f"must expand to at most {MAX_CELLS:,} cells"
            raise ParameterErrors([_lacks("grid", rule, prod(len(axis.values) for axis in axes))])
        self._points = tuple(
            Point(at, self._cell(axes, at)) for at in product(*(range(len(axis.values)) for axis in axes))
        )
        return self

    def axes(self) -> list[Axis]:
        """The grid's axes: what sets a whole object comes before what changes a part of it."""
        names = sorted(self.grid, key=lambda name: (min(path.count(".") for path in name.split(",")), name))
        return [_axis(name, self.grid[name]) for name in names]

    def points(self) -> Iterator[Point]:
        """Every cell with its place in the grid, in the order of the table."""
        return iter(self._points)

    def cell(self, at: Sequence[int]) -> Cell:
        """The cell with these values of the axes, one for each, by their numbers."""
        return self._cell(self.axes(), tuple(at))

    def cells(self) -> list[Cell]:
        """The different cells, in the order of the table."""
        return list({point.cell.digest: point.cell for point in self.points()}.values())

    def _cell(self, axes: list[Axis], at: tuple[int, ...]) -> Cell:
        description = deepcopy(self.base)
        for axis, i in zip(axes, at, strict=True):
            several = axis.values[i] if len(axis.paths) > 1 else [axis.values[i]]
            for path, value in zip(axis.paths, several, strict=True):
                _put(description, path, value, f"grid.{axis.name}")
        try:
            return Cell.parse(description | {"metrics": self.metrics, "seed": self.seed, "common": self.common})
        except ParameterErrors as wrong:
            raise ParameterErrors([_placed(error, axes, at) for error in wrong.errors]) from None


def _number(text: str) -> float:
    """A number of JSON, which has one kind of them: 1.0 is 1, so that spellings of a spec have one digest."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= EXACT else value


def _in_one_order(value: Any) -> Any:
    """Names in order, ``name`` first: a database may give them in another, and a table carries the spec as text."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: (name != "name", name))
        return {name: _in_one_order(value[name]) for name in names}
    return [_in_one_order(one) for one in value] if isinstance(value, list) else value


def _axis(name: str, values: Any) -> Axis:
    paths = tuple(name.split(","))
    rule = "" if isinstance(values, list) and values else "must be a list of at least one value"
    if not rule and not all(part.isidentifier() for path in paths for part in path.split(".")):
        rule = "must be named by places in a cell, like landmarks.share"
    if not rule and paths[0].split(".")[0] in ("metrics", "seed", "common"):
        rule = "belongs to the experiment and is no axis"
    if not rule and len(paths) > 1 and any(not isinstance(one, list) or len(one) != len(paths) for one in values):
        rule = f"must have {len(paths)} entries in each value, one for each place"
    if rule:
        raise ParameterErrors([_lacks(f"grid.{name}", rule, values)])
    return Axis(name, paths, values)


def _put(description: dict[str, Any], path: str, value: Any, field: str) -> None:
    *parents, last = path.split(".")
    for part in parents:
        if description.get(part) is None:
            description[part] = {}
        description = description[part]
        if not isinstance(description, dict):
            raise ParameterErrors([_lacks(field, "must be a place inside objects", path)])
    description[last] = deepcopy(value)


def _placed(error: ParameterError, axes: Sequence[Axis], at: tuple[int, ...]) -> ParameterError:
    """The error of a cell, named after the value of the grid it comes from, or after the base."""
    if error.field.split(".")[0] in ("metrics", "seed", "common"):
        return error
    for axis, i in reversed(list(zip(axes, at, strict=True))):
        for path in axis.paths:
            if f"{error.field}.".startswith(f"{path}."):
                return moved(error, error.field, f"grid.{axis.name}.{i}{error.field[len(path) :]}")
    return moved(error, error.field, f"base.{error.field}")


def moved(error: ParameterError, old: str, new: str) -> ParameterError:
    """The same error under another field's name."""
    return ParameterError(error.message.replace(old, new, 1), field=new, rule=error.rule, value=error.value)


def _lacks(field: str, rule: str, value: Any) -> ParameterError:
    got = "" if value is None else f", got {brief(value)}"
    return ParameterError(f"{field} {rule}{got}", field=field, rule=rule, value=value)


def dataset_digest(series: Sequence[Trajectory]) -> str:
    """SHA-256 of what the series hold, in their order: positions, times and marks; names stay out.

    >>> one, same = (Trajectory([8.5], [47.3], name=name) for name in "ab")
    >>> dataset_digest([one]) == dataset_digest([same])
    True
    """
    found = hashlib.sha256(f"cairn experiment {RESULTS}".encode())
    for one in series:
        found.update(f" {len(one)} {one.time_s is not None} {one.marked is not None} ".encode())
        for column in (one.lon, one.lat, one.time_s, one.marked):
            if column is not None:
                found.update(np.ascontiguousarray(column).tobytes())
    return found.hexdigest()
