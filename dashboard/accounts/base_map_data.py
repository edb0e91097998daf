"""What the scripts of maps receive of a user's base map: the choice, what is offered, and where it is served."""

from typing import Any

from django import template
from django.conf import settings
from django.template.context import Context
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import json_script
from django.utils.safestring import SafeString

from dashboard.accounts.base_map import map_file, shown_base_map
from dashboard.accounts.models import MapFile
from dashboard.core.storage_errors import DamagedFile, StorageUnavailable
from dashboard.maps.basemap import operators_file, tile_server
from dashboard.maps.pmtiles_file import VECTOR, NotPMTiles, open_archive

register = template.Library()

BUILT_IN = settings.ASSETS_DIR / "static" / "base-map"
ZXY = "{z}/{x}/{y}"
OF_SERVER = ("url", "host", "name", "attribution", "attribution_url", "referrer", "zooms", "bounds")
"""What scripts receive of a tile server."""


def built_in_addresses() -> dict[str, str]:
    """Addresses of the built-in map's files by name: world, detail and cities."""
    names = {path.name.partition(".")[0]: path.name for path in BUILT_IN.glob("*.*.bin")}
    return {name: static(f"base-map/{file}") for name, file in sorted(names.items())}


def base_map_config(user: Any) -> dict[str, Any]:
    """The choice and everything there is to choose from, for a user who is logged in."""
    own = map_file(user)
    server = tile_server()
    return {
        "choice": shown_base_map(user, own),
        "api": reverse("api:base-map"),
        "upload_mb": settings.CAIRN_BASE_MAP_BYTES // 1_000_000,
        "built_in": built_in_addresses(),
        "file": _own_file(own) or _operators_file(),
        "server": server and {name: getattr(server, name) for name in OF_SERVER},
    }


def _own_file(own: MapFile | None) -> dict[str, Any] | None:
    if own is None:
        return None
    try:
        with own.path.local() as path:
            archive = open_archive(path)
    except (NotPMTiles, FileNotFoundError, DamagedFile, StorageUnavailable):  # gone, or not to be had: pages do without
        return None
    return {
        "url": reverse("own-tile", args=[own.pk, 0, 0, 0]).removesuffix("0/0/0") + ZXY,
        "name": own.name,
        "own": True,
        "vector": archive.vector,
        "attribution": own.attribution or own.name,
        "zooms": archive.zooms,
        "bounds": archive.bounds,
    }


def _operators_file() -> dict[str, Any] | None:
    base = operators_file()
    if base is None:
        return None
    return {
        "url": reverse("tile", args=[0, 0, 0]).removesuffix("0/0/0") + ZXY,
        "name": "",
        "own": False,
        "vector": base.content_type == VECTOR,
        "attribution": base.attribution,
        "zooms": base.zooms,
        "bounds": base.bounds,
    }


@register.simple_tag(takes_context=True)
def base_map_data(context: Context) -> SafeString:
    """What static/js/map/basemap.js reads; nothing for a page without a user."""
    user = getattr(context.get("request"), "user", None)
    if user is None or not user.is_authenticated:
        return SafeString("")
    return json_script(base_map_config(user), "base-map")


@register.simple_tag
def built_in_map_data() -> SafeString:
    """What the same script reads on a public page: the built-in map, and nothing to choose."""
    fixed = {"choice": "built-in", "fixed": True, "built_in": built_in_addresses(), "file": None, "server": None}
    return json_script(fixed, "base-map")
