"""GeoJSON of series: a line each, the same as trips of kepler.gl, and a point for each event.

A line across 180° is cut there, with a position at either side (RFC 7946, 3.1.9); trips cannot be, since kepler.gl
reads lines of a single part only.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import BinaryIO

import numpy as np

from privacy_engine.core.instants import instants, millis
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data import Trajectory
from privacy_engine.exports.base import MAPS, MOVEMENT, ExportFormat, Label, as_json
from privacy_engine.exports.columns import CHUNK, pieces, rounded, several_people
from privacy_engine.formats.line_times import CUT

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
        write_pieces(_joined(times, {at: f'"{text}"],["{text}",' for at, (_, _, text) in cuts.items()}), out)
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


def _joined(values: Iterable[list[str]], before: Mapping[int, str]) -> Iterator[str]:
    """The values of a series as JSON, in pieces; ``before`` has what stands before some, in their order."""
    start, cuts = 0, iter(before.items())
    at, text = next(cuts, (-1, ""))
    for piece in values:
        while start <= at < start + len(piece):
            piece[at - start] = text + piece[at - start]
            at, text = next(cuts, (-1, ""))
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


def positions(track: Trajectory, before: Mapping[int, str] = MappingProxyType({})) -> Iterator[str]:
    """The positions of a series as JSON, in pieces; ``before`` has what stands before some."""
    rows = (zip(lon.tolist(), lat.tolist(), strict=True) for lon, lat, _ in pieces(track))
    return _joined(([f"[{x:.7f},{y:.7f}]" for x, y in row] for row in rows), before)


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
