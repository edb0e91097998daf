"""KML, KMZ and TCX: which positions count, which time is whose, and what is refused."""

import pytest

from privacy_engine.errors import FormatError
from tests.cases import each, refusal
from tests.engine.format_samples import KML, TCX, read_bytes, seconds, zipped

NOON, LATER = "2024-06-15T12:00:00Z", "2024-06-15T12:10:00Z"
NOON_S = 1718452800.0


def kml(*placemarks, gx="gx"):
    marks = "".join(f"<Placemark>{one}</Placemark>" for one in placemarks)
    spaces = f'xmlns="http://www.opengis.net/kml/2.2" xmlns:{gx}="http://www.google.com/kml/ext/2.2"'
    return f'<?xml version="1.0"?><kml {spaces}><Document>{marks}</Document></kml>'.encode()


def track(*rows, gx="gx"):
    whens = "".join(f"<when>{when}</when>" for when, _ in rows)
    coords = "".join(f"<{gx}:coord>{coord}</{gx}:coord>" for _, coord in rows)
    return f"<{gx}:Track>{whens}{coords}</{gx}:Track>"


POINT = "<Point><coordinates>13.4,52.5,0</coordinates></Point>"
LINE = "<LineString><coordinates>\n 13.4,52.5,0 13.5,52.6 13.6, 52.7 ,1\n</coordinates></LineString>"


class TestKml:
    def test_times_and_positions_of_a_track_belong_together_by_their_order(self):
        one = read_bytes(kml(track((NOON, "13.4 52.5 30"), (LATER, "13.5 52.6")))).series[0]
        assert (one.lon.tolist(), one.lat.tolist()) == ([13.4, 13.5], [52.5, 52.6])
        assert seconds(one) == [NOON_S, NOON_S + 600]

    def test_prefixes_do_not_matter(self):
        assert len(read_bytes(kml(track((NOON, "13.4 52.5"), gx="zz"), gx="zz"))) == 1

    def test_several_tracks_are_one_timeline_and_this_is_stated(self):
        multi = f"<gx:MultiTrack>{track((LATER, '1 1'))}{track((NOON, '2 2'))}</gx:MultiTrack>"
        reading = read_bytes(kml(multi))
        assert reading.series[0].lon.tolist() == [2.0, 1.0]
        assert {"joined", "out_of_order"} <= {note["code"] for note in reading.report.notes}

    def test_tracks_go_before_placemarks(self):
        reading = read_bytes(kml(track((NOON, "1 1")), f"<TimeStamp><when>{NOON}</when></TimeStamp>{POINT}"))
        assert reading.series[0].lon.tolist() == [1.0]
        assert [note["count"] for note in reading.report.notes if note["code"] == "left_out"] == [1]

    def test_a_span_is_an_arrival_and_a_departure(self):
        span = f"<TimeSpan><begin>{NOON}</begin><end>{LATER}</end></TimeSpan>"
        assert seconds(read_bytes(kml(span + POINT)).series[0]) == [NOON_S, NOON_S + 600]

    def test_a_line_with_a_span_has_times_at_its_ends_only(self):
        reading = read_bytes(kml(f"<TimeSpan><begin>{NOON}</begin><end>{LATER}</end></TimeSpan>" + LINE))
        assert reading.series[0].lon.tolist() == [13.4, 13.6]
        assert reading.report.dropped == {"no_time": 1}

    def test_a_line_without_times_is_a_line_without_times(self):
        one = read_bytes(kml(LINE)).series[0]
        assert (one.lon.tolist(), one.time_s) == ([13.4, 13.5, 13.6], None)

    def test_areas_are_dropped_with_their_line(self):
        area = "<Polygon><outerBoundaryIs><LinearRing><coordinates>1,1 2,2 3,3 1,1</coordinates></LinearRing>"
        reading = read_bytes(kml(area + "</outerBoundaryIs></Polygon>", LINE))
        assert reading.report.dropped == {"unsupported_geometry": 1}
        assert len(reading) == 3

    def test_positions_that_are_none_are_dropped_by_reason(self):
        reading = read_bytes(kml(track((NOON, "13.4 52.5"), (LATER, "east 52.6"), (LATER, "13"), (LATER, "400 1"))))
        assert reading.report.dropped == {"not_a_number": 1, "missing": 1, "out_of_range": 1}

    @each("end", ["</Placemark>", ""])
    def test_a_file_cut_off_names_the_place(self, end):
        with pytest.raises(FormatError, match="line 1") as refused:
            read_bytes(kml(track((NOON, "13.4 52.5")))[:-30] + end.encode())
        assert refused.value.code == "bad_xml"

    def test_a_doctype_is_refused(self):
        with pytest.raises(FormatError) as refused:
            read_bytes(kml(LINE).replace(b"<kml", b'<!DOCTYPE kml [<!ENTITY x "y">]><kml', 1), format="kml")
        assert refused.value.code == "xml_doctype"

    def test_a_kmz_is_its_kml_and_not_its_images(self):
        packed = zipped(**{"doc.kml": KML, "files__icon.png": b"\x89PNG\r\n\x1a\n"})
        reading = read_bytes(packed, "trip.kmz")
        assert (len(reading), reading.report.dropped, reading.report.outcome) == (2, {}, "accept")


class TestTcx:
    def test_track_points_with_time_and_position(self):
        one = read_bytes(TCX).series[0]
        assert (one.lon.tolist(), one.lat.tolist(), seconds(one)) == ([13.4], [52.5], [NOON_S])

    def test_a_point_without_position_is_dropped_with_its_line(self):
        report = read_bytes(TCX).report.as_dict()
        assert report["dropped"]["missing"]["rows"] == [1]

    def test_other_xml_is_named(self):
        with pytest.raises(FormatError, match="SVG image"):
            read_bytes(b"<svg></svg>")
        assert refusal(FormatError, read_bytes, b"<svg></svg>", format="tcx").code == "not_tcx"
