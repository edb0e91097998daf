"""Exported points, which every other file is taken for: their readers are in readers.py."""

from privacy_engine.data import Trajectory
from privacy_engine.verify.files import PARQUET, SQLITE, ExportedFiles
from privacy_engine.verify.readers import READERS


def _format(data: bytes) -> str:
    beginnings = {PARQUET: "parquet", SQLITE: "gpkg"}
    text = {b"<": "gpx", b"{": "geojson"}.get(data[:16].lstrip()[:1], "csv")
    return next((name for begins, name in beginnings.items() if data.startswith(begins)), text)


ADAPTER = ExportedFiles(
    Trajectory.kind,
    rank=0,
    format_of=_format,
    readers=READERS,
    endings=("csv", "geojson", "geoparquet", "gpkg", "gpx", "mfjson", "parquet"),
)
