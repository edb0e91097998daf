"""Vector files that geopandas writes, and coordinate systems, compared with geopandas and pyproj."""

import io
import zipfile

import numpy as np
import pytest

from privacy_engine.errors import FormatError
from privacy_engine.formats import crs, read
from tests.cases import each, refusal
from tests.engine.damaged_files import refused
from tests.engine.format_samples import CSV, read_bytes, seconds, zipped
from tests.later import geopandas
from tests.later import pandas as pd

FIX = 1718452800


def frame(system="EPSG:4326"):
    """Three fixes of two people in Berlin."""
    table = pd.DataFrame(
        {"user": ["a", "a", "b"], "time": [f"2024-06-15T12:0{i}:00Z" for i in range(3)], "lon": [13.4, 13.5, 13.6]}
    )
    points = geopandas.points_from_xy(table.pop("lon"), [52.5, 52.6, 52.7], crs="EPSG:4326")
    return geopandas.GeoDataFrame(table, geometry=points).to_crs(system)


def shapefile(folder, system="EPSG:4326", *, without=""):
    frame(system).to_file(folder / "fixes.shp")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.glob("fixes.*")):
            if path.suffix != without:
                archive.write(path, f"export/{path.name}")
    return out.getvalue()


def flatgeobuf(folder, system="EPSG:4326"):
    frame(system).to_file(folder / "fixes.fgb", driver="FlatGeobuf", SPATIAL_INDEX="NO")
    return (folder / "fixes.fgb").read_bytes()


WRITERS = {"shapefile": shapefile, "flatgeobuf": flatgeobuf}


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("system", ["EPSG:4326", "EPSG:32633", "EPSG:3857", "EPSG:2180", "EPSG:27700"])
def test_points_times_and_people_are_those_of_geopandas(tmp_path, format, system):
    reading = read(io.BytesIO(WRITERS[format](tmp_path, system)), name="x")
    assert reading.report.format == format
    expected = frame()
    assert [(one.name, one.person, seconds(one)) for one in reading.series] == [
        ("a", "a", [FIX, FIX + 60]),
        ("b", "b", [FIX + 120]),
    ]
    lon, lat = (np.concatenate([getattr(one, axis) for one in reading.series]) for axis in ("lon", "lat"))
    assert lon == pytest.approx(expected.geometry.x, abs=1e-7)
    assert lat == pytest.approx(expected.geometry.y, abs=1e-7)


def test_a_part_of_a_shapefile_is_refused_with_advice(tmp_path):
    data = shapefile(tmp_path)
    with pytest.raises(FormatError, match=r"\.shp, \.shx, \.dbf and \.prj into one ZIP"):
        read_bytes((tmp_path / "fixes.shp").read_bytes(), "fixes.shp")
    with pytest.raises(FormatError, match=r"lacks its \.dbf"):
        read_bytes(shapefile(tmp_path, without=".dbf"), "x.zip")
    assert len(read_bytes(data)) == 3


def test_an_archive_without_shapefiles_is_read_member_by_member():
    assert read_bytes(zipped(a=CSV), "x.zip").report.format == "zip"


@pytest.mark.parametrize("format", WRITERS)
def test_damaged_files_are_refused_or_read(tmp_path, format):
    data = WRITERS[format](tmp_path)
    rng = np.random.default_rng(5)
    for end in range(20, len(data), max(1, len(data) // 15)):
        survives(data[:end])
    for _ in range(40):
        damaged = bytearray(data)
        for at in rng.integers(0, len(data), 3):
            damaged[at] = rng.integers(0, 256)
        survives(bytes(damaged))


@pytest.mark.parametrize("part", [".shp", ".shx", ".dbf", ".prj"])
def test_damaged_parts_of_a_shapefile_are_refused_or_read(tmp_path, part):
    with zipfile.ZipFile(io.BytesIO(shapefile(tmp_path))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    rng = np.random.default_rng(6)
    name = f"export/fixes{part}"
    for _ in range(20):
        damaged = bytearray(parts[name])
        for at in rng.integers(0, len(damaged), 4):
            damaged[at] = rng.integers(0, 256)
        survives(zipped(**parts | {name: bytes(damaged[: rng.integers(1, len(damaged) + 1)])}))


def survives(data):
    refused(lambda: read_bytes(data, "x"))


def test_a_bomb_of_a_shapefile_is_stopped(tmp_path):
    with zipfile.ZipFile(io.BytesIO(shapefile(tmp_path))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    failed = refusal(FormatError, read_bytes, zipped(**parts | {"export/fixes.dbf": b"\0" * 50_000_000}), "x.zip")
    assert failed.code == "compression_ratio"


@each("name", ["EPSG:999999", "+proj=utm +zone=33", "+init=epsg:4326", "/etc/passwd", "PROJCS[]"])
def test_systems_without_a_known_code_are_refused(name):
    with pytest.raises(FormatError, match="is not known") as failed:
        crs.to_degrees(np.array([1.0]), np.array([2.0]), name)
    assert (failed.value.code, failed.value.field) == ("unsupported_crs", "crs")
