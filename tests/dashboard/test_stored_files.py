"""Files that installations have: read as before, and written as before."""

import errno
import json
import stat

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dashboard.datasets import people
from dashboard.storage import local_files
from dashboard.storage.data_files import read_data, read_release, write_data, write_release
from dashboard.storage.series_cache import line
from privacy_engine.data import Release, Trajectory
from privacy_engine.datatypes import datatypes
from tests.engine.test_datatypes import DATA, released

DELTA = ("lon", "lat", "time_ms")
NAMES = {"series": ["a", "b", "c"], "people": ["anna", "ben", "anna"]}
COLUMNS = {
    "series": np.array([0, 0, 1, 2], np.int32),
    "lon": np.array([85_000_000, -1_800_000_000, 1, 0], np.int32),
    "lat": np.array([473_000_000, -900_000_000, 0, 7], np.int32),
    "time_ms": np.array([1_000, 61_500, -5, 30_000], np.int64),
}
MARKED = {"marked": np.array([True, False, False, True])}
EVENT = {"event": np.array([0, 3, 1, 2], np.int64)}


def as_before(path, columns, names=NAMES, **more):
    """A file as every version up to a889c29 wrote it; later ones write checksums of its pages too."""
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    table = table.replace_schema_metadata({name: json.dumps(values) for name, values in names.items()})
    delta = {name: "DELTA_BINARY_PACKED" for name in DELTA if name in columns}
    plain = [name for name in columns if name not in delta]
    usual = {"compression": "zstd", "use_dictionary": plain, "column_encoding": delta, "write_statistics": False}
    pq.write_table(table, path, **usual, **more)
    return path


def rows(path):
    read = read_data("trajectory", path)
    names = ("lon", "lat", "time_s", "marked")
    found = {name: [getattr(one, name) for one in read] for name in names}
    return {name: np.concatenate(parts).tolist() for name, parts in found.items() if parts[0] is not None}


class TestReading:
    def test_series_people_positions_times_and_marks(self, tmp_path):
        path = as_before(tmp_path / "old", COLUMNS | MARKED)
        read = read_data("trajectory", path)
        assert [(one.name, one.person, len(one)) for one in read] == [
            ("a", "anna", 2),
            ("b", "ben", 1),
            ("c", "anna", 1),
        ]
        assert rows(path) == {
            "lon": [8.5, -180.0, 1e-7, 0.0],
            "lat": [47.3, -90.0, 0.0, 7e-7],
            "time_s": [1.0, 61.5, -0.005, 30.0],
            "marked": [True, False, False, True],
        }
        columns = {name: COLUMNS[name] for name in ("series", "lon", "lat")}
        assert list(rows(as_before(tmp_path / "bare", columns))) == ["lon", "lat"]
        path = as_before(tmp_path / "older", COLUMNS, {"series": NAMES["series"]})  # before people were known
        assert {one.person for one in read_data("trajectory", path)} == {""}
        assert [person.members for person in people._people(path)] == [(0, 1, 2)]

    def test_people_and_their_order_of_events(self, tmp_path):
        anna, ben = people._people(as_before(tmp_path / "old", COLUMNS))
        assert (anna.name, anna.members, anna.lengths) == ("anna", (0, 2), (2, 1))
        assert anna.order.tolist() == [0, 2, 1]
        assert (ben.name, ben.members, ben.order) == ("ben", (1,), None)

    def test_a_release_and_its_events(self, tmp_path):
        read = read_release("trajectory", as_before(tmp_path / "old", COLUMNS | EVENT))
        assert [(one.series.name, one.event.tolist()) for one in read] == [("a", [0, 3]), ("b", [1]), ("c", [2])]
        assert [series.lon.tolist() for series, _ in read] == [[8.5, -180.0], [1e-7], [0.0]]

    def test_the_map_reads_whole_numbers(self, tmp_path):
        found = line(as_before(tmp_path / "old", COLUMNS | EVENT), 0)
        assert (found.lon.tolist(), found.lat.tolist()) == ([85_000_000, -1_800_000_000], [473_000_000, -900_000_000])
        assert (found.time_ms.tolist(), found.event.tolist()) == ([1_000, 61_500], [0, 3])


class TestWriting:
    def test_data_are_the_same_bytes(self, tmp_path):
        untimed = {name: values for name, values in COLUMNS.items() if name != "time_ms"}
        for columns in (COLUMNS, COLUMNS | MARKED, untimed):
            old = as_before(tmp_path / "old", columns, write_page_checksum=True)
            write_data("trajectory", tmp_path / "new", read_data("trajectory", old))
            assert (tmp_path / "new").read_bytes() == old.read_bytes()

    def test_releases_are_the_same_bytes(self, tmp_path):
        old = as_before(tmp_path / "old", COLUMNS | EVENT, write_page_checksum=True)
        spent, read = np.ones(4), read_release("trajectory", old)
        drawn = [Release(one.series, one.event, spent, spent > 0, spent) for one in read]  # as a mechanism returns it
        for release in (read, drawn):
            write_release("trajectory", tmp_path / "new", release)
            assert (tmp_path / "new").read_bytes() == old.read_bytes()

    def test_a_million_rows_take_less_than_4_bytes_each(self, tmp_path):
        rng, n = np.random.default_rng(0), 1_000_000
        lon, lat = (base + np.cumsum(rng.integers(-40, 41, n)) / 1e6 for base in (2.3, 48.8))
        write_data("trajectory", tmp_path / "new", [Trajectory(lon, lat, 1.7e9 + 5.0 * np.arange(n))])
        assert (tmp_path / "new").stat().st_size < 4 * n


def test_every_kind_is_stored_and_read(tmp_path):
    assert list(DATA) == list(datatypes)
    for kind, data in DATA.items():
        write_data(kind, tmp_path / kind, data)
        assert datatypes[kind].content_digest(read_data(kind, tmp_path / kind)) == datatypes[kind].content_digest(data)
        release = released(kind)
        write_release(kind, tmp_path / f"{kind} released", release)
        again = read_release(kind, tmp_path / f"{kind} released")
        assert datatypes[kind].digest(again) == datatypes[kind].digest(release)


class TestLocalFiles:
    def test_are_readable_by_the_server_alone_and_appear_whole_or_not_at_all(self, tmp_path):
        with local_files.written(tmp_path / "data") as out:
            out.write(b"rows")
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o600

        def full():
            yield b"new"
            raise OSError(errno.ENOSPC, "full")

        with pytest.raises(OSError, match="full"), local_files.written(tmp_path / "data") as out:
            out.writelines(full())
        assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("data", b"rows")]
