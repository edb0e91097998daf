"""The geometry column of a GeoParquet file: its name, its coordinate system, and its positions."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privacy_engine.formats.arrow import listed, pa
from privacy_engine.formats.numbers import GOOD, MISSING, NO_GEOMETRY, as_floats
from privacy_engine.formats.wkb import Geometries, positions

_USUAL = ("geometry", "geom", "wkb_geometry", "the_geom", "wkb")


@dataclass(frozen=True)
class Geometry:
    """A geometry column and the name of its coordinate system, empty for degrees."""

    name: str
    system: str


def geometry_column(schema: Any, metadata: Mapping[bytes, bytes] | None) -> Geometry | None:
    """The geometry column that the file's metadata name, else a column of a usual name that holds bytes; or None."""
    geo = _geo(metadata)
    described = geo.get("columns")
    described = described if isinstance(described, dict) else {}
    for name in (geo.get("primary_column"), *described, *_USUAL):
        if isinstance(name, str) and schema.names.count(name) == 1 and _holds_geometry(schema.field(name).type):
            about = described.get(name)
            return Geometry(name, _system(about.get("crs") if isinstance(about, dict) else None))
    return None


def _geo(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    try:
        geo = json.loads((metadata or {}).get(b"geo", b"{}"))
    except (ValueError, RecursionError):
        return {}
    return geo if isinstance(geo, dict) else {}


def _holds_geometry(kind: Any) -> bool:
    if pa.types.is_struct(kind):
        return {"x", "y"} <= {kind.field(i).name for i in range(kind.num_fields)}
    return is_binary(kind)


def is_binary(kind: Any) -> bool:
    """Whether a column of this type holds bytes of any length."""
    types = pa.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind))


def _system(described: Any) -> str:
    """``EPSG:4326`` of a PROJJSON description; empty where it has no identifier."""
    known = described.get("id") if isinstance(described, dict) else None
    return f"{known.get('authority')}:{known.get('code')}"[:80] if isinstance(known, dict) else ""


def geometries(column: Any) -> Geometries:
    """The positions of a geometry column: well-known binary, or structures of x and y."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_struct(column.type):
        return positions(listed(column))
    lon, lat = (as_floats(column.field(axis)) for axis in ("x", "y"))
    reasons = np.where(np.isfinite(lon) & np.isfinite(lat), GOOD, MISSING).astype(np.uint8)
    reasons[column.is_null().to_numpy(zero_copy_only=False)] = NO_GEOMETRY
    return Geometries(lon, lat, reasons, np.arange(len(lon)))
