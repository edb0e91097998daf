"""MF-JSON, the moving features of the OGC: a MovingPoint for each series.

A series without times or events is no moving feature: it is a feature with a line, or without a geometry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from privacy_engine.data import Trajectory
from privacy_engine.exports.base import MOVEMENT, ExportFormat, Label
from privacy_engine.exports.columns import CHUNK, fixed_instants, several_people
from privacy_engine.exports.geojson import begin, end, names, positions, write_line, write_pieces


def _write(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    several = several_people(series)
    begin(out, label)
    for i, one in enumerate(series):
        out.write(b"," if i else b"")
        if one.time_s is None or not len(one):
            write_line(one, out, several)
        else:
            _write_moving(one, out, several)
    end(out)


def _write_moving(one: Trajectory, out: BinaryIO, several: bool) -> None:
    assert one.time_s is not None
    time_s = one.time_s
    out.write(b'\n{"type":"Feature","temporalGeometry":{"type":"MovingPoint","datetimes":[')
    starts = range(0, len(one), CHUNK)
    write_pieces((",".join(f'"{t}"' for t in fixed_instants(time_s[at : at + CHUNK])) for at in starts), out)
    out.write(b'],"coordinates":[')
    write_pieces(positions(one), out)
    out.write(f'],"interpolation":"Discrete"}},"properties":{{{names(one, several)}}}}}'.encode())


FORMATS = (
    ExportFormat(
        "mfjson",
        "MF-JSON",
        "application/json",
        "mfjson",
        _write,
        MOVEMENT,
        "Moving features of the OGC: MovingPandas, MobilityDB.",
    ),
)
