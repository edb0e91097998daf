"""Public partitions of an area into places: a grid, hexagons, or the zones of a file.

A partition is chosen without the data. Positions outside it are in no place, -1.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import explain
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError, ParameterError, ParameterErrors
from privacy_engine.landmarks.zones import MultiPolygon, Polygon

MOST_PLACES = 4096
"""Flows between so many are 2^24 numbers."""
METRES = math.radians(geo.EARTH_RADIUS_M)
"""Of a degree of latitude."""


class Places(ABC):
    """k places. ``form`` is how its description begins."""

    form: ClassVar[str]

    names: Sequence[str]
    centres: tuple[Floats, Floats]
    """Longitudes and latitudes, (k,) each, in degrees."""

    @abstractmethod
    def of(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The place of each position in degrees, (n,), -1 where there is none."""

    @abstractmethod
    def outlines(self) -> list[Any]:
        """Coordinates of a GeoJSON MultiPolygon for each place."""

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def bands(self) -> Ints:
        """The band of distance of each two places, (k, k): the distance of their centres in sides of a place.

        Rounded to whole numbers; all that are at least √k sides apart are in the last band.
        """
        lon, lat = self.centres
        far = geo.distance_m(lon[:, None], lat[:, None], lon, lat)
        np.fill_diagonal(far, np.inf)
        side = float(np.median(far.min(axis=1))) if len(self) > 1 else 1.0
        np.fill_diagonal(far, 0.0)
        return _banded(far / max(side, 1e-9), math.isqrt(len(self) - 1) + 1)


def _banded(sides: Floats, most: int) -> Ints:
    return np.minimum(np.round(sides), most).astype(np.int64)


class GridPlaces(Places):
    """The cells of a grid, counted from the south-west, by the name of their column and row: c0r0, c1r0, …."""

    form: ClassVar[str] = "grid:COLUMNSxROWS:WEST,SOUTH,EAST,NORTH"

    def __init__(self, grid: Grid) -> None:
        _few(len(grid))
        self.grid = grid
        self.names = [f"c{column}r{row}" for row in range(grid.rows) for column in range(grid.columns)]
        boxes = grid.boxes()
        self.centres = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2

    def of(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        return self.grid.cells(lon, lat)

    def outlines(self) -> list[Any]:
        return [
            [[[[west, south], [east, south], [east, north], [west, north], [west, south]]]]
            for west, south, east, north in self.grid.boxes().tolist()
        ]

    @cached_property
    def bands(self) -> Ints:
        """The distance of cells in columns and rows, rounded; the last band is of all that are a side apart or more."""
        row, column = np.divmod(np.arange(len(self)), self.grid.columns)
        apart = np.hypot(row[:, None] - row, column[:, None] - column)
        return _banded(apart, max(self.grid.columns, self.grid.rows))


class HexagonPlaces(Places):
    """Hexagons with a corner to the north that cover a box, by the name of their column and row: c0r0, c1r0, ….

    Their edges are ``edge_m`` metres long in the middle latitude of the box, on a plane where a degree of longitude is
    as long everywhere as there.
    """

    form: ClassVar[str] = "hexagons:EDGE_M:WEST,SOUTH,EAST,NORTH"

    def __init__(self, edge_m: float, box: Grid) -> None:
        self._edge, self._box = edge_m, box
        self._metres = METRES * math.cos(math.radians((box.south + box.north) / 2)), METRES
        wide, high = (box.east - box.west) * self._metres[0], (box.north - box.south) * METRES
        columns, rows = (math.ceil(length / step) + 1 for length, step in ((wide, self._step), (high, 1.5 * edge_m)))
        _few((columns + 1) * rows)
        row, column = (axis.ravel() for axis in np.mgrid[0:rows, -1:columns])
        x, y = self._centre(column, row)
        used = (x < wide + self._step / 2) & (y < high + edge_m) & (x > -self._step / 2)
        self._column, self._row = column[used], row[used]
        self._number = np.full((rows, columns + 1), -1, dtype=np.int64)
        self._number[self._row, self._column + 1] = np.arange(len(self._row))
        self.names = [f"c{column}r{row}" for column, row in zip(self._column + 1, self._row, strict=True)]
        self.centres = self._degrees(x[used], y[used])

    @property
    def _step(self) -> float:
        """Metres from the middle of a hexagon to that of the next one in its row."""
        return math.sqrt(3) * self._edge

    def _centre(self, column: Ints, row: Ints) -> tuple[Floats, Floats]:
        return np.asarray((column + row % 2 / 2) * self._step), np.asarray(row * 1.5 * self._edge, dtype=np.float64)

    def _degrees(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        return self._box.west + x / self._metres[0], self._box.south + y / self._metres[1]

    def of(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        inside = self._box.cells(lon, lat) >= 0
        x = (np.asarray(lon, dtype=np.float64)[inside] - self._box.west) * self._metres[0]
        y = (np.asarray(lat, dtype=np.float64)[inside] - self._box.south) * self._metres[1]
        best, number = np.full(len(x), np.inf), np.full(len(x), -1, dtype=np.int64)
        below = np.floor(y / (1.5 * self._edge)).astype(np.int64)
        for row in (below, below + 1):  # the nearest middle is that of the hexagon, and lies in one of two rows
            column = np.round(x / self._step - row % 2 / 2).astype(np.int64)
            middle = self._centre(column, row)
            apart = (x - middle[0]) ** 2 + (y - middle[1]) ** 2
            nearer = apart < best
            best[nearer], number[nearer] = apart[nearer], self._number[row[nearer], column[nearer] + 1]
        found = np.full(len(inside), -1, dtype=np.int64)
        found[inside] = number
        return found

    def outlines(self) -> list[Any]:
        angle = np.radians(30 + 60 * np.arange(7))
        x, y = self._centre(self._column, self._row)
        corners = self._degrees(x[:, None] + self._edge * np.cos(angle), y[:, None] + self._edge * np.sin(angle))
        return [[[outline]] for outline in np.stack(corners, axis=2).tolist()]


class ZonePlaces(Places):
    """The polygons of a GeoJSON FeatureCollection by their property ``id``; of two that overlap the first one counts.

    The place of a polygon is the middle of its bounds, on maps and for distances.
    """

    form: ClassVar[str] = "zones:FILE.geojson"

    def __init__(self, names: Sequence[str], zones: Sequence[Polygon | MultiPolygon]) -> None:
        _few(len(zones))
        self.names, self._zones = list(names), list(zones)
        bounds = np.array([_bounds(outline) for outline in self.outlines()])
        self.centres = (bounds[:, 0] + bounds[:, 2]) / 2, (bounds[:, 1] + bounds[:, 3]) / 2

    @classmethod
    def read(cls, path: Path) -> ZonePlaces:
        """The zones of a file.

        Raises
        ------
        ParameterError
            It is no FeatureCollection, a feature is no polygon or has no ``id`` of its own; OSError without the file.
        """
        try:
            features = json.loads(path.read_text("utf-8-sig"))["features"]
            named = [(str(feature["properties"]["id"]), feature["geometry"]) for feature in features]
        except (ValueError, KeyError, TypeError, RecursionError):
            rule = "a FeatureCollection, each feature with a property id"
            raise ParameterError.must_be("partition", rule, path.name) from None
        names = [name for name, _ in named]
        if len(set(names)) < len(names):
            rule = "a file whose features have different ids"
            raise ParameterError.must_be("partition", rule, next(name for name in names if names.count(name) > 1))
        return cls(names, [_zone(i, geometry) for i, (_, geometry) in enumerate(named)])

    def of(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        x, y = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
        found = np.full(len(x), -1, dtype=np.int64)
        for number, zone in enumerate(self._zones):
            left = np.flatnonzero(found < 0)
            found[left[zone.holds(x[left], y[left])]] = number
        return found

    def outlines(self) -> list[Any]:
        return [zone.coordinates if isinstance(zone, MultiPolygon) else [zone.coordinates] for zone in self._zones]


def _zone(number: int, geometry: Any) -> Polygon | MultiPolygon:
    field = f"features.{number}.geometry"
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon"):
        raise ParameterError.must_be(field, "a Polygon or a MultiPolygon", kind)
    shape = {"type": kind, "coordinates": geometry.get("coordinates")}
    try:
        return Polygon.model_validate(shape) if kind == "Polygon" else MultiPolygon.model_validate(shape)
    except ValidationError as error:
        raise ParameterErrors(explain(error, prefix=field)) from None


def _bounds(outline: Any) -> tuple[float, float, float, float]:
    lon, lat = np.array([position for polygon in outline for position in polygon[0]]).T
    return float(lon.min()), float(lat.min()), float(lon.max()), float(lat.max())


def _few(places: int) -> None:
    if not 1 <= places <= MOST_PLACES:
        raise ParameterError.must_be("partition", f"1 to {MOST_PLACES:,} places", places)


def places_of(text: str) -> Places:
    """The partition that a text describes: ``grid:8x8:-74.05,40.68,-73.9,40.85``, hexagons or zones.

    >>> len(places_of("grid:3x2:0,0,3,2")), places_of("grid:3x2:0,0,3,2").names[:2]
    (6, ['c0r0', 'c1r0'])

    Raises
    ------
    ParameterError
        It is none of the three forms, there are too many places, or the errors of a file of zones.
    """
    form, _, rest = text.partition(":")
    size, _, box = rest.partition(":")
    try:
        if form == "grid":
            columns, rows = map(int, size.split("x"))
            return GridPlaces(_box(box, columns, rows))
        if form == "hexagons" and math.isfinite(edge_m := float(size)) and edge_m >= 1:
            return HexagonPlaces(edge_m, _box(box, 1, 1))
    except DataError as error:
        raise ParameterError.must_be("partition", error.rule, text) from None
    except ValueError:
        pass
    if form == "zones" and rest:
        return ZonePlaces.read(Path(rest))
    rule = " or ".join(cls.form for cls in (GridPlaces, HexagonPlaces, ZonePlaces))
    raise ParameterError.must_be("partition", rule, text)


def _box(text: str, columns: int, rows: int) -> Grid:
    west, south, east, north = map(float, text.split(","))
    return Grid(west, south, east, north, columns, rows)
