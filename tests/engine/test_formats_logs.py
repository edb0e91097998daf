"""Logs of receivers: NMEA, IGC, OwnTracks, FIT. A fix is one row, and its date may stand far from it."""

import struct
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats.times_of_day import clock_s, dated, day_of
from tests.cases import each, refusal
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


class TestDayOfZda:
    """A ZDA names the day of its own time; a fix on the other side of midnight is of the day before or after."""

    def zda(self, clock, day):
        return f"GPZDA,{clock},{day},06,2024,00,00"

    def test_is_that_of_its_own_time(self):
        midnight = FIX + DAY_S / 2  # 16 June
        for bodies, seconds in (
            ((self.zda("235959", 15), gga("000001")), [1]),
            ((gga("235958"), self.zda("000001", 16)), [-2]),
            ((gga("235958"), self.zda("000001", 16), gga("000002")), [-2, 2]),
            ((gga("235958"), gga("000000"), self.zda("000000", 16)), [-2, 0]),
            ((self.zda("000001", 16), gga("235959"), gga("000002")), [-1, 2]),
            ((self.zda("235959", 15), gga("235959"), gga("000000")), [-1, 0]),
        ):
            shows(nmea(*bodies), seconds=[midnight + one for one in seconds])


def test_an_entry_of_owntracks_may_have_several_lines_and_no_type():
    begin = '2022-01-08T21:32:04Z\t*\t{"lat": 51.5,\n'
    whole = begin + f'"lon": -0.18,\n"tst": {FIX:.0f}}}\n'
    shows((whole + OWNTRACKS.decode()).encode(), points=1 + len(read_bytes(OWNTRACKS)))
    shows((whole + begin).encode(), "x.rec", points=1, rows={"short_row": [4]})
    shows((begin + whole).encode(), "x.rec", points=1, rows={"short_row": [1]})


@each(
    ("data", "message"),
    [
        (fit_file().replace(struct.pack("<i", round(52.52 / 180 * 2**31)), struct.pack("<i", 2**31 - 1)),
         "The FIT file holds 3 records, none with a position: it was recorded without GPS."),
        (b"fgb\x02fgb\x00" + bytes(200), "This is a FlatGeobuf file of version 2; version 3 is read"),
        (b"-- a dump\nSET x = 1;\nINSERT INTO `positions` (id, t) VALUES (1,'2024');\n", "This is an SQL dump"),
        (b"CREATE TABLE fixes (\n id int);\n", "This is an SQL dump"),
        (b'<gpx><trk><trkseg><trkpt lat="47,1" lon="8"/></trkseg></trk></gpx>', "(first on point 1: '47,1', '8')"),
        (b'<gpx><wpt lat="47" lon="8"><time>gestern</time></wpt></gpx>', "(first on point 1: '47', '8', 'gestern')"),
        (b'{"type":"Feature","geometry":{"type":"Point","coordinates":[8,47]},"properties":{"time":"gestern"}}',
         "(first on feature 1: 'gestern')"),
        (b"<kml><Placemark><TimeStamp><when>gestern</when></TimeStamp>\n<Point><coordinates>8,47</coordinates>"
         b"</Point></Placemark></kml>", "(first on line 2: '47', '8', 'gestern')"),
    ],
)  # fmt: skip
def test_a_message_quotes_what_cannot_be_read_and_where(data, message):
    assert message in str(refusal(FormatError, read_bytes, data))


@each(("untimed", "level"), [(0, None), (1, "info"), (2, "info"), (3, "warning")])
def test_positions_without_a_time_beside_timed_ones_are_counted_and_amber_above_a_tenth(untimed, level):
    point = '<trkpt lat="47.{0}" lon="8.1">{1}</trkpt>'
    timed = [point.format(i, f"<time>2024-06-15T12:00:{i:02}Z</time>") for i in range(20)]
    rows = timed + [point.format(i, "") for i in range(untimed)]
    report = read_bytes(f"<gpx><trk><trkseg>{''.join(rows)}</trkseg></trk></gpx>".encode()).report
    message = f"{untimed} of {20 + untimed} positions were left out: they have no time, the others do."
    assert [(one["level"], one["message"]) for one in report.notes if one["code"] == "untimed_rows"] == (
        [] if level is None else [(level, message)]
    )
