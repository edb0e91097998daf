"""The operator's configuration of a base map, checked once at the start: none, a file of ours, or another server.

The default is none: a tile request reveals to its server what region is viewed (docs/decisions/0003-no-base-map.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from pmtiles.tile import (
    Compression,
    HeaderDict,
    MagicNumberNotFound,
    SpecVersionUnsupported,
    TileType,
    deserialize_header,
)

RASTER = {
    TileType.PNG: "image/png",
    TileType.JPEG: "image/jpeg",
    TileType.WEBP: "image/webp",
    TileType.AVIF: "image/avif",
}
HEADER_BYTES = 127
USUAL_ZOOM = 19  # the closest that public tile servers draw
WORLD = (-180.0, -90.0, 180.0, 90.0)


@dataclass(frozen=True)
class BaseMap:
    """Where tiles come from: a ``file`` that Cairn serves, or the ``url`` template of another ``host``."""

    attribution: str
    file: Path | None = None
    content_type: str = ""
    url: str = ""
    host: str = ""
    zooms: tuple[int, int] = (0, USUAL_ZOOM)
    bounds: tuple[float, float, float, float] = WORLD  # west, south, east, north; degrees


def base_map(tiles: str, attribution: str) -> BaseMap | None:
    """The base map that ``CAIRN_TILES`` and ``CAIRN_TILES_ATTRIBUTION`` describe; None where the first is empty.

    Raises
    ------
    ImproperlyConfigured
        It is neither a raster PMTiles file nor an https template with an attribution.
    """
    if not tiles:
        return None
    return _elsewhere(tiles, attribution) if "://" in tiles else _ours(Path(tiles).expanduser(), attribution)


def _elsewhere(url: str, attribution: str) -> BaseMap:
    parts = urlsplit(url)
    if parts.scheme != "https":
        raise _refused("an address must begin with https://", url)
    if not re.fullmatch(r"[a-z0-9.-]+(:[0-9]{1,5})?", parts.netloc):
        raise _refused("an address must name one host, in small letters, digits, dots and hyphens", url)
    if any(url.count(part) != 1 for part in ("{z}", "{x}", "{y}")):
        raise _refused("an address must hold {z}, {x} and {y} once each", url)
    if not attribution:
        raise ImproperlyConfigured("CAIRN_TILES_ATTRIBUTION must name whose tiles they are, got nothing")
    return BaseMap(attribution=attribution, url=url, host=parts.netloc)


def _ours(path: Path, attribution: str) -> BaseMap:
    header = _header(path)
    if header["internal_compression"] != Compression.GZIP:
        raise _refused("a file must have directories compressed by gzip", f"{path}: {_name(header, 'internal')}")
    if header["tile_type"] not in RASTER:
        raise _refused("a file must hold PNG, JPEG, WebP or AVIF", f"{path}: {header['tile_type'].name}")
    if header["tile_compression"] not in (Compression.NONE, Compression.UNKNOWN):
        raise _refused("a file must hold images that are not compressed again", f"{path}: {_name(header, 'tile')}")
    values: Mapping[str, Any] = header
    west, south, east, north = (values[f"{name}_e7"] / 1e7 for name in ("min_lon", "min_lat", "max_lon", "max_lat"))
    return BaseMap(
        attribution=attribution,
        file=path.resolve(),
        content_type=RASTER[header["tile_type"]],
        zooms=(header["min_zoom"], header["max_zoom"]),
        bounds=(west, south, east, north),
    )


def _header(path: Path) -> HeaderDict:
    try:
        with path.open("rb") as file:
            return deserialize_header(file.read(HEADER_BYTES).ljust(HEADER_BYTES, b"\0"))
    except (OSError, ValueError, MagicNumberNotFound, SpecVersionUnsupported) as error:
        raise _refused("a file must be readable, in PMTiles version 3", str(path)) from error


def _name(header: Mapping[str, Any], what: str) -> str:
    return str(header[f"{what}_compression"].name)


def _refused(rule: str, value: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"CAIRN_TILES: {rule}, got {value}")
