"""Tiles of the operator's own file, to those who are logged in; and the map script's configuration of a base map."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from django import template
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from pmtiles.reader import Reader

register = template.Library()
DAY_S = 86_400


@require_safe
def tile(request: HttpRequest, z: int, x: int, y: int) -> HttpResponse:
    """One tile; 404 for whatever the file does not hold, and whatever is no tile at all."""
    base = settings.CAIRN_BASE_MAP
    if base is None or base.file is None or not _is_tile(base.zooms, z, x, y):
        raise Http404("There is no such tile.")
    tile = _reader(base.file).get(z, x, y)
    if not tile:
        raise Http404("There is no such tile.")
    answer = HttpResponse(tile, content_type=base.content_type)
    patch_cache_control(answer, private=True, max_age=DAY_S)
    return answer


def _is_tile(zooms: tuple[int, int], z: int, x: int, y: int) -> bool:
    return zooms[0] <= z <= zooms[1] and max(x, y) < 1 << z


@cache
def _reader(path: Path) -> Reader:
    """A reader that stays open. It reads by position, so threads share it and nothing is mapped into memory."""
    handle = os.open(path, os.O_RDONLY)
    return Reader(lambda offset, length: os.pread(handle, length, offset))


@register.simple_tag
def base_map_data() -> SafeString:
    """What static/js/map/basemap.js reads; nothing where there is no base map."""
    base = settings.CAIRN_BASE_MAP
    if base is None:
        return SafeString("")
    config = {
        "url": base.url or reverse("tile", args=[0, 0, 0]).removesuffix("0/0/0") + "{z}/{x}/{y}",
        "host": base.host,
        "attribution": base.attribution,
        "zooms": base.zooms,
        "bounds": base.bounds,
    }
    return json_script(config, "base-map")
