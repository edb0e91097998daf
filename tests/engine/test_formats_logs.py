"""Logs of receivers: NMEA, IGC, OwnTracks, FIT. A fix is one row, and its date may stand far from it."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats.times_of_day import clock_s, dated, day_of
from tests.cases import each
from tests.engine.format_samples import IGC, NMEA, OWNTRACKS, fit_file, read_bytes, refused, shows
from tests.engine.frame_sample import FIX

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
    @given(st.lists(st.integers(0, 20_000), min_size=1, max_size=40), st.integers(0, 19_000), st.data())
    def test_any_log_that_pauses_less_than_23_hours_is_dated_from_one_date(self, steps, start, data):
        true = start * DAY_S + np.cumsum(np.array(steps, dtype=np.float64) * 4)
        days = np.full(len(true), np.nan)
        at = data.draw(st.integers(0, len(true) - 1))
        days[at] = np.floor(true[at] / DAY_S)
        assert np.array_equal(dated(true % DAY_S, days), true)

    def test_what_is_no_time_of_day_and_no_date(self):
        clocks = ("", "24000", "240000", "236000", "2360", "12:00:00", "١٢٠٠٠٠", "120000x")
        assert np.isnan([clock_s(text) for text in clocks]).all()
        assert np.isnan([day_of(text) for text in ("", "310224", "000124", "010024", "1124")]).all()


class TestNmea:
    def test_sentences_of_one_instant_are_one_fix(self):
        shows(NMEA, lat=[52.52, 52.53], lon=[13.405, -13.405], seconds=[FIX, FIX + 1.5])
        shows(("# a comment\r\n" + NMEA.decode()).encode("utf-16"), points=2)

    def test_the_date_comes_from_the_next_sentence_that_has_one(self):
        log = nmea(gga("235959"), gga("000000"), rmc("000001", "160624"))
        shows(log, seconds=[1718495999.0, 1718496000.0, 1718496001.0])
        shows(nmea("GPZDA,120000,15,06,2024,00,00", gga("120000"), gga("120001")), seconds=[FIX, FIX + 1])
        found = shows(nmea(gga("120000"), gga("120001")), seconds=None)
        assert "no_date" in {note["code"] for note in found.report.warnings}
        with pytest.raises(FormatError, match="AIS"):
            read_bytes(b"!AIVDM,1,1,,A,13HOI:0P0000VOHLCnHQKwvL05Ip,0*23\r\n")

    def test_what_is_dropped_and_why(self):
        log = nmea(rmc("120000", "150624"), rmc("120001", "150624", status="V"), gga("120002", quality="0"))
        log += nmea(gga("120003", "5231.2000,X,01324.3000,E"), gga("120004", ",,,"), gga("12000x"))
        log += nmea(gga("120005")).replace(b"5231", b"5232")
        report = read_bytes(log).report
        assert report.dropped == {"no_fix": 2, "bad_checksum": 1, "not_a_number": 1, "missing": 1, "bad_time": 1}
        assert report.kept + sum(report.dropped.values()) == report.rows_read == 7


def test_igc():
    found = shows(IGC, seconds=[1657999889.0, 1658016001.0])  # 16 July 2022, 19:31:29, and after midnight
    assert found.series[0].lat.tolist() == pytest.approx([43.840333, -43.840333], abs=1e-6)
    assert found.series[0].lon.tolist() == pytest.approx([-80.443083, 80.443083], abs=1e-6)
    shows(IGC + b"B19\r\n", rows={"short_row": [5]})
    newer = IGC.replace(b"HFDTE160722", b"HFDTEDATE:160722,01")
    shows(newer, seconds=[1657999889.0, 1658016001.0])


def test_owntracks():
    shows(OWNTRACKS, series=[("me/phone", 1)], seconds=[FIX], dropped={"not_a_position": 1})
    damaged = OWNTRACKS.replace(b"me/phone", "me/phone\u2028".encode()) + b"2024-06-15T12:00:02Z\t*\t{oops\n"
    shows(damaged, rows={"not_a_position": [2], "short_row": [3]}, dropped={"not_a_position": 1, "short_row": 1})


class TestFit:
    @each("order", ["<", ">"])
    @each("compressed", [False, True])
    def test_records(self, order, compressed):
        data = fit_file(order, compressed=compressed)
        one = shows(data, seconds=[FIX, FIX + 5], rows={"missing": [3]}).series[0]
        assert one.lon.tolist() == pytest.approx([13.405, -13.405], abs=1e-6)
        assert one.lat.tolist() == pytest.approx([52.52, 52.52], abs=1e-6)
        shows(data + data, points=4)

    def test_an_order_of_bytes_that_there_is_not(self):
        data = fit_file()
        refused(data[:16] + b"\2" + data[17:], "bad_fit")
