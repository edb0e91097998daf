"""Layers of vector files that GDAL reads (pyogrio): geometries as well-known binary, attributes as columns."""

import warnings
from typing import Any

from privacy_engine.core.optional import required
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.errors import FormatError
from privacy_engine.formats import crs
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.attributes import beside, points_of
from privacy_engine.formats.columnar import as_texts, simple
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.points import Points
from privacy_engine.formats.report import Report
from privacy_engine.formats.wkb import positions

MAX_ROWS = 5_000_000
_SAMPLE = 60
_LEAST = 8  # bytes of a feature: GDAL reserves memory for as many as a damaged header counts
_OTHER = (ValueError, OverflowError, IndexError, RuntimeError, MemoryError)  # what pyogrio lets through of damage


def layer(data: bytes, name: str, title: str, options: ReadOptions, report: Report) -> tuple[str, Points, ReadOptions]:
    """The points of the only layer in ``data``, and the options with its coordinate system.

    Raises
    ------
    FormatError
        GDAL cannot read it.
    MissingPackage
        GDAL is not installed.
    """
    pyogrio = required("pyogrio", f"a {title}", extra="vector")
    from pyogrio.errors import DataLayerError, DataSourceError, FeatureError, FieldError, GeometryError

    try:
        with warnings.catch_warnings():  # GDAL's about damage that it mends
            warnings.simplefilter("ignore")
            meta, _, geometries, fields = pyogrio.raw.read(data, max_features=min(MAX_ROWS, len(data) // _LEAST) + 1)
    except (DataLayerError, DataSourceError, FeatureError, FieldError, GeometryError, *_OTHER) as error:
        message = f"The {title} is damaged: it cannot be read. Is the file complete?"
        raise FormatError(message, code="bad_vector_file") from error
    if geometries is None or not len(geometries):
        raise FormatError(f"The {title} holds no geometries.", code="no_points")
    if len(geometries) > MAX_ROWS:
        raise FormatError(f"The {title} has more than {MAX_ROWS} rows.", code="too_large", rule=f"at most {MAX_ROWS}")
    table = pa.table({str(field): _column(values) for field, values in zip(meta["fields"], fields, strict=True)})
    sample = [list(row) for row in zip(*(as_texts(column[:_SAMPLE]) for column in table.columns), strict=True)]
    roles = beside(table.column_names, sample, options, report)
    system = crs.of_description(meta["crs"]) if meta.get("crs") else ""
    placed = positions(list(geometries))
    points = points_of(placed, roles, lambda column: simple(table, column), options, report)
    return name, points, crs.in_system(system, options)


def _column(values: Any) -> Any:
    """The values of a field: numbers and times as they are, all else as text."""
    if values.dtype.kind in "iufM":
        return pa.array(values, from_pandas=True)
    texts = [None if value is None else str(value)[:1000] for value in reported(values, ROWS)]
    return pa.array(texts, pa.string())
