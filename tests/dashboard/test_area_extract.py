"""A region out of an archive on another host: its tiles alone, bounded, by no answers but those requested."""

import gzip
import io
import itertools
import random
import socket
import struct

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st
from pmtiles import writer
from pmtiles.tile import Compression, Entry, serialize_directory, tileid_to_zxy, zxy_to_tileid
from pmtiles.writer import build_roots_leaves

from dashboard.maps import area_extract, remote_archive
from dashboard.maps.area_extract import extract
from dashboard.maps.pmtiles_file import NotPMTiles, open_archive
from dashboard.maps.regions import Region
from dashboard.maps.remote_archive import (
    ArchiveChanged,
    ArchiveUnreached,
    RemoteFile,
    TooMuch,
    WrongAnswer,
    archive_address,
)
from tests.map_archive import serving, tiles_below, write_archive

PARIS = Region(129, 88, 1, 1)
FIRST = 16_384


@pytest.fixture(scope="module")
def city():
    """Nine tiles of zoom 8 around Paris, to zoom 11, with those above."""
    return tiles_below(128, 87, 11, 3, 3)


@pytest.fixture(scope="module")
def planet(city, tmp_path_factory):
    return write_archive(tmp_path_factory.mktemp("planet") / "planet.pmtiles", city).read_bytes()


@pytest.fixture
def host(planet, monkeypatch):
    monkeypatch.setattr(remote_archive, "PAUSE_S", 0.0)
    with serving(planet) as host:
        yield host


def made(host, folder, region=PARIS, most=area_extract.MOST_BYTES):
    """The archive of a region, and what is known of it."""
    stages = []
    with RemoteFile(host.url, most) as file, (folder / "area.pmtiles").open("wb") as out:
        facts = extract(file, region, out, lambda *stage: stages.append(stage))
    assert file.received == host.received <= most
    assert [share for _, share in stages] == sorted(share for _, share in stages)
    return open_archive(folder / "area.pmtiles"), facts


def below(region, tile):
    z, x, y = tile
    up, down = max(8 - z, 0), max(z - 8, 0)
    return (x >> down, y >> down) == (region.west >> up, region.north >> up)


degrees = st.tuples(st.floats(-180, 180), st.floats(-85, 85), st.floats(-180, 180), st.floats(-85, 85))


class TestRegion:
    @given(degrees)
    def test_holds_the_box_and_is_less_than_a_tile_wider(self, corners):
        west, east = corners[0], corners[2]
        south, north = sorted((corners[1], corners[3]))
        region = Region.around((west, south, east, north))
        left, bottom, right, top = region.bounds
        beyond = east + 360 if west > east else east
        if region.columns < 256:
            assert left - 1e-9 <= west <= beyond <= right + 1e-9
            assert right - left <= beyond - west + 2 * 360 / 256 + 1e-9
        assert bottom - 1e-9 <= max(south, -85.0511) <= north <= top + 1e-9
        assert 1 <= region.columns <= 256
        assert 0 <= region.north <= region.north + region.rows - 1 <= 255

    @given(st.integers(0, 255), st.integers(0, 254), st.integers(1, 3), st.integers(1, 2), st.integers(0, 10))
    def test_has_the_ids_of_its_tiles_and_of_no_others(self, west, north, columns, rows, zoom):
        spans = Region(west, north, columns, min(rows, 256 - north)).tile_ids(zoom)
        assert all(after < first for (_, after), (first, _) in itertools.pairwise(spans))
        found = {tileid_to_zxy(one) for first, after in spans for one in range(first, after)}
        deep = max(zoom - 8, 0)
        wide = {((west + i) % 256, north + j) for i in range(columns) for j in range(min(rows, 256 - north))}
        if zoom < 8:
            assert found == {(zoom, x >> 8 - zoom, y >> 8 - zoom) for x, y in wide}
        else:
            assert {z for z, _, _ in found} == {zoom}
            assert {(x >> deep, y >> deep) for _, x, y in found} == wide
            assert len(found) == len(wide) * 4**deep


def test_the_archive_has_every_tile_of_the_region_and_no_other(host, city, tmp_path):
    archive, bounds = made(host, tmp_path)
    for tile, body in city.items():
        assert archive.tile(*tile) == (body if below(PARIS, tile) else None), tile
    assert archive.zooms == (0, 11)
    assert bounds == PARIS.bounds == pytest.approx(archive.bounds, abs=1e-6)
    assert archive.attribution == host.host  # the file has no attribution
    assert archive.vector
    assert len(host.requests) < 12
    assert not {"Cookie", "Referer", "User-Agent"} & set(host.headers)


def leaves(entries, _):
    return build_roots_leaves(entries, 40)


@pytest.mark.parametrize("how", ["leaves", "unordered", "repeated"])
def test_however_the_archive_is_laid_out(host, city, tmp_path, monkeypatch, how):
    """Directories of directories; tiles in no order; runs of tiles that are the same bytes, beyond the region too."""
    tiles = dict.fromkeys(city, city[8, 129, 88]) if how == "repeated" else city
    with monkeypatch.context() as patch:
        if how == "leaves":
            patch.setattr(writer, "optimize_directories", leaves)
        order = random.Random(3).sample(list(tiles), len(tiles)) if how == "unordered" else None
        host.body = write_archive(tmp_path / "other.pmtiles", tiles, order=order).read_bytes()
    archive, _ = made(host, tmp_path)
    assert all(archive.tile(*at) == (body if below(PARIS, at) else None) for at, body in tiles.items())
    if how == "repeated":
        assert archive.size < 2 * len(city[8, 129, 88])
    if how == "leaves":
        assert len(host.requests) < len(city) / 20, "each directory is read once"


def test_the_host_learns_whole_tiles_of_zoom_8(host, tmp_path):
    requested = []
    for box in [(2.3, 48.8, 2.3001, 48.8001), (1.45, 48.0, 2.75, 48.8)]:
        host.requests.clear()
        made(host, tmp_path, Region.around((box[0], 48.1, box[2], 48.9)))
        requested.append(list(host.requests))
    assert requested[0] == requested[1], "two boxes in one tile request the same"


def test_across_the_antimeridian(monkeypatch, tmp_path):
    tiles = tiles_below(255, 88, 9) | tiles_below(0, 88, 9)
    region = Region.around((179.5, 48.5, -179.5, 48.6))
    assert (region.west, region.columns) == (255, 2)
    with serving(write_archive(tmp_path / "far.pmtiles", tiles).read_bytes()) as host:
        archive, bounds = made(host, tmp_path, region)
    assert all(archive.tile(*tile) == body for tile, body in tiles.items())
    assert bounds[0] < 180 < bounds[2]


class TestSizes:
    def test_less_zoom_where_all_do_not_fit(self, host, tmp_path, monkeypatch):
        whole, _ = made(host, tmp_path)
        host.requests.clear()
        archive, _ = made(host, tmp_path, most=whole.size // 2)
        assert archive.zooms[1] in (8, 9, 10)
        assert host.received <= whole.size // 2

    def test_none_where_zoom_8_does_not_fit(self, host, tmp_path):
        with pytest.raises(TooMuch, match="to zoom [0-8]"):
            made(host, tmp_path, most=FIRST + 300)
        assert host.received <= FIRST + 300
        assert sum(1 for _ in host.requests) <= 2, "only directories were read"

    def test_half_a_continent_is_not_requested(self, host, tmp_path):
        with pytest.raises(TooMuch, match="at most 1,024"):
            made(host, tmp_path, Region.around((-180, -80, 180, 80)))
        assert host.requests == []

    def test_tiles_that_share_bytes_count_each(self, host, tmp_path, planet):
        first = zxy_to_tileid(8, 0, 0)
        host.body = forged(planet, [Entry(first + i, i, 1_900_000, 1) for i in range(60)], tiles=2_000_000)
        with pytest.raises(TooMuch):
            made(host, tmp_path, Region(0, 0, 16, 16))
        assert len(host.requests) == 1

    def test_what_arrives_is_counted_whatever_was_planned(self, host):
        with RemoteFile(host.url, 1000) as file, pytest.raises(TooMuch):
            file.read(0, 5000)


def forged(planet, entries, leaves=b"", tiles=1000):
    """An archive with other directories, and zeros as tiles."""
    root = serialize_directory(entries)
    places = [127, len(root), 127 + len(root), 0, 127 + len(root), len(leaves), 127 + len(root) + len(leaves), tiles]
    return planet[:8] + struct.pack("<8Q", *places) + planet[72:127] + root + leaves + bytes(tiles)


BOMB = gzip.compress(bytes(5_000_000))


@pytest.mark.parametrize(
    ("entries", "leaves"),
    [
        ([Entry(0, 0, len(BOMB), 0)], BOMB),  # a directory that is much larger than it seems
        ([Entry(0, 0, 2_000_000, 0)], b""),
        ([Entry(0, 10**9, 100, 0)], b""),  # outside of its part
        ([Entry(0, 0, 3_000_000, 1)], b""),  # a tile that is too large
        ([Entry(0, 990, 100, 1)], b""),  # one that is outside of its part
        ([Entry(22_000_000, 0, 10, 1)], b""),  # nothing of the region
    ],
)
def test_forged_directories_are_refused(host, planet, tmp_path, entries, leaves):
    host.body = forged(planet, entries, leaves)
    with pytest.raises(NotPMTiles):
        made(host, tmp_path)
    assert host.received < 200_000


def test_a_directory_that_names_itself_ends(host, planet, tmp_path):
    itself = serialize_directory([Entry(0, 0, 1, 0)])
    for length in range(1, 80):
        again = serialize_directory([Entry(0, 0, length, 0)])
        itself = again if len(again) == length else itself
    host.body = forged(planet, [Entry(0, 0, len(itself), 0)], itself)
    with pytest.raises(NotPMTiles, match="levels"):
        made(host, tmp_path)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_line_that_is_cut_once_is_mended(host, city, tmp_path, at):
    count = itertools.count()
    host.fault = lambda handler, *span: next(count) == at and (handler.cut(*span) or True)
    with RemoteFile(host.url, area_extract.MOST_BYTES) as file, (tmp_path / "area.pmtiles").open("wb") as out:
        extract(file, PARIS, out, lambda *_: None)
    archive = open_archive(tmp_path / "area.pmtiles")
    assert all(archive.tile(*tile) == body for tile, body in city.items() if below(PARIS, tile))
    assert next(count) > at + 1


def after_the_first(answer):
    return lambda handler, first, last: first > 0 and (answer(handler, first, last) or True)


def short(handler, first, last):
    handler.part(first, last - 1)


def other_place(handler, first, last):
    handler.part(first + 1, last + 1)


WRONG = {
    "whole file": (lambda h, first, last: h.part(first, last, status=200), WrongAnswer, "206, got 200"),
    "redirect": (lambda h, first, last: h.part(first, last, status=302, Location="/other"), WrongAnswer, "redirect"),
    "not there": (lambda h, first, last: h.part(first, last, status=404), WrongAnswer, "404"),
    "no range": (lambda h, first, last: h.part(first, last, Content_Range=None), WrongAnswer, "Content-Range"),
    "no size": (lambda h, first, last: h.part(first, last, Content_Range=f"bytes {first}-{last}/*"), WrongAnswer, "C"),
    "other place": (other_place, WrongAnswer, "bytes"),
    "shorter": (short, WrongAnswer, "bytes"),
    "no length": (lambda h, first, last: h.part(first, last, Content_Length=None), WrongAnswer, "length"),
    "other length": (lambda h, first, last: h.part(first, last, Content_Length="7"), WrongAnswer, "length"),
    "compressed": (lambda h, first, last: h.part(first, last, Content_Encoding="gzip"), WrongAnswer, "compressed"),
    "other version": (lambda h, first, last: h.part(first, last, ETag='"2"'), ArchiveChanged, "replaced"),
    "other size": (
        lambda h, first, last: h.part(first, last, Content_Range=f"bytes {first}-{last}/{len(BOMB)}"),
        ArchiveChanged,
        "replaced",
    ),
    "cut": (lambda h, first, last: h.cut(first, last), ArchiveUnreached, "broke"),
}


@pytest.mark.parametrize("name", WRONG)
def test_another_answer_than_was_requested_is_refused(host, name):
    answer, kind, text = WRONG[name]
    host.fault = after_the_first(answer)
    with RemoteFile(host.url, 10**9) as file:
        assert file.read(0, FIRST) == host.body[:FIRST]
        with pytest.raises(kind, match=text):
            file.read(FIRST, 1000)
    assert len(host.requests) == (1 + remote_archive.TRIES if name == "cut" else 2)


def test_a_host_that_is_silent_or_away_is_given_up(monkeypatch, host):
    monkeypatch.setattr(remote_archive, "TIMEOUT_S", 0.2)
    monkeypatch.setattr(remote_archive, "PAUSE_S", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with RemoteFile(f"http://127.0.0.1:{port}/x", 1000) as file, pytest.raises(ArchiveUnreached, match="in time"):
            file.read(0, 10)
    with RemoteFile(f"http://127.0.0.1:{port}/x", 1000) as file, pytest.raises(ArchiveUnreached):
        file.read(0, 10)
    with RemoteFile(host.url.replace("http:", "https:"), 1000) as file, pytest.raises(ArchiveUnreached, match="SSL"):
        file.read(0, 10)


def test_cancelling_stops_in_the_middle(host):
    class Stop(Exception):
        pass

    calls = itertools.count()

    def watch():
        if next(calls) == 2:
            raise Stop

    with RemoteFile(host.url, 10**9, watch) as file, pytest.raises(Stop):
        file.read(0, 300_000)
    assert file.received < 300_000


def test_no_file_of_a_map_is_one(host, tmp_path):
    for body in (b"<html>" * 5000, b"", b"PMTiles"):
        host.body = body or b" "
        with pytest.raises((NotPMTiles, WrongAnswer)), RemoteFile(host.url, 10**6) as file:
            extract(file, PARIS, io.BytesIO(), lambda *_: None)


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://host/a", "/local/planet.pmtiles", "https://me:secret@host/a", "https://host", "https://host/a#b"),
        *("https://", "https://HOST/a", "https://host/a b", "https://host/\r\nX: y"),
    ],
)
def test_the_operators_address_is_checked_at_the_start(url):
    with pytest.raises(ImproperlyConfigured, match="CAIRN_MAP_ARCHIVE"):
        archive_address(url)
    assert archive_address("") == ""
    assert archive_address("https://maps.example.org:8443/planet.pmtiles?key=1").endswith("?key=1")


def test_other_compressions_are_refused(tmp_path, host, city):
    path = write_archive(tmp_path / "odd.pmtiles", {(0, 0, 0): city[0, 0, 0]})
    body = bytearray(path.read_bytes())
    body[97] = Compression.BROTLI.value  # of the directories
    host.body = bytes(body)
    with pytest.raises(NotPMTiles, match="gzip"):
        made(host, tmp_path)
