"""MF-JSON, the moving features of the OGC: a MovingPoint for each series.

A series without times or events is no moving feature: it is a feature with a line, or without a geometry.
"""

from functools import partial
from typing import BinaryIO

from privacy_engine.core.instants import instants
from privacy_engine.core.progress import blocks
from privacy_engine.data import Trajectory
from privacy_engine.exports.base import MOVEMENT, ExportFormat
from privacy_engine.exports.columns import CHUNK
from privacy_engine.exports.geojson import begins, names, positions, read, write_features, write_line, write_pieces


def _write(track: Trajectory, out: BinaryIO, several: bool) -> None:
    if track.time_s is None or not len(track):
        write_line(track, out, several)
        return
    time_s = track.time_s
    out.write(b'\n{"type":"Feature","temporalGeometry":{"type":"MovingPoint","datetimes":[')
    write_pieces((",".join(f'"{t}"' for t in instants(time_s[at])) for at in blocks(len(track), CHUNK)), out)
    out.write(b'],"coordinates":[')
    write_pieces(positions(track), out)
    out.write(f'],"interpolation":"Discrete"}},"properties":{{{names(track, several)}}}}}'.encode())


FORMATS = (
    ExportFormat(
        Trajectory.kind,
        "mfjson",
        "MF-JSON",
        "application/json",
        "mfjson",
        partial(write_features, write=_write),
        read,
        begins,
        MOVEMENT,
        "Moving features of the OGC: MovingPandas, MobilityDB.",
        rank=5,
    ),
)
