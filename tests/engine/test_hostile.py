"""Every hostile upload behaves as its table states; read as bytes, as a path and under every hostile name."""

import builtins
import io
import json
import os
import re
import socket
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats import display_name, read
from tests.cases import each, refusal

# what EXPECTED.md states, and what it leaves open: the code of a refusal, the option that decides a choice
REFUSED = {
    "01": "empty",
    "02": "no_rows",
    "04": "empty",
    "12": "utf16_without_bom",
    "16": "line_too_long",
    "17": "compression_ratio",
    "18": "compression_ratio",
    "20": "nested_archive",
    "21": "too_many_members",
    "24": "damaged_archive",
    "50": "xml_doctype",
    "52": "xml_doctype",
    "56": "no_track",
    "57": "too_deep",
    "62": "other_kind",
}
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


def test_the_table_below_covers_every_file(hostile, expected):
    assert set(NUMBERS) | {"68"} == set(expected)
    assert {number for number, row in expected.items() if row["outcome"] == "reject"} == set(REFUSED)
    assert {number for number, row in expected.items() if row["outcome"] == "ask"} == set(CHOICES)


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


@each("at", range(8))
def test_a_file_name_is_data(hostile, at):
    names = json.loads((hostile / "names.json").read_text())
    name = names[at]
    content = b"id,timestamp,lat,lon\n" + b"".join(
        f"u1,2008-10-23T02:5{i}:04Z,39.98,116.31\n".encode() for i in range(3)
    )
    reading = read(io.BytesIO(content), name=name)
    shown = reading.report.as_dict()["file"]
    assert reading.report.outcome == "accept"
    assert len(reading) == 3
    assert len(shown.encode()) <= 255
    assert not re.search(r"[\x00-\x1f\u202a-\u202e/\\]", shown)


def test_ragged_rows_are_named_by_their_lines(hostile):
    report = read_number(hostile, "05").report.as_dict()
    assert report["dropped"]["short_row"]["rows"] == [6]
    assert [note["rows"] for note in report["notes"] if note["code"] == "long_row"] == [[7]]


def test_the_owner_chooses_between_two_columns_of_one_name(hostile):
    assert read_number(hostile, "07", lat="#3").series[0].lat.tolist() == [39.98, 39.98]
    assert read_number(hostile, "07", lat="#4").series[0].lat.tolist() == [0.0, 0.0]


def test_a_decimal_comma_is_read(hostile):
    one = read_number(hostile, "08").series[0]
    assert one.lat.tolist() == [52.52, 52.5201, 52.5202, 52.5203, 52.5204]
    assert one.lon[0] == 13.405


def test_x_is_the_longitude_and_stated_to_be_a_guess(hostile):
    reading = read_number(hostile, "09")
    assert reading.series[0].lon.tolist() == [116.391305, 116.391317]
    assert {guess["option"] for guess in reading.report.guesses} >= {"lon", "lat", "time"}


@each("number", ["10", "11"])
def test_a_byte_order_mark_is_not_part_of_a_name(hostile, number):
    assert [one.name for one in read_number(hostile, number).series] == ["u1"]


def test_the_row_with_a_nul_is_named(hostile):
    assert read_number(hostile, "14").report.as_dict()["dropped"]["nul"]["rows"] == [5]


@each(("number", "megabytes"), [("16", 1), ("17", 16), ("18", 1)])
def test_bombs_are_stopped_within_the_memory_of_the_cap(hostile, number, megabytes):
    tracemalloc.start()
    try:
        with pytest.raises(FormatError):
            read_number(hostile, number)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < megabytes * 1_000_000


def test_a_long_line_is_refused_uncompressed_too(hostile):
    line = b"lat,lon\n39.98," + b"1" * 10_000_000 + b"\n"
    with pytest.raises(FormatError, match="Line 2 is longer") as refused:
        read(io.BytesIO(line), name="long.csv")
    assert (refused.value.code, refused.value.row) == ("line_too_long", 2)


def test_unsafe_members_are_listed_and_nothing_is_written(hostile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reading = read_number(hostile, "22")
    assert list(tmp_path.iterdir()) == []
    assert not Path("/etc/cron.d/evil.csv").exists()
    assert [one.name for one in reading.series] == ["u1"]
    unsafe = [member["name"] for member in reading.report.members if member.get("reason") == "unsafe_member"]
    assert sorted(unsafe) == ["evil.csv", "evil.csv", "evil.csv", "evil2.csv", "link.csv"]


def test_names_are_kept_as_they_are(hostile):
    assert [one.name for one in read_number(hostile, "26").series] == ["u1", "<b>u2</b>"]
    formulas = read_number(hostile, "25", id="name")
    assert {one.name for one in formulas.series} >= {"=1+1", "=cmd|' /C calc'!A0", "@SUM(A1:A9)", "+1-2", "-2+3"}


def test_only_finite_numbers_are_points(hostile):
    dropped = read_number(hostile, "27").report.as_dict()["dropped"]
    assert {reason: drops["rows"] for reason, drops in dropped.items()} == {
        "missing": [8, 9],
        "not_a_number": [11],
        "not_finite": [5, 6, 7, 10],
    }


def test_swapped_columns_are_swapped_only_when_stated(hostile):
    one = read_number(hostile, "29", swap="yes").series[0]
    assert (one.lon[0], one.lat[0]) == (116.31, 39.98)
    assert refusal(FormatError, read_number, hostile, "29", swap="no").rule == "out_of_range"
    plain, swapped = read_number(hostile, "30").series[0], read_number(hostile, "30", swap=True).series[0]
    assert plain.lat.tolist() == swapped.lon.tolist()
    assert "swap" in [guess["option"] for guess in read_number(hostile, "30").report.guesses]


def test_web_mercator_becomes_degrees(hostile):
    one = read_number(hostile, "31", crs="EPSG:3857").series[0]
    assert one.lon[0] == pytest.approx(116.3125, abs=1e-3)
    assert one.lat[0] == pytest.approx(39.996, abs=2e-2)
    assert refusal(FormatError, read_number, hostile, "31", crs="EPSG:999999").code == "unsupported_crs"


def test_e7_and_epochs(hostile):
    e7 = read_number(hostile, "32").series[0]
    assert (e7.lon[0], e7.lat[0]) == (116.31, 39.98)
    assert e7.time_s is not None
    assert e7.time_s[0] == 1517755336.082
    seconds, millis = read_number(hostile, "37").series[0], read_number(hostile, "38").series[0]
    assert seconds.time_s is not None
    assert millis.time_s is not None
    assert seconds.time_s.tolist() == millis.time_s.tolist() == [1224730384.0 + 60 * i for i in range(5)]


def test_longitudes_across_the_date_line_are_kept(hostile):
    assert read_number(hostile, "34").series[0].lon[4:7].tolist() == [179.99, -180.0, -179.99]


def test_degrees_minutes_seconds_and_hemispheres(hostile):
    one = read_number(hostile, "36").series[0]
    assert one.lat == pytest.approx([39 + 59 / 60 + 4.9 / 3600, 39.9847, -33.8688], abs=1e-12)
    assert one.lon == pytest.approx([116 + 19 / 60 + 6.3 / 3600, 116.3184, -70.6693], abs=1e-12)


def test_offsets_are_converted_and_naive_times_read_in_the_zone_chosen(hostile):
    one = read_number(hostile, "40", time_zone="UTC").series[0]
    assert one.time_s is not None
    assert np.diff(one.time_s).tolist() == [60.0, 60.0, 60.0]
    shanghai = read_number(hostile, "40", time_zone="Asia/Shanghai").series[0]
    assert shanghai.time_s is not None
    assert shanghai.time_s[0] == utc("2008-10-22T18:56:04")


def test_the_hour_that_comes_twice_and_the_hour_that_never_comes(hostile):
    reading = read_number(hostile, "41", time_zone="Europe/Berlin")
    one = reading.series[0]
    assert one.time_s is not None
    assert one.time_s.tolist() == [utc("2024-03-31T01:30"), utc("2024-10-27T00:30"), utc("2024-10-27T01:30")]
    assert one.lat.tolist() == [52.54, 52.52, 52.53]  # file order within the fold, first = summer time
    counts = {note["code"]: note.get("count") for note in reading.report.notes}
    assert (counts["dst_fold"], counts["dst_gap"]) == (2, 1)
    assert reading.report.outcome == "accept_warn"
    assert "time_zone" in [guess["option"] for guess in read_number(hostile, "41").report.guesses]


def test_the_order_of_dates_is_decided_for_the_column(hostile):
    dmy = read_number(hostile, "43", date_order="dmy").series[0]
    mdy = read_number(hostile, "43", date_order="mdy").series[0]
    assert dmy.time_s is not None
    assert mdy.time_s is not None
    assert (dmy.time_s[0], mdy.time_s[0]) == (utc("2021-04-01T10:00"), utc("2021-01-04T10:00"))
    late = read_number(hostile, "44").series[0]
    assert late.time_s is not None
    assert late.time_s.tolist() == [utc("2021-03-01T10:00") + 86400 * i for i in range(20)]


def test_unsorted_rows_are_sorted_and_counted(hostile):
    reading = read_number(hostile, "45")
    one = reading.series[0]
    assert (np.diff(one.lat) > 0).all()
    note = next(note for note in reading.report.notes if note["code"] == "out_of_order")
    assert note["count"] == 8
    assert note["rows"] == [3, 5, 6, 7, 8, 9, 10, 11]


def test_rows_are_split_by_id(hostile):
    reading = read_number(hostile, "49")
    assert reading.report.series == [("u0", 10), ("u1", 10)]
    assert all(np.ptp(one.lat) == 0 for one in reading.series)


def test_without_times_the_map_works_and_the_owner_is_warned(hostile):
    reading = read_number(hostile, "47")
    assert reading.series[0].time_s is None
    assert [note["code"] for note in reading.report.warnings] == ["untimed"]


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
    assert time.process_time() - start < 0.1


def test_content_goes_before_extension(hostile):
    assert read_number(hostile, "61").report.format == "gpx"
    with pytest.raises(FormatError, match=r"This is a PNG image\."):
        read_number(hostile, "62")


def test_a_plt_without_header_loses_no_point(hostile):
    one = read_number(hostile, "64").series[0]
    assert one.lat.tolist() == [39.984702, 39.984683]


def test_tdrive_is_longitude_first_and_its_zone_a_guess(hostile):
    reading = read_number(hostile, "67")
    assert reading.series[0].lon[0] == 116.44942
    assert [guess["option"] for guess in reading.report.guesses] == ["time_zone"]
    local = read_number(hostile, "67", time_zone="Asia/Shanghai")
    assert local.series[0].time_s is not None
    assert local.series[0].time_s[0] == utc("2008-02-02T08:00:02")
    assert local.report.guesses == []


def test_display_name_keeps_whole_characters():
    assert display_name("é" * 200).encode().decode() == "é" * 127
    assert display_name("C:\\x\\a\nb\u202e.csv") == "ab.csv"
