"""Reading files row by row, as every script does; numpy's own reader where it has one."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime

import numpy as np

Columns = tuple[list[float], list[float], list[float]]


def plain_csv(text: str, *, iso: bool) -> Columns:
    """Longitudes, latitudes and seconds of ``time,lat,lon`` rows under one line of names."""
    lon, lat, times = [], [], []
    rows = csv.reader(io.StringIO(text))
    next(rows)
    for when, y, x in rows:
        times.append(datetime.fromisoformat(when).astimezone(UTC).timestamp() if iso else float(when))
        lat.append(float(y))
        lon.append(float(x))
    return lon, lat, times


def numpy_csv(text: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As :func:`plain_csv`, for seconds."""
    times, lat, lon = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, unpack=True)
    return lon, lat, times


def plain_gpx(text: str) -> Columns:
    """The track points of a GPX file, element by element."""
    lon, lat, times = [], [], []
    for _, element in ElementTree.iterparse(io.BytesIO(text.encode())):
        if element.tag.endswith("trkpt"):
            lon.append(float(element.get("lon", "")))
            lat.append(float(element.get("lat", "")))
            times.append(datetime.fromisoformat(element[0].text or "").timestamp())
            element.clear()
    return lon, lat, times
