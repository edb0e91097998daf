"""The base map: none unless the operator names one; what is refused at the start; access to tiles."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from pmtiles.tile import Compression, TileType

from dashboard.maps.basemap import base_map
from tests.pmtiles import streets, write_tiles

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = "https://tiles.example.org/{z}/{x}/{y}.png"
TILES = {(z, x, y): streets(z, x, y) for z in (2, 3) for x in range(3) for y in range(3)}


@pytest.fixture
def file(tmp_path):
    return write_tiles(tmp_path / "city.pmtiles", TILES, bounds=(-170.0, 10.0, 20.0, 80.0))


@pytest.fixture
def served(settings, file):
    settings.CAIRN_BASE_MAP = base_map(str(file), "Made up")


def reported(page, address):
    """What a page passes to the map's script."""
    found = re.search(
        r'<script id="base-map" type="application/json">(.*?)</script>', page.get(address).content.decode()
    )
    return json.loads(found[1]) if found else None


class TestSetting:
    def test_nothing_is_no_base_map(self):
        assert base_map("", "whoever") is None

    def test_a_file_reports_its_own_zooms_and_bounds(self, file):
        found = base_map(str(file), "")
        assert (found.file, found.host, found.content_type) == (file, "", "image/png")
        assert (found.zooms, found.bounds) == ((2, 3), (-170.0, 10.0, 20.0, 80.0))

    @pytest.mark.parametrize(
        ("url", "rule"),
        [
            ("http://tiles.example.org/{z}/{x}/{y}.png", "begin with https://"),
            ("ftp://tiles.example.org/{z}/{x}/{y}.png", "begin with https://"),
            ("https://{s}.example.org/{z}/{x}/{y}.png", "one host"),
            ("https://name:secret@tiles.example.org/{z}/{x}/{y}.png", "one host"),
            ("https://tiles.example.org; script-src */{z}/{x}/{y}.png", "one host"),
            ("https:///{z}/{x}/{y}.png", "one host"),
            ("https://*/{z}/{x}/{y}.png", "one host"),
            ("https://tiles.example.org/{z}/{x}.png", "{z}, {x} and {y} once each"),
            ("https://tiles.example.org/{z}/{x}/{y}/{x}.png", "{z}, {x} and {y} once each"),
        ],
    )
    def test_an_address_that_is_none_is_refused(self, url, rule):
        with pytest.raises(ImproperlyConfigured, match=re.escape(rule)):
            base_map(url, "Whose")

    def test_somebodys_tiles_need_their_name(self):
        with pytest.raises(ImproperlyConfigured, match="CAIRN_TILES_ATTRIBUTION must name whose tiles they are"):
            base_map(TEMPLATE, "")

    @pytest.mark.parametrize(
        "body", [b"", b"PMTiles", b"PMTiles\2" + bytes(200), b"\xff" * 300, b"GIF89a" + bytes(300)]
    )
    def test_a_file_that_is_none_is_refused(self, tmp_path, body):
        path = tmp_path / "x.pmtiles"
        path.write_bytes(body)
        with pytest.raises(ImproperlyConfigured, match="PMTiles version 3"):
            base_map(str(path), "")

    def test_a_file_that_is_not_there_is_refused(self, tmp_path):
        with pytest.raises(ImproperlyConfigured, match="must be readable"):
            base_map(str(tmp_path / "none.pmtiles"), "")

    @pytest.mark.parametrize(
        ("header", "rule"),
        [
            (
                {"tile_type": TileType.UNKNOWN},
                r"PNG, JPEG, WebP or AVIF images or vector tiles \(MVT\), got .*: UNKNOWN",
            ),
            ({"tile_compression": Compression.GZIP}, "not compressed again, got .*: GZIP"),
            ({"tile_type": TileType.MVT, "tile_compression": Compression.BROTLI}, "gzip or not at all, got .*: BROTLI"),
        ],
    )
    def test_a_file_of_something_else_is_refused(self, tmp_path, header, rule):
        path = write_tiles(tmp_path / "x.pmtiles", TILES, **header)
        with pytest.raises(ImproperlyConfigured, match=rule):
            base_map(str(path), "")


class TestTile:
    @pytest.mark.parametrize("place", [(2, 0, 0), (3, 2, 1)])
    def test_is_the_files_and_kept_by_this_browser_alone(self, owner_page, served, place):
        answer = owner_page.get("/tiles/{}/{}/{}".format(*place))
        assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
        assert answer.content == TILES[place]
        assert answer["Cache-Control"] == "private, max-age=86400"

    @pytest.mark.parametrize(
        "address",
        [
            "2/3/3",  # a tile, but not in the file
            "0/0/0", "4/0/0",  # zooms that the file has not
            "2/4/0", "2/0/4", "3/8/0",  # beyond the world
            "-1/0/0", "2/-1/0", "2/0/0.png", "2/0x1/0", "٢/٠/٠", "2/0", "2/0/0/0", "2/../../etc/passwd",
            f"{'9' * 5000}/0/0", f"2/{'9' * 5000}/0", f"2/{2**64}/0", "99/0/0",
        ],
    )  # fmt: skip
    def test_anything_else_is_not_there(self, owner_page, served, address):
        assert owner_page.get(f"/tiles/{address}").status_code == 404

    def test_only_for_who_is_logged_in(self, client, served, db):
        answer = client.get("/tiles/2/0/0")
        assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/tiles/2/0/0")

    @pytest.mark.parametrize("verb", ["post", "put", "patch", "delete"])
    def test_only_to_be_read(self, owner_page, served, verb):
        assert getattr(owner_page, verb)("/tiles/2/0/0").status_code == 405

    def test_without_a_file_there_is_none(self, owner_page, settings):
        assert owner_page.get("/tiles/2/0/0").status_code == 404
        settings.CAIRN_BASE_MAP = base_map(TEMPLATE, "Whose")
        assert owner_page.get("/tiles/2/0/0").status_code == 404


class TestPage:
    def test_reports_nothing_by_default(self, owner_page, ready_dataset):
        found = reported(owner_page, f"/datasets/{ready_dataset.pk}/")
        assert (found["choice"], found["file"]) == ("none", None)

    def test_reports_of_the_file_without_its_path(self, owner_page, ready_dataset, served, file):
        address = f"/datasets/{ready_dataset.pk}/"
        found = reported(owner_page, address)
        assert found["choice"] == "file"
        assert found["file"] == {
            "url": "/tiles/{z}/{x}/{y}", "name": "", "own": False, "vector": False, "attribution": "Made up",
            "zooms": [2, 3], "bounds": [-170.0, 10.0, 20.0, 80.0],
        }  # fmt: skip
        assert file.name not in owner_page.get(address).content.decode()

    def test_an_attribution_stays_text(self, owner_page, ready_dataset, settings):
        settings.CAIRN_BASE_MAP = base_map(TEMPLATE, "</script><script>alert(1)</script>")
        address = f"/datasets/{ready_dataset.pk}/"
        assert reported(owner_page, address)["server"]["attribution"] == "</script><script>alert(1)</script>"
        assert "<script>alert" not in owner_page.get(address).content.decode()


def policy_with(home, **environment):
    """The img-src of a server started with this environment."""
    code = "from django.conf import settings; print(*settings.CONTENT_SECURITY_POLICY['DIRECTIVES']['img-src'])"
    env = os.environ | {"CAIRN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"} | environment
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_the_policy_names_no_tile_server_before_a_user_agreed(tmp_path, file):
    """What it names then is in test_base_map.py."""
    none = ["'self'", "data:", "blob:"]
    assert policy_with(tmp_path, CAIRN_TILES="") == none
    assert policy_with(tmp_path, CAIRN_TILES=str(file)) == none
    named = {"CAIRN_TILES": TEMPLATE, "CAIRN_TILES_ATTRIBUTION": "Whose"}
    assert policy_with(tmp_path, **named) == none
