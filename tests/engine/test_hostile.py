"""Every hostile upload behaves as its table states; read as bytes, as a path and under every hostile name."""

import builtins
import io
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats import display_name, read
from tests.cases import each, refusal
from tests.engine.format_samples import FACTS, seconds
from tests.engine.memory import peak_bytes
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
RISE_MB = 150
READ_ALL = """
import io, json, logging, resource, sys, warnings
from pathlib import Path
from privacy_engine.errors import ChoiceNeeded, EngineError
from privacy_engine.formats import read
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
warnings.simplefilter("always")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
read(io.BytesIO(b"time,lat,lon\\n2024-06-15T10:30:00Z,52.5,13.4\\n"))  # what every first reading loads
before, outcomes = peak(), {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    options = {}
    for _ in range(3):
        try:
            outcomes[path.name] = read(path, **options).report.outcome
        except ChoiceNeeded as choice:
            outcomes[path.name] = "ask"
            options[choice.parameter] = choice.default
            continue
        except EngineError as refused:
            outcomes[path.name] = refused.code
        break
print(json.dumps({"rise": peak() - before, "outcomes": outcomes}))
"""
# what EXPECTED.md states, and what it leaves open: the code of a refusal, the option that decides a choice
REFUSED = {
    "01": "empty", "02": "no_rows", "04": "empty", "12": "utf16_without_bom", "16": "line_too_long",
    "17": "compression_ratio", "18": "compression_ratio", "20": "nested_archive", "21": "too_many_members",
    "24": "damaged_archive", "50": "xml_doctype", "52": "xml_doctype", "56": "no_track", "57": "too_deep",
    "62": "other_kind",
}  # fmt: skip
CHOICES = {"07": "lat", "29": "swap", "31": "crs", "40": "time_zone", "43": "date_order"}
POINTS_ONCE_SETTLED = {"07": 2, "29": 5, "31": 5, "40": 4, "43": 5}
NUMBERS = [*REFUSED, *CHOICES, "03", "05", "08", "09", "10", "11", "14", "22", "25", "26", "27", "30", "32", "34", "36"]
NUMBERS += ["37", "38", "41", "44", "45", "47", "49", "53", "55", "59", "61", "64", "67"]
COLUMNS = ("number", "file", "bytes", "core", "outcome", "points", "right", "from")


@pytest.fixture(scope="session")
def hostile(shared):
    return shared / "hostile"


@pytest.fixture(scope="session")
def expected(hostile):
    rows = {}
    for line in (hostile / "EXPECTED.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 8 and cells[0].isdigit():
            rows[cells[0].zfill(2)] = dict(zip(COLUMNS, cells, strict=True))
    return rows


def file_of(hostile, number):
    return next(hostile.glob(f"{number}_*"))


def read_number(hostile, number, **options):
    return read(file_of(hostile, number), **options)


def utc(text):
    return float(np.datetime64(text, "s").astype(np.int64))


def holds(hostile, number, *, given=None, **expected):
    """A file is read with the options ``given``, and each fact of the reading is as expected."""
    found = read_number(hostile, number, **(given or {}))
    assert {what: FACTS[what](found) for what in expected} == expected
    return found


def test_the_table_below_covers_every_file(hostile, expected):
    assert set(NUMBERS) | {"68"} == set(expected)
    for outcome, listed in (("reject", REFUSED), ("ask", CHOICES)):
        assert {number for number, row in expected.items() if row["outcome"] == outcome} == set(listed)
    assert {row["file"].split()[0] for row in expected.values()} == {one.name for one in hostile.iterdir()} - {
        "EXPECTED.md"
    }


@each("number", NUMBERS)
@each("how", ["path", "stream"])
def test_outcome_points_and_drops_are_those_of_the_table(hostile, expected, number, how):
    row, path = expected[number], file_of(hostile, number)

    def attempt(**options):
        if how == "path":
            return read(path, **options)
        return read(io.BytesIO(path.read_bytes()), name=path.name, **options)

    if row["outcome"] == "reject":
        refused = refusal(FormatError, attempt)
        assert not isinstance(refused, ChoiceNeeded)
        assert refused.code == REFUSED[number]
        assert json.dumps(refused.as_dict(), allow_nan=False)
        return
    if row["outcome"] == "ask":
        requested = refusal(ChoiceNeeded, attempt)
        question = requested
        assert question.parameter == CHOICES[number]
        assert question.default in [value for value, _ in question.choices]
        assert json.dumps(question.as_dict(), allow_nan=False)
        reading = attempt(**{question.parameter: question.default})
        assert len(reading) == POINTS_ONCE_SETTLED[number]
    else:
        reading = attempt()
        assert reading.report.outcome == row["outcome"]
        assert len(reading) == reading.report.kept == int(row["points"])
    drops = re.search(r"Dropped: (\{.*?\})", row["right"])
    assert reading.report.dropped == (json.loads(drops[1]) if drops else {})
    assert json.dumps(reading.report.as_dict(), allow_nan=False)


def test_a_file_name_is_data(hostile):
    names = json.loads((hostile / "names.json").read_text())
    assert len(names) == 8
    rows = (f"u1,2008-10-23T02:5{i}:04Z,39.98,116.31\n".encode() for i in range(3))
    content = b"id,timestamp,lat,lon\n" + b"".join(rows)
    for name in names:
        reading = read(io.BytesIO(content), name=name)
        shown = reading.report.as_dict()["file"]
        assert (reading.report.outcome, len(reading)) == ("accept", 3)
        assert len(shown.encode()) <= 255
        assert not re.search(r"[\x00-\x1f\u202a-\u202e/\\]", shown)
    assert display_name("é" * 200).encode().decode() == "é" * 127  # whole characters
    assert display_name("C:\\x\\a\nb\u202e.csv") == "ab.csv"


def test_rows_columns_and_numbers(hostile):
    report = holds(hostile, "05", rows={"short_row": [6]}).report
    assert [note["rows"] for note in report.notes if note["code"] == "long_row"] == [[7]]
    holds(hostile, "14", rows={"nul": [5]})
    holds(hostile, "27", rows={"missing": [8, 9], "not_a_number": [11], "not_finite": [5, 6, 7, 10]})
    holds(hostile, "07", given={"lat": "#3"}, lat=[39.98, 39.98])
    holds(hostile, "07", given={"lat": "#4"}, lat=[0.0, 0.0])
    assert holds(hostile, "08", lat=[52.52, 52.5201, 52.5202, 52.5203, 52.5204]).series[0].lon[0] == 13.405
    found = holds(hostile, "09", lon=[116.391305, 116.391317])  # x, and stated to be a guess
    assert {guess["option"] for guess in found.report.guesses} >= {"lon", "lat", "time"}
    assert read_number(hostile, "34").series[0].lon[4:7].tolist() == [179.99, -180.0, -179.99]
    one = read_number(hostile, "36").series[0]
    assert one.lat == pytest.approx([39 + 59 / 60 + 4.9 / 3600, 39.9847, -33.8688], abs=1e-12)
    assert one.lon == pytest.approx([116 + 19 / 60 + 6.3 / 3600, 116.3184, -70.6693], abs=1e-12)
    holds(hostile, "64", lat=[39.984702, 39.984683])  # a PLT without header loses no point


def test_names_are_kept_and_content_goes_before_extension(hostile):
    for number in ("10", "11"):  # a byte order mark is no part of them
        holds(hostile, number, names=["u1"])
    holds(hostile, "26", names=["u1", "<b>u2</b>"])
    formulas = read_number(hostile, "25", id="name")
    assert {one.name for one in formulas.series} >= {"=1+1", "=cmd|' /C calc'!A0", "@SUM(A1:A9)", "+1-2", "-2+3"}
    assert read_number(hostile, "61").report.format == "gpx"
    with pytest.raises(FormatError, match=r"This is a PNG image\."):
        read_number(hostile, "62")


@each(("number", "megabytes"), [("16", 1), ("17", 16), ("18", 1)])
def test_bombs_are_stopped_within_the_memory_of_the_cap(hostile, number, megabytes):
    assert peak_bytes(lambda: refusal(FormatError, read_number, hostile, number)) < megabytes * 1_000_000


def test_unsafe_members_are_listed_and_nothing_is_written(hostile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reading = read_number(hostile, "22")
    assert list(tmp_path.iterdir()) == []
    assert not Path("/etc/cron.d/evil.csv").exists()
    assert [one.name for one in reading.series] == ["u1"]
    unsafe = [member["name"] for member in reading.report.members if member.get("reason") == "unsafe_member"]
    assert sorted(unsafe) == ["evil.csv", "evil.csv", "evil.csv", "evil2.csv", "link.csv"]


def test_swapped_columns_are_swapped_only_when_stated(hostile):
    one = read_number(hostile, "29", swap="yes").series[0]
    assert (one.lon[0], one.lat[0]) == (116.31, 39.98)
    assert refusal(FormatError, read_number, hostile, "29", swap="no").rule == "out_of_range"
    plain, swapped = read_number(hostile, "30").series[0], read_number(hostile, "30", swap=True).series[0]
    assert plain.lat.tolist() == swapped.lon.tolist()
    assert "swap" in [guess["option"] for guess in read_number(hostile, "30").report.guesses]


def test_units_of_positions_and_times(hostile):
    one = read_number(hostile, "31", crs="EPSG:3857").series[0]
    assert one.lon[0] == pytest.approx(116.3125, abs=1e-3)
    assert one.lat[0] == pytest.approx(39.996, abs=2e-2)
    assert refusal(FormatError, read_number, hostile, "31", crs="EPSG:999999").code == "unsupported_crs"
    e7 = read_number(hostile, "32").series[0]
    assert (e7.lon[0], e7.lat[0], e7.time_s[0]) == (116.31, 39.98, 1517755336.082)
    for number in ("37", "38"):
        holds(hostile, number, seconds=[1224730384.0 + 60 * i for i in range(5)])
    one = read_number(hostile, "40", time_zone="UTC").series[0]
    assert np.diff(one.time_s).tolist() == [60.0, 60.0, 60.0]
    shanghai = read_number(hostile, "40", time_zone="Asia/Shanghai").series[0]
    assert shanghai.time_s[0] == utc("2008-10-22T18:56:04")
    for order, first in (("dmy", "2021-04-01T10:00"), ("mdy", "2021-01-04T10:00")):
        assert read_number(hostile, "43", date_order=order).series[0].time_s[0] == utc(first)
    holds(hostile, "44", seconds=[utc("2021-03-01T10:00") + 86400 * i for i in range(20)])
    holds(hostile, "47", seconds=None, warnings=["untimed"])


def test_the_hour_that_comes_twice_and_the_hour_that_never_comes(hostile):
    times = [utc("2024-03-31T01:30"), utc("2024-10-27T00:30"), utc("2024-10-27T01:30")]
    berlin = {"time_zone": "Europe/Berlin"}
    # file order within the fold, first = summer time
    found = holds(hostile, "41", given=berlin, seconds=times, lat=[52.54, 52.52, 52.53], outcome="accept_warn")
    counts = FACTS["notes"](found)
    assert (counts["dst_fold"], counts["dst_gap"]) == (2, 1)
    assert "time_zone" in [guess["option"] for guess in read_number(hostile, "41").report.guesses]


def test_rows_are_sorted_and_split_by_id(hostile):
    reading = read_number(hostile, "45")
    assert (np.diff(reading.series[0].lat) > 0).all()
    note = next(note for note in reading.report.notes if note["code"] == "out_of_order")
    assert (note["count"], note["rows"]) == (8, [3, 5, 6, 7, 8, 9, 10, 11])
    reading = holds(hostile, "49", series=[("u0", 10), ("u1", 10)])
    assert all(np.ptp(one.lat) == 0 for one in reading.series)


@pytest.mark.parametrize("number", ["50", "52", "56"])
def test_xml_reads_no_other_file_and_opens_no_connection(hostile, number, monkeypatch):
    content = file_of(hostile, number).read_bytes()
    with pytest.raises(FormatError):
        read(io.BytesIO(content), name="warm.gpx")

    def never(*_, **__):
        raise AssertionError("a file or a connection was opened")

    monkeypatch.setattr(builtins, "open", never)
    monkeypatch.setattr(os, "open", never)
    monkeypatch.setattr(socket, "socket", never)
    start = time.process_time()
    with pytest.raises(FormatError):
        read(io.BytesIO(content), name="x.gpx")
    assert time.process_time() - start < patience(1)


def test_tdrive_is_longitude_first_and_its_zone_a_guess(hostile):
    reading = read_number(hostile, "67")
    assert reading.series[0].lon[0] == 116.44942
    assert [guess["option"] for guess in reading.report.guesses] == ["time_zone"]
    local = read_number(hostile, "67", time_zone="Asia/Shanghai")
    assert (seconds(local.series[0])[0], local.report.guesses) == (utc("2008-02-02T08:00:02"), [])


@pytest.mark.slow
def test_all_of_them_leave_nothing_behind(hostile, tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(hostile)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["rise"] < RISE_MB
    assert len(found["outcomes"]) == len(list(hostile.iterdir()))
    assert list(tmp_path.iterdir()) == []
    assert done.stderr == ""  # nothing is logged, so nothing of the input is
