"""``ExperimentSpec``: what is tried, over which values, how often. It expands to cells; equal ones have equal keys.

A cell is a combination (:mod:`privacy_engine.experiments.cells`). What it gives is a function of the cell, the data
and the number of the repetition, and of nothing else: not of the experiment it is part of, and not of how the work is
cut.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import product
from math import prod
from typing import Any, NamedTuple, Self

from pydantic import (
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)

from privacy_engine.core.params import Repetitions, Seed, Spec, broken
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.experiments.cells import Cell, cells
from privacy_engine.experiments.cells.base import lacks, moved, parsed_measures
from privacy_engine.experiments.measures import Measure
from privacy_engine.experiments.selection import SeriesSelection

MAX_CELLS = 10_000
EXACT = 2.0**53
"""Whole numbers up to here are exact as floating point numbers."""
UNSTATED = "trajectory"
"""The kind of data of a stored spec that states none: those from before there were kinds."""
OF_THE_EXPERIMENT = ("metrics", "seed", "common", "kind")


class Point(NamedTuple):
    """A cell, and which value of each axis it has."""

    at: tuple[int, ...]
    cell: Cell


class Axis(NamedTuple):
    """What an entry of a grid sets: the places in a cell, and for each of its values what to put there."""

    name: str
    paths: tuple[str, ...]
    values: list[Any]


class ExperimentSpec(Spec):
    """A base and a grid over it, times repetitions by one seed; the same spec gives the same table, to the last bit.

    ``kind`` is the kind of data. ``base`` describes a cell: ``release``, ``landmarks``, ``dummies``, ``correlation``,
    ``redraw`` of trajectories, ``release`` and ``data`` of other kinds, ``dimensions`` of streams. ``grid`` maps a
    place in it (``release.mechanism.epsilon``, ``landmarks.share``, ``correlation``) to the values to put there;
    several places that move together are joined by commas, and each value is then a list with one entry for each.
    Every combination is a cell: axes by depth and name, whatever order the JSON had, and the last moves first.
    ``metrics`` are measures by name, or with parameters as ``{"name": …}``.

    ``series`` states what cells of trajectories are tried on, as a
    :class:`~privacy_engine.experiments.selection.SeriesSelection`. Without it they are the series of the dataset
    as they are, which is what specs of earlier versions mean. A cell of another kind with ``data`` generates them, one
    without takes the dataset.
    """

    kind: str = UNSTATED
    base: dict[str, Any]
    grid: dict[str, Any] = {}
    repetitions: Repetitions
    seed: Seed
    metrics: Any
    common: bool = True
    series: SeriesSelection | None = None

    _points: tuple[Point, ...] = PrivateAttr(())

    @field_validator("kind", mode="before")
    @classmethod
    def _known(cls, value: Any) -> str:
        if not isinstance(value, str) or value not in cells:
            raise broken(f"must be one of {', '.join(map(repr, cells))}")
        return value

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
        if taken := sorted({*OF_THE_EXPERIMENT} & value.keys()):
            rule = "belongs to the experiment, not to its base"
            field = f"base.{taken[0]}"
            raise ParameterErrors([ParameterError(f"{field} {rule}", field=field, rule=rule)])
        return value

    @field_validator("metrics", mode="before")
    @classmethod
    def _measured(cls, value: Any, info: ValidationInfo) -> tuple[Measure, ...]:
        return parsed_measures(value, info.data.get("kind", UNSTATED))

    @field_serializer("metrics")
    def _dumped_metrics(self, value: tuple[Measure, ...]) -> list[Any]:
        return [metric.plain for metric in value]

    @model_serializer(mode="wrap")
    def _dumped(self, dumped: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = dumped(self)
        if self.series is None:
            del content["series"]  # a spec without it keeps its digest
        if content["kind"] == UNSTATED:
            del content["kind"]  # so does a spec from before there were kinds
        return content

    def on(self, series: SeriesSelection) -> Self:
        """The same experiment, with ``series`` as what it is tried on."""
        return self.parse(self.model_dump() | {"series": series.model_dump()})

    @model_validator(mode="after")
    def _expands(self) -> Self:
        if self.series is not None and not self.cell_type.takes_series:
            rule = f"must be left out for the kind {self.kind}, whose cells have data"
            raise ParameterErrors([lacks("series", rule, None)])
        axes = self.axes()
        if prod(len(axis.values) for axis in axes) > MAX_CELLS:
            rule = f"must expand to at most {MAX_CELLS:,} cells"
            raise ParameterErrors([lacks("grid", rule, prod(len(axis.values) for axis in axes))])
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
        """The cell with these values of the axes, for each, by their numbers."""
        return self._cell(self.axes(), tuple(at))

    @property
    def cell_type(self) -> type[Cell]:
        """What depends on the kind of data: the class of its cells."""
        return cells[self.kind]

    @property
    def takes_dataset(self) -> bool:
        """True if some cell has no data of its own."""
        return any(cell.own_sizes() is None for cell in self.cells())

    def sizes(self, given: Sequence[int]) -> list[int]:
        """Sizes of what it is run on: those ``given`` of a dataset, or of the largest data that cells generate."""
        own = [sizes for sizes in (cell.own_sizes() for cell in self.cells()) if sizes is not None]
        largest = max(own, key=lambda sizes: self.cell_type.items_of(sizes), default=given)
        return list(given if self.takes_dataset else largest)

    def suits(self, given: Sequence[int]) -> None:
        """ParameterErrors if a dataset of these sizes lacks what some cell reads of it."""
        for point in self.points() if given else ():
            try:
                point.cell.suits(given)
            except ParameterErrors as wrong:
                raise ParameterErrors([_placed(error, self.axes(), point.at) for error in wrong.errors]) from None

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
            return self.cell_type.parse(
                description | {"metrics": self.metrics, "seed": self.seed, "common": self.common}
            )
        except ParameterErrors as wrong:
            raise ParameterErrors([_placed(error, axes, at) for error in wrong.errors]) from None


def kind_of(stored: Mapping[str, Any]) -> str:
    """The kind of data of a spec as it is stored."""
    return str(stored.get("kind", UNSTATED))


def _number(text: str) -> float:
    """A number of JSON, which has a single kind of them: 1.0 is 1, so that spellings of a spec have the same digest."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= EXACT else value


def _in_one_order(value: Any) -> Any:
    """Names in order, ``name`` first: a database may give them in another, and a table carries the spec as text."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: (name != "name", name))
        return {name: _in_one_order(value[name]) for name in names}
    return [_in_one_order(item) for item in value] if isinstance(value, list) else value


def _axis(name: str, values: Any) -> Axis:
    paths = tuple(name.split(","))
    rule = "" if isinstance(values, list) and values else "must be a list of at least one value"
    if not rule and not all(part.isidentifier() for path in paths for part in path.split(".")):
        rule = "must be named by places in a cell, like landmarks.share"
    if not rule and paths[0].split(".")[0] in OF_THE_EXPERIMENT:
        rule = "belongs to the experiment and is no axis"
    if not rule and len(paths) > 1 and any(not isinstance(value, list) or len(value) != len(paths) for value in values):
        rule = f"must have {len(paths)} entries in each value, one for each place"
    if rule:
        raise ParameterErrors([lacks(f"grid.{name}", rule, values)])
    return Axis(name, paths, values)


def _put(description: dict[str, Any], path: str, value: Any, field: str) -> None:
    *parents, last = path.split(".")
    for part in parents:
        if description.get(part) is None:
            description[part] = {}
        description = description[part]
        if not isinstance(description, dict):
            raise ParameterErrors([lacks(field, "must be a place inside objects", path)])
    description[last] = deepcopy(value)


def _placed(error: ParameterError, axes: Sequence[Axis], at: tuple[int, ...]) -> ParameterError:
    """The error of a cell, named after the value of the grid it comes from, or after the base."""
    if error.field.split(".")[0] in OF_THE_EXPERIMENT:
        return error
    for axis, i in reversed(list(zip(axes, at, strict=True))):
        for path in axis.paths:
            if f"{error.field}.".startswith(f"{path}."):
                return moved(error, error.field, f"grid.{axis.name}.{i}{error.field[len(path) :]}")
    return moved(error, error.field, f"base.{error.field}")
