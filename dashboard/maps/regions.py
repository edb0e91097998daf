"""Regions of the map as whole tiles of zoom 8, so that whoever serves a region learns no more than that."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from pmtiles.tile import zxy_to_tileid

ZOOM = 8  # a tile is 156 km wide at the equator, 100 km in Paris
ACROSS = 1 << ZOOM
MOST_LAT = 85.0511287798  # where the map of web Mercator ends, degrees


@dataclass(frozen=True)
class Region:
    """Whole tiles of zoom 8: ``columns`` from ``west`` on, beyond 180° too, and ``rows`` from ``north`` on."""

    west: int
    north: int
    columns: int
    rows: int

    @classmethod
    def around(cls, bounds: Sequence[float]) -> Region:
        """The tiles that hold a box: west, south, east, north in degrees, west > east across the antimeridian."""
        west, south, east, north = bounds
        left, right = _column(west), _column(east) + (ACROSS if west > east else 0)
        top, bottom = _row(north), _row(south)
        return cls(west=left, north=top, columns=min(right - left + 1, ACROSS), rows=bottom - top + 1)

    @property
    def tiles(self) -> int:
        """How many tiles of zoom 8 it has."""
        return self.columns * self.rows

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east, north in degrees; the east is beyond 180 where it crosses the antimeridian."""
        west, east = (360 * column / ACROSS - 180 for column in (self.west, self.west + self.columns))
        return west, _lat(self.north + self.rows), east, _lat(self.north)

    def covers(self, other: Region) -> bool:
        """Whether it holds all tiles of another region."""
        rows = self.north <= other.north and other.north + other.rows <= self.north + self.rows
        begin = (other.west - self.west) % ACROSS
        return rows and (self.columns == ACROSS or begin + other.columns <= self.columns)

    def as_dict(self) -> dict[str, int]:
        """Its four numbers as JSON-ready data."""
        return asdict(self)

    def tile_ids(self, zoom: int) -> list[tuple[int, int]]:
        """The tiles of ``zoom`` that show part of it, as ids of PMTiles: [first, after), in order, none adjacent."""
        ranges: list[tuple[int, int]] = []
        for first, after in sorted(set(self._blocks(zoom))):
            if ranges and ranges[-1][1] == first:
                ranges[-1] = ranges[-1][0], after
            else:
                ranges.append((first, after))
        return ranges

    def _blocks(self, zoom: int) -> Iterator[tuple[int, int]]:
        """The ids below a tile of zoom 8 follow each other, since they lie along a Hilbert curve."""
        up, inside = max(ZOOM - zoom, 0), 4 ** max(zoom - ZOOM, 0)
        for column in range(self.west, self.west + self.columns):
            for row in range(self.north, self.north + self.rows):
                at = zxy_to_tileid(ZOOM - up, column % ACROSS >> up, row >> up)
                first = at if up else _first(zoom) + (at - _first(ZOOM)) * inside
                yield first, first + inside


def _first(zoom: int) -> int:
    return (4**zoom - 1) // 3  # tiles of the zooms before


def _column(lon: float) -> int:
    return min(max(math.floor((lon + 180) / 360 * ACROSS), 0), ACROSS - 1)


def _row(lat: float) -> int:
    radians = math.radians(min(max(lat, -MOST_LAT), MOST_LAT))
    share = (1 - math.asinh(math.tan(radians)) / math.pi) / 2
    return min(max(math.floor(share * ACROSS), 0), ACROSS - 1)


def _lat(row: int) -> float:
    return math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * row / ACROSS))))
