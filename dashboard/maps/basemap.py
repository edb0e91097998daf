"""The operator's configuration of base maps, checked once at the start: a file, and the tile server that is offered.

No request goes to a tile server unless its user agreed, since a request reveals what region is viewed
(docs/decisions/0050-base-map.md).
"""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

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
    name: str = ""
    """What pages call it: the host, if it has no name."""
    attribution_url: str = ""
    referrer: str = "no-referrer"
    """The referrer policy of requests for its tiles."""
    zooms: tuple[int, int] = (0, USUAL_ZOOM)
    bounds: tuple[float, float, float, float] = WORLD  # west, south, east, north; degrees


OPENSTREETMAP = BaseMap(
    attribution="© OpenStreetMap contributors",
    attribution_url="https://www.openstreetmap.org/copyright",
    url="https://tile.openstreetmap.org/{z}/{x}/{y}.png",
    host="tile.openstreetmap.org",
    name="OpenStreetMap",
    referrer="origin",  # its usage policy requires it; the origin holds no page's address
)


def base_map(tiles: str, attribution: str) -> BaseMap | None:
    """The base map that ``CAIRN_TILES`` and ``CAIRN_TILES_ATTRIBUTION`` describe; None where the first is empty.

    Raises
    ------
    ImproperlyConfigured
        It is neither a PMTiles file nor an https template with an attribution.
    """
    if not tiles:
        return None
    return _elsewhere(tiles, attribution) if "://" in tiles else _ours(Path(tiles).expanduser(), attribution)


def operators_file() -> BaseMap | None:
    """The operator's PMTiles file."""
    base: BaseMap | None = settings.CAIRN_BASE_MAP
    return base if base and base.file else None


def tile_server() -> BaseMap | None:
    """The tile server that is offered: the operator's, else OpenStreetMap's unless the operator switched it off."""
    base: BaseMap | None = settings.CAIRN_BASE_MAP
    if base and base.host:
        return base
    return OPENSTREETMAP if settings.CAIRN_OPENSTREETMAP else None


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
    return BaseMap(attribution=attribution, url=url, host=parts.netloc, name=parts.netloc)


def _ours(path: Path, attribution: str) -> BaseMap:
    from dashboard.maps.pmtiles_file import NotPMTiles, open_archive  # settings need it for files alone

    try:
        archive = open_archive(path)
    except NotPMTiles as error:
        raise _refused(f"a file must {error.rule}", f"{path}: {error.value}") from error
    return BaseMap(
        attribution=attribution or archive.attribution,
        file=path.resolve(),
        content_type=archive.content_type,
        zooms=archive.zooms,
        bounds=archive.bounds,
    )


def _refused(rule: str, value: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"CAIRN_TILES: {rule}, got {value}")
