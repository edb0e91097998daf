"""Cells of experiments on count streams and on check-ins: a release of a dataset, or of generated data."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import (
    SerializerFunctionWrapHandler,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)

from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import Param
from privacy_engine.core.plurals import counted
from privacy_engine.data import CountStream
from privacy_engine.errors import ParameterErrors
from privacy_engine.experiments.cells.base import Cell, described, lacks
from privacy_engine.experiments.generated import Generator, generators
from privacy_engine.experiments.inputs import items_of, sizes_of
from privacy_engine.experiments.release_trials import ReleaseTrials, Trial, batch_size
from privacy_engine.metrics.stream import StreamMetric

DIMENSIONS = Param(
    label="Dimensions",
    symbol="d",
    help="How many dimensions are read, the first ones of the data.",
    lowest=1,
    highest=10_000,
    example=5,
)


class ReleaseCell(Cell):
    """Base: a ``release`` of what ``data`` describes, or of the dataset where that is None."""

    data: Any = None

    @field_validator("data", mode="before")
    @classmethod
    def _registered_data(cls, value: Any) -> Generator | None:
        if value is None:
            return None
        found: Generator = described("data", lambda: generators.of(cls.data_kind).parse(value))
        return found

    @field_serializer("data")
    def _dumped_data(self, value: Generator | None) -> dict[str, Any] | None:
        return None if value is None else value.model_dump()

    @model_validator(mode="after")
    def _releases(self) -> Self:
        if self.release is None:
            raise ParameterErrors([lacks("release", f"is required for the kind {self.data_kind}", None)])
        return self

    @property
    def draws(self) -> Hashable:
        return None if self.data is None else self.data.model_dump_json()

    def values(self, data: Any, which: range) -> Floats:
        return np.vstack([np.full(len(which), np.nan), ReleaseTrials(self, data, which).values()])

    def batch(self, sizes: Sequence[int]) -> int:
        return batch_size(self._counts(self._sizes(sizes))) if self.release.mechanism.batched else 1

    def batch_over(self, data: Any) -> int:
        """:meth:`batch` for the data themselves."""
        return self.batch(sizes_of(self.data_kind, data))

    def truth(self, data: Any) -> Any:
        """What it releases: the dataset ``data``, or what it generates."""
        return data if self.data is None else self.data.data()

    def parts(self, truth: Any, batch: int) -> Any:
        """What a batch of releases is drawn from, first, and what else :meth:`trial` reads."""
        return (truth,)

    def trial(self, parts: Any, release: Any) -> Any:
        """What metrics read of one repetition; ``parts`` of :meth:`parts`."""
        return Trial(parts[0], release)

    def own_sizes(self) -> list[int] | None:
        return None if self.data is None else list(self.data.sizes())

    def _sizes(self, sizes: Sequence[int]) -> Sequence[int]:
        return self.own_sizes() or sizes

    def _counts(self, sizes: Sequence[int]) -> int:
        """How many counts one release publishes."""
        raise NotImplementedError


class StreamCell(ReleaseCell):
    """One combination of an experiment on a count stream; sizes are timestamps and dimensions."""

    data_kind: ClassVar[str] = CountStream.kind

    kind: Literal["stream"] = "stream"
    dimensions: Annotated[int | None, DIMENSIONS] = None

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.data is not None:
            self.suits(self.data.sizes())
        return self

    @model_serializer(mode="wrap")
    def _dumped(self, dumped: SerializerFunctionWrapHandler) -> dict[str, Any]:
        found: dict[str, Any] = dumped(self)
        if self.dimensions is None:
            found.pop("dimensions", None)  # a cell without it keeps its digest
        return found

    def suits(self, sizes: Sequence[int]) -> None:
        if self.dimensions is not None and self.dimensions > sizes[1]:
            rule = f"must be at most {sizes[1]:,}, as many as the data have"
            raise ParameterErrors([lacks("dimensions", rule, self.dimensions)])
        least = min(one.least_timestamps for one in self.metrics if isinstance(one, StreamMetric))
        if least > sizes[0]:
            rule = f"must have one that is defined for {counted(sizes[0], 'timestamp')}; these need at least {least}"
            raise ParameterErrors([lacks("metrics", rule, None)])

    def truth(self, data: Any) -> CountStream:
        whole: CountStream = super().truth(data)
        if self.dimensions is None:
            return whole
        self.suits(sizes_of(self.kind, whole))
        first = slice(self.dimensions)
        return CountStream(whole.counts[:, first], whole.names[first], whole.labels, whole.time_s)

    def seconds(self, sizes: Sequence[int], repetitions: int) -> float:
        (timestamps, dimensions), batch = self._sizes(sizes), self.batch(sizes)
        drawn = -(-repetitions // batch) * batch  # a batch is drawn whole
        measured = sum(one.seconds_once(timestamps * dimensions) for one in self.metrics)
        return float(drawn * self.release.mechanism.seconds(timestamps, dimensions, batch) + repetitions * measured)

    def _sizes(self, sizes: Sequence[int]) -> Sequence[int]:
        timestamps, dimensions = super()._sizes(sizes)
        return timestamps, min(dimensions, self.dimensions or dimensions)

    def _counts(self, sizes: Sequence[int]) -> int:
        return items_of(self.kind, sizes)
