"""Previews of tables: rows raw and as read by their numbers, what was left out, what each doubt is mended with."""

import io
from itertools import chain

from privacy_engine import formats
from privacy_engine.formats import sense


def rows(*lines):
    return [f"2024-06-15T10:{i:02d}:00Z,52.5{i:02d},13.4{i:02d},{one}" for i, one in enumerate(lines)]


def preview(lines, **options):
    return formats.preview(io.BytesIO("\n".join(["time,lat,lon,note", *lines, ""]).encode()), name="a.csv", **options)


def test_rows_have_the_numbers_of_their_lines_also_after_a_cell_of_several_lines():
    found = preview([*rows('"two\nlines"', "", "b"), ",,,", *rows(*"cdefgh"), "x,91,0,far", ",,,gap", "y,92,0,far"])
    assert [row.number for row in found.rows[:6]] == [2, 4, 5, 7, 8, 9]  # one without any cell is no row
    left_out = {row.cells[3]: row.number for row in found.rows if row.left_out}
    dropped = {one["rows"][0] for one in found.report["dropped"].values()}
    assert set(left_out.values()) == dropped
    assert all(row.read == {} for row in found.rows if row.left_out)
    assert [row.read["lat"] for row in found.rows if row.read] == [f"{52.5 + i / 1000:.6f}" for i in (0, 1, 2, 0, 1, 2)]


def test_a_row_that_was_left_out_stands_after_the_first_rows_once_for_each_reason():
    found = preview([*rows(*"abcdefgh"), "TOTAL,,,", "TOTAL,,,", "2024-06-15T10:00:00Z,95,1,far"])
    assert [row.number for row in found.rows] == [2, 3, 4, 5, 6, 7, 10, 12]
    assert [bool(row.left_out) for row in found.rows] == [False] * 6 + [True] * 2
    assert (found.report["rows_read"], found.report["kept"]) == (11, 8)
    assert [one.sentence for one in found.columns[:3]] == [
        "The time, in UTC where a cell names no zone.",
        "The latitude, in degrees.",
        "The longitude, in degrees.",
    ]


def test_what_a_row_as_two_events_was_read_as_is_its_beginning():
    lines = [f"2024-06-15 1{i}:00:00,2024-06-15 1{i}:30:00,52.{i},13.{i}" for i in range(9)]
    data = "\n".join(["started_at,ended_at,lat,lon", *lines, ""]).encode()
    found = formats.preview(io.BytesIO(data), name="a.csv")
    assert found.report["kept"] == 2 * len(lines)
    assert [row.read["time"][11:16] for row in found.rows] == [f"1{i}:00" for i in range(6)]


def test_the_first_row_of_a_warning_stands_between_its_neighbours_as_they_were_read():
    lines = [f"2024-06-15T10:{i:02d}:00Z,52.{i:03d},13.4," for i in (*range(30), 20, 31)]
    found = preview([*lines, *[f"2024-06-15T11:{i:02d}:00Z,52.5,13.4,{'x' * 9000}" for i in range(50)]])
    assert [row.number for row in found.rows] == [*range(2, 8), 31, 32, 33]
    assert [row.doubt for row in found.rows[6:]] == ["", found.report["notes"][0]["message"], ""]
    assert [row.read["time"][11:16] for row in found.rows[6:]] == ["10:29", "10:20", "10:31"]


def test_a_date_and_its_time_of_day_are_stated_as_one_instant_and_may_be_chosen():
    found = formats.preview(io.BytesIO(b"date,time,lat,lon\n" + b"2024-06-15,7:00,52.5,13.4\n" * 3), name="a.csv")
    assert found.columns[0].sentence == "The time, one instant with 'time', in UTC where a cell names no zone."
    assert [one.name for one in found.roles[-2:]] == ["clock", "person"]


def test_every_option_is_in_one_group_and_every_check_names_one():
    names = [one.name for one in chain(*formats.option_groups().values())]
    assert sorted([*names, "automatic"]) == sorted(formats.options())
    assert {option for _, _, option in sense.CHECKS} - {""} <= set(names)


def test_a_doubt_names_its_option_and_is_gone_with_it():
    data = "\n".join(["day,at,lat,lon", *(f"2024-06-15,7:{i:02d},52.{i:03d},13.4" for i in range(30)), ""]).encode()
    doubts = [
        [note.get("option") for note in formats.preview(io.BytesIO(data), name="a.csv", clock=clock).report["notes"]]
        for clock in ("#0", "#2")
    ]
    assert doubts == [["clock"], []]
