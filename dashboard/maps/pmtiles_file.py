"""Reading of PMTiles archives, version 3, within limits: whatever a file claims, memory and time stay bounded.

The layout is https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md. No part is decompressed beyond its limit,
no directory below the third level is read, and nothing outside the file.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from pmtiles.tile import (
    Compression,
    HeaderDict,
    MagicNumberNotFound,
    SpecVersionUnsupported,
    TileType,
    deserialize_header,
    zxy_to_tileid,
)

from privacy_engine.errors import EngineError

RASTER = {
    TileType.PNG: "image/png",
    TileType.JPEG: "image/jpeg",
    TileType.WEBP: "image/webp",
    TileType.AVIF: "image/avif",
}
VECTOR = "application/vnd.mapbox-vector-tile"
HEADER_BYTES = 127
ROOT_BYTES = 16_384 - HEADER_BYTES  # the specification's limit
DIRECTORY_BYTES = 1_000_000  # of a directory, in the file and decompressed
TILE_BYTES = 2_000_000
UNPACKED_BYTES = 8_000_000  # of a vector tile
METADATA_BYTES = 1_000_000
LEVELS = 4  # of directories
DEEPEST = 26  # the zoom whose tile ids still have 53 bits
ATTRIBUTION_CHARS = 200


class NotPMTiles(EngineError):
    """The file is no PMTiles archive that Cairn can draw."""

    code = "not-pmtiles"


class Directory(NamedTuple):
    """Entries by tile id; a run length of 0 is a directory of tiles from that id on."""

    ids: array[int]
    runs: array[int]
    lengths: array[int]
    offsets: array[int]


@dataclass(frozen=True)
class Archive:
    """A PMTiles file whose header and root directory were checked."""

    path: Path
    size: int
    content_type: str
    packed: bool
    """Whether tiles are compressed by gzip: those of vectors only."""
    zooms: tuple[int, int]
    bounds: tuple[float, float, float, float]
    """West, south, east, north in degrees."""
    root: tuple[int, int]
    leaves: tuple[int, int]
    tiles: tuple[int, int]
    attribution: str

    @property
    def vector(self) -> bool:
        return self.content_type == VECTOR

    def tile(self, z: int, x: int, y: int) -> bytes | None:
        """A tile as it is in the file; None for a tile that it does not have, or that is damaged or too large."""
        if not self.zooms[0] <= z <= self.zooms[1] or max(x, y) >= 1 << z:
            return None
        try:
            place = self._find(zxy_to_tileid(z, x, y))
            body = self._part(self.tiles, *place, most=TILE_BYTES, what="a tile") if place else None
            if body and self.packed:
                unpacked(body, UNPACKED_BYTES, "a tile")
        except NotPMTiles:
            return None
        return body or None

    def check(self) -> None:
        """Read the first tile, so that a file without any is refused when it arrives.

        Raises
        ------
        NotPMTiles
            A directory is damaged, or there is no tile.
        """
        offset, length = self.root
        for _ in range(LEVELS):
            entries = _directory(self.path, self.size, offset, length)
            if not entries.ids:
                raise refused("hold a tile", "an empty directory")
            place = entries.offsets[0], entries.lengths[0]
            if entries.runs[0]:
                self._part(self.tiles, *place, most=TILE_BYTES, what="a tile")
                return
            offset, length = inside(self.leaves, *place, "a directory")
        raise refused(f"have at most {LEVELS} levels of directories", "more")

    def _find(self, tile_id: int) -> tuple[int, int] | None:
        offset, length = self.root
        for _ in range(LEVELS):
            entries = _directory(self.path, self.size, offset, length)
            at = bisect_right(entries.ids, tile_id) - 1
            if at < 0:
                return None
            place = entries.offsets[at], entries.lengths[at]
            if entries.runs[at]:
                return place if tile_id < entries.ids[at] + entries.runs[at] else None
            offset, length = inside(self.leaves, *place, "a directory")
        return None

    def _part(self, section: tuple[int, int], offset: int, length: int, *, most: int, what: str) -> bytes:
        offset, length = inside(section, offset, length, what)
        return _read(self.path, self.size, offset, length, most, what)


def open_archive(path: Path) -> Archive:
    """The archive in ``path``, whose header and root directory are as they must be.

    Raises
    ------
    NotPMTiles
        Names what the file must be, and what it is.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = deserialize_header(file.read(HEADER_BYTES).ljust(HEADER_BYTES, b"\0"))
    except (OSError, ValueError, MagicNumberNotFound, SpecVersionUnsupported) as error:
        raise refused("be readable, in PMTiles version 3", "something else") from error
    bounds = check_header(header)
    root = header["root_offset"], header["root_length"]
    _directory(path, size, *root)
    return Archive(
        path=path,
        size=size,
        content_type=RASTER.get(header["tile_type"], VECTOR),
        packed=header["tile_compression"] == Compression.GZIP,
        zooms=(header["min_zoom"], header["max_zoom"]),
        bounds=bounds,
        root=root,
        leaves=(header["leaf_directory_offset"], header["leaf_directory_length"]),
        tiles=(header["tile_data_offset"], header["tile_data_length"]),
        attribution=_attribution(path, size, header["metadata_offset"], header["metadata_length"]),
    )


def check_header(header: HeaderDict) -> tuple[float, float, float, float]:
    """The bounds of an archive that Cairn can draw: west, south, east, north in degrees.

    Raises
    ------
    NotPMTiles
        Its tiles, its root directory, its bounds or its zooms are not as they must be.
    """
    kind, compression = header["tile_type"], header["tile_compression"]
    if header["internal_compression"] != Compression.GZIP:
        raise refused("have directories compressed by gzip", header["internal_compression"].name)
    if kind not in RASTER and kind != TileType.MVT:
        raise refused("hold PNG, JPEG, WebP or AVIF images or vector tiles (MVT)", kind.name)
    if kind in RASTER and compression not in (Compression.NONE, Compression.UNKNOWN):
        raise refused("hold images that are not compressed again", compression.name)
    if kind == TileType.MVT and compression not in (Compression.NONE, Compression.GZIP):
        raise refused("hold vector tiles compressed by gzip or not at all", compression.name)
    if header["root_length"] > ROOT_BYTES:
        raise refused(f"have a root directory of at most {ROOT_BYTES} bytes", f"{header['root_length']} bytes")
    values: Mapping[str, Any] = header
    west, south, east, north = (values[f"{name}_e7"] / 1e7 for name in ("min_lon", "min_lat", "max_lon", "max_lat"))
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
        raise refused("have bounds on the globe", f"{west}, {south}, {east}, {north}")
    if not header["min_zoom"] <= header["max_zoom"] <= DEEPEST:
        raise refused(f"have zooms from 0 to {DEEPEST}", f"{header['min_zoom']} to {header['max_zoom']}")
    return west, south, east, north


def unpacked(body: bytes, most: int, what: str) -> bytes:
    """What gzip made ``body`` of, at most ``most`` bytes.

    Raises
    ------
    NotPMTiles
        It is larger, or no gzip.
    """
    reader = zlib.decompressobj(wbits=31)
    try:
        content = reader.decompress(body, most)
    except zlib.error as error:
        raise refused(f"have {what} compressed by gzip", "something else") from error
    if not reader.eof:
        rule = f"have {what} of at most {most} bytes decompressed, and whole"
        raise refused(rule, "more bytes" if reader.unconsumed_tail else "a part")
    return content


def _read(path: Path, size: int, offset: int, length: int, most: int, what: str) -> bytes:
    if not 0 < length <= most:
        raise refused(f"have {what} of 1 to {most} bytes", f"{length} bytes")
    if offset + length > size:
        raise refused(f"hold {what} whole", f"a file of {size} bytes that should have {offset + length}")
    with path.open("rb") as file:
        return os.pread(file.fileno(), length, offset)


def inside(section: tuple[int, int], offset: int, length: int, what: str) -> tuple[int, int]:
    """Where ``what`` lies in the file, by its place in a part of it; NotPMTiles where it lies outside that part."""
    if offset + length > section[1]:
        raise refused(f"have {what} in its own part of the file", f"bytes {offset} to {offset + length}")
    return section[0] + offset, length


@lru_cache(maxsize=16)
def _directory(path: Path, size: int, offset: int, length: int) -> Directory:
    return directory_of(_read(path, size, offset, length, DIRECTORY_BYTES, "a directory"))


def directory_of(packed: bytes) -> Directory:
    """The entries of a directory as it is in the file.

    Raises
    ------
    NotPMTiles
        It is damaged, or larger than :data:`DIRECTORY_BYTES`.
    """
    numbers = _varints(unpacked(packed, DIRECTORY_BYTES, "a directory"))
    n = numbers[0] if numbers else -1
    if len(numbers) != 1 + 4 * n:
        raise refused("have four numbers for each entry of a directory", f"{len(numbers)} numbers for {n} entries")
    steps, runs, lengths, places = (numbers[1 + n * k : 1 + n * (k + 1)] for k in range(4))
    if n and (not all(steps[1:]) or sum(steps) >= 1 << 62):
        raise refused("have the tiles of a directory in order", "another order")
    if n and not places[0]:
        raise refused("begin a directory with an offset", "none")
    offsets = array("Q")
    for i, place in enumerate(places):  # 0: behind the entry before
        offsets.append(place - 1 if place else offsets[-1] + lengths[i - 1])
    return Directory(array("Q", accumulate(steps)), runs, lengths, offsets)


def _varints(body: bytes) -> array[int]:
    """All numbers of a directory, each below 2^56."""
    numbers, number, shift = array("Q"), 0, 0
    for byte in body:
        number |= (byte & 127) << shift
        if byte > 127:
            shift += 7
        else:
            numbers.append(number)
            number = shift = 0
        if shift > 49:
            raise refused("have numbers below 2^56", "a larger one")
    if shift:
        raise refused("end a directory with a whole number", "a part of one")
    return numbers


def _attribution(path: Path, size: int, offset: int, length: int) -> str:
    """Whose tiles they are by the metadata, as text; empty where that is missing or cannot be read."""
    try:
        return attribution_of(_read(path, size, offset, length, METADATA_BYTES, "metadata"))
    except EngineError:
        return ""


def attribution_of(packed: bytes) -> str:
    """:func:`_attribution` from the metadata as they are in the file."""
    try:
        metadata = json.loads(unpacked(packed, METADATA_BYTES, "metadata"))
        text = metadata.get("attribution") if isinstance(metadata, dict) else ""
    except (EngineError, ValueError, RecursionError):
        return ""
    plain = re.sub(r"<[^<>]*>", "", text) if isinstance(text, str) else ""
    return " ".join(plain.split())[:ATTRIBUTION_CHARS]


def refused(rule: str, value: str) -> NotPMTiles:
    """The error of a file that breaks ``rule`` by ``value``."""
    return NotPMTiles(f"The file must {rule}, got {value}.", field="file", rule=rule, value=value)
