"""``ReleaseCell``: a release of a dataset, or of generated data."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from pydantic import field_serializer, field_validator, model_validator

from privacy_engine.core.arrays import Floats
from privacy_engine.errors import ParameterErrors
from privacy_engine.experiments.cells.base import Cell, described, lacks
from privacy_engine.experiments.generated import Generator, generators
from privacy_engine.experiments.release_trials import ReleaseTrials, Trial, batch_size


class ReleaseCell(Cell):
    """Base: a ``release`` of what ``data`` describes, or of the dataset where that is None."""

    data: Any = None

    @field_validator("data", mode="before")
    @classmethod
    def _registered_data(cls, value: Any) -> Generator | None:
        if value is None:
            return None
        generator: Generator = described("data", lambda: generators.of(cls.data_kind).parse(value))
        return generator

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
        return self.batch(self.sizes_of(data))

    def truth(self, data: Any) -> Any:
        """What it releases: the dataset ``data``, or what it generates."""
        return data if self.data is None else self.data.data()

    def parts(self, truth: Any, batch: int) -> Any:
        """What a batch of releases is drawn from, first, and what else :meth:`trial` reads."""
        return (truth,)

    def trial(self, parts: Any, release: Any) -> Any:
        """What metrics read of a repetition; ``parts`` of :meth:`parts`."""
        return Trial(parts[0], release)

    def own_sizes(self) -> list[int] | None:
        return None if self.data is None else list(self.data.sizes())

    def _sizes(self, sizes: Sequence[int]) -> Sequence[int]:
        return self.own_sizes() or sizes

    def _counts(self, sizes: Sequence[int]) -> int:
        """How many counts a release publishes."""
        raise NotImplementedError
