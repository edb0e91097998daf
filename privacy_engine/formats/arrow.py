"""PyArrow, imported in one place: it ships no types, so the engine's type check stops here.

Its modules beside the core are imported at their first use: a process that reads none of the formats that need them
(as a web process) does without 8 MB of compute functions.
"""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

from privacy_engine.disk import is_full
from privacy_engine.errors import EngineError, FormatError
from privacy_engine.progress import blocks

PIECE = 1 << 18


class _OnDemand(ModuleType):
    """A module that is imported when something of it is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


pc: Any = _OnDemand("pyarrow.compute")
pacsv: Any = _OnDemand("pyarrow.csv")
pq: Any = _OnDemand("pyarrow.parquet")


@contextmanager
def translated(damaged: Callable[[], FormatError]) -> Iterator[None]:
    """Raise ``damaged()`` for what Arrow raises of damaged files; refusals and the machine's errors stay the same."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, struct.error, IndexError) as error:
        # ArrowMemoryError is an ArrowException too
        if isinstance(error, EngineError | MemoryError) or is_full(error):
            raise
        raise damaged() from error


def pieces(column: Any) -> Iterator[Any]:
    """An Arrow column in pieces, at least one, with a report ahead of each."""
    if not len(column):
        yield column
    for some in blocks(len(column), PIECE):
        yield column.slice(some.start, PIECE)


def in_pieces(column: Any, work: Callable[[Any], Any]) -> Any:
    """What ``work`` makes of an Arrow array cell by cell, as one array; regular expressions take seconds for all."""
    return pa.concat_arrays([work(piece) for piece in pieces(column)])


def listed(column: Any) -> list[Any]:
    """The cells of an Arrow column as Python has them; between two pieces other threads run."""
    return [cell for piece in pieces(column) for cell in piece.to_pylist()]


__all__ = ["in_pieces", "listed", "pa", "pacsv", "pc", "pieces", "pq", "translated"]
