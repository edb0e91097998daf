"""Reading files: no numbered item; kept beside the loop over rows that every script has."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.references import formats as reference
from benchmarks.timing import Side
from privacy_engine.formats import read

ROWS = 200_000
SECONDS = 1718447400 + np.arange(ROWS)
STAMPS = np.datetime_as_string(SECONDS.astype("datetime64[s]"))
LAT = [f"{degrees:.6f}" for degrees in 52 + np.random.default_rng(0).random(ROWS)]
EPOCH = "time,lat,lon\n" + "".join(f"{t},{y},13.405001\n" for t, y in zip(SECONDS, LAT, strict=True))
ISO = "time,lat,lon\n" + "".join(f"{t}Z,{y},13.405001\n" for t, y in zip(STAMPS, LAT, strict=True))
POINTS = "".join(
    f'<trkpt lat="{y}" lon="13.405001"><time>{t}Z</time></trkpt>\n' for t, y in zip(STAMPS, LAT, strict=True)
)
GPX = f'<gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{POINTS}</trkseg></trk></gpx>'

Reader = Callable[[str], Any]
CASES: dict[str, tuple[str, dict[str, Reader]]] = {
    "CSV with ISO times": (ISO, {"plain": lambda text: reference.plain_csv(text, iso=True)}),
    "CSV with epoch seconds": (
        EPOCH,
        {"plain": lambda text: reference.plain_csv(text, iso=False), "numpy": reference.numpy_csv},
    ),
    "GPX": (GPX, {"plain": reference.plain_gpx}),
}


@pytest.mark.parametrize("kind", CASES)
def bench_reading(beside: Any, kind: str) -> None:
    text, readers = CASES[kind]
    (series,) = read(io.BytesIO(text.encode())).series
    for reader in readers.values():
        assert all(map(np.array_equal, reader(text), (series.lon, series.lat, series.time_s)))
    beside(
        f"reading {kind}",
        Side(lambda: read(io.BytesIO(text.encode())), ROWS),
        unit="a row",
        each=True,
        **{name: Side(lambda reader=reader: reader(text), ROWS) for name, reader in readers.items()},
    )
