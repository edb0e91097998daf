"""Data frames of other libraries, in and out: pandas, geopandas and what else hands over Arrow data."""

import io
from typing import Any

from privacy_engine.core.optional import required
from privacy_engine.datatypes.labelled_release import LabelledRelease
from privacy_engine.errors import DataError
from privacy_engine.formats.arrow import pa, pacsv, pq

WGS84 = "EPSG:4326"
_LABEL_COLUMNS = ("privacy_label", "privacy_label_json")
_BOX = ("west", "south", "east", "north")


def is_frame(source: Any) -> bool:
    """Whether it is a table of another library, which hands over Arrow data."""
    return hasattr(source, "__arrow_c_stream__") or isinstance(source, pa.Table)


def as_parquet(frame: Any) -> io.BytesIO:
    """A data frame as a Parquet file in memory, GeoParquet where it has a geometry; an index with a name is a column.

    Raises
    ------
    DataError
        It holds what Parquet cannot.
    """
    out = io.BytesIO()
    named = [name for name in getattr(getattr(frame, "index", None), "names", []) if name is not None]
    if named:
        frame = frame.reset_index()
    try:
        if hasattr(frame, "to_parquet") and hasattr(frame, "geometry"):
            frame.to_parquet(out)
        else:
            pq.write_table(frame if isinstance(frame, pa.Table) else pa.table(frame), out)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        rule = "a table of numbers, texts and times"
        raise DataError(f"the data frame must be {rule}: {error!s:.200}", field="dataframe", rule=rule) from error
    out.seek(0)
    return out


def published_frame(made: LabelledRelease) -> Any:
    """What a release publishes as a pandas.DataFrame, as in its files; the label is in ``attrs["privacy_label"]``."""
    pandas, out = required("pandas", "to_dataframe()"), io.BytesIO()
    fmt = "parquet" if "parquet" in made.data_type.exports else "csv"
    made.write(fmt, out)
    out.seek(0)
    # read_table()'s threads may hold Python's buffers when the interpreter ends, and abort the process
    table = pq.ParquetFile(out).read(use_threads=False) if fmt == "parquet" else pacsv.read_csv(out)
    table = table.drop_columns([name for name in _LABEL_COLUMNS if name in table.column_names])
    frame = table.to_pandas(ignore_metadata=True)
    assert isinstance(frame, pandas.DataFrame)
    frame.attrs["privacy_label"] = made.label
    return frame


def with_geometry(frame: Any) -> Any:
    """A frame with positions or boxes as a geopandas.GeoDataFrame in WGS 84; its ``attrs`` are kept.

    Raises
    ------
    MissingPackage
        geopandas is not installed.
    DataError
        It has neither.
    """
    geopandas = required("geopandas", "to_geodataframe()")
    if {"lon", "lat"} <= set(frame.columns):
        geometry = geopandas.points_from_xy(frame["lon"], frame["lat"])
        kept = frame.drop(columns=["lon", "lat"])
    elif set(_BOX) <= set(frame.columns):
        from shapely import box

        geometry, kept = box(*(frame[side] for side in _BOX)), frame.drop(columns=list(_BOX))
    else:
        rule = "of positions or of cells of a grid"
        raise DataError(f"a GeoDataFrame must be {rule}, and this table has neither", field="geometry", rule=rule)
    located = geopandas.GeoDataFrame(kept, geometry=geometry, crs=WGS84)
    located.attrs |= frame.attrs
    return located
