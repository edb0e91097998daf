"""``Recommender``: a published model of check-ins that ranks the cells of a public grid after a history of cells."""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError

R = TypeVar("R", bound="Recommender")
_CLASSES: dict[str, type[Recommender]] = {}
MOST_BYTES = 1 << 28


@dataclass(frozen=True, eq=False)
class Recommender(ABC):
    """Base of the models that rank cells from published numbers alone.

    A subclass is registered by its ``model``, the text that stands in the JSON, and lies in this package. Its
    dataclass has the published numbers; what is computed from them is cached.

    Parameters
    ----------
    grid : Grid
        The public grid.
    private : bool
        True only if all noise came from the operating system's generator.
    """

    model: ClassVar[str]
    digest_header: ClassVar[str] = "cairn recommender 1"

    grid: Grid
    private: bool = field(default=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.grid)

    @abstractmethod
    def scores(self, history: Sequence[int]) -> Floats:
        """The score of each cell as the next after ``history``, (cells,): larger is better, finite.

        An empty history has the scores of a first cell. DataError where the history names no cell of the grid.
        """

    @abstractmethod
    def parts(self) -> dict[str, Any]:
        """What is published beside the grid, JSON-ready: names and numbers."""

    @classmethod
    @abstractmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        """The model of :meth:`parts`; DataError, KeyError, TypeError or ValueError where they are not of this model."""

    def recommend(self, history: Sequence[int], k: int) -> Ints:
        """The ``k`` cells with the highest scores after ``history``, the best first; of equal ones the smaller number.

        The last cell of the history is none of them: sequences have no repeats.
        """
        return first_cells(self.scores(history), history, k)

    def numbers(self) -> Floats:
        """Every published number beside the grid, (n,), in the order of :meth:`parts`."""
        arrays = list(_numbers_in(self.parts()))
        return np.concatenate(arrays, dtype=np.float64) if arrays else np.empty(0)

    def densities(self) -> Floats | None:
        """The published mass of each cell, (cells,); None where the model has none."""
        return None

    def boxes(self, history: Sequence[int]) -> Floats:
        """The boxes of its decomposition for what follows ``history``, (n, 4) in degrees; none by default."""
        return np.empty((0, 4))

    def checked(self, history: Sequence[int]) -> Ints:
        """``history`` as an array, (n,); DataError where it holds anything but cells of the grid."""
        visits = np.asarray(history)
        if visits.size == 0:
            return np.empty(0, dtype=np.int64)
        rule = f"cells of the grid, whole numbers from 0 to {len(self.grid) - 1}"
        if visits.ndim != 1 or visits.dtype.kind not in "iu" or visits.min() < 0 or visits.max() >= len(self.grid):
            raise DataError.must_be("history", rule, got=f"{history!s:.60}")
        return visits.astype(np.int64)

    def as_dict(self) -> dict[str, Any]:
        """The model as JSON-ready data."""
        return {"model": self.model, "grid": self.grid.as_dict(), **self.parts()}

    @staticmethod
    def from_dict(description: Mapping[str, Any], *, private: bool = False) -> Recommender:
        """The model of :meth:`as_dict`, of any class.

        Raises
        ------
        DataError
            The model is unknown, or its numbers are not those of such a model.
        """
        if not isinstance(description, Mapping):
            raise DataError("model must be an object", field="model", rule="an object")
        parts = dict(description)
        name, grid = parts.pop("model", "popularity"), parts.pop("grid", None)  # popularity was published without it
        cls = _CLASSES.get(name) if isinstance(name, str) else None
        if cls is None:
            raise DataError.must_be("model", f"one of {', '.join(sorted(_CLASSES))}", name, got=f"{name!s:.60}")
        if not isinstance(grid, Mapping):
            raise DataError("grid must be an object", field="grid", rule="an object")
        try:
            return cls.from_parts(Grid.from_dict(grid), parts, private=private)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, DataError):
                raise
            rule = f"the numbers of the model {name}"
            raise DataError(f"model must hold {rule}: {error!s:.120}", field="model", rule=rule) from error

    @staticmethod
    def load(path: str | Path) -> Recommender:
        """The model in a downloaded JSON file; ``private`` is what its label declares.

        >>> model = Recommender.load("model.json")  # doctest: +SKIP
        >>> model.recommend([17, 18], k=10)  # doctest: +SKIP

        Raises
        ------
        DataError
            The file is none that Cairn exports as a model.
        OSError
            It cannot be read.
        """
        rule = "a model that was downloaded as JSON"
        path = Path(path)
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path.name} must be {rule}, at most {MOST_BYTES:,} bytes", field="path", rule=rule)
        try:
            document = json.loads(path.read_bytes())
            description, label = document["model"], document["privacy"]
            private = label["private"] is True
        except (ValueError, RecursionError, LookupError, TypeError) as error:
            raise DataError(f"{path.name} must be {rule}", field="path", rule=rule) from error
        return Recommender.from_dict(description, private=private)


def _numbers_in(value: Any) -> Iterator[Floats | Ints]:
    """The numbers in nested JSON-ready data, in order; texts have none."""
    if isinstance(value, float | int):
        yield np.array([value])
    elif isinstance(value, list) and value and isinstance(value[0], float | int):
        yield np.array(value)
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers_in(item)


def first_cells(scores: Floats, history: Sequence[int], k: int) -> Ints:
    """The ``k`` cells that :meth:`Recommender.recommend` returns where the scores after ``history`` are these."""
    order = np.argsort(-scores, kind="stable").astype(np.int64)
    if len(history):
        order = order[order != int(history[-1])]
    return order[: max(int(k), 0)]


def register(cls: type[R]) -> type[R]:
    """Add a class of models under its ``model`` (a class decorator)."""
    if cls.model in _CLASSES:
        raise TypeError(f"{cls.model} is registered twice")
    _CLASSES[cls.model] = cls
    return cls


def registered() -> Iterable[type[Recommender]]:
    """The classes of models, in the order they were registered."""
    return tuple(_CLASSES.values())


def model_digest(model: Recommender) -> str:
    """SHA-256 of a model's canonical JSON, the same for every format it is exported to. It is no signature."""
    text = json.dumps(model.as_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(f"{model.digest_header}\n{text}".encode()).hexdigest()


def whole_numbers(values: Any, field: str, n: int | None = None) -> Ints:
    """Whole numbers of a description, (n,); DataError where they are not ``n`` such numbers of 64 bits."""
    array = np.asarray(values)
    if array.size == 0 and array.ndim == 1:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype != np.int64 or (n is not None and len(array) != n):
        rule = "whole numbers" if n is None else f"{n:,} whole numbers"
        raise DataError.must_be(field, rule, got=f"{array.dtype} of {array.shape}")
    return array


def number(value: Any, field: str, *, lowest: float = -math.inf) -> float:
    """A finite number of a description, at least ``lowest``; DataError otherwise."""
    real = isinstance(value, float | int) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or value < lowest:
        rule = "a finite number" if lowest == -math.inf else f"a number of at least {lowest:g}"
        raise DataError.must_be(field, rule, got=f"{value!s:.60}")
    return float(value)
