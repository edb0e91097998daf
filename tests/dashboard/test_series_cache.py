"""The cache of series: bounded, and without duplicates."""

import numpy as np
import pytest

from dashboard.datasets import steps
from dashboard.maps import joined_tracks
from dashboard.storage import data_files, parquet, series_cache
from dashboard.storage.data_files import read_data, read_release, write_data, write_release
from privacy_engine.analysis.step_facts import step_facts
from privacy_engine.data import Trajectory
from privacy_engine.datatypes.trajectory_table import PublishedSeries
from privacy_engine.errors import ParameterError


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
    assert len(series_cache.line(written(tmp_path, "large", 31), 0)) == 31
    assert list(kept) == [a], "a file larger than the cache is not cached"


class TestLargeFiles:
    """A file of more points than the cache may hold: the same series, each read when it is needed."""

    @pytest.fixture
    def both(self, tmp_path, monkeypatch):
        """The lines in memory of a file with several row groups, one empty series, and its path."""
        monkeypatch.setattr(series_cache, "_kept", series_cache.OrderedDict())
        monkeypatch.setattr("privacy_engine.datatypes.trajectory_table.BATCH", 25)
        monkeypatch.setattr("dashboard.storage.large_files.BATCH", 7)
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

    def test_lines_are_those_in_memory(self, both):
        held, path = both
        large = series_cache.lines(path)
        assert not isinstance(large, list)
        assert series_cache.sizes_of(large) == series_cache.sizes_of(held) == [20, 0, 33, 1, 26]
        for number, (one, other) in enumerate(zip(held, large, strict=True)):
            for again in (other, series_cache.line(path, number)):
                for name in ("lon", "lat", "y", "time_ms"):
                    np.testing.assert_array_equal(getattr(one, name), getattr(again, name))
        assert not series_cache._kept
        with pytest.raises(ParameterError):
            series_cache.line(path, 5)

    def test_only_the_rows_of_the_series_are_read(self, both, monkeypatch):
        _, path = both
        monkeypatch.setattr(parquet, "read_table", lambda *_: pytest.fail("the whole file was read"))
        assert len(parquet.read_rows(path, 20, 53)) == 33
        assert len(series_cache.line(path, 2)) == 33

    def test_maps_and_facts_are_those_in_memory(self, both):
        held, path = both
        large, lengths = series_cache.lines(path), [20, 0, 33, 1, 26]
        for points in (10, 1000):
            drawn = [joined_tracks.encode(some, lengths, points=points, reduce="sample") for some in (held, large)]
            assert drawn[0] == drawn[1]
        facts = [step_facts([steps._columns(one) for one in some]) for some in (held, large)]
        assert facts[0] == facts[1]

    def test_data_and_releases_are_those_in_memory(self, tmp_path, monkeypatch):
        walks = [Trajectory(np.arange(n) / 10, np.arange(n) / 20, np.arange(n), str(n)) for n in (9, 4)]
        drawn = [PublishedSeries(one, np.arange(len(one))) for one in walks]
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
