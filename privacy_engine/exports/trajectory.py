"""Series out to files: every format of trajectories, each with its privacy label, none linkable to another.

No file carries a time of writing, a host or a counter, so that two exports of a release are the same bytes.
Coordinates have 7 decimals (1 cm), times are UTC. Where the series are of several people, each names its person (a
column or property ``person``, an extension of a GPX track). Everything written here is read back by
:func:`privacy_engine.formats.read`.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import BinaryIO

from privacy_engine.data import Trajectory
from privacy_engine.data.numbered import each
from privacy_engine.data.points_digest import plain_name
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.exports.base import (
    JSON_COLUMN,
    TABLES,
    ExportFormat,
    Label,
    as_json,
    cell_text,
    format_named,
    sentence,
)
from privacy_engine.exports.columns import chunks, several_people
from privacy_engine.exports.contents import Contents, Unreadable
from privacy_engine.exports.points import points
from privacy_engine.exports.reading import bare, labelled_rows
from privacy_engine.formats.dialect import OUR_COLUMN

_COLUMNS = ("series", "time", "lon", "lat")
POINT_HEADERS = (b"series,time,lon,lat,", b"series,person,time,lon,lat,")
"""The columns of a CSV before its label: of one person's series, and of several people's."""


def write(series: Sequence[Trajectory], fmt: str, out: BinaryIO, *, label: Label) -> None:
    """Write ``series`` to the binary stream ``out``.

    Parameters
    ----------
    series : sequence of Trajectory
        The published series, gone through more than once; a series without times has none in the file either.
    fmt : str
        A name of :data:`privacy_engine.exports.FORMATS`.
    out : binary stream
        Written from where it stands, never read or closed.
    label : mapping
        The privacy label, JSON-ready; ``label["text"]`` is its sentence.

    Raises
    ------
    ParameterError
        ``fmt`` is not the name of a format.
    """
    format_named(Trajectory.kind, fmt).write(_plainly_named(series), out, label)


def _plainly_named(series: Sequence[Trajectory]) -> Sequence[Trajectory]:
    if isinstance(series, Trajectories):
        names, persons = ([plain_name(text) for text in texts] for texts in (series.names, series.persons))
        return series.called(names, persons)
    return each(series, lambda track: track.called(plain_name(track.name), plain_name(track.person)))


def _write_csv(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    several = several_people(series)
    out.write(POINT_HEADERS[several] + f"{OUR_COLUMN},{JSON_COLUMN}\r\n".encode())
    first = f"{cell_text(sentence(label))},{cell_text(as_json(dict(label)))}"
    for track in series:
        name = f"{cell_text(track.name)},{cell_text(track.person)}" if several else cell_text(track.name)
        for lon, lat, times in chunks(track):
            rows = [
                f"{name},{t},{x:.7f},{y:.7f},," for t, x, y in zip(times or repeat("", len(lon)), lon, lat, strict=True)
            ]
            if first:
                rows[0], first = rows[0][:-1] + first, ""
            out.write(("\r\n".join(rows) + "\r\n").encode("utf-8"))


def _begins(data: bytes) -> bool:
    header = data.partition(b"\n")[0].decode("utf-8", "replace").split(",")
    return {*_COLUMNS, JSON_COLUMN} <= {name.strip('" \r') for name in header}


def _read(data: bytes) -> Contents:
    header, rows, text, label = labelled_rows(data)
    if missing := set(_COLUMNS) - set(header):
        raise Unreadable(f"The table has no columns {', '.join(sorted(missing))}.")
    series, time, lon, lat = map(header.index, _COLUMNS)
    person = header.index("person") if "person" in header else None
    cells = (
        (bare(row[series]), "" if person is None else bare(row[person]), row[time], row[lon], row[lat]) for row in rows
    )
    return points(cells, label, text)


FORMATS = (
    ExportFormat(
        Trajectory.kind,
        "csv",
        "CSV table",
        "text/csv; charset=utf-8",
        "csv",
        _write_csv,
        _read,
        _begins,
        TABLES,
        "A row for each event: spreadsheets, R, pandas.",
        bundled=True,
        rank=0,
    ),
)
