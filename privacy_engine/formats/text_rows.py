"""Tables that come row by row as text: only the columns that are needed are held, packed by Arrow."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from privacy_engine.core.progress import advance
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.columnar import plan, series_of
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.people import numbered
from privacy_engine.formats.report import Report

Row = tuple[int, Sequence[str | None]]
SAMPLE = 60
_PIECE = 2000


def series_of_rows(names: Sequence[str], rows: Iterable[Row], options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of rows of cells, each with its number in the file; a row may be shorter than ``names``.

    Raises
    ------
    FormatError
        There are no rows, or no column holds positions.
    """
    coming = iter(rows)
    first = list(itertools.islice(coming, SAMPLE))
    if not first:
        raise FormatError("A header was found, but no data rows.", code="no_rows")
    named = numbered(names)
    schema = pa.schema([(name, pa.string()) for name in named])
    sample = [[cell or "" for cell in cells] for _, cells in first]
    chosen = plan(schema, None, sample, options, report)
    places = [named.index(name) for name in chosen.columns]
    pieces = list(_packed(itertools.chain(first, coming), chosen.columns, places))
    table = pa.Table.from_batches([batch for batch, _ in pieces])
    return series_of(table, chosen, report, np.concatenate([numbers for _, numbers in pieces]))


def _packed(rows: Iterator[Row], columns: Sequence[str], places: Sequence[int]) -> Iterator[tuple[Any, Any]]:
    """Pieces of the columns at ``places``, with the numbers of their rows."""
    while piece := list(itertools.islice(rows, _PIECE)):
        advance()
        cells = ([row[place] if place < len(row) else None for _, row in piece] for place in places)
        arrays = [pa.array(column, pa.string()) for column in cells]
        yield pa.RecordBatch.from_arrays(arrays, names=list(columns)), np.array([number for number, _ in piece])
