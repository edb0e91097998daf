"""Settings: secrets from the environment or files, the ledger's key, the launcher's folders and the base map."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st
from pmtiles.tile import Compression, TileType

from dashboard.config.secret_files import secret, with_password
from dashboard.core import home as launcher
from dashboard.maps.basemap import base_map
from tests.patience import patience
from tests.pmtiles import streets, write_tiles

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.delenv("THING", raising=False)
    monkeypatch.setenv("THING_FILE", str(tmp_path / "thing"))
    return tmp_path / "thing"


class TestSecret:
    def test_is_the_text_of_the_file_or_the_default_and_what_is_none_is_refused_by_name(self, file, monkeypatch):
        with pytest.raises(ImproperlyConfigured, match="THING_FILE must name a readable file"):
            secret("THING")
        file.write_text(" \n")
        with pytest.raises(ImproperlyConfigured, match=r"THING_FILE must name a file with a value, .* is empty"):
            secret("THING")
        file.write_bytes(b"\xff\xfe\xff")
        with pytest.raises(ImproperlyConfigured, match="THING_FILE must name a readable file"):
            secret("THING")
        file.write_text("a b#$%\n")
        assert secret("THING", "default") == "a b#$%"
        monkeypatch.setenv("THING", "y")
        with pytest.raises(ImproperlyConfigured, match="Only one of THING and THING_FILE may be set"):
            secret("THING")
        monkeypatch.delenv("THING_FILE")
        assert secret("THING", "default") == "y"
        monkeypatch.delenv("THING")
        assert secret("THING", "default") == "default"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
def test_any_password_survives_the_address(password):
    parts = urlsplit(with_password("redis://user@host:6379/2", password))
    assert (parts.username, parts.hostname, parts.port, parts.path) == ("user", "host", 6379, "/2")
    assert unquote(parts.password or "") == password


def test_the_settings_take_every_secret_from_a_file(tmp_path):
    texts = {"CAIRN_SECRET_KEY": "s" * 60, "CAIRN_LEDGER_KEY": "l" * 60}
    texts |= {"DATABASE_PASSWORD": "d@/:x", "REDIS_PASSWORD": "r@/:x"}
    environment = {"DATABASE_URL": "postgres://cairn@database:5432/cairn", "REDIS_URL": "redis://broker:6379/0"}
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n")
        environment[f"{name}_FILE"] = str(tmp_path / name)
    code = (
        "from django.conf import settings as s; "
        "print(s.SECRET_KEY, s.CAIRN_LEDGER_KEY, s.DATABASES['default']['PASSWORD'], s.CELERY_BROKER_URL)"
    )
    out, error = start(tmp_path, code, **environment).communicate(timeout=patience(60))
    assert out.split() == ["s" * 60, "l" * 60, "d@/:x", "redis://:r%40%2F%3Ax@broker:6379/0"], error
    assert not list(tmp_path.glob("*.key"))


SHOW = "from django.conf import settings; print(settings.CAIRN_LEDGER_KEY)"
GIVEN = "a-key-of-the-group-0123456789-0123456789"


def start(home, code=SHOW, **environment):
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("CAIRN", "REDIS", "DATABASE"))}
    environment |= {"CAIRN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=kept | environment, **pipes)


def key(home, **environment):
    out, error = start(home, **environment).communicate(timeout=patience(60))
    assert not error, error
    return out.strip()


def test_the_ledgers_key_is_a_file_for_its_owner_alone_made_once(tmp_path):
    first = key(tmp_path)
    assert len(first) > 80
    assert (tmp_path / "ledger.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "ledger.key").read_text() == first
    assert (tmp_path / "secret.key").read_text() != first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.key", "secret.key", "tmp"]
    (tmp_path / "secret.key").unlink()
    assert key(tmp_path) == first == key(tmp_path, CAIRN_SECRET_KEY="another"), "it survives rotation of the other"


@pytest.mark.slow  # eight processes
def test_the_ledgers_key_of_eight_first_starts_at_once_is_one(tmp_path):
    found = [process.communicate(timeout=patience(120))[0] for process in [start(tmp_path) for _ in range(8)]]
    assert len(set(found)) == 1
    assert len(found[0].strip()) > 80


def test_the_ledgers_key_is_given_by_the_environment_or_a_file(tmp_path):
    (tmp_path / "given").write_text(f"{GIVEN}\n")
    assert key(tmp_path, CAIRN_LEDGER_KEY=GIVEN) == GIVEN
    assert key(tmp_path, CAIRN_LEDGER_KEY_FILE=str(tmp_path / "given")) == GIVEN
    assert not (tmp_path / "ledger.key").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("short", "must have at least 32 characters, got 5"),
        (None, "CAIRN_LEDGER_KEY_FILE must name a readable file"),
    ],
)
def test_a_ledgers_key_that_is_too_short_or_absent_is_refused(tmp_path, text, reason):
    if text is not None:
        (tmp_path / "given").write_text(text)
    process = start(tmp_path, CAIRN_LEDGER_KEY_FILE=str(tmp_path / "given"))
    message = process.communicate(timeout=patience(60))[1]
    assert (process.returncode, reason in message, "CAIRN_LEDGER_KEY_FILE" in message) == (1, True, True)
    assert not (tmp_path / "ledger.key").exists()


class TestPrivateFolders:
    def test_are_of_this_user_alone_and_the_broker_is_found_whatever_the_path(self, tmp_path):
        short, long = Path("/srv/cairn"), Path("/srv") / ("x" * 120)
        assert launcher.broker_socket(short) == short / "run" / "broker.sock"
        assert launcher.broker_socket(long) == launcher.broker_socket(long) != launcher.broker_socket(long / "y")
        assert len(str(launcher.broker_socket(long))) < 100
        (tmp_path / "laid").mkdir()
        (tmp_path / "laid").chmod(0o755)
        launcher.make_private(tmp_path / "real")
        (tmp_path / "link").symlink_to(tmp_path / "real")
        for wrong in ("laid", "link"):
            with pytest.raises(launcher.LaunchError, match="only you can enter"):
                launcher.make_private(tmp_path / wrong)


class TestAddress:
    def test_is_that_of_the_process_that_holds_the_lock(self, tmp_path):
        (tmp_path / "run").mkdir()
        assert launcher.running_address(tmp_path) is None
        launcher.record_address(tmp_path, "127.0.0.1:8761")
        (tmp_path / "run" / "lock").write_text(f"{os.getpid()}\n")
        assert launcher.running_address(tmp_path) == "127.0.0.1:8761"
        ended = subprocess.Popen(["true"])
        ended.wait()
        (tmp_path / "run" / "lock").write_text(f"{ended.pid}\n")
        assert launcher.running_address(tmp_path) is None, "that of one that was killed is not used"
        (tmp_path / "run" / "lock").write_text(f"{os.getpid()}\n")
        launcher.forget_address(tmp_path)
        assert launcher.running_address(tmp_path) is None


TEMPLATE = "https://tiles.example.org/{z}/{x}/{y}.png"
TILES = {(z, x, y): streets(z, x, y) for z in (2, 3) for x in range(3) for y in range(3)}


@pytest.fixture
def map_file(tmp_path):
    return write_tiles(tmp_path / "city.pmtiles", TILES, bounds=(-170.0, 10.0, 20.0, 80.0))


@pytest.fixture
def served(settings, map_file):
    settings.CAIRN_BASE_MAP = base_map(str(map_file), "Made up")


def reported(page, address):
    """What a page passes to the map's script."""
    text = page.get(address).content.decode()
    found = re.search(r'<script id="base-map" type="application/json">(.*?)</script>', text)
    return json.loads(found[1]) if found else None


class TestSetting:
    def test_a_file_reports_its_own_zooms_and_bounds(self, map_file):
        found = base_map(str(map_file), "")
        assert (found.file, found.host, found.content_type) == (map_file, "", "image/png")
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
    def test_reports_of_the_file_without_its_path(self, owner_page, ready_dataset, served, map_file):
        address = f"/datasets/{ready_dataset.pk}/"
        found = reported(owner_page, address)
        assert found["choice"] == "file"
        facts = {"zooms": [2, 3], "bounds": [-170.0, 10.0, 20.0, 80.0], "attribution": "Made up", "name": ""}
        assert found["file"] == facts | {"url": "/tiles/{z}/{x}/{y}", "own": False, "vector": False}
        assert map_file.name not in owner_page.get(address).content.decode()

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
    return start(home, code, **environment).communicate(timeout=patience(60))[0].split()


def test_the_policy_names_no_tile_server_before_a_user_agreed(tmp_path, map_file):
    """What it names then is in test_base_map.py."""
    none = ["'self'", "data:", "blob:"]
    assert policy_with(tmp_path, CAIRN_TILES=str(map_file)) == none
    assert policy_with(tmp_path, CAIRN_TILES=TEMPLATE, CAIRN_TILES_ATTRIBUTION="Whose") == none
