"""Releases opened with trackintel, in an environment of its own: its wheel has packages called tests and benchmarks."""

import json
import sysconfig

import numpy as np
import pandas as pd
import pytest

import privacy_engine as pe
from tests.fresh_environment import fresh_environment

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

EVENTS = 200
PROGRAM = """
import json, sys
import geopandas, pandas
import trackintel
from trackintel.io import read_positionfixes_csv, read_positionfixes_gpd

folder, found = sys.argv[1], {}
columns = {"person": "user_id", "time": "tracked_at", "lat": "latitude", "lon": "longitude"}
read = {"csv": read_positionfixes_csv(f"{folder}/r.csv", columns=columns, crs="EPSG:4326")}
for name in ("gpkg", "points.geojson", "geoparquet"):
    opened = geopandas.read_parquet if name == "geoparquet" else geopandas.read_file
    frame = opened(f"{folder}/r.{name}")
    frame["time"] = pandas.to_datetime(frame["time"], utc=True)
    read[name] = read_positionfixes_gpd(frame, tracked_at="time", user_id="person", geom_col=frame.geometry.name)
for name, fixes in read.items():
    fixes = trackintel.Positionfixes(fixes)
    _, stays = fixes.generate_staypoints(dist_threshold=1e6, time_threshold=30, gap_threshold=1e4, include_last=True)
    found[name] = {
        "users": fixes["user_id"].tolist(),
        "times": [one.isoformat() for one in fixes["tracked_at"]],
        "lon": fixes.geometry.x.tolist(),
        "lat": fixes.geometry.y.tolist(),
        "stays": len(stays),
    }
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trackintel")
    run = fresh_environment(folder)
    (found,) = folder.glob("lib/python*/site-packages")
    (found / "this.pth").write_text(sysconfig.get_path("purelib"))
    run("-m", "pip", "install", "-q", "trackintel")
    return run


def test_its_position_fixes_are_the_published_positions(python, tmp_path):
    rng, parts = np.random.default_rng(1), []
    for person in ("ann", "bo"):
        lat, lon = (centre + rng.normal(0, 2e-4, EVENTS).cumsum() for centre in (48.85, 2.35))
        times = pd.date_range("2024-05-01T08:00:00Z", periods=EVENTS, freq="60s")
        parts.append(pd.DataFrame({"who": person, "time": times, "lat": lat, "lon": lon}))
    release = pe.read(pd.concat(parts), person="who").landmarks("stay-points:200m:30min").release(
        "landmark-uniform", epsilon=1, radius_m=200
    )  # fmt: skip
    for suffix in ("csv", "gpkg", "points.geojson", "geoparquet"):
        release.write(tmp_path / f"r.{suffix}")
    printed = python("-W", "ignore", "-c", PROGRAM, str(tmp_path), cwd=tmp_path)
    expected = release.to_dataframe()
    for name, found in json.loads(printed.splitlines()[-1]).items():
        assert found["users"] == expected["person"].tolist(), name
        assert pd.to_datetime(found["times"]).tolist() == expected["time"].tolist(), name
        for axis in ("lon", "lat"):
            np.testing.assert_allclose(found[axis], expected[axis], atol=1e-9, err_msg=name)
        assert found["stays"] >= 2, name  # of one person each
