"""Rules of the readers at their limits: the last value that is one thing, and the first that is the other."""

import numpy as np
import pyarrow as pa
import pytest

from privacy_engine.errors import ChoiceNeeded
from privacy_engine.formats import ReadOptions
from privacy_engine.formats import times as clocks
from privacy_engine.formats.month_names import parse_month_name
from privacy_engine.formats.numbers import number
from privacy_engine.formats.report import Report
from privacy_engine.formats.timezones import settle
from tests.cases import each, refusal
from tests.engine.format_samples import refused, shows

NOT = None  # no time


def instants(*cells, **given):
    """Times of a column as text in UTC, NOT for a cell that is none."""
    found = clocks.times(pa.array(list(cells)), ReadOptions(**given))
    return [None if np.isnan(one) else str(np.datetime64(round(one * 1000), "ms")) for one in found.seconds.tolist()]


def day(text):
    """The instant that a text of a date, perhaps with a time of day, is."""
    return text and str(np.datetime64(text, "ms"))


class TestClocks:
    @each(
        ("cells", "instant"),
        [
            ("2024-6-15 24:00", "2024-06-16"), ("2024-6-15 24:00:00", "2024-06-16"), ("2024-6-15 24:01", NOT),
            ("2024-6-15 24:00:01", NOT), ("2024-6-15 25:00", NOT), ("2024-6-15 23:59:60", "2024-06-16"),
            ("2024-6-15 23:59:61", NOT), ("2024-6-15 23:60", NOT), ("2024-6-15 0:59", "2024-06-15T00:59"),
            ("2024-6-31", NOT), ("2024-6-30", "2024-06-30"), ("2024-12-31", "2024-12-31"), ("2024-13-1", NOT),
            ("2024-0-1", NOT), ("2024-1-0", NOT), ("2024-1-31", "2024-01-31"), ("2024-1-32", NOT),
            ("2023-2-29", NOT), ("2024-2-29", "2024-02-29"), ("1969-1-1", "1969-01-01"), ("0000-1-1", "0000-01-01"),
            ("2024-6-15 12:30 PM", "2024-06-15T12:30"), ("2024-6-15 11:30 PM", "2024-06-15T23:30"),
            ("2024-6-15 12:30 AM", "2024-06-15T00:30"), ("2024-6-15 1:30 a.m.", "2024-06-15T01:30"),
            ("2024-6-15 13:30 PM", "2024-06-15T13:30"), ("2024-6-15 1:30 PM +01", "2024-06-15T12:30"),
            ("2024-6-15 10:00 +18:59", "2024-06-14T15:01"), ("2024-6-15 10:00 +19:00", NOT),
            ("2024-6-15 10:00 -00:60", NOT), ("2024-6-15 10:00 -00:59", "2024-06-15T10:59"),
            ("2024-6-15 10:00:00,125", "2024-06-15T10:00:00.125"), ("2024-6-15 10:00 -18", "2024-06-16T04:00"),
            ("31.12.69", "2069-12-31"), ("31.12.70", "1970-12-31"), ("31.12.99", "1999-12-31"),
            ("31.12.0099", "0099-12-31"), ("31.12.0100", "0100-12-31"), ("31.12.00", "2000-12-31"),
            ("20240615T1030Z", "2024-06-15T10:30"),
            ("Tue Apr 03 18:00:09 +0100 2012", "2012-04-03T17:00:09"), ("Tue Xyz 03 18:00:09 +0000 2012", NOT),
            ("2024-06-15 10", "2024-06-15T10:00"), ("2024-06-15T10Z", "2024-06-15T10:00"), ("n/a", NOT), ("NaT", NOT),
        ],
    )  # fmt: skip
    def test_one_cell(self, cells, instant):
        assert instants(cells, "2024-6-15") == [day(instant), day("2024-06-15")]
        assert instants(cells) == [day(instant)]

    def test_ways_that_are_quick_read_the_same_cells(self):
        year_last, year_after = clocks._whole_column_year_last, clocks._whole_column_year_after_clock
        options = ReadOptions()
        for cells, order in (
            (["31/12/2024 23:59"], "dmy"), (["12/31/2024"], "mdy"), (["13/12/2024 10:00:00.5", None], "dmy"),
            (["05/06/2024"], None), (["31/13/2024"], None), (["31/12/2024", "12/31/2024"], None), ([None], None),
        ):  # fmt: skip
            found = year_last(pa.array(cells, pa.string()), options)
            assert (found and found.order) == order, cells
        assert year_last(pa.array(["05/06/2024"]), ReadOptions(date_order="mdy")).seconds.tolist() == [1714953600.0]
        assert year_after(pa.array([None, "Tue Apr 03 18:00:09 +0000 2012"])).seconds[1] == 1333476009.0
        assert year_after(pa.array(["Tue Apr 03 18:00:09 +0000 2012", "x"])) is None
        assert clocks._whole_column(pa.array([None, "2024-06-15T10:30"])).naive.tolist() == [False, True]

    @each(
        ("cells", "order"),
        [
            (["05/06/2024", "13/06/2024"], "dmy"), (["05/06/2024", "06/13/2024"], "mdy"), (["05/05/2024"], "dmy"),
            (["13/06/2024", "99/99/2024"], "dmy"), (["06/13/2024", "99/99/2024"], "mdy"), (["24/06/15"], "dmy"),
            (["13/06/2024", "06/13/2024", "06/14/2024"], NOT), (["05/06/2024"], NOT), (["150624 100000", "160624 100000"], NOT), (["320615 100000"], "ymd"), (["240631 100000"], "dmy"),
            (["15/06/32"], "dmy"), (["05/06/24 10:30 PM"], NOT), (["06/13/24 10:30 PM"], "mdy"),
        ],
    )  # fmt: skip
    def test_the_order_of_dates(self, cells, order):
        if order is None:
            asked = refusal(ChoiceNeeded, instants, *cells)
            long = "/" in cells[0]
            assert [value for value, _ in asked.choices] == (["dmy", "mdy"] if long else ["dmy", "ymd"])
            assert (asked.parameter, asked.default) == ("date_order", "dmy" if long else "ymd")
        else:
            assert clocks.times(pa.array(cells), ReadOptions()).order == order

    @each(
        ("value", "unit"),
        [
            (99_999_999, ""), (10**8, "s"), (10**10 - 1, "s"), (10**10, ""), (10**11 - 1, ""), (10**11, "ms"),
            (10**13 - 1, "ms"), (10**13, ""), (10**14 - 1, ""), (10**14, "us"), (10**16 - 2, "us"), (10**16, ""),
            (10**17 - 16, ""), (10**17, "ns"), (9 * 10**18, "ns"), (-(10**8), "s"),
        ],
    )  # fmt: skip
    def test_the_unit_of_a_number(self, value, unit):
        per = {"": np.nan, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
        sure = 1_718_452_800
        for column in (pa.array([value, sure, sure]), pa.array([str(value), str(sure), "?"])):
            found = clocks.times(column, ReadOptions())
            np.testing.assert_array_equal(found.seconds[:2], [value * per[unit], sure])
            size = len(column) - (column.type == pa.string())
            assert found.units == ({"s": size} if unit == "s" else ({unit: 1} if unit else {}) | {"s": size - 1})
            assert (found.unplaced, found.unit) == (int(not unit), "s" if unit == "s" else "size")
        stated = clocks.times(pa.array([value]), ReadOptions(time_unit="ms"))
        assert (stated.seconds[0], stated.unit, stated.units) == (value * 1e-3, "ms", {})

    @each(
        ("values", "default"),
        [([20_000.0], "s"), ([20_000.5], "days"), ([79_999.0], "days"), ([80_000.0], "s"), ([30_000.0, 5.0], "s")],
    )
    def test_which_numbers_may_be_days(self, values, default):
        assert refusal(ChoiceNeeded, instants, *values).default == default

    @each(
        ("values", "seen"),
        [
            ([19000101], ["1900-01-01"]), ([18991231], ChoiceNeeded), ([20991231], ["2099-12-31"]),
            ([21000101], ChoiceNeeded), ([190001010000], ["1900-01-01"]), ([209912312359], ["2099-12-31T23:59"]),
            ([210001010000], ["1976-08-27T13:36:50"]), ([20240615103000], ["2024-06-15T10:30"]),
            ([20240615, 1718452800], ["1970-08-23T06:30:15", "2024-06-15T12:00"]), ([20240615.5], ChoiceNeeded),
            ([20240615, 20240616, 1718452800], ["2024-06-15", "2024-06-16", NOT]),
        ],
    )  # fmt: skip
    def test_numbers_that_are_digits_of_dates(self, values, seen):
        if seen is ChoiceNeeded:
            assert refusal(ChoiceNeeded, instants, *values).parameter == "time_unit"
        elif values[0] == 20240615 and len(values) == 2:
            assert instants(*values) == [NOT, day(seen[1])]  # half of them are no majority
        else:
            assert instants(*values) == [day(one) for one in seen]

    @each(
        ("text", "seconds", "naive"),
        [
            ("23 Oct 69 02:53", 3149722380.0, True), ("1 Jan 70", 0.0, True), ("1 Jan 1970 12:30 AM", 1800.0, True),
            ("1 Jan 1970 12:30 pm", 45000.0, True), ("1 Jan 1970 11:30 PM", 84600.0, True), ("Jan 1, 1970 00:00:01.25Z", 1.25, False),
            ("1 Jan 1970 00:00 +01:30", -5400.0, False), ("1 Jan 1970 00:00 -0130", 5400.0, False), ("32 Jan 1970", None, False),
            ("1 Foo 1970", None, False), ("1 Jan 1970 25:00", None, False), ("Thu, 1-Sept-1970", 20995200.0, True),
            ("1 Jan 1970" + " " * 50, 0.0, True), ("1 Jan 1970" + " " * 51, None, False),
        ],
    )  # fmt: skip
    def test_months_by_name(self, text, seconds, naive):
        found = parse_month_name(text)
        assert found[1] is naive
        assert np.isnan(found[0]) if seconds is None else found[0] == seconds
