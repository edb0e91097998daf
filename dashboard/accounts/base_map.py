"""The base map that a user chose, the tile server they agreed to, and the PMTiles file they uploaded."""

from __future__ import annotations

import shutil
from typing import Any

from django.core.files import File
from django.db import transaction

from dashboard.accounts.models import BaseMapChoice, MapFile, User
from dashboard.core.errors import Conflict
from dashboard.maps.basemap import operators_file, tile_server
from dashboard.maps.pmtiles_file import open_archive
from dashboard.storage import local_files
from privacy_engine.errors import ParameterError

NAME_CHARS = 200


def map_file(user: Any) -> MapFile | None:
    """The user's own file."""
    return MapFile.objects.filter(user=user).first() if user.is_authenticated else None


def shown_base_map(user: Any, own: MapFile | None) -> str:
    """What the user's maps show: the choice, as far as it still holds.

    Agreement to a tile server holds for its host alone. Whoever never chose has the operator's file if there is any.
    """
    choice = getattr(user, "base_map", "")
    has_file = own is not None or operators_file() is not None
    if choice == BaseMapChoice.SERVER:
        server = tile_server()
        return choice if server and server.host == user.tile_host else BaseMapChoice.NONE
    if choice == BaseMapChoice.FILE or (not choice and operators_file()):
        return BaseMapChoice.FILE if has_file else BaseMapChoice.NONE
    return choice or BaseMapChoice.NONE


def choose_base_map(*, user: User, choice: str, host: str = "") -> None:
    """Remember the choice; ``host`` names the tile server that the user agreed to.

    Raises
    ------
    ParameterError
        ``host`` is not the tile server that is offered.
    Conflict
        There is no file, or no tile server is offered.
    """
    if choice == BaseMapChoice.FILE and not (operators_file() or map_file(user)):
        raise Conflict("There is no PMTiles file. Upload one first.", field="choice", rule="a file to show")
    if choice == BaseMapChoice.SERVER:
        server = tile_server()
        if server is None:
            raise Conflict("This Cairn offers no tile server.", field="choice", rule="a tile server that is offered")
        if host != server.host:
            rule = f"must be {server.host}, the server that is agreed to"
            raise ParameterError(f"host {rule}, got {host!r:.60}", field="host", rule=rule, value=host)
    else:
        host = ""  # any other choice takes the agreement back
    User.objects.filter(pk=user.pk).update(base_map=choice, tile_host=host)


def store_map_file(*, user: User, upload: File[bytes]) -> MapFile:
    """Check a PMTiles file and make it the user's, in place of the file before, which is removed. It is shown.

    Raises
    ------
    NotPMTiles
        Names what the file must be, and what it is.
    """
    row = MapFile(user=user, name=(upload.name or "map.pmtiles")[-NAME_CHARS:], size=upload.size or 0)
    staged = local_files.home("tmp") / f"base-map-{row.pk}"
    try:
        with local_files.written(staged) as out:
            shutil.copyfileobj(upload, out)
        archive = open_archive(staged)
        archive.check()
        row.attribution = archive.attribution
        row.path.take(staged)
        with transaction.atomic():
            User.objects.select_for_update().get(pk=user.pk)  # two uploads at once: a single row stays
            MapFile.objects.filter(user=user).delete()
            row.save(force_insert=True)
            User.objects.filter(pk=user.pk).update(base_map=BaseMapChoice.FILE, tile_host="")
    except BaseException:
        local_files.remove(staged)
        row.path.unlink()
        raise
    return row


def delete_map_file(*, user: User) -> None:
    """Remove the user's file."""
    MapFile.objects.filter(user=user).delete()
