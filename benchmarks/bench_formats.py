"""How many times faster files are read than by a plain loop over their rows, both measured in one run.

    python benchmarks/bench_formats.py

CPU time of this process, medians of alternating rounds. The plain loop does what every script does: ``csv.reader``,
``float`` and ``datetime.fromisoformat`` into lists; for GPX ``xml.etree.ElementTree.iterparse``.
"""

from __future__ import annotations

import csv
import io
import statistics
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from privacy_engine.formats import read

ROWS, ROUNDS = 200_000, 3
ISO = "time,lat,lon\n" + "2024-06-15T10:30:00Z,52.520001,13.405001\n" * ROWS
EPOCH = "time,lat,lon\n" + "1718447400,52.520001,13.405001\n" * ROWS
POINT = '<trkpt lat="52.520001" lon="13.405001"><time>2024-06-15T10:30:00Z</time></trkpt>\n'
GPX = '<gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>' + POINT * (ROWS // 4) + "</trkseg></trk></gpx>"


def plain_table(text: str, seconds: Callable[[str], float]) -> int:
    """Row by row."""
    lon, lat, times = [], [], []
    rows = csv.reader(io.StringIO(text))
    next(rows)
    for when, y, x in rows:
        times.append(seconds(when))
        lat.append(float(y))
        lon.append(float(x))
    return len(lon)


def plain_gpx(text: str) -> int:
    """Element by element."""
    found = []
    for _, element in ElementTree.iterparse(io.BytesIO(text.encode())):
        if element.tag.endswith("trkpt"):
            when = datetime.fromisoformat(element[0].text or "").timestamp()
            found.append((float(element.get("lon", "")), float(element.get("lat", "")), when))
            element.clear()
    return len(found)


def iso(text: str) -> float:
    """Seconds of an ISO time."""
    return datetime.fromisoformat(text).astimezone(UTC).timestamp()


def ours(text: str) -> int:
    """The product's reader."""
    return len(read(io.BytesIO(text.encode())))


CASES: dict[str, tuple[str, Callable[[str], int]]] = {
    "CSV, ISO times": (ISO, lambda text: plain_table(text, iso)),
    "CSV, epoch seconds": (EPOCH, lambda text: plain_table(text, float)),
    "GPX": (GPX, plain_gpx),
}


def spent(function: Callable[[str], int], text: str) -> tuple[int, float]:
    """Rows and CPU seconds of one call."""
    start = time.process_time()
    return function(text), time.process_time() - start


def main() -> None:
    """Print a line for each kind of file."""
    for title, (text, plain) in CASES.items():
        pairs = [(spent(ours, text), spent(plain, text)) for _ in range(ROUNDS)]
        assert all(mine[0] == theirs[0] for mine, theirs in pairs)
        ratio = statistics.median(theirs[1] / mine[1] for mine, theirs in pairs)
        rate = pairs[0][0][0] / statistics.median(mine[1] for mine, _ in pairs) / 1000
        print(f"{title:20} {rate:8,.0f} thousand rows a CPU-second, {ratio:5.1f} times the plain loop")


if __name__ == "__main__":
    main()
