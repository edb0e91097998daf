"""GeoJSON of series: a line each, the same as trips of kepler.gl, and a point for each event."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import BinaryIO

from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.exports.base import MAPS, MOVEMENT, ExportFormat, Label, as_json
from privacy_engine.exports.columns import chunks, fixed_instants, millis, pieces, several_people

MEDIA_TYPE = "application/geo+json"
POINTS = "points"
"""The name of the collection whose features are the points of series, which distinguishes it from one of lines."""


def _begin(out: BinaryIO, label: Label, name: str = "") -> None:
    """Write what comes before the first feature: the label is the member ``privacy``."""
    named = f'"name":{as_json(name)},' if name else ""
    out.write(f'{{"type":"FeatureCollection",{named}"privacy":{as_json(dict(label))},"features":['.encode())


def _end(out: BinaryIO) -> None:
    """Write what comes after the last feature."""
    out.write(b"\n]}\n")


def names(one: Trajectory, several: bool) -> str:
    """Return the properties that name a series, and its person where there are several."""
    return f'"series":{as_json(one.name)}' + (f',"person":{as_json(one.person)}' if several else "")


def write_pieces(texts: Iterable[str], out: BinaryIO) -> None:
    """Write ``texts`` with commas between them."""
    for i, piece in enumerate(texts):
        out.write(("," if i else "").encode() + piece.encode("ascii"))


def write_line(one: Trajectory, out: BinaryIO, several: bool, *, trips: bool = False) -> None:
    """Write the feature of a series: its line, or no geometry, with its times in ``coordTimes``."""
    out.write(b'\n{"type":"Feature","geometry":')
    _write_geometry(one, out, trips and one.time_s is not None)
    out.write(f',"properties":{{{names(one, several)}'.encode())
    if one.time_s is not None:
        out.write(b',"coordTimes":[')
        write_pieces((",".join(f'"{t}"' for t in times or ()) for _, _, times in chunks(one)), out)
        out.write(b"]")
    out.write(b"}}")


def write_features(
    series: Sequence[Trajectory], out: BinaryIO, label: Label, *, write: Callable[[Trajectory, BinaryIO, bool], None]
) -> None:
    """Write a collection with a feature for each series by ``write(one, out, several)``."""
    several = several_people(series)
    _begin(out, label)
    for i, one in enumerate(reported(series)):
        out.write(b"," if i else b"")
        write(one, out, several)
    _end(out)


def _write_geometry(one: Trajectory, out: BinaryIO, trips: bool) -> None:
    """A line; a point where there is one event, and no geometry where there is none (a line needs two)."""
    if len(one) == 0:
        out.write(b"null")
        return
    kind, left, right = ("Point", "", "") if len(one) == 1 else ("LineString", "[", "]")
    out.write(f'{{"type":"{kind}","coordinates":{left}'.encode())
    write_pieces(_trip_positions(one) if trips else positions(one), out)
    out.write(f"{right}}}".encode())


def positions(one: Trajectory) -> Iterable[str]:
    """The positions of a series as JSON, in pieces."""
    for lon, lat, _ in chunks(one):
        yield ",".join([f"[{x:.7f},{y:.7f}]" for x, y in zip(lon, lat, strict=True)])


def _trip_positions(one: Trajectory) -> Iterable[str]:
    """The same with altitude 0 and seconds since 1970 as the fourth coordinate."""
    for lon, lat, time_s in pieces(one):
        assert time_s is not None
        columns = lon, lat, millis(time_s) / 1e3
        rows = zip(*(column.tolist() for column in columns), strict=True)
        yield ",".join(
            [f"[{x:.7f},{y:.7f},0,{t:.3f}]" if t % 1 else f"[{x:.7f},{y:.7f},0,{t:.0f}]" for x, y, t in rows]
        )


def _write_points(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    several, comma = several_people(series), ""
    _begin(out, label, POINTS)
    for one in series:
        head, tail = (
            '\n{"type":"Feature","geometry":{"type":"Point","coordinates":[',
            f']}},"properties":{{{names(one, several)}',
        )
        for lon, lat, time_s in pieces(one):
            times = [""] * len(lon) if time_s is None else [f',"time":"{t}"' for t in fixed_instants(time_s)]
            columns = lon.tolist(), lat.tolist(), times
            rows = [f"{head}{x:.7f},{y:.7f}{tail}{t}}}}}" for x, y, t in zip(*columns, strict=True)]
            out.write((comma + ",".join(rows)).encode("ascii"))
            comma = ","
    _end(out)


FORMATS = (
    ExportFormat(
        "geojson",
        "GeoJSON",
        MEDIA_TYPE,
        "geojson",
        partial(write_features, write=write_line),
        MAPS,
        "A line for each series: maps on the web, QGIS.",
        bundled=True,
    ),
    ExportFormat(
        "geojson-points",
        "GeoJSON of points",
        MEDIA_TYPE,
        "points.geojson",
        _write_points,
        MOVEMENT,
        "A point for each event with its time: geopandas, MovingPandas, QGIS.",
    ),
    ExportFormat(
        "kepler",
        "kepler.gl trips",
        MEDIA_TYPE,
        "trips.geojson",
        partial(write_features, write=partial(write_line, trips=True)),
        MOVEMENT,
        "Lines with times as fourth coordinate: an animation in kepler.gl.",
    ),
)
