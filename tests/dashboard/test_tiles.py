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
    text = page.get(address).content.decode()
    found = re.search(r'<script id="base-map" type="application/json">(.*?)</script>', text)
    return json.loads(found[1]) if found else None


class TestSetting:
    def test_a_file_reports_its_own_zooms_and_bounds(self, file):
        found = base_map(str(file), "")
        assert (found.file, found.host, found.content_type) == (file, "", "image/png")
        assert (found.zooms, found.bounds) == ((2, 3), (-170.0, 10.0, 20.0, 80.0))

    def test_an_address_or_a_file_that_is_none_is_refused(self, tmp_path):
        path = "{z}/{x}/{y}.png"
        for url, rule in (
            (f"http://tiles.example.org/{path}", "begin with https://"),
            (f"ftp://tiles.example.org/{path}", "begin with https://"),
            (f"https://{{s}}.example.org/{path}", "one host"),
            (f"https://name:secret@tiles.example.org/{path}", "one host"),
            (f"https://tiles.example.org; script-src */{path}", "one host"),
            (f"https:///{path}", "one host"),
            (f"https://*/{path}", "one host"),
            ("https://tiles.example.org/{z}/{x}.png", "{z}, {x} and {y} once each"),
            ("https://tiles.example.org/{z}/{x}/{y}/{x}.png", "{z}, {x} and {y} once each"),
        ):
            with pytest.raises(ImproperlyConfigured, match=re.escape(rule)):
                base_map(url, "Whose")
        with pytest.raises(ImproperlyConfigured, match="CAIRN_TILES_ATTRIBUTION must name whose tiles they are"):
            base_map(TEMPLATE, "")
        assert base_map("", "whoever") is None
        path = tmp_path / "x.pmtiles"
        with pytest.raises(ImproperlyConfigured, match="must be readable"):
            base_map(str(path), "")
        for body in (b"", b"PMTiles", b"PMTiles\2" + bytes(200), b"\xff" * 300, b"GIF89a" + bytes(300)):
            path.write_bytes(body)
            with pytest.raises(ImproperlyConfigured, match="PMTiles version 3"):
                base_map(str(path), "")

    @pytest.mark.parametrize(
        ("header", "rule"),
        [
            ({"tile_type": TileType.UNKNOWN}, r"PNG, JPEG, WebP or AVIF images or .* \(MVT\), got .*: UNKNOWN"),
            ({"tile_compression": Compression.GZIP}, "not compressed again, got .*: GZIP"),
            ({"tile_type": TileType.MVT, "tile_compression": Compression.BROTLI}, "gzip or not at all, got .*: BROTLI"),
        ],
    )
    def test_a_file_of_something_else_is_refused(self, tmp_path, header, rule):
        path = write_tiles(tmp_path / "x.pmtiles", TILES, **header)
        with pytest.raises(ImproperlyConfigured, match=rule):
            base_map(str(path), "")


class TestTile:
    def test_is_the_files_and_kept_by_this_browser_alone(self, owner_page, served, settings):
        for place in ((2, 0, 0), (3, 2, 1)):
            answer = owner_page.get("/tiles/{}/{}/{}".format(*place))
            assert (answer.status_code, answer["Content-Type"], answer.content) == (200, "image/png", TILES[place])
            assert answer["Cache-Control"] == "private, max-age=86400"
        for verb in ("post", "put", "patch", "delete"):
            assert getattr(owner_page, verb)("/tiles/2/0/0").status_code == 405
        for other in (base_map(TEMPLATE, "Whose"), None):
            settings.CAIRN_BASE_MAP = other
            assert owner_page.get("/tiles/2/0/0").status_code == 404

    def test_anything_else_is_not_there(self, owner_page, served):
        beyond = ("2/4/0", "2/0/4", "3/8/0")  # the world
        absent = ("2/3/3", "0/0/0", "4/0/0")  # a tile that the file has not, and zooms
        odd = ("-1/0/0", "2/-1/0", "2/0/0.png", "2/0x1/0", "٢/٠/٠", "2/0", "2/0/0/0", "2/../../etc/passwd")
        large = (f"{'9' * 5000}/0/0", f"2/{'9' * 5000}/0", f"2/{2**64}/0", "99/0/0")
        for address in (*beyond, *absent, *odd, *large):
            assert owner_page.get(f"/tiles/{address}").status_code == 404, address[:20]

    def test_only_for_who_is_logged_in(self, client, served, db):
        answer = client.get("/tiles/2/0/0")
        assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/tiles/2/0/0")


class TestPage:
    def test_reports_of_the_file_without_its_path(self, owner_page, ready_dataset, served, file):
        address = f"/datasets/{ready_dataset.pk}/"
        found = reported(owner_page, address)
        assert found["choice"] == "file"
        facts = {"zooms": [2, 3], "bounds": [-170.0, 10.0, 20.0, 80.0], "attribution": "Made up", "name": ""}
        assert found["file"] == facts | {"url": "/tiles/{z}/{x}/{y}", "own": False, "vector": False}
        assert file.name not in owner_page.get(address).content.decode()

    def test_reports_nothing_by_default_and_an_attribution_stays_text(self, owner_page, ready_dataset, settings):
        address = f"/datasets/{ready_dataset.pk}/"
        found = reported(owner_page, address)
        assert (found["choice"], found["file"]) == ("none", None)
        settings.CAIRN_BASE_MAP = base_map(TEMPLATE, "</script><script>alert(1)</script>")
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
    assert policy_with(tmp_path, CAIRN_TILES=str(file)) == none
    assert policy_with(tmp_path, CAIRN_TILES=TEMPLATE, CAIRN_TILES_ATTRIBUTION="Whose") == none
