"""Tiles out of PMTiles files of this server, to those who are logged in."""

from functools import lru_cache
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from dashboard.maps.basemap import operators_file
from dashboard.maps.pmtiles_file import Archive, NotPMTiles, open_archive
from dashboard.storage.stored_path import Source, decoding, located

DAY_S = 86_400


@require_safe
def tile(request: HttpRequest, z: int, x: int, y: int) -> HttpResponse:
    """One tile of the operator's file; 404 for whatever it does not hold, and whatever is no tile at all."""
    base = operators_file()
    if base is None or base.file is None:
        raise Http404("There is no such tile.")
    return tile_response(base.file, z, x, y)


def tile_response(source: Source, z: int, x: int, y: int) -> HttpResponse:
    """A tile of a PMTiles file.

    Raises
    ------
    Http404
        The file does not hold it.
    """
    try:
        with decoding(source), located(source) as path:
            archive = _archive(path, path.stat().st_mtime_ns)
            body = archive.tile(z, x, y)
    except (OSError, NotPMTiles) as error:
        raise Http404("There is no such tile.") from error
    if body is None:
        raise Http404("There is no such tile.")
    response = HttpResponse(body, content_type=archive.content_type)
    if archive.packed:
        response["Content-Encoding"] = "gzip"  # as it is in the file; every browser takes it
    patch_cache_control(response, private=True, max_age=DAY_S)
    return response


@lru_cache(maxsize=8)
def _archive(path: Path, changed_ns: int) -> Archive:
    """The file as it was when it was last changed."""
    return open_archive(path)
