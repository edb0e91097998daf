"""``Cell``: a combination of an experiment, and what the cells of every kind of data share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from pydantic import field_serializer, field_validator

from privacy_engine import noise
from privacy_engine.core.arrays import Floats
from privacy_engine.core.component import form_fields
from privacy_engine.core.params import Seed, Spec, brief, broken
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.experiments.inputs import Given, columns_digest
from privacy_engine.experiments.measures import Measure, measures
from privacy_engine.releases.spec import ReleaseSpec, SimulatedSpec

MAX_METRICS = 16

cells: dict[str, type[Cell]] = {}
"""The class of the cells of each kind of data."""


class Cell(Spec):
    """One combination of an experiment, whose results follow from it, the data and the number of a repetition alone.

    With ``common`` all cells of a seed see the same noise (common random numbers: their differences vary less than
    they do), otherwise each its own. A subclass for each kind of data adds what a cell of that kind has.

    ``item`` is a noun for what :meth:`items_of` counts, ``generated`` the name of data that no dataset holds.
    ``columns`` of the data are what results follow from (names and labels stay out); ``results`` is raised when the
    same cell would give other numbers, so that stored ones are not used. With ``takes_series`` it is run on a list of
    series, which the spec's ``series`` states; otherwise on one object, or on what its ``data`` generates. With
    ``has_landmarks`` tables have the measured share of marked events.
    """

    data_kind: ClassVar[str]
    item: ClassVar[str]
    generated: ClassVar[str]
    results: ClassVar[int]
    columns: ClassVar[tuple[str, ...]]
    takes_series: ClassVar[bool] = False
    has_landmarks: ClassVar[bool] = False

    release: Any = None
    metrics: Any
    seed: Seed
    common: bool = True

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if "data_kind" in cls.__dict__:
            cells[cls.data_kind] = cls

    @field_validator("release", mode="before")
    @classmethod
    def _registered_release(cls, value: Any) -> ReleaseSpec | None:
        if value is None:
            return None
        spec = described("release", lambda: SimulatedSpec.parse(value).checked(cls.data_kind))
        assert isinstance(spec, ReleaseSpec)
        if spec.seed is not None:
            rule = "must be left out: the experiment has one"
            raise ParameterErrors([ParameterError(f"release.seed {rule}", field="release.seed", rule=rule)])
        return spec

    @field_serializer("release")
    def _dumped_release(self, value: ReleaseSpec | None) -> dict[str, Any] | None:
        return None if value is None else value.model_dump()

    @field_validator("metrics", mode="before")
    @classmethod
    def _measured(cls, value: Any) -> tuple[Measure, ...]:
        return parsed_measures(value, cls.data_kind)

    @field_serializer("metrics")
    def _dumped_metrics(self, value: tuple[Measure, ...]) -> list[Any]:
        return [metric.plain for metric in value]

    @cached_property
    def digest(self) -> str:
        return super().digest

    @classmethod
    def sizes_of(cls, data: Any) -> list[int]:
        """Sizes of the data it is run on, such as timestamps and dimensions; empty for None."""
        return [] if data is None else [len(data)]

    @classmethod
    def items_of(cls, sizes: Sequence[int]) -> int:
        """How many items there are, from :meth:`sizes_of`; 0 for none."""
        return sum(sizes)

    @classmethod
    def given_of(cls, data: Any) -> Given | None:
        """What a preset must know of ``data``; None for none."""
        return None if data is None else Given()

    @classmethod
    def digest_of(cls, data: Any) -> str:
        """SHA-256 of what results follow from."""
        columns = ((name, getattr(data, name)) for name in cls.columns if data is not None)
        known = ((f" {name} {column.shape} ", column) for name, column in columns if column is not None)
        return columns_digest(f"cairn experiment {cls.results} {cls.data_kind}", known)

    @classmethod
    def own_fields(cls) -> list[dict[str, Any]]:
        """Its own parameters, beside those of what it is made of and of the experiment, as form fields."""
        return [field for name, field in form_fields(cls).items() if name != "seed"]

    @property
    def root(self) -> int:
        """What all of its randomness is spawned from."""
        if self.common:
            return int(self.seed)
        keys = np.frombuffer(bytes.fromhex(self.digest), dtype="<u4").tolist()
        return noise.spawned(self.seed, noise.Stream.EXPERIMENTS, *keys)

    @property
    def short_columns(self) -> dict[str, Any]:
        """Columns of a table that name the most important parameters in short, by name."""
        return {}

    @property
    def draws(self) -> Hashable:
        """What is computed once for all cells that have it in common, but for the repetition."""
        raise NotImplementedError

    def values(self, data: Any, which: range) -> Floats:
        """Share of marked events and metrics of the repetitions ``which``, (1 + metrics, repetitions).

        The share is not a number where a kind of data has no landmarks.

        Raises
        ------
        EngineError
            The data lack what the cell needs, or do not suit it.
        """
        raise NotImplementedError

    def seconds(self, sizes: Sequence[int], repetitions: int) -> float:
        """About how long so many repetitions take on a single core, over data of these sizes."""
        raise NotImplementedError

    def own_sizes(self) -> list[int] | None:
        """Sizes of the data that the cell generates; None where it takes those that are given."""
        return None

    def suits(self, sizes: Sequence[int]) -> None:
        """ParameterErrors if data of these sizes lack what the cell reads of them."""

    def batch(self, sizes: Sequence[int]) -> int:
        """How many repetitions are computed together; blocks of a multiple of it do no work twice."""
        return 1


def described(field: str, parse: Any) -> Any:
    """What ``parse()`` returns, its errors named after ``field``."""
    try:
        return parse()
    except ParameterErrors as wrong:
        raise ParameterErrors([moved(error, error.field, f"{field}.{error.field}") for error in wrong.errors]) from None


def parsed_measures(value: Any, kind: str) -> tuple[Measure, ...]:
    """What is to be measured on a kind of data: each entry a name, or an object with parameters."""
    rule = f"must be a list of 1 to {MAX_METRICS} different metrics"
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_METRICS:
        raise broken(rule)
    parsed, errors = [], []
    for i, item in enumerate(value):
        try:
            parsed.append(measures.of(kind).parse(item, field=f"metrics.{i}"))
        except ParameterErrors as wrong:
            errors += wrong.errors
    if errors:
        raise ParameterErrors(errors)
    if len({metric.model_dump_json() for metric in parsed}) < len(parsed):
        raise broken(rule)
    return tuple(parsed)


def moved(error: ParameterError, old: str, new: str) -> ParameterError:
    """The same error under another field's name."""
    return ParameterError(error.message.replace(old, new, 1), field=new, rule=error.rule, value=error.value)


def lacks(field: str, rule: str, value: Any) -> ParameterError:
    """An error on ``field``, with the value if any."""
    got = "" if value is None else f", got {brief(value)}"
    return ParameterError(f"{field} {rule}{got}", field=field, rule=rule, value=value)
