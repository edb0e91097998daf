"""PyArrow, imported here only: it ships no types, so the engine's type check stops here.

It is imported at its first use, and its modules beside the core at theirs: a process that reads none of the formats
that need them does without.
"""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from privacy_engine.core.disk import is_full
from privacy_engine.core.on_demand import OnDemand
from privacy_engine.core.progress import blocks
from privacy_engine.errors import EngineError, FormatError

PIECE = 1 << 18


pa: Any = OnDemand("pyarrow")
pc: Any = OnDemand("pyarrow.compute")
pacsv: Any = OnDemand("pyarrow.csv")
pq: Any = OnDemand("pyarrow.parquet")


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
    """An Arrow column in pieces, at least 1, with a report ahead of each."""
    if not len(column):
        yield column
    for some in blocks(len(column), PIECE):
        yield column.slice(some.start, PIECE)


def in_pieces(column: Any, work: Callable[[Any], Any]) -> Any:
    """What ``work`` makes of an Arrow array cell by cell, as an array; regular expressions take seconds for all."""
    return pa.concat_arrays([work(piece) for piece in pieces(column)])


def listed(column: Any) -> list[Any]:
    """The cells of an Arrow column as Python has them; between two pieces other threads run."""
    return [cell for piece in pieces(column) for cell in piece.to_pylist()]


__all__ = ["in_pieces", "listed", "pa", "pacsv", "pc", "pieces", "pq", "translated"]
