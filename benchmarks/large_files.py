"""Three large files of generated data, the same on every run: random walks, no one's movements.

python -m benchmarks.large_files csv|records|geolife PATH [SHARE]

``csv``: 10⁷ rows of 1,000 people, in the order of time. ``records``: 1 GB in the layout of Google Takeout's
Records.json. ``geolife``: a ZIP of 182 people in 18,670 files in the layout of Geolife, 2 GB of text unpacked.
``SHARE`` makes a part of it.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

START_S = 1_718_447_400
CSV_ROWS, CSV_PEOPLE, CSV_STEP = 10_000_000, 1000, 100
RECORDS_BYTES = 1_000_000_000
GEOLIFE_FILES, GEOLIFE_PEOPLE, GEOLIFE_POINTS = 18_670, 182, 1640
CENTRE = np.array([[39.9], [116.4]])
PLT_HEAD = (
    "Geolife trajectory\r\nWGS 84\r\nAltitude is in Feet\r\nReserved 3\r\n0,2,255,My Track,0,0,2,8421376\r\n0\r\n"
)


def write_csv(path: Path, share: float = 1.0) -> int:
    """Write a table of positions; each person has one in every minute. How many rows there are."""
    rng = np.random.default_rng(0)
    minutes = int(CSV_ROWS * share) // CSV_PEOPLE
    place = np.stack((rng.uniform(52.3, 52.7, CSV_PEOPLE), rng.uniform(13.1, 13.7, CSV_PEOPLE)))
    people = [f"p{one:04d}" for one in range(CSV_PEOPLE)]
    with path.open("w") as out:
        out.write("person,time,lat,lon\n")
        for minute in range(minutes):
            place += rng.normal(0, 2e-4, place.shape)
            stamp = f"{np.datetime64(START_S + 60 * minute, 's')}Z"
            out.writelines(
                f"{who},{stamp},{lat:.6f},{lon:.6f}\n" for who, lat, lon in zip(people, *place.tolist(), strict=True)
            )
    return minutes * CSV_PEOPLE


def write_records(path: Path, share: float = 1.0) -> int:
    """Write a location history, indented as Google writes it; every fourth entry has activities. How many entries."""
    rng = np.random.default_rng(1)
    entries, size, lat, lon = 0, 0, 525_200_000, 134_050_000
    with path.open("w") as out:
        out.write('{\n  "locations": [')
        while size < RECORDS_BYTES * share:
            steps = rng.integers(-3000, 3000, (10_000, 2))
            for east, north in steps.tolist():
                lon, lat = lon + east, lat + north
                size += out.write(("," if entries else "") + _record(lon, lat, entries))
                entries += 1
        out.write("]\n}\n")
    return entries


def _record(lon: int, lat: int, number: int) -> str:
    stamp = f"{np.datetime64((START_S + 45 * number) * 1000 + number % 1000, 'ms')}Z"
    activity = "" if number % 4 else _activity(stamp)
    return f"""{{
    "latitudeE7": {lat},
    "longitudeE7": {lon},
    "accuracy": {10 + number % 40},
    "altitude": {30 + number % 20},
    "verticalAccuracy": 3,{activity}
    "source": "WIFI",
    "deviceTag": -1438218731,
    "platformType": "ANDROID",
    "formFactor": "PHONE",
    "serverTimestamp": "{stamp}",
    "timestamp": "{stamp}"
  }}"""


def _activity(stamp: str) -> str:
    kinds = ",".join(
        f' {{\n        "type": "{kind}",\n        "confidence": {confidence}\n      }}'
        for kind, confidence in (("STILL", 62), ("IN_VEHICLE", 31), ("ON_FOOT", 5), ("UNKNOWN", 2))
    )
    return f"""
    "activity": [{{
      "activity": [{kinds}],
      "timestamp": "{stamp}"
    }}],"""


def write_geolife(path: Path, share: float = 1.0) -> int:
    """Write a ZIP as Geolife is published: ``Data/000/Trajectory/20081023025304.plt``. How many points."""
    rng = np.random.default_rng(2)
    files = max(1, round(GEOLIFE_FILES * share))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(files):
            person, of_person = divmod(number, -(-GEOLIFE_FILES // GEOLIFE_PEOPLE))
            start = START_S + of_person * 86_400 + 60 * person
            name = f"Geolife Trajectories 1.3/Data/{person:03d}/Trajectory/{_compact(start)}.plt"
            steps = rng.normal(0, 5e-5, (2, GEOLIFE_POINTS)).cumsum(axis=1)
            info = zipfile.ZipInfo(name, (2012, 8, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, PLT_HEAD + "".join(_plt_lines(start, *(steps + CENTRE).tolist())))
    return files * GEOLIFE_POINTS


def _compact(seconds: int) -> str:
    return "".join(char for char in str(np.datetime64(seconds, "s")) if char.isdigit())


def _plt_lines(start: int, lats: list[float], lons: list[float]) -> Iterator[str]:
    stamps = np.datetime_as_string((start + 5 * np.arange(len(lats))).astype("datetime64[s]")).tolist()
    for step, (lat, lon, stamp) in enumerate(zip(lats, lons, stamps, strict=True)):
        days = 25569 + (start + 5 * step) / 86_400
        yield f"{lat:.6f},{lon:.6f},0,{100 + step % 90},{days:.10f},{stamp[:10]},{stamp[11:]}\r\n"


WRITERS: dict[str, Callable[[Path, float], int]] = {
    "csv": write_csv,
    "records": write_records,
    "geolife": write_geolife,
}
NAMES = {"csv": "ten-million.csv", "records": "Records.json", "geolife": "geolife-like.zip"}

if __name__ == "__main__":
    kind, to, *rest = sys.argv[1:]
    print(WRITERS[kind](Path(to), float(rest[0]) if rest else 1.0))
