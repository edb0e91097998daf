"""``manage.py aggregate``: events of a file counted on a grid, and what is released of the counts."""

import csv
import json

import pyarrow.parquet as pq
import pytest

from dashboard.datasets.management.commands.aggregate import Command
from dashboard.releases.management.commands.release import Command as Release
from privacy_engine.verify import verify
from tests.dashboard import kinds
from tests.dashboard.command_runner import runner
from tests.dashboard.test_aggregation import COUNTS, HEADER, ROWS

COUNT = ("--cell-m", "1112", "--step", "1h", "--count", "person", "--most", "2", "--box", "2.2,48.8,2.21,48.83")
TIMES = ("--start", "2024-06-03T08:00", "--end", "2024-06-03T11:00")


@pytest.fixture
def run(capsys):
    """``run(*arguments)``: stdout, stderr and exit code; in this process."""
    return runner(Command, "aggregate", capsys)


@pytest.fixture
def release(capsys):
    return runner(Release, "release", capsys)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "events.csv"
    path.write_bytes(kinds.checkins(ROWS, HEADER))
    return path


@pytest.mark.parametrize("kind", ["trajectory", "checkins"])
def test_counts_the_events_of_a_file(run, file, tmp_path, kind):
    out = tmp_path / "counts.csv"
    stated, wrong, code = run(file, "--kind", kind, *COUNT, *TIMES, "--out", out)
    assert (wrong, code) == ("", 0)
    assert stated.startswith("4 steps of 3 cells (3 × 1), 75.0% of the counts are 0, 1 events outside, 1 visits cut.")
    assert "Sensitivity 2: a person counts in at most 2 cells of a timestamp." in stated
    assert "taken from the data" not in stated
    header, *rows = csv.reader(out.read_text().splitlines())
    assert header == ["time", "r0c0", "r1c0", "r2c0"]
    assert [[int(cell) for cell in row[1:]] for row in rows] == COUNTS


def test_a_release_of_a_parquet_file_has_the_sensitivity_and_names_the_unit(run, release, file, tmp_path):
    counts, out = tmp_path / "counts.parquet", tmp_path / "out.parquet"
    assert "Not covered: the first and the last timestamp" in run(file, *COUNT, "--out", counts)[0]
    given = ["--mechanism", "stream-uniform", "--set", "epsilon=1", "--set", "window=2"]
    stated, wrong, code = release(counts, *given, "--out", out)
    assert (wrong, code) == ("", 0)
    assert "which covers all events of one person at these timestamps" in stated
    assert verify(out.read_bytes(), out.name).holds
    label = json.loads(pq.read_schema(out).metadata[b"cairn"])
    assert (label["sensitivity"], label["counted"]["unit"]) == (2, "person")
    _, wrong, code = release(counts, *given, "--set", "sensitivity=1", "--out", tmp_path / "other.csv")
    assert code != 0
    assert "sensitivity must be at least 2, the sensitivity of these counts, got 1" in wrong


REFUSED = {
    "extension": (["--out", "o.json"], "--out must be a file name that ends in .csv, .parquet"),
    "cells": (["--cell-m", "1", "--out", "o.csv"], "cell_m must be large enough for at most 20,000 cells, got 1 m"),
    "step": (["--step", "often", "--out", "o.csv"], "step must be a length such as"),
    "unit": (["--count", "user", "--out", "o.csv"], "unit must be one of 'person', 'series', 'event'"),
    "box": (["--box", "1,2,3", "--out", "o.csv"], "box"),
    "text in the box": (["--box", "a,48.8,2.21,48.83", "--out", "o.csv"], "box.0 must be a number, got 'a'"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_fail_with_one_clear_line_and_no_file(run, file, tmp_path, monkeypatch, why):
    more, reported = REFUSED[why]
    monkeypatch.chdir(tmp_path)
    stated, wrong, code = run(file, *COUNT, *more)
    assert (stated, code != 0, wrong.count("\n")) == ("", True, 1)
    assert reported in wrong
    assert list(tmp_path.iterdir()) == [file]
