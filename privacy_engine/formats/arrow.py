"""PyArrow, imported in one place: it ships no types, so the engine's type check stops here."""

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.compute as pc  # type: ignore[import-untyped, unused-ignore]
import pyarrow.csv as pacsv  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]

__all__ = ["pa", "pacsv", "pc", "pq"]
