"""The base map of a user: the choice and its agreement, the page's policy, the PMTiles file they upload."""

import gzip
import json
import os
import struct
import time
import uuid
from dataclasses import replace

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pmtiles.tile import Compression, TileType
from rest_framework.test import APIClient

from dashboard.accounts.models import MapFile
from dashboard.maintenance.cleanup import tidy
from dashboard.maps import pmtiles_file
from dashboard.maps.basemap import base_map
from dashboard.storage import removals
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.conftest import HOME, client_of
from tests.pmtiles import streets, write_tiles

URL = "/api/v1/base-map/"
FILE = f"{URL}file/"
TILES = {(3, x, 3): streets(3, x, 3) for x in range(3)}
OSM = "tile.openstreetmap.org"
HEADER = 127


def archive(folder, **header):
    return write_tiles(folder / "made.pmtiles", TILES, **header).read_bytes()


def changed(body, at, value):
    return body[:at] + struct.pack("<Q", value) + body[at + 8 :]


def send(api, body, name="city.pmtiles"):
    return api.post(FILE, {"file": SimpleUploadedFile(name, body)}, format="multipart")


def stored():
    folder = HOME / "base-maps"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_choice_is_remembered_for_its_user_alone(owner_api, stranger_api, owner, settings):
    found = owner_api.get(URL).json()
    assert (found["choice"], found["file"]) == ("none", None)
    assert (found["server"]["host"], found["server"]["name"]) == (OSM, "OpenStreetMap")
    for choice in ["", "satellite", None, 3, ["none"]]:
        assert owner_api.patch(URL, {"choice": choice}).status_code == 400, choice
    assert refused(owner_api.patch(URL, {"choice": "file"})) == (409, "choice")  # there is none
    for host in ("", "other.example.org"):
        assert refused(owner_api.patch(URL, {"choice": "server", "host": host})) == (400, "host")
    assert owner_api.get(URL).json()["choice"] == "none"
    for choice, host in (("built-in", {}), ("none", {}), ("server", {"host": OSM})):
        assert owner_api.patch(URL, {"choice": choice, **host}).json()["choice"] == choice
        assert owner_api.get(URL).json()["choice"] == choice
        assert stranger_api.get(URL).json()["choice"] == "none"
    settings.CAIRN_OPENSTREETMAP = False
    found = owner_api.get(URL).json()
    assert (found["choice"], found["server"]) == ("none", None)
    assert owner_api.patch(URL, {"choice": "server", "host": OSM}).status_code == 409


class TestPolicy:
    """The browser itself refuses a tile server that the user did not agree to."""

    def images(self, page):
        policy = page.get("/tokens/")["Content-Security-Policy"]
        return next(part for part in policy.split(";") if "img-src" in part)

    def test_has_the_host_from_the_agreement_until_it_is_taken_back(self, owner, owner_page, settings):
        api = client_of(owner)
        assert OSM not in self.images(owner_page)
        api.patch(URL, {"choice": "server", "host": OSM})
        assert f"https://{OSM}" in self.images(owner_page)
        assert owner_page.get("/tokens/")["Content-Security-Policy"].count(OSM) == 1  # only images
        assert OSM not in owner_page.get("/login/").headers.get("Location", "")
        api.patch(URL, {"choice": "built-in"})
        assert OSM not in self.images(owner_page)
        client_of(owner).patch(URL, {"choice": "server", "host": OSM})
        settings.CAIRN_BASE_MAP = base_map("https://tiles.example.org/{z}/{x}/{y}.png", "Whose")
        assert "https:" not in self.images(owner_page)
        assert client_of(owner).get(URL).json()["choice"] == "none"


class TestFile:
    def test_is_shown_and_its_tiles_are_its_owners(self, owner_api, owner_page, stranger, client, tmp_path):
        answer = send(owner_api, archive(tmp_path))
        assert (answer.status_code, answer.json()["choice"]) == (201, "file")
        found = answer.json()["file"]
        assert (found["name"], found["own"], found["vector"], found["zooms"]) == ("city.pmtiles", True, False, [3, 3])
        address = found["url"].format(z=3, x=1, y=3)
        tile = owner_page.get(address)
        assert (tile.content, tile["Content-Type"]) == (TILES[3, 1, 3], "image/png")
        for missing in (found["url"].format(z=3, x=3, y=3), f"/tiles/{uuid.uuid4()}/0/0/0"):
            assert owner_page.get(missing).status_code == 404
        assert send(owner_api, b"PMTiles").status_code == 400  # and leaves the one before
        assert len(stored()) == MapFile.objects.count() == 1
        client.force_login(stranger)
        assert client.get(address).status_code == 404

    def test_a_new_one_replaces_it_and_removal_leaves_nothing(self, owner_api, tmp_path):
        first = send(owner_api, archive(tmp_path)).json()["file"]["url"]
        second = send(owner_api, archive(tmp_path), "other.pmtiles").json()["file"]["url"]
        assert first != second
        removals.finish()  # as it does after a commit
        assert len(stored()) == MapFile.objects.count() == 1
        answer = owner_api.delete(FILE).json()
        removals.finish()
        assert (answer["choice"], answer["file"], stored(), MapFile.objects.count()) == ("none", None, [], 0)

    def test_the_operators_file_is_the_default_and_an_own_one_comes_first(self, owner_api, settings, tmp_path):
        path = write_tiles(tmp_path / "operators.pmtiles", TILES)
        settings.CAIRN_BASE_MAP = base_map(str(path), "Made up")
        found = owner_api.get(URL).json()
        assert (found["choice"], found["file"]["own"], found["server"]["host"]) == ("file", False, OSM)
        assert send(owner_api, archive(tmp_path)).json()["file"]["own"]
        assert owner_api.delete(FILE).json()["file"]["own"] is False

    def test_attribution_is_the_metadatas_as_text(self, owner_api, tmp_path, owner_page):
        body = archive(tmp_path)
        metadata = gzip.compress(json.dumps({"attribution": '<a href="x">© Some <b>body</b></a>'}).encode())
        body = changed(changed(body + metadata, 24, len(body)), 32, len(metadata))
        assert send(owner_api, body).json()["file"]["attribution"] == "© Some body"
        tile = gzip.compress(b"\x1a\x00", mtime=0)
        kinds = {"tile_type": TileType.MVT, "tile_compression": Compression.GZIP}
        body = write_tiles(tmp_path / "v.pmtiles", {(0, 0, 0): tile}, **kinds).read_bytes()
        found = send(owner_api, body).json()["file"]
        assert found["vector"]
        answer = owner_page.get(found["url"].format(z=0, x=0, y=0), headers={"Accept-Encoding": "gzip"})
        assert (answer.content, answer["Content-Encoding"]) == (tile, "gzip")

    def test_of_a_user_who_is_no_more_is_removed_by_the_cleanup(self, owner, owner_api, stranger_api, tmp_path):
        for api in (owner_api, stranger_api):
            send(api, archive(tmp_path))
        owner.delete()
        assert len(stored()) == 2
        long_ago = time.time() - 3600
        for name in stored():
            os.utime(HOME / "base-maps" / name, (long_ago, long_ago))
        tidy()
        assert stored() == [str(MapFile.objects.get().pk)]


def _root(numbers):
    def varint(number):
        return bytes([number & 127 | 128]) + varint(number >> 7) if number > 127 else bytes([number])

    return _root_of(b"".join(map(varint, numbers)))


def _root_of(directory):
    def change(body):
        root = gzip.compress(directory)
        return changed(changed(body + root, 8, len(body)), 16, len(root))

    return change


HOSTILE = {
    "text": (lambda body: b"id,time\n1,2\n" * 50, "PMTiles version 3"),
    "another version": (lambda body: body[:7] + b"\2" + body[8:], "PMTiles version 3"),
    "header alone": (lambda body: body[:HEADER], "whole"),
    "cut in its tiles": (lambda body: body[:-20_000] if len(body) > 40_000 else body[: HEADER + 60], "whole"),
    "root beyond the file": (lambda body: changed(body, 8, 1 << 60), "whole"),
    "huge root": (lambda body: changed(body, 16, 1 << 40), "at most 16257 bytes"),
    "empty root": (lambda body: changed(body, 16, 0), "1 to"),
    "no directory": (lambda body: changed(body, 8, 300), "gzip"),
    "bomb": (_root_of(bytes(10_000_000)), "decompressed"),
    "no entries": (_root([0]), "a tile"),
    "fewer numbers than entries": (_root([5, 1, 1]), "four numbers"),
    "more entries than a machine has": (_root([1 << 50]), "four numbers"),
    "tiles out of order": (_root([2, 5, 0, 1, 1, 9, 9, 1, 1]), "order"),
    "number without an end": (_root_of(b"\x01\xff"), "whole number"),
    "number too large": (_root([1 << 60]), "below"),
    "no first offset": (_root([1, 0, 1, 10, 0]), "offset"),
    "tile beyond its part": (_root([1, 0, 1, 10, 1 << 40]), "its own part"),
    "huge tile": (_root([1, 0, 1, 1 << 40, 1]), "its own part"),
    "a directory in itself": (_root([1, 0, 0, 10, 1]), "own part"),
    "internal compression": (lambda body: body[:97] + b"\4" + body[98:], "directories compressed by gzip"),
    "images compressed again": (lambda body: body[:98] + b"\2" + body[99:], "not compressed again"),
    "unknown tiles": (lambda body: body[:99] + b"\0" + body[100:], "PNG, JPEG, WebP or AVIF"),
    "zooms the wrong way round": (lambda body: body[:100] + b"\x09\x03" + body[102:], "zooms from 0"),
    "bounds beyond the globe": (lambda body: body[:102] + struct.pack("<i", -2_000_000_000) + body[106:], "bounds"),
}


class TestHostileFile:
    def test_is_refused_by_rule_and_leaves_nothing(self, owner_api, tmp_path):
        for name, (change, rule) in HOSTILE.items():
            answer = send(owner_api, change(archive(tmp_path)))
            assert (*refused(answer), first_error(answer)["code"]) == (400, "file", "not-pmtiles"), name
            assert rule in first_error(answer)["message"], name
            assert (stored(), MapFile.objects.count(), owner_api.get(URL).json()["choice"]) == ([], 0, "none"), name

    @pytest.mark.parametrize("by_session", [False, True])
    def test_has_a_limit_of_its_own(self, owner, settings, tmp_path, by_session):
        settings.CAIRN_BASE_MAP_BYTES = 100
        api = APIClient(enforce_csrf_checks=False)
        api.force_login(owner) if by_session else api.force_authenticate(owner)
        answer = send(api, archive(tmp_path))
        assert (answer.status_code, first_error(answer)["rule"]) == (413, "at most 100 bytes")
        assert api.get(URL).json()["upload_mb"] == 0
        assert stored() == []

    def test_a_leaf_that_leads_to_itself_ends(self, tmp_path):
        path = tmp_path / "made.pmtiles"
        root = gzip.compress(bytes([1, 0, 0, 40, 1]), mtime=0)
        root = gzip.compress(bytes([1, 0, 0, len(root), 1]), mtime=0)
        body = archive(tmp_path)
        where = len(body)
        body = changed(changed(body + root, 8, where), 16, len(root))
        path.write_bytes(changed(changed(body, 40, where), 48, len(root)))
        made = pmtiles_file.open_archive(path)
        assert made.tile(3, 0, 3) is None
        with pytest.raises(pmtiles_file.NotPMTiles, match="levels of directories"):
            made.check()

    def test_a_vector_tile_that_decompresses_to_gigabytes_and_one_of_a_file_cut_since_are_not_sent(self, tmp_path):
        kinds = {"tile_type": TileType.MVT, "tile_compression": Compression.GZIP}
        tiles = {(0, 0, 0): gzip.compress(bytes(20_000_000))}
        made = pmtiles_file.open_archive(write_tiles(tmp_path / "bomb.pmtiles", tiles, **kinds))
        assert made.tile(0, 0, 0) is None
        made = pmtiles_file.open_archive(write_tiles(tmp_path / "made.pmtiles", TILES))
        assert made.tile(3, 1, 3) == TILES[3, 1, 3]
        assert replace(made, size=made.tiles[0]).tile(3, 1, 3) is None


def test_leaf_directories_are_followed(tmp_path):
    sizes = np.random.default_rng(0).integers(1, 10_000, (96, 96))
    tiles = {(8, x, y): struct.pack("<HH", x, y) * sizes[x, y] for x in range(96) for y in range(96)}
    made = pmtiles_file.open_archive(write_tiles(tmp_path / "many.pmtiles", tiles))
    made.check()
    assert made.leaves[1] > 0
    assert all(made.tile(*place) == tiles[place] for place in list(tiles)[::37])
    assert made.tile(8, 200, 200) is None
