"""Logs of receivers: NMEA, IGC, OwnTracks, FIT. A fix is one row, and its date may stand far from it."""

import struct
from contextlib import suppress
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats.times_of_day import clock_s, dated, day_of
from tests.cases import each, refusal
from tests.engine.format_samples import FIT, IGC, NMEA, OWNTRACKS, fit_file, read_bytes, seconds

DAY_S = 86400.0
PLACE = "5231.2000,N,01324.3000,E"


def nmea(*bodies):
    checked = ((body, reduce(lambda total, code: total ^ code, body.encode(), 0)) for body in bodies)
    return "".join(f"${body}*{total:02X}\r\n" for body, total in checked).encode()


def gga(clock, place=PLACE, quality="1"):
    return f"GPGGA,{clock},{place},{quality},08,1.0,30.0,M,0.0,M,,"


def rmc(clock, date, place=PLACE, status="A"):
    return f"GNRMC,{clock},{status},{place},0.1,0.0,{date},,,A"


class TestClocks:
    def test_dates_go_forwards_and_backwards_over_midnight(self):
        clocks = np.array([86390.0, 5.0, 10.0, 86399.0, 1.0])
        days = np.array([np.nan, np.nan, 100.0, np.nan, np.nan])
        assert ((dated(clocks, days) - clocks) / DAY_S).tolist() == [99, 100, 100, 100, 101]

    def test_without_a_date_there_is_no_time(self):
        assert np.isnan(dated(np.array([1.0, 2.0]), np.array([np.nan, np.nan]))).all()

    @given(st.lists(st.integers(0, 20_000), min_size=1, max_size=40), st.integers(0, 19_000), st.data())
    def test_any_log_that_pauses_less_than_23_hours_is_dated_from_one_date(self, steps, start, data):
        true = start * DAY_S + np.cumsum(np.array(steps, dtype=np.float64) * 4)
        days = np.full(len(true), np.nan)
        at = data.draw(st.integers(0, len(true) - 1))
        days[at] = np.floor(true[at] / DAY_S)
        assert np.array_equal(dated(true % DAY_S, days), true)

    @each("text", ["", "24000", "240000", "236000", "2360", "12:00:00", "١٢٠٠٠٠", "120000x"])
    def test_what_is_no_time_of_day(self, text):
        assert np.isnan(clock_s(text))

    @each("text", ["", "310224", "000124", "010024", "1124"])
    def test_what_is_no_date(self, text):
        assert np.isnan(day_of(text))


class TestNmea:
    def test_sentences_of_one_instant_are_one_fix(self):
        one = read_bytes(NMEA).series[0]
        assert (one.lat.tolist(), one.lon.tolist()) == ([52.52, 52.53], [13.405, -13.405])
        assert seconds(one) == [1718452800.0, 1718452801.5]

    def test_the_date_comes_from_the_next_sentence_that_has_one(self):
        log = nmea(gga("235959"), gga("000000"), rmc("000001", "160624"))
        assert seconds(read_bytes(log).series[0]) == [1718495999.0, 1718496000.0, 1718496001.0]

    def test_zda_gives_a_date_too(self):
        log = nmea("GPZDA,120000,15,06,2024,00,00", gga("120000"), gga("120001"))
        assert seconds(read_bytes(log).series[0]) == [1718452800.0, 1718452801.0]

    def test_no_date_no_times(self):
        reading = read_bytes(nmea(gga("120000"), gga("120001")))
        assert reading.series[0].time_s is None
        assert "no_date" in {note["code"] for note in reading.report.warnings}

    def test_what_is_dropped_and_why(self):
        log = nmea(rmc("120000", "150624"), rmc("120001", "150624", status="V"), gga("120002", quality="0"))
        log += nmea(gga("120003", "5231.2000,X,01324.3000,E"), gga("120004", ",,,"), gga("12000x"))
        log += nmea(gga("120005")).replace(b"5231", b"5232")
        report = read_bytes(log).report
        assert report.dropped == {"no_fix": 2, "bad_checksum": 1, "not_a_number": 1, "missing": 1, "bad_time": 1}
        assert report.kept + sum(report.dropped.values()) == report.rows_read == 7

    def test_utf16_and_comments(self):
        assert len(read_bytes(("# a comment\r\n" + NMEA.decode()).encode("utf-16"))) == 2

    def test_ais_is_refused_by_its_name(self):
        with pytest.raises(FormatError, match="AIS"):
            read_bytes(b"!AIVDM,1,1,,A,13HOI:0P0000VOHLCnHQKwvL05Ip,0*23\r\n")


class TestIgc:
    def test_fixes_and_the_date_of_the_header(self):
        one = read_bytes(IGC).series[0]
        assert one.lat.tolist() == pytest.approx([43.840333, -43.840333], abs=1e-6)
        assert one.lon.tolist() == pytest.approx([-80.443083, 80.443083], abs=1e-6)
        assert seconds(one) == [1657999889.0, 1658016001.0]  # 16 July 2022, 19:31:29, and after midnight

    def test_a_damaged_record_is_dropped_by_its_line(self):
        report = read_bytes(IGC + b"B19\r\n").report.as_dict()
        assert report["dropped"]["short_row"]["rows"] == [5]

    def test_the_longer_date_of_newer_loggers(self):
        newer = IGC.replace(b"HFDTE160722", b"HFDTEDATE:160722,01")
        assert seconds(read_bytes(newer).series[0])[0] == 1657999889.0


class TestOwnTracks:
    def test_the_location_s_own_time_counts(self):
        reading = read_bytes(OWNTRACKS)
        assert reading.report.series == [("me/phone", 1)]
        assert seconds(reading.series[0]) == [1718452800.0]
        assert reading.report.dropped == {"not_a_position": 1}

    def test_a_damaged_line_is_dropped(self):
        damaged = OWNTRACKS.replace(b"me/phone", "me/phone\u2028".encode()) + b"2024-06-15T12:00:02Z\t*\t{oops\n"
        found = read_bytes(damaged).report
        assert (found.drops["short_row"].rows, found.dropped, found.series[0][1]) == (
            [3],
            {"short_row": 1, "not_a_position": 1},
            1,
        )


class TestFit:
    def test_records_of_both_byte_orders(self):
        for order in "<>":
            one = read_bytes(fit_file(order=order)).series[0]
            assert one.lon.tolist() == pytest.approx([13.405, -13.405], abs=1e-6)
            assert one.lat.tolist() == pytest.approx([52.52, 52.52], abs=1e-6)
            assert seconds(one) == [1718452800.0, 1718452805.0]

    def test_a_record_without_position_is_dropped_by_its_number(self):
        assert read_bytes(FIT).report.as_dict()["dropped"]["missing"]["rows"] == [3]

    def test_a_short_time_counts_on_from_the_last(self):
        assert seconds(read_bytes(fit_file(compressed=True)).series[0]) == [1718452800.0, 1718452805.0]

    def test_of_a_file_cut_off_what_came_before_is_read(self):
        reading = read_bytes(FIT[:-10])
        assert len(reading) == 2
        assert [note["code"] for note in reading.report.warnings] == ["cut_off"]
        assert refusal(FormatError, read_bytes, FIT[:30]).code == "bad_fit"

    def test_two_files_in_one(self):
        assert len(read_bytes(FIT + FIT)) == 4

    @each("at", range(14, len(FIT), 7))
    def test_damage_anywhere_is_refused_or_read_around(self, at):
        with suppress(FormatError):  # and nothing else
            assert len(read_bytes(FIT[:at] + struct.pack("B", FIT[at] ^ 0xFF) + FIT[at + 1 :])) <= 3
