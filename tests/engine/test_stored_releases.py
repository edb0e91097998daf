"""Releases in a file: the same bits as in memory, whatever the number of series and people; memory of one person."""

import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.labelled_release import Marks, release_trajectories
from privacy_engine.datatypes.trajectory_table import series_of, series_of_batches, table_of
from privacy_engine.exports import FORMATS
from privacy_engine.formats.arrow import pa
from privacy_engine.landmarks import parse_short
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import each
from tests.engine.mechanism_examples import CLASSES, example
from tests.engine.test_large_files import same as same_series
from tests.patience import patience

KIND = datatypes["trajectory"]
SKIP = ReleaseSpec.parse({"mechanism": {"name": "landmark-skip", "epsilon": 1, "radius_m": 200}, "seed": 5})


def people():
    """Five series of three people, those of one of them interleaved, one without an event."""
    rng = np.random.default_rng(3)

    def one(n, name, person, step):
        lon, lat = rng.normal((2.35, 48.85), 1e-3, (n, 2)).T
        return Trajectory(lon, lat, 1e9 + n + step * np.arange(n), name, person=person)

    sizes = [(40, "a", "ada", 60.0), (30, "b", "bob", 90.0), (0, "none", "ada", 60.0), (25, "c", "ada", 60.0)]
    return [one(n, name, person, step) for n, name, person, step in [*sizes, (10, "d", "eve", 600.0)]]


def marks(series):
    return [LandmarkSet(np.arange(len(one)) % 7 == 3) for one in series]


def same(one, other):
    for name in ("lon", "lat", "time_s"):
        np.testing.assert_array_equal(getattr(one.series, name), getattr(other.series, name))
    for name in ("event", "budgets", "fresh", "sd_m"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == getattr(other, name).dtype
    assert (one.series.name, one.series.person) == (other.series.name, other.series.person)
    assert one.private == other.private


@pytest.fixture
def in_files(monkeypatch):
    monkeypatch.setattr("privacy_engine.data.mapped_series.FEW", 50)


@pytest.mark.parametrize("cls", CLASSES)
def test_bits_are_those_of_a_release_in_memory(cls, monkeypatch):
    series = people()
    spec = ReleaseSpec.parse({"mechanism": example(cls).model_dump(), "seed": 5})
    held = spec.release(series, marks(series))
    monkeypatch.setattr("privacy_engine.data.mapped_series.FEW", 50)
    stored = spec.release(series, marks(series))
    assert stored.lon.base is not None, "in a file"
    assert (held.lon.base, held.private) == (None, False)
    for one, other in zip(held, stored, strict=True):
        same(one, other)
    assert KIND.digest(held) == KIND.digest(stored)
    assert KIND.figures(series, held) == KIND.figures(series, stored)


@pytest.mark.parametrize("fmt", list(FORMATS))
def test_files_are_those_of_a_release_in_memory(fmt, monkeypatch):
    series, spec = people(), SKIP
    written = []
    for few in (10**6, 50):
        monkeypatch.setattr("privacy_engine.data.mapped_series.FEW", few)
        marked, out = Marks.of(series, parse_short("synthetic:20%:uniform:1")), BytesIO()
        made = release_trajectories(spec, series, marked)
        made.write(fmt, out)
        written.append((out.getvalue(), made.label))
    assert written[0] == written[1]


def test_columns_that_come_in_parts_are_those_of_one(in_files, monkeypatch):
    series, spec = people(), SKIP
    drawn = spec.release(series, marks(series))

    def parts():
        return [joined(KIND.budget_columns(drawn)), joined(KIND.owner_columns(series, drawn))]

    def joined(columns):
        found = list(columns)
        return {name: np.concatenate([part[name] for part in found]) for name in found[0]}

    whole, table = parts(), KIND.release_to_table(drawn)
    monkeypatch.setattr("privacy_engine.datatypes.trajectory_table.BATCH", 20)
    assert len(list(KIND.budget_columns(drawn))) > 2
    for one, other in zip(whole, parts(), strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])
    assert pa.concat_tables(KIND.release_to_tables(drawn)).equals(table)


@each("rows", [1, 7, 1000])
@each("series", [people(), people()[2:3], [Trajectory([], []), Trajectory([1.0], [2.0])], []])
def test_series_of_batches_are_those_of_the_table(rows, series):
    table = table_of(series)
    found = list(series_of_batches(table.schema, table.to_batches(max_chunksize=rows)))
    same_series(found, series_of(table))


def test_items_are_read_by_place_and_by_part(in_files):
    series = people()
    spec = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1, "radius_m": 200}})
    drawn = spec.release(series, marks(series))
    assert [len(one.event) for one in drawn[1:4]] == [30, 0, 25]
    assert drawn[-1].series.name == "d"
    assert all(one.private for one in drawn)
    with pytest.raises(IndexError):
        drawn[5]
    with pytest.raises(ValueError, match="read-only"):
        drawn[0].budgets[0] = 9.0


SCRIPT = """
import itertools, re, sys
import numpy as np
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.data.mapped_series import mapped
from privacy_engine.releases.spec import ReleaseSpec
rng = np.random.default_rng(0)
def walks(people):
    for i in range(people):
        lon, lat = rng.normal(0, 1e-4, (2, 10_000)).cumsum(axis=1)
        yield Trajectory(lon, lat, 1e9 + 60.0 * np.arange(10_000), str(i), person=str(i))
spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-uniform", "epsilon": 1, "radius_m": 200}, "seed": 1})
kind = datatypes["trajectory"]
def work(people):
    parts = kind.to_tables(mapped(walks(people)))
    first = next(parts)
    batches = (batch for part in itertools.chain([first], parts) for batch in part.to_batches(max_chunksize=250_000))
    series = kind.from_batches(first.schema, batches)
    drawn = spec.release(series, [LandmarkSet(np.arange(10_000) % 100 == 0)] * people)
    kind.figures(series, drawn), kind.digest(drawn)
    for part in kind.budget_columns(drawn): pass
    for part in kind.owner_columns(series, drawn): pass
    for part in kind.release_to_tables(drawn): pass
work(2)
before = int(re.findall(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[0])
work(int(sys.argv[1]))
print(int(re.findall(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[0]) - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_far_below_that_of_the_columns():
    """Of 3 million events, 219 MB with their originals; distances, a million rows at once, and no more."""
    how = {"cwd": Path(__file__).parents[2], "timeout": patience(300)}
    command = [sys.executable, "-c", SCRIPT, "300"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, **how)
    assert int(done.stdout) < 150_000
