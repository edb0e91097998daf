"""A region out of a PMTiles archive on another host: its tiles, and nothing else, as an archive of our own.

The directories are read first. What is fetched after that is known to the byte, and so is the closest zoom that fits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any, BinaryIO, NamedTuple

from pmtiles.tile import (
    Entry,
    HeaderDict,
    MagicNumberNotFound,
    SpecVersionUnsupported,
    deserialize_header,
)
from pmtiles.writer import finalize_header

from dashboard.maps.pmtiles_file import (
    DIRECTORY_BYTES,
    HEADER_BYTES,
    LEVELS,
    METADATA_BYTES,
    ROOT_BYTES,
    TILE_BYTES,
    Directory,
    attribution_of,
    check_header,
    directory_of,
    inside,
    refused,
)
from dashboard.maps.regions import ZOOM, Region
from dashboard.maps.remote_archive import RemoteFile, TooMuch

MOST_BYTES = 100_000_000  # that are fetched for a region, directories and gaps included
CLOSEST_ZOOM = 12
LEAST_ZOOM = ZOOM  # what reaches less far shows no more than the built-in map
MOST_TILES = 1024  # of zoom 8 in a region: half a continent
DIRECTORIES_BYTES = 20_000_000
GAP_BYTES = 50_000  # fetched and thrown away: two requests would take longer
RANGE_BYTES = 4_000_000  # of a request, if a single tile is not more
MOST_RANGES = 2_000


Bounds = tuple[float, float, float, float]
"""West, south, east and north in degrees; the east is beyond 180 across the antimeridian."""


class Part(NamedTuple):
    """``run`` tiles from an id on that are the same bytes, at ``offset`` in the file."""

    tile_id: int
    run: int
    offset: int
    length: int


def require_extent(region: Region) -> None:
    """Refuse a region that is too large whatever the archive holds, before anything is requested.

    Raises
    ------
    TooMuch
    """
    if region.tiles > MOST_TILES:
        message = f"The data lie in {region.tiles:,} tiles of zoom {ZOOM}, and a map has at most {MOST_TILES:,}."
        raise TooMuch(message, rule=f"at most {MOST_TILES} tiles of zoom {ZOOM}", value=region.tiles)


class KeptFile:
    """A file of this server as what a region is taken of."""

    received = 0

    def __init__(self, file: BinaryIO, host: str, size: int) -> None:
        self._file, self.host, self.size, self.most = file, host, size, MOST_BYTES

    def read(self, offset: int, length: int) -> bytes:
        """Up to so many bytes, fewer at its end."""
        self._file.seek(offset)
        return self._file.read(length)


File = RemoteFile | KeptFile


def extract(file: File, region: Region, out: BinaryIO, report: Callable[[str, float], None]) -> Bounds:
    """Write the tiles of ``region`` as a PMTiles archive, to zoom 12 or as close as 100 MB reach; return its bounds.

    Raises
    ------
    TooMuch
        They are more than that even to zoom 8.
    NotPMTiles
        The file is none that Cairn can draw, or holds nothing of the region.
    EngineError
        Those of :class:`dashboard.maps.remote_archive.RemoteFile`.
    """
    require_extent(region)
    report("Reading the directory", 0.0)
    source = _Source(file)
    attribution = source.attribution()
    parts = _parts(source, file, region)
    tiles = _tiles(parts)
    ranges = _ranges(tiles)
    whole = sum(length for _, length in ranges)
    *begins, total = accumulate((length for _, length in tiles), initial=0)
    places = dict(zip(tiles, begins, strict=True))
    west, south, east, north = bounds = _bounds(region, source.bounds)
    entries = [Entry(part.tile_id, places[part.offset, part.length], part.length, part.run) for part in parts]
    box = {"min_lon": west, "min_lat": south, "max_lon": min(east, 180.0), "max_lat": north}
    header: dict[str, Any] = {
        **source.header,
        **{f"{name}_e7": round(degrees * 1e7) for name, degrees in box.items()},
        "center_lon_e7": round((west + east) / 2 * 1e7),
        "center_lat_e7": round((south + north) / 2 * 1e7),
        "center_zoom": ZOOM,
    }
    counts = sum(part.run for part in parts), entries, len(places)
    made = finalize_header(header, *counts, {"attribution": attribution}, source.header["clustered"], total)
    out.writelines(made)
    done, waiting = 0, iter(tiles)
    tile = next(waiting, None)
    for offset, length in ranges:
        report("Fetching", done / whole)
        body = memoryview(file.read(offset, length))
        done += length
        while tile and tile[0] < offset + length:
            out.write(body[tile[0] - offset :][: tile[1]])
            tile = next(waiting, None)
    return bounds


class _Source:
    """The header and the directories of the file, within limits."""

    def __init__(self, file: File) -> None:
        self._file = file
        head = file.read(0, HEADER_BYTES + ROOT_BYTES)
        try:
            self.header: HeaderDict = deserialize_header(head[:HEADER_BYTES].ljust(HEADER_BYTES, b"\0"))
        except (ValueError, MagicNumberNotFound, SpecVersionUnsupported) as error:
            raise refused("be readable, in PMTiles version 3", "something else") from error
        self.bounds = check_header(self.header)
        offset, length = self.header["root_offset"], self.header["root_length"]
        if offset + length > len(head):
            raise refused(f"begin with its root directory, in {len(head)} bytes", f"{offset} to {offset + length}")
        self.root = directory_of(head[offset : offset + length])
        self._leaves: dict[tuple[int, int], Directory] = {}
        self._left = DIRECTORIES_BYTES

    def attribution(self) -> str:
        """Whose tiles they are; the host where the file does not state it."""
        offset, length = self.header["metadata_offset"], self.header["metadata_length"]
        known = 0 < length <= METADATA_BYTES and offset + length <= (self._file.size or 0)
        return (attribution_of(self._file.read(offset, length)) if known else "") or self._file.host

    def parts(self, first: int, after: int) -> Iterator[Part]:
        """The tiles with ids of [first, after) that the file has."""
        yield from self._below(self.root, first, after, LEVELS)

    def _below(self, directory: Directory, first: int, after: int, levels: int) -> Iterator[Part]:
        ids, runs, lengths, offsets = directory
        at = max(bisect_right(ids, first) - 1, 0)
        while at < len(ids) and ids[at] < after:
            begin = max(ids[at], first)
            end = min(ids[at] + runs[at] if runs[at] else (ids[at + 1] if at + 1 < len(ids) else after), after)
            if begin < end and runs[at]:
                if not 0 < lengths[at] <= TILE_BYTES:
                    raise refused(f"have a tile of 1 to {TILE_BYTES} bytes", f"{lengths[at]} bytes")
                section = self.header["tile_data_offset"], self.header["tile_data_length"]
                yield Part(begin, end - begin, *inside(section, offsets[at], lengths[at], "a tile"))
            elif begin < end:
                if levels == 1:
                    raise refused(f"have at most {LEVELS} levels of directories", "more")
                yield from self._below(self._leaf(offsets[at], lengths[at]), begin, end, levels - 1)
            at += 1

    def _leaf(self, offset: int, length: int) -> Directory:
        if (offset, length) not in self._leaves:
            self._left -= length
            if not 0 < length <= DIRECTORY_BYTES:
                raise refused(f"have a directory of 1 to {DIRECTORY_BYTES} bytes", f"{length} bytes")
            if self._left < 0:
                raise TooMuch(f"The directories of the region have more than {DIRECTORIES_BYTES:,} bytes.")
            section = self.header["leaf_directory_offset"], self.header["leaf_directory_length"]
            place = inside(section, offset, length, "a directory")
            self._leaves[offset, length] = directory_of(self._file.read(*place))
        return self._leaves[offset, length]


def _parts(source: _Source, file: File, region: Region) -> list[Part]:
    """The tiles of the region in the order of their ids, to the closest zoom with which they fit."""
    zooms: Mapping[str, Any] = source.header
    parts: list[Part] = []
    for zoom in range(zooms["min_zoom"], min(zooms["max_zoom"], CLOSEST_ZOOM) + 1):
        try:
            closer = [*parts, *(part for ids in region.tile_ids(zoom) for part in source.parts(*ids))]
            tiles, left = _tiles(closer), file.most - file.received
            ranges = _ranges(tiles)
            most = max(sum(length for _, length in some) for some in (ranges, tiles))  # tiles may share bytes
            if len(ranges) > MOST_RANGES or most > left:
                raise TooMuch(f"The map of this area has more than {MOST_BYTES // 1_000_000} MB to zoom {zoom}.")
        except TooMuch:
            if zoom <= LEAST_ZOOM:
                raise
            break
        parts = closer
    if not parts:
        raise refused("hold the region of the data", "nothing of it")
    return parts


def _tiles(parts: list[Part]) -> list[tuple[int, int]]:
    """Offset and length of each tile of the file, in its order."""
    return sorted({(part.offset, part.length) for part in parts})


def _ranges(tiles: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What to request: offset and length, in order; tiles that are near each other together."""
    ranges: list[tuple[int, int]] = []
    for offset, length in tiles:
        start, size = ranges[-1] if ranges else (0, 0)
        end = max(start + size, offset + length)
        near = offset - start - size <= GAP_BYTES and end - start <= RANGE_BYTES
        if ranges and (near or offset < start + size):
            ranges[-1] = start, end - start
        else:
            ranges.append((offset, length))
    return ranges


def _bounds(region: Region, known: Bounds) -> Bounds:
    west, south, east, north = region.bounds
    if east > 180:
        return west, max(south, known[1]), east, min(north, known[3])
    return max(west, known[0]), max(south, known[1]), min(east, known[2]), min(north, known[3])
