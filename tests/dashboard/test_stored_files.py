"""Stored files: read and written as before, as series that are cached, and as the tracks of a map."""

import errno
import json
import stat

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dashboard.datasets import people
from dashboard.datasets.trajectory import steps
from dashboard.maps import joined_tracks, series_cache, track_encoding
from dashboard.maps.series_cache import Line, line
from dashboard.storage import data_files, local_files, parquet
from dashboard.storage.data_files import read_data, read_release, write_data, write_release
from privacy_engine import errors
from privacy_engine.core import geo
from privacy_engine.data import Release, Trajectory
from privacy_engine.datatypes import datatypes, trajectory_table
from tests.dashboard.api_helpers import UNIFORM, decode_track, first_error, refused, release_url
from tests.dashboard.release_runs import drawn
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
    found = {name: [getattr(one, name) for one in read] for name in ("lon", "lat", "time_s", "marked")}
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

    def test_a_release_its_events_and_the_map(self, tmp_path):
        read = read_release("trajectory", as_before(tmp_path / "old", COLUMNS | EVENT))
        assert [(one.series.name, one.event.tolist()) for one in read] == [("a", [0, 3]), ("b", [1]), ("c", [2])]
        assert [series.lon.tolist() for series, _ in read] == [[8.5, -180.0], [1e-7], [0.0]]
        found = line(as_before(tmp_path / "old", COLUMNS | EVENT), 0)
        assert (found.lon.tolist(), found.lat.tolist()) == ([85_000_000, -1_800_000_000], [473_000_000, -900_000_000])
        assert (found.time_ms.tolist(), found.event.tolist()) == ([1_000, 61_500], [0, 3])


class TestWriting:
    def test_data_and_releases_are_the_same_bytes(self, tmp_path):
        untimed = {name: values for name, values in COLUMNS.items() if name != "time_ms"}
        for columns in (COLUMNS, COLUMNS | MARKED, untimed):
            old = as_before(tmp_path / "old", columns, write_page_checksum=True)
            write_data("trajectory", tmp_path / "new", read_data("trajectory", old))
            assert (tmp_path / "new").read_bytes() == old.read_bytes()
        old = as_before(tmp_path / "old", COLUMNS | EVENT, write_page_checksum=True)
        spent, read = np.ones(4), read_release("trajectory", old)
        drawn = [Release(one.series, one.event, spent, spent > 0, spent) for one in read]  # as a mechanism returns it
        for release in (read, drawn):
            write_release("trajectory", tmp_path / "new", release)
            assert (tmp_path / "new").read_bytes() == old.read_bytes()


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


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.setattr(series_cache, "_kept", series_cache.OrderedDict())
    monkeypatch.setattr(series_cache, "MOST", 30)
    return series_cache._kept


def written(folder, name, n=10):
    walk = Trajectory(np.arange(n) / 10, np.arange(n) / 20, np.arange(n))
    write_data("trajectory", folder / name, [walk, walk.first(2)])
    return folder / name


def test_a_file_is_read_once(tmp_path, kept, monkeypatch):
    path = written(tmp_path, "a")
    first = series_cache.line(path, 0)
    monkeypatch.setattr(parquet, "read_table", lambda _: pytest.fail("read again"))
    assert series_cache.line(path, 0) is first
    assert series_cache.line(path, 1).lon.tolist() == [0, 1_000_000]
    columns = [column for line in kept[path] for column in (line.lon, line.lat, line.y, line.time_ms)]
    # what a kernel made has memory of numba's as its base
    assert not any(isinstance(column.base, np.ndarray) and column.base.size > column.size for column in columns)


def test_the_file_used_longest_ago_is_evicted_first(tmp_path, kept):
    a, b, c = (written(tmp_path, name) for name in "abc")
    for path in (a, b, a, c):
        series_cache.line(path, 0)
    assert list(kept) == [a, c]
    c.unlink()
    with pytest.raises(FileNotFoundError):
        series_cache.line(c, 0)
    assert list(kept) == [a]
    large = written(tmp_path, "large", 31)
    assert len(series_cache.line(large, 0)) == len(series_cache.level(large, 0)) == 31
    large.unlink()
    for path in (c, large):
        with pytest.raises(FileNotFoundError):
            series_cache.level(path, 0)
    assert list(kept) == [a], "a file larger than the cache is not cached"


class TestLargeFiles:
    """A file of more points than the cache may hold: the same series, each read when it is needed."""

    @pytest.fixture
    def both(self, tmp_path, monkeypatch):
        """The lines in memory of a file with several row groups, one empty series, and its path."""
        monkeypatch.setattr(series_cache, "_kept", series_cache.OrderedDict())
        monkeypatch.setattr("privacy_engine.datatypes.trajectory_table.BATCH", 25)
        monkeypatch.setattr("dashboard.storage.data_files.BATCH", 7)
        rng = np.random.default_rng(4)
        series = [
            Trajectory(rng.random(n), rng.random(n), 60.0 * np.arange(n), name=str(n), person=str(n % 2))
            for n in (20, 0, 33, 1, 26)
        ]
        write_data("trajectory", tmp_path / "points", series)
        held = list(series_cache.lines(tmp_path / "points"))
        monkeypatch.setattr(series_cache, "_kept", series_cache.OrderedDict())
        monkeypatch.setattr(series_cache, "MOST", 30)
        return held, tmp_path / "points"

    def test_lines_maps_and_facts_are_those_in_memory(self, both):
        held, path = both
        large = series_cache.lines(path)
        assert not isinstance(large, list)
        assert series_cache.sizes_of(large) == series_cache.sizes_of(held) == [20, 0, 33, 1, 26]
        for number, (one, other) in enumerate(zip(held, large, strict=True)):
            for again in (other, series_cache.line(path, number)):
                for name in ("lon", "lat", "y", "time_ms"):
                    np.testing.assert_array_equal(getattr(one, name), getattr(again, name))
        assert not series_cache._kept
        with pytest.raises(errors.ParameterError):
            series_cache.line(path, 5)
        large, lengths = series_cache.lines(path), [20, 0, 33, 1, 26]
        for points in (10, 1000):
            drawn = [joined_tracks.encode(some, lengths, points=points, reduce="sample") for some in (held, large)]
            assert drawn[0] == drawn[1]
        facts = [steps._facts_of(some) for some in (held, large)]
        assert facts[0] == facts[1]

    def test_only_the_rows_of_the_series_are_read(self, both, monkeypatch):
        _, path = both
        monkeypatch.setattr(parquet, "read_table", lambda *_: pytest.fail("the whole file was read"))
        assert len(parquet.Rows(path).columns(20, 53)["lon"]) == 33
        assert len(series_cache.line(path, 2)) == 33

    def test_rows_of_one_group_and_of_several(self, both):
        _, path = both
        whole = {name: column.to_numpy() for name, column in zip(*_columns(path), strict=True)}
        rows = parquet.Rows(path)
        for first, last in ((0, 80), (3, 9), (9, 9), (30, 31), (2, 60), (59, 80), (80, 80), (0, 0), (12, 40), (79, 99)):
            for name, values in rows.columns(first, last).items():
                assert values.tolist() == whole[name][first:last].tolist(), (name, first, last)

    def test_a_track_is_put_together_in_a_file(self, both, monkeypatch):
        held, path = both
        expected = [track_encoding.encode(one) for one in held]
        monkeypatch.setattr(track_encoding, "IN_MEMORY", 16)
        monkeypatch.setattr("privacy_engine.data.mapped_series.FEW", 5)
        assert [track_encoding.encode(one) for one in series_cache.lines(path)] == expected

    def test_data_and_releases_are_those_in_memory(self, tmp_path, monkeypatch):
        walks = [Trajectory(np.arange(n) / 10, np.arange(n) / 20, np.arange(n), str(n)) for n in (9, 4)]
        drawn = [trajectory_table.PublishedSeries(one, np.arange(len(one))) for one in walks]
        write_data("trajectory", tmp_path / "points", walks)
        write_release("trajectory", tmp_path / "release", drawn)
        monkeypatch.setattr(data_files, "FEW", 5)
        large = read_release("trajectory", tmp_path / "release")
        assert not isinstance(large, list)
        assert [len(one.event) for one in large] == [9, 4]
        for one, other, again in zip(walks, large, read_data("trajectory", tmp_path / "points"), strict=True):
            for name in ("lon", "lat", "time_s"):
                np.testing.assert_array_equal(getattr(one, name), getattr(other.series, name))
                np.testing.assert_array_equal(getattr(one, name), getattr(again, name))


def _columns(path):
    table = parquet.read_table(path)
    return table.column_names, table.columns


URL = "/api/v1/datasets/"


def lines(*lengths):
    rng = np.random.default_rng(5)
    walks = [rng.normal(0, 1e4, (2, n)).cumsum(axis=1).astype(np.int32) for n in lengths]
    return [Line(lon, lat) for lon, lat in walks]


@pytest.fixture
def three(owner, make_dataset):
    return make_dataset(
        owner,
        Trajectory([0, 1, 2], [0, 1, 0], [0, 1, 2], name="a"),
        Trajectory([5], [6], [7], name="b"),
        Trajectory([1, 2], [3, 4], [5, 6], name="c"),
    )


class TestAnswers:
    def test_each_series_is_a_piece_whose_events_go_on(self, owner_api, three):
        found = decode_track(owner_api.get(f"{URL}{three.pk}/tracks/").content)
        assert [value / 1e7 for value in found["lon"]] == [0, 1, 2, 5, 1, 2]
        assert (found["event"], found["ends"], found["time_ms"]) == ([0, 1, 2, 3, 4, 5], [3, 4, 6], [])
        assert owner_api.get(f"{URL}{three.pk}/").json()["urls"]["tracks"] == f"{URL}{three.pk}/tracks/"
        for field, value in (("points", "999"), ("points", "400001"), ("points", "x"), ("reduce", "all")):
            assert refused(owner_api.get(f"{URL}{three.pk}/tracks/", {field: value})) == (400, field), value

    def test_events_of_a_release_are_those_of_its_dataset(self, owner, owner_api, three):
        row = drawn(owner, three, [0, 4], UNIFORM | {"name": "landmark-skip"}, seed=1)
        found = decode_track(owner_api.get(release_url(row, "tracks")).content)
        parts = [decode_track(owner_api.get(release_url(row, "track"), {"series": k}).content) for k in range(3)]
        assert found["lon"] == [value for part in parts for value in part["lon"]]
        assert found["ends"] == np.cumsum([len(part["lon"]) for part in parts]).tolist()
        events = [part["event"] or range(len(part["lon"])) for part in parts]
        assert found["event"] == [first + one for of, first in zip(events, (0, 3, 4), strict=True) for one in of]


class TestReduction:
    @pytest.mark.parametrize("reduce", joined_tracks.REDUCE)
    def test_keeps_at_most_the_points_and_every_series(self, reduce):
        made = lines(3000, 1, 40, 5000)
        found = decode_track(joined_tracks.encode(made, [3000, 1, 40, 5000], points=1000, reduce=reduce))
        assert 800 <= len(found["lon"]) <= 1000 + 2 * len(made)
        assert np.diff([0, *found["ends"]]).min() >= 1
        at = dict(zip(found["event"], found["lon"], strict=True))
        whole = np.concatenate([one.lon for one in made])
        assert all(whole[event] == place for event, place in at.items())


class TestSteps:
    """The facts of the steps of one series, or of all: what the page of the dataset shows."""

    def test_of_all_series_and_of_one(self, owner_api, three):
        url = owner_api.get(f"{URL}{three.pk}/").json()["urls"]["steps"]
        everything = owner_api.get(url).json()
        assert (everything["median_s"], everything["gap_s"], everything["gap_share"]) == (1, 10, 0)
        one = owner_api.get(url, {"series": 2}).json()
        assert one["median_m"] == pytest.approx(float(geo.distance_m(1, 3, 2, 4)))
        assert set(owner_api.get(url, {"series": 1}).json().values()) == {None}, "one event has no step"
        answer = owner_api.get(url, {"series": 3})
        message = "series must be between 0 and 2, got 3"
        assert (answer.status_code, first_error(answer)["message"]) == (400, message)
