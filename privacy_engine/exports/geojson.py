"""GeoJSON of series: a line each, the same as trips of kepler.gl, and a point for each event.

A line across 180° is cut there, with a position at either side (RFC 7946, 3.1.9); trips cannot be, since kepler.gl
reads lines of a single part only.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, BinaryIO, Self

import numpy as np

from privacy_engine.core.instants import instants, millis
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data import Trajectory
from privacy_engine.data.points_digest import SeriesOnGrid, plain_name
from privacy_engine.errors import DataError
from privacy_engine.exports.base import MAPS, MOVEMENT, ExportFormat, Label, as_json
from privacy_engine.exports.columns import CHUNK, DECIMALS, pieces, rounded, several_people
from privacy_engine.exports.contents import Contents, Unreadable
from privacy_engine.exports.points import Columns, PointContents, Row, points, read_instants
from privacy_engine.exports.reading import from_json, utf8
from privacy_engine.formats.line_times import CUT, uncut

MEDIA_TYPE = "application/geo+json"
POINTS = "points"
"""The name of the collection whose features are the points of series, not lines."""
Cut = tuple[float, float, str]
"""The side that a line leaves, 180.0 or -180.0, the latitude, and the time as text, empty where there is none."""


def _begin(out: BinaryIO, label: Label, name: str = "") -> None:
    """Write what comes before the first feature: the label is the member ``privacy``."""
    named = f'"name":{as_json(name)},' if name else ""
    out.write(f'{{"type":"FeatureCollection",{named}"privacy":{as_json(dict(label))},"features":['.encode())


def _end(out: BinaryIO) -> None:
    """Write what comes after the last feature."""
    out.write(b"\n]}\n")


def names(track: Trajectory, several: bool) -> str:
    """Return the properties that name a series, and its person where there are several."""
    return f'"series":{as_json(track.name)}' + (f',"person":{as_json(track.person)}' if several else "")


def write_pieces(texts: Iterable[str], out: BinaryIO) -> None:
    """Write ``texts`` with commas between them."""
    for i, piece in enumerate(texts):
        out.write(("," if i else "").encode() + piece.encode("ascii"))


def write_line(track: Trajectory, out: BinaryIO, several: bool, *, trips: bool = False) -> None:
    """Write the feature of a series: its line, a point, or no geometry; ``coordTimes`` has as many parts."""
    cuts = {} if trips else dict(cuts_of(track))
    left, right = ("[[", "]]") if cuts else ("[", "]")
    out.write(b'\n{"type":"Feature","geometry":')
    if len(track) < 2:
        out.write(f'{{"type":"Point","coordinates":{"".join(positions(track))}}}'.encode() if len(track) else b"null")
    else:
        out.write(f'{{"type":"{"Multi" if cuts else ""}LineString","coordinates":{left}'.encode())
        places = {at: f"[{x:.0f},{y:.7f}]],[[{-x:.0f},{y:.7f}]," for at, (x, y, _) in cuts.items()}
        write_pieces(_trip_positions(track) if trips and track.time_s is not None else positions(track, places), out)
        out.write(f"{right}}}".encode())
    out.write(f',"properties":{{{names(track, several)}{f""","{CUT}":true""" if cuts else ""}'.encode())
    if track.time_s is not None:
        out.write(f',"coordTimes":{left}'.encode())
        times = ([f'"{text}"' for text in instants(time_s)] for _, _, time_s in pieces(track) if time_s is not None)
        write_pieces(_joined_by_commas(times, {at: f'"{text}"],["{text}",' for at, (_, _, text) in cuts.items()}), out)
        out.write(right.encode())
    out.write(b"}}")


def cuts_of(track: Trajectory) -> Iterator[tuple[int, Cut]]:
    """The events that lie across 180° from their predecessor, and where and when the line between them crosses it."""
    for part in blocks(len(track) - 1, CHUNK):
        lon, lat = (rounded(column[part.start : part.stop + 1]) for column in (track.lon, track.lat))
        for i in np.flatnonzero(np.abs(np.diff(lon)) > 180).tolist():
            at, side = part.start + i, 180.0 if lon[i] > 0 else -180.0
            way = 360 - abs(lon[i + 1] - lon[i])
            share = (180 - abs(lon[i])) / way if way else 0.0
            time_s = None if track.time_s is None else track.time_s[at] + share * np.diff(track.time_s[at : at + 2])
            yield at + 1, (side, lat[i] + share * (lat[i + 1] - lat[i]), "" if time_s is None else instants(time_s)[0])


def _joined_by_commas(values: Iterable[list[str]], prefixes: Mapping[int, str]) -> Iterator[str]:
    """A text for each list of JSON values; ``prefixes`` are put before values, by ascending number in all lists."""
    start, remaining = 0, iter(prefixes.items())
    at, prefix = next(remaining, (-1, ""))
    for piece in values:
        while start <= at < start + len(piece):
            piece[at - start] = prefix + piece[at - start]
            at, prefix = next(remaining, (-1, ""))
        start += len(piece)
        yield ",".join(piece)


def write_features(
    series: Sequence[Trajectory], out: BinaryIO, label: Label, *, write: Callable[[Trajectory, BinaryIO, bool], None]
) -> None:
    """Write a collection with a feature for each series by ``write(track, out, several)``."""
    several = several_people(series)
    _begin(out, label)
    for i, track in enumerate(reported(series)):
        out.write(b"," if i else b"")
        write(track, out, several)
    _end(out)


def positions(track: Trajectory, prefixes: Mapping[int, str] = MappingProxyType({})) -> Iterator[str]:
    """The positions of a series as JSON, in pieces; ``prefixes`` are put before some, by the number of the event."""
    rows = (zip(lon.tolist(), lat.tolist(), strict=True) for lon, lat, _ in pieces(track))
    return _joined_by_commas(([f"[{x:.7f},{y:.7f}]" for x, y in row] for row in rows), prefixes)


def _trip_positions(track: Trajectory) -> Iterable[str]:
    """The same with altitude 0 and seconds since 1970 as the fourth coordinate."""
    for lon, lat, time_s in pieces(track):
        assert time_s is not None
        columns = lon, lat, millis(time_s) / 1e3
        rows = zip(*(column.tolist() for column in columns), strict=True)
        yield ",".join(
            [f"[{x:.7f},{y:.7f},0,{t:.3f}]" if t % 1 else f"[{x:.7f},{y:.7f},0,{t:.0f}]" for x, y, t in rows]
        )


def _write_points(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    several, comma = several_people(series), ""
    _begin(out, label, POINTS)
    for track in series:
        head, tail = (
            '\n{"type":"Feature","geometry":{"type":"Point","coordinates":[',
            f']}},"properties":{{{names(track, several)}',
        )
        for lon, lat, time_s in pieces(track):
            times = [""] * len(lon) if time_s is None else [f',"time":"{t}"' for t in instants(time_s)]
            columns = lon.tolist(), lat.tolist(), times
            rows = [f"{head}{x:.7f},{y:.7f}{tail}{t}}}}}" for x, y, t in zip(*columns, strict=True)]
            out.write((comma + ",".join(rows)).encode("ascii"))
            comma = ","
    _end(out)


# Reading -----------------------------------------------------------------------------------------


class _Written(float):
    """A number with its digits as they are written."""

    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


def read(data: bytes) -> Contents:
    """A GeoJSON feature collection whose foreign member ``privacy`` is the label."""
    document = from_json(utf8(data), parse_float=_Written)
    try:
        label, features = document["privacy"], document["features"]
        if document.get("name") == POINTS:
            return points(map(_point_row, features), label)
        columns = Columns()
        series = [_published(feature, columns) for feature in features]
        return PointContents(label, columns.off_grid, series=series)
    except (KeyError, TypeError, AttributeError, ValueError, DataError) as error:
        raise Unreadable("The document is not a feature collection with a label.") from error


def begins(data: bytes) -> bool:
    """Whether ``data`` begin like a JSON object, and are a collection of features."""
    return data[:16].lstrip()[:1] == b"{" and b'"features"' in data


def _point_row(feature: Mapping[str, Any]) -> Row:
    properties, (lon, lat) = feature["properties"], feature["geometry"]["coordinates"]
    whose = properties["series"], properties.get("person", "")
    return *whose, properties.get("time", ""), str(getattr(lon, "text", lon)), str(getattr(lat, "text", lat))


def _published(feature: Mapping[str, Any], columns: Columns) -> SeriesOnGrid:
    moving, properties = feature.get("temporalGeometry"), feature["properties"]
    geometry = feature["geometry"] if moving is None else moving
    places = [] if geometry is None else geometry["coordinates"]
    times = properties.get("coordTimes") if moving is None else moving["datetimes"]
    if properties.get(CUT):
        places, times = _uncut(places, times)
    elif geometry is not None and geometry["type"] == "Point":
        places = [places]
    lon, lat = ([str(getattr(place[axis], "text", place[axis])) for place in places] for axis in (0, 1))
    times = times or [None] * len(places)
    if len(times) != len(places):
        raise Unreadable("A feature has not as many times as positions.")
    cells, person = (columns.cells(lon), columns.cells(lat)), plain_name(properties.get("person", ""))
    return SeriesOnGrid(plain_name(properties["series"]), *cells, read_instants(times), person)


def _uncut(places: list[Any], times: list[Any] | None) -> tuple[list[Any], list[Any] | None]:
    """The positions and times of a line that was cut at 180°; Unreadable where it is not cut as we cut lines."""
    lon, lat = np.array(line := uncut(places), dtype=np.float64).T
    when = None if times is None else uncut(times)
    track = Trajectory(lon, lat, None if when is None else read_instants(when) / 1e3)
    expected = [[(x, round(y, DECIMALS), text), (-x, round(y, DECIMALS), text)] for _, (x, y, text) in cuts_of(track)]
    rows = [
        list(zip(*part, strict=True))
        for part in zip(places, times or [[""] * len(part) for part in places], strict=True)
    ]
    seen = [[(*place, text) for place, text in (a[-1], b[0])] for a, b in pairwise(rows)]
    if seen != expected:
        raise Unreadable("A line is not cut where it crosses 180°.")
    return line, when


FORMATS = (
    ExportFormat(
        Trajectory.kind,
        "geojson",
        "GeoJSON",
        MEDIA_TYPE,
        "geojson",
        partial(write_features, write=write_line),
        read,
        begins,
        MAPS,
        "A line for each series: maps on the web, QGIS.",
        bundled=True,
        rank=2,
    ),
    ExportFormat(
        Trajectory.kind,
        "geojson-points",
        "GeoJSON of points",
        MEDIA_TYPE,
        "points.geojson",
        _write_points,
        read,
        begins,
        MOVEMENT,
        "A point for each event with its time: geopandas, MovingPandas, QGIS.",
        rank=2,
    ),
    ExportFormat(
        Trajectory.kind,
        "kepler",
        "kepler.gl trips",
        MEDIA_TYPE,
        "trips.geojson",
        partial(write_features, write=partial(write_line, trips=True)),
        read,
        begins,
        MOVEMENT,
        "Lines with times as fourth coordinate: an animation in kepler.gl.",
        rank=2,
    ),
)
