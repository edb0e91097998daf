"""The cache of series: bounded, and without duplicates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dashboard.storage import parquet, series_cache
from dashboard.storage.data_files import write_data
from privacy_engine.data import Trajectory


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> series_cache.OrderedDict[Path, list[series_cache.Line]]:
    """An empty cache for 30 points."""
    monkeypatch.setattr(series_cache, "_kept", series_cache.OrderedDict())
    monkeypatch.setattr(series_cache, "MOST", 30)
    return series_cache._kept


def written(folder: Path, name: str, n: int = 10) -> Path:
    walk = Trajectory(np.arange(n) / 10, np.arange(n) / 20, np.arange(n))
    write_data("trajectory", folder / name, [walk, walk.first(2)])
    return folder / name


def test_a_file_is_read_once(tmp_path: Path, kept: object, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "a")
    first = series_cache.line(path, 0)
    monkeypatch.setattr(parquet, "read_table", lambda _: pytest.fail("read again"))
    assert series_cache.line(path, 0) is first
    assert series_cache.line(path, 1).lon.tolist() == [0, 1_000_000]


def test_the_file_used_longest_ago_is_evicted_first(tmp_path: Path, kept: dict[Path, object]) -> None:
    a, b, c = (written(tmp_path, name) for name in "abc")
    for path in (a, b, a, c):
        series_cache.line(path, 0)
    assert list(kept) == [a, c]


def test_a_file_larger_than_the_cache_is_returned_and_not_cached(tmp_path: Path, kept: dict[Path, object]) -> None:
    assert len(series_cache.line(written(tmp_path, "large", 31), 0)) == 31
    assert not kept


def test_what_is_kept_of_a_series_is_its_own(tmp_path: Path, kept: dict[Path, list[series_cache.Line]]) -> None:
    path = written(tmp_path, "a")
    series_cache.line(path, 0)
    columns = [column for line in kept[path] for column in (line.lon, line.lat, line.y, line.time_ms)]
    # what a kernel made has memory of numba's as its base
    assert not any(isinstance(column.base, np.ndarray) and column.base.size > column.size for column in columns)


def test_a_file_that_is_gone_is_gone(tmp_path: Path, kept: dict[Path, object]) -> None:
    path = written(tmp_path, "a")
    series_cache.line(path, 0)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        series_cache.line(path, 0)
    assert not kept
