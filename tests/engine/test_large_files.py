"""Large files are read in memory that does not grow with them, with progress, within the limits."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.large_files import NAMES, WRITERS
from privacy_engine.cleaning import clean
from privacy_engine.data import Trajectory, mapped_series
from privacy_engine.data.mapped_series import FEW, MappedSeries, empty, in_files, mapped, piecewise
from privacy_engine.data.people import people
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.trajectory_table import index_of_batches
from privacy_engine.errors import DataError
from privacy_engine.formats import Limits, archive, read, rows
from tests.cases import each, refusal
from tests.engine.format_samples import refused, shows, zipped
from tests.engine.memory import peak_bytes

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import re, sys
from privacy_engine.formats import read
reading = read(sys.argv[1])
for one in reading.series:
    one.lon.sum()
print(len(reading), re.search(r"VmHWM:\\s+([0-9]+)", open("/proc/self/status").read())[1])
"""


TABLE = b"time,lat,lon\n" + b"".join(b"%d,52.5,13.4\n" % (1718452800 + i) for i in range(150_000))


class Stopped(Exception):
    pass


def peak_kb(path):
    """Points of a file, and the most memory of a process that reads it."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    points, peak = done.stdout.split()
    return int(points), int(peak)


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize(("kind", "share", "most_per_point"), [("geolife", 0.06, 12), ("records", 0.03, 150)])
def test_memory_of_eight_times_the_file(tmp_path, kind, share, most_per_point):
    found = []
    for times in (1, 8):
        path = tmp_path / NAMES[kind]
        made = WRITERS[kind](path, share * times)
        points, peak = peak_kb(path)
        assert points == made
        found.append((points, peak))
    (few, low), (many, high) = found
    assert 1000 * (high - low) / (many - few) < most_per_point, found


def test_entries_are_not_held():
    entry = {"latitudeE7": 525200000, "longitudeE7": 134050000, "timestamp": "2024-06-15T12:00:00Z", "note": "x" * 3000}
    peaks = []
    for count in (500, 4000):
        data = json.dumps({"locations": [entry] * count}).encode()
        peaks.append(peak_bytes(lambda data=data, count=count: shows(data, points=count)))
    assert peaks[1] < 1.5 * peaks[0]


@pytest.mark.slow
@each(
    ("kind", "share", "where"),
    [("geolife", 0.0065, (archive, "LARGE_BYTES", 0)), ("csv", 0.02, (mapped_series, "FEW", 100))],
)
def test_a_large_file_is_the_same_as_a_small_one(tmp_path, kind, share, where):
    path = tmp_path / NAMES[kind]
    WRITERS[kind](path, share)
    plain = read(path)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(*where)
        other = read(path)
    assert isinstance(other.series, MappedSeries | Trajectories)
    assert isinstance(plain.series, list) or not in_files(plain.series)
    assert other.report.as_dict() == plain.report.as_dict()
    same(plain.series, other.series)


def same(some, others):
    for one, other in zip(some, others, strict=True):
        assert (one.name, one.person) == (other.name, other.person)
        for column in ("lon", "lat", "time_s", "marked"):
            assert np.array_equal(getattr(one, column), getattr(other, column))


def test_facts_digests_and_tables_of_mapped_series(monkeypatch):
    rng = np.random.default_rng(3)
    sizes = (5, 0, 700, 1, 40)
    plain = []
    for n in sizes:
        lon, lat, times = rng.uniform(-9, 9, (3, n))
        plain.append(Trajectory(lon, lat, np.sort(times), f"s{n}", person="ab"[n % 2]))
    other, kind = mapped(plain), datatypes["trajectory"]
    same(plain, other)
    monkeypatch.setattr("privacy_engine.datatypes.trajectory_table.BATCH", 50)
    assert len(list(kind.to_tables(other))) > 1
    assert kind.to_table(other).equals(kind.to_table(plain), check_metadata=True)
    assert kind.facts(other) == kind.facts(plain)
    assert len(mapped([])) == len(mapped([Trajectory([], [])])) - 1 == 0
    assert kind.content_digest(other) == kind.content_digest(plain)
    table = kind.to_table(other)
    columns = kind.from_table(table)
    in_file = kind.from_batches(table.schema, table.to_batches(max_chunksize=13))
    same(columns, in_file)
    index = index_of_batches(table.schema, table.to_batches(max_chunksize=13))
    assert (index.names, index.people, index.sizes.tolist()) == ([*columns.names], [*columns.persons], [*sizes])
    spans = [(one.time_s[0], one.time_s[-1]) for one in columns if len(one)]
    found = np.column_stack([index.start_ms, index.end_ms])[index.sizes > 0] / 1000
    assert found.tolist() == [[*one] for one in spans]
    same(columns, columns[:])
    same(in_file, [in_file[i] for i in range(len(sizes))])
    assert [columns.starts.tolist(), columns[-1].name] == [[0, *np.cumsum(sizes)], "s40"]
    for found in (columns.people, in_file.people):
        np.testing.assert_equal([vars(one) for one in found], [vars(one) for one in people(list(columns))])
    empty = kind.to_table([])
    assert len(kind.from_table(empty)) == len(kind.from_batches(empty.schema, [])) == 0
    series = mapped([Trajectory([1.0, 2.0], [3.0, 4.0])])
    assert clean(series, ())[0] is series  # stays in its file


def test_columns_in_a_file_cannot_be_changed():
    kind, plain = datatypes["trajectory"], [Trajectory([1.0], [2.0], None, "a", np.array([True]))]
    table = kind.to_table(plain)
    for series in (mapped(plain), kind.from_batches(table.schema, table.to_batches()), kind.from_table(table)):
        (one,) = series
        with pytest.raises(ValueError, match="read-only"):
            one.lon[0] = 5
        with pytest.raises(ValueError, match="WRITEABLE"):
            one.lon.setflags(write=True)
        assert (one.time_s, one.marked.tolist()) == (None, [True])


@each(
    "changed, field",
    [
        ({"starts": [0, 3]}, "starts"),
        ({"starts": [0, 2, 4]}, "starts"),
        ({"starts": [1, 2, 3]}, "starts"),
        ({"starts": [0, 4, 3]}, "starts"),
        ({"persons": ["b"]}, "persons"),
        ({"lat": [1.0, 2.0]}, "lat"),
        ({"lon": [1.0, 181.0, 2.0]}, "lon"),
        ({"time_s": [1.0, 2.0]}, "time_s"),
        ({"time_s": [3.0, 2.0, 1.0]}, "time_s"),  # it decreases within the first series too
        ({"marked": [True]}, "marked"),
    ],
)
def test_columns_that_do_not_fit(changed, field):
    fitting = {"lon": [0.0] * 3, "lat": [0.0] * 3, "starts": [0, 2, 3], "names": "ab", "persons": "ba"}
    assert len(Trajectories(**fitting, time_s=[2.0, 2.0, 1.0])) == 2
    assert refusal(DataError, Trajectories, **fitting | changed).field == field


@each("packed", [False, True])
def test_progress_is_by_bytes_and_may_stop(packed):
    data = zipped(a=TABLE) if packed else TABLE
    shares = []
    read(io.BytesIO(data), watch=shares.append)
    assert shares == sorted(shares)
    assert len(set(shares)) > 3
    assert shares[-1] == 1.0

    def stop(share):
        if share > 0.5:
            raise Stopped

    with pytest.raises(Stopped):
        read(io.BytesIO(data), watch=stop)


class TestLimits:
    def test_positions(self, monkeypatch):
        monkeypatch.setattr(rows, "MOST_ROWS", 10)
        entry = {"latitudeE7": 1, "longitudeE7": 2, "timestamp": "2024-06-15T12:00:00Z"}
        refused(json.dumps({"locations": [entry] * 11}).encode(), "too_large", "more than 10 positions")

    @each(
        ("data", "text", "limits"),
        [
            (b"[1]" + b" " * 2_000_000, "are read", {"whole": 1_000_000}),
            (b'{"type": "FeatureCollection", "features": []}' + b" " * 2_000_000, "are read", {"whole": 1_000_000}),
            (TABLE, "more than 100,000 rows", {"points": 100_000}),
        ],
    )
    def test_bytes_of_a_format_that_is_held_in_memory_and_rows_of_a_table(self, data, text, limits):
        given = {"limits": Limits(**limits)} | ({} if data is TABLE else {"format": "geojson"})
        refused(data, "too_large", text, **given)


@pytest.mark.parametrize("n", [0, 5, FEW + 5])
def test_numbers_of_many_events_are_computed_in_pieces_that_a_file_holds(n):
    values = empty(n, np.int64)
    values[:] = np.arange(n)
    found = piecewise(lambda a, b: a * 2 + b, values, values)
    assert found.dtype == np.float64
    assert np.array_equal(found, 3.0 * np.arange(n))
    assert bool(in_files([found])) == bool(in_files([values])) == (n > FEW)


def test_a_full_disk_is_an_error_before_anything_is_written(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(OSError, match="No space"):
        empty(FEW + 1)
