"""``manage.py release`` and ``manage.py verify`` with files of counts and of check-ins."""

import csv

import pyarrow.parquet as pq
import pytest

from dashboard.releases.management.commands.release import Command
from privacy_engine import formats
from privacy_engine.verify import verify
from privacy_engine.verify.readers import bare
from tests.dashboard import kinds
from tests.dashboard.command_runner import runner
from tests.dashboard.kinds import POPULARITY, SAMPLE, STREAM


def given(mechanism):
    rest = [part for name, value in mechanism.items() if name != "name" for part in ("--set", f"{name}={value}")]
    return ["--mechanism", str(mechanism["name"]), *rest]


@pytest.fixture
def run(capsys):
    return runner(Command, "release", capsys)


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_bytes(kinds.wide(kinds.counts()))
    return path


@pytest.fixture
def checkins(tmp_path):
    path = tmp_path / "checkins.csv"
    path.write_bytes(kinds.checkins(kinds.checkin_rows()))
    return path


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
@pytest.mark.parametrize("mechanism", [STREAM, SAMPLE], ids=lambda one: one["name"])
def test_releases_counts(run, counts, tmp_path, mechanism, fmt):
    out = tmp_path / f"out.{fmt}"
    stated, wrong, code = run(counts, *given(mechanism), "--out", out)
    assert (wrong, code) == ("", 0)
    assert stated.startswith("40 timestamps. Whichever events of at most 4 successive timestamps")
    assert verify(out.read_bytes(), out.name).holds
    read, before = (formats.read(file, kinds=("stream",)).other for file in (out, counts))  # the label is no dimension
    assert (read.time_name, read.names, read.labels) == ("date", before.names, before.labels)
    if fmt == "csv":
        checks = verify(out.read_bytes().replace(b"date,", b"time,", 1)).checks
        assert [check.name for check in checks if not check.holds] == ["digest"]


def test_states_what_is_left_out_and_counts_positions_where_the_user_states_it(run, tmp_path):
    path, out = tmp_path / "counts.csv", tmp_path / "out.csv"
    path.write_text("time,a,b\n2026-01-01,1,2\n2026-01-02,,7\n2026-01-03,-1,7\n2026-01-04,x,7\n2026-01-05,3,\n")
    stated, _, code = run(path, *given(SAMPLE), "--out", out)
    assert (stated.startswith("1 timestamp. "), code) == (True, 0)
    assert "Left out: " in stated
    assert "2 lines (3, 6): A value is empty" in stated
    assert "1 line (4): A count is negative." in stated
    assert "1 line (5): The position or a count is not a number." in stated
    file, out = tmp_path / "positions.csv", tmp_path / "out.csv"
    file.write_bytes(kinds.wide(kinds.counts()[:, :2], ("lat", "lon")))
    assert run(file, "--kind", "stream", *given(STREAM), "--out", out)[1:] == ("", 0)
    assert verify(out.read_bytes(), out.name).holds


HEADERS = {
    "wide": (kinds.wide(kinds.counts(4)), ["date", *kinds.NAMES]),
    "tab": (kinds.wide(kinds.counts(4)).replace(b",", b"\t"), ["date", *kinds.NAMES]),
    "long": (kinds.long(kinds.counts(4)), ["date", *kinds.NAMES]),
    "weeks": (b"epiweek,a,b\n201452,1,2\n201501,3,4\n", ["epiweek", "a", "b"]),
    "index without a name": (b",a,b\n2024-01-01,1,2\n2024-01-02,3,4\n", ["", "a", "b"]),
    "formula": (b"=day,a\n2024-01-01,1\n2024-01-02,2\n", ["=day", "a"]),
    "series": (b"series,time,a\n1,2,3\n4,5,6\n", ["time (2)", "series", "time", "a"]),
    "no header": (b"1,2,3\n4,5,6\n", ["time", "1", "2", "3"]),
}


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
@pytest.mark.parametrize("given_as", HEADERS)
def test_the_export_has_the_header_and_timestamps_of_the_input(run, tmp_path, given_as, fmt):
    """None of these needs --kind: their columns are those of counts alone."""
    data, header = HEADERS[given_as]
    file, out = tmp_path / "counts.csv", tmp_path / f"out.{fmt}"
    file.write_bytes(data)
    _, wrong, code = run(file, *given(STREAM), "--out", out)
    assert (wrong, code) == ("", 0)
    assert verify(out.read_bytes(), out.name).holds
    if fmt == "csv":
        written = [bare(cell) for cell in next(csv.reader(out.read_text().splitlines()))][:-2]
    else:
        written = pq.read_schema(out).names
    assert written == header


REFUSED = {
    "no guarantee": ("counts", given(SAMPLE | {"name": "stream-rescuedp"}), "seed is required: this mechanism has no"),
    "landmarks": ("counts", [*given(STREAM), "--landmarks", "manual:0"], "--landmarks must be left"),
    "dummies": ("counts", [*given(STREAM), "--dummies", "one-sided:1"], "--dummies must be left out"),
    "cleaning": ("counts", [*given(STREAM), "--clean", "first-events:3"], "--clean must be left out"),
    "steps": ("counts", [*given(STREAM), "--then", "ou-smoother"], "steps for the kind stream"),
    "format": ("counts", [*given(STREAM), "--out", "o.gpx"], "--out must be a file name that ends in .csv, .parquet"),
    "json of counts": ("counts", [*given(STREAM), "--out", "o.json"], "--out must be a file name"),
    "fractions": ("eighths", given(STREAM), "whole numbers from 0 to 2**52"),
    "check-ins as counts": ("checkins", given(STREAM), "CommandError"),
    "positions or counts": ("positions", given(STREAM), "--kind must be given for this file: "),
    "another kind": ("counts", ["--kind", "trajectory", *given(STREAM)], "must be a mechanism for the kind trajectory"),
    "counts as check-ins": ("counts", given(POPULARITY), "need a column of the user"),
    "no positions": ("bare", given(POPULARITY), "must have positions"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_fail_with_one_clear_line_and_no_file(run, counts, checkins, tmp_path, monkeypatch, why):
    file, rest, reported = REFUSED[why]
    bare = [row.rsplit(",", 2)[0] for row in kinds.checkin_rows()]
    (tmp_path / "bare.csv").write_bytes(kinds.checkins(bare, "user_id,time,venue_id"))
    (tmp_path / "positions.csv").write_bytes(kinds.wide(kinds.counts()[:, :2] % 90, ("lat", "lon")))
    (tmp_path / "eighths.csv").write_bytes(kinds.wide(kinds.counts() / 8))
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    stated, wrong, code = run(f"{file}.csv", "--out", "o.csv", *rest)
    assert (code != 0, stated, wrong.count("\n")) == (True, "", 1)
    assert reported in wrong
    assert sorted(tmp_path.iterdir()) == before
