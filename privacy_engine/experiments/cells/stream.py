"""``StreamCell``: a release of a count stream."""

from collections.abc import Sequence
from math import prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from privacy_engine.core.arrays import ceil_div
from privacy_engine.core.params import Param
from privacy_engine.core.plurals import quantity
from privacy_engine.data import CountStream
from privacy_engine.errors import ParameterErrors
from privacy_engine.experiments.cells.base import lacks
from privacy_engine.experiments.cells.releases import ReleaseCell
from privacy_engine.experiments.inputs import Given
from privacy_engine.metrics.stream import StreamMetric

DIMENSIONS = Param(
    label="Dimensions",
    symbol="d",
    help="How many dimensions are read, the first ones of the data.",
    lowest=1,
    highest=10_000,
    example=5,
)


class StreamCell(ReleaseCell):
    """One combination of an experiment on a count stream; sizes are timestamps and dimensions."""

    data_kind: ClassVar[str] = CountStream.kind
    item: ClassVar[str] = "count"
    generated: ClassVar[str] = "generated streams"
    results: ClassVar[int] = 2
    columns: ClassVar[tuple[str, ...]] = ("counts",)

    kind: Literal["stream"] = "stream"
    dimensions: Annotated[int | None, DIMENSIONS] = None

    @classmethod
    def sizes_of(cls, data: CountStream | None) -> list[int]:
        return [] if data is None else [len(data), len(data.names)]

    @classmethod
    def items_of(cls, sizes: Sequence[int]) -> int:
        return prod(sizes) if sizes else 0

    @classmethod
    def given_of(cls, data: CountStream | None) -> Given | None:
        return None if data is None else Given.of_stream(len(data), len(data.names), float(data.counts.sum()))

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.data is not None:
            self.suits(self.data.sizes())
        return self

    @model_serializer(mode="wrap")
    def _dumped(self, dumped: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = dumped(self)
        if self.dimensions is None:
            content.pop("dimensions", None)  # a cell without it keeps its digest
        return content

    def suits(self, sizes: Sequence[int]) -> None:
        if self.dimensions is not None and self.dimensions > sizes[1]:
            rule = f"must be at most {sizes[1]:,}, as many as the data have"
            raise ParameterErrors([lacks("dimensions", rule, self.dimensions)])
        least = min(metric.least_timestamps for metric in self.metrics if isinstance(metric, StreamMetric))
        if least > sizes[0]:
            rule = f"must have one that is defined for {quantity(sizes[0], 'timestamp')}; these need at least {least}"
            raise ParameterErrors([lacks("metrics", rule, None)])

    def truth(self, data: Any) -> CountStream:
        whole: CountStream = super().truth(data)
        if self.dimensions is None:
            return whole
        self.suits(self.sizes_of(whole))
        first = slice(self.dimensions)
        return CountStream(whole.counts[:, first], whole.names[first], whole.labels, whole.time_s)

    def seconds(self, sizes: Sequence[int], repetitions: int) -> float:
        (timestamps, dimensions), batch = self._sizes(sizes), self.batch(sizes)
        drawn = ceil_div(repetitions, batch) * batch  # a batch is drawn whole
        measured = sum(metric.seconds_once(timestamps * dimensions) for metric in self.metrics)
        return float(drawn * self.release.mechanism.seconds(timestamps, dimensions, batch) + repetitions * measured)

    def _sizes(self, sizes: Sequence[int]) -> Sequence[int]:
        timestamps, dimensions = super()._sizes(sizes)
        return timestamps, min(dimensions, self.dimensions or dimensions)

    def _counts(self, sizes: Sequence[int]) -> int:
        return self.items_of(sizes)
