"""Files read, stored, released and written, beside polars, numpy, gpxpy, loops over rows, and Django's rows."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from benchmarks.floors import Floor
from benchmarks.references import formats as reference
from benchmarks.references import ingest
from benchmarks.timing import Side
from dashboard.storage.data_files import write_data
from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import together
from privacy_engine.datatypes.labelled_release import Marks, release_trajectories
from privacy_engine.formats import read
from privacy_engine.landmarks import parse_short
from privacy_engine.releases.spec import ReleaseSpec

ROWS, GPX, FEW, PEOPLE = 1_000_000, 100_000, 50_000, 100
EVENT_BYTES = 24
STAMPS = 1_718_447_400 + 60 * (np.arange(ROWS) % (ROWS // PEOPLE))


@pytest.fixture(scope="session")
def table() -> pl.DataFrame:
    """Random walks of a hundred people, an event a minute."""
    walk = np.cumsum(np.random.default_rng(0).normal(0, 2e-4, (2, PEOPLE, ROWS // PEOPLE)), axis=2)
    lat, lon = walk.reshape(2, ROWS).round(6) + np.array([52.5, 13.4])[:, None]
    person = np.repeat([f"p{number:03d}" for number in range(PEOPLE)], ROWS // PEOPLE)
    times = pl.Series(STAMPS * 1000).cast(pl.Datetime("ms", "UTC"))
    return pl.DataFrame({"user": person, "time": times, "lat": lat.round(6), "lon": lon.round(6)})


@pytest.fixture(scope="session")
def walks(table: pl.DataFrame, tmp_path_factory: Any) -> Path:
    """The same as Parquet."""
    path: Path = tmp_path_factory.mktemp("files") / "walks.parquet"
    table.write_parquet(path)
    return path


def equal(series: Sequence[Trajectory], times: Any, lon: Any, lat: Any) -> bool:
    """Whether the series are exactly these columns, or begin with them."""
    some = together(series)
    rows = slice(len(lon))
    return all(map(np.array_equal, (some.time_s[rows], some.lon[rows], some.lat[rows]), (times, lon, lat)))


def frame_columns(frame: pl.DataFrame) -> tuple[Any, Any, Any]:
    """Seconds, longitudes and latitudes of a table of polars."""
    return frame["time"].dt.epoch("ms").to_numpy() / 1000, frame["lon"].to_numpy(), frame["lat"].to_numpy()


Reader = Callable[[str], Any]
PLAIN: dict[str, dict[str, Reader]] = {
    "ISO times": {"plain": lambda text: reference.plain_csv(text, iso=True)},
    "epoch seconds": {"plain": lambda text: reference.plain_csv(text, iso=False), "numpy": reference.numpy_csv},
}


@pytest.mark.parametrize("times", PLAIN)
def bench_reading_csv(beside: Any, table: pl.DataFrame, times: str) -> None:
    """All but polars and the engine read a part, of one person, without that column."""
    iso = times == "ISO times"
    written = table if iso else table.with_columns(time=table["time"].dt.epoch("s"))
    form = {"datetime_format": "%Y-%m-%dT%H:%M:%SZ"} if iso else {}
    text = written.write_csv(**form).encode()
    part = written.drop("user").head(ROWS // PEOPLE).write_csv(**form)
    series = read(io.BytesIO(text)).series
    frame = pl.read_csv(io.BytesIO(text), try_parse_dates=True)
    assert equal(series, *(frame_columns(frame) if iso else (frame["time"], frame["lon"], frame["lat"])))
    for reader in PLAIN[times].values():
        lon, lat, seconds = reader(part)
        assert equal(series, seconds, lon, lat)
    beside(
        f"reading CSV with {times}, {ROWS:,} rows",
        Side(lambda: read(io.BytesIO(text)), ROWS),
        unit="rows",
        floors=[Floor("copy", len(text))],
        polars=Side(lambda: pl.read_csv(io.BytesIO(text), try_parse_dates=True), ROWS),
        **{name: Side(lambda reader=reader: reader(part), ROWS // PEOPLE) for name, reader in PLAIN[times].items()},
    )


def bench_reading_parquet(beside: Any, walks: Path) -> None:
    assert equal(read(walks).series, *frame_columns(pl.read_parquet(walks)))
    beside(
        f"reading Parquet, {ROWS:,} rows",
        Side(lambda: read(walks), ROWS),
        unit="rows",
        floors=[Floor("copy", EVENT_BYTES * ROWS)],
        polars=Side(lambda: pl.read_parquet(walks), ROWS),
    )


@pytest.mark.parametrize("name", ["csv", "parquet"])
def bench_writing(beside: Any, walks: Path, tmp_path: Path, name: str) -> None:
    """A release's export with its label, which has a time of milliseconds and positions of seven decimals."""
    spec = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}, "seed": 1})
    series = read(walks).series
    made = release_trajectories(spec, series, Marks.none(series))
    path = tmp_path / f"out.{name}"

    def ours() -> None:
        with path.open("wb") as out:
            made.write(name, out)

    ours()
    frame = pl.read_csv(path, try_parse_dates=True, comment_prefix="#") if name == "csv" else pl.read_parquet(path)
    assert equal([one.series for one in made.published], *frame_columns(frame))

    def polars() -> None:
        if name == "csv":
            frame.write_csv(path, datetime_format="%Y-%m-%dT%H:%M:%S%.3fZ", float_precision=7)
        else:
            frame.write_parquet(path)

    beside(
        f"writing {name} with its label, {ROWS:,} rows",
        Side(ours, ROWS),
        unit="rows",
        floors=[Floor("copy", path.stat().st_size if name == "csv" else EVENT_BYTES * ROWS)],
        polars=Side(polars, ROWS),
    )


@pytest.mark.parametrize("name", ["event-level", "landmark-uniform", "landmark-adaptive"])
def bench_release(beside: Any, walks: Path, name: str) -> None:
    """Publishable noise, budgets, digest and label."""
    spec = ReleaseSpec.parse({"mechanism": {"name": name, "epsilon": 1.0, "radius_m": 200.0}})
    series = read(walks).series
    marks = Marks.none(series)
    if name != "event-level":
        marks = Marks.of(series, parse_short("synthetic:1%:uniform:1"))
    beside(
        f"release by {name}, {ROWS:,} events of {PEOPLE} people, exact noise",
        Side(lambda: release_trajectories(spec, series, marks), ROWS),
        unit="events",
        floors=[Floor("noise", ROWS), Floor("copy", EVENT_BYTES * ROWS)],
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[None]:
    with ingest.database(tmp_path / "bulk.sqlite3"):
        yield


def bench_csv_parsed_and_stored(beside: Any, database: None, table: pl.DataFrame, tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.csv", tmp_path / "part.csv"
    table.write_csv(whole)
    table.head(FEW).write_csv(part)
    assert ingest.pandas_bulk(part) == FEW
    stored = ingest.stored()
    assert equal(read(whole).series, STAMPS[:FEW], stored["lon"], stored["lat"])
    figure = beside(
        f"a CSV of {ROWS:,} rows parsed and stored; library: pandas.read_csv and Django's bulk_create into SQLite",
        Side(lambda: write_data("trajectory", tmp_path / "points.parquet", read(whole).series), ROWS),
        unit="rows",
        floors=[Floor("copy", whole.stat().st_size)],
        library=Side(lambda: ingest.pandas_bulk(part), FEW),
    )
    assert figure.ratio("library") >= 3


def bench_reading_gpx(beside: Any) -> None:
    points = "".join(
        f'<trkpt lat="{lat:.6f}" lon="13.405001"><time>{stamp}Z</time></trkpt>\n'
        for lat, stamp in zip(
            np.linspace(52, 53, GPX), np.datetime_as_string((STAMPS[0] + np.arange(GPX)).astype("M8[s]")), strict=True
        )
    )
    text = f'<gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>'
    series = read(io.BytesIO(text.encode())).series
    lon, lat, seconds = reference.plain_gpx(text)
    assert equal(series, seconds, lon, lat)
    assert equal(series, seconds, *ingest.gpxpy_points(text))
    figure = beside(
        f"reading GPX, {GPX:,} points; library: gpxpy",
        Side(lambda: read(io.BytesIO(text.encode())), GPX),
        unit="points",
        floors=[Floor("copy", len(text))],
        plain=Side(lambda: reference.plain_gpx(text), GPX),
        library=Side(lambda: ingest.gpxpy_points(text), GPX),
    )
    assert figure.ratio("library") >= 1
