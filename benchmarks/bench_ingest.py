"""Issue-sized files: 10⁶ rows parsed and stored beside pandas and Django's bulk insert, GPX beside gpxpy, 10⁷ rows."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.bench_formats import GPX, ROWS
from benchmarks.references import ingest as reference
from benchmarks.timing import Side
from dashboard.storage.data_files import write_data
from privacy_engine.formats import read

MANY, PART = 1_000_000, 50_000
MOST_MB = 500
ROOT = Path(__file__).resolve().parent.parent


def table(path: Path, rows: int) -> Path:
    """A CSV of five users in ISO times, written in pieces."""
    rng = np.random.default_rng(0)
    with path.open("w") as out:
        out.write("user,time,lat,lon\n")
        for start in range(0, rows, MANY):
            at = np.arange(start, min(start + MANY, rows))
            stamps = np.datetime_as_string((1718447400 + at).astype("datetime64[s]"))
            lat = 52 + rng.random(len(at))
            out.writelines(
                f"u{i * 5 // rows},{t}Z,{y:.6f},13.405001\n" for i, t, y in zip(at.tolist(), stamps, lat, strict=True)
            )
    return path


@pytest.fixture
def database(tmp_path: Path) -> Iterator[None]:
    with reference.database(tmp_path / "bulk.sqlite3"):
        yield


def bench_csv_parsed_and_stored(beside: Any, database: None, tmp_path: Path) -> None:
    whole, part = table(tmp_path / "whole.csv", MANY), table(tmp_path / "part.csv", PART)
    series = read(part).series
    rows = reference.pandas_bulk(part)
    assert rows == sum(len(one) for one in series) == PART
    found = reference.stored()
    for axis in ("lon", "lat"):
        assert np.array_equal(found[axis], np.concatenate([getattr(one, axis) for one in series]))

    def store() -> None:
        write_data("trajectory", tmp_path / "points.parquet", read(whole).series)

    figure = beside(
        "a CSV of 1,000,000 rows parsed and stored; library: pandas.read_csv and Django's bulk_create into SQLite",
        Side(store, MANY),
        unit="rows",
        library=Side(lambda: reference.pandas_bulk(whole), MANY),
    )
    assert figure.ratio("library") >= 3


def bench_gpx_beside_gpxpy(beside: Any) -> None:
    (series,) = read(io.BytesIO(GPX.encode())).series
    few = GPX.split("<trkpt", 2001)[:2001]
    text = "<trkpt".join(few) + "</trkseg></trk></gpx>"
    assert all(
        map(np.array_equal, reference.gpxpy_points(text), (column[:2000] for column in (series.lon, series.lat)))
    )
    part = "<trkpt".join(GPX.split("<trkpt", 20_001)[:20_001]) + "</trkseg></trk></gpx>"
    figure = beside(
        "reading GPX; library: gpxpy",
        Side(lambda: read(io.BytesIO(GPX.encode())), ROWS),
        unit="a point",
        each=True,
        library=Side(lambda: reference.gpxpy_points(part), 20_000),
    )
    assert figure.ratio("library") >= 1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def bench_ten_million_rows_in_flat_memory(finding: Any, benchmark: Any, tmp_path: Path) -> None:
    path = table(tmp_path / "ten.csv", 10 * MANY)
    script = (
        # not ru_maxrss, in which a new process begins with what its parent had
        "import re, sys; from privacy_engine.formats import Limits, read;"
        "reading = read(sys.argv[1], limits=Limits(total=10**9)); assert len(reading) == 10**7;"
        "print(int(re.search(r'VmHWM:\\s+([0-9]+)', open('/proc/self/status').read())[1]) / 1024)"
    )
    found: list[float] = []

    def once() -> None:
        done = subprocess.run(
            [sys.executable, "-c", script, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        found.append(float(done.stdout))

    benchmark.pedantic(once, rounds=1)
    finding(
        "", "most memory while 10,000,000 rows of CSV are read (440 MB)", f"≤ {MOST_MB} MB", f"{found[0]:.0f} MB",
        found[0] <= MOST_MB,
    )  # fmt: skip
    assert found[0] <= MOST_MB
