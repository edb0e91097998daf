"""GPX, KML, KMZ and TCX: which positions count, which time is whose, and what is refused; files cut off."""

import pytest

from privacy_engine.errors import FormatError
from tests.cases import each, refusal
from tests.engine.format_samples import FIT, GPX, KML, TCX, read_bytes, refused, shows, zipped
from tests.engine.frame_sample import FIX

NOON, LATER = "2024-06-15T12:00:00Z", "2024-06-15T12:10:00Z"
SPAN = f"<TimeSpan><begin>{NOON}</begin><end>{LATER}</end></TimeSpan>"
POINT = "<Point><coordinates>13.4,52.5,0</coordinates></Point>"
LINE = "<LineString><coordinates>\n 13.4,52.5,0 13.5,52.6 13.6, 52.7 ,1\n</coordinates></LineString>"


def kml(*placemarks, gx="gx"):
    marks = "".join(f"<Placemark>{one}</Placemark>" for one in placemarks)
    spaces = f'xmlns="http://www.opengis.net/kml/2.2" xmlns:{gx}="http://www.google.com/kml/ext/2.2"'
    return f'<?xml version="1.0"?><kml {spaces}><Document>{marks}</Document></kml>'.encode()


def track(*rows, gx="gx"):
    whens = "".join(f"<when>{when}</when>" for when, _ in rows)
    coords = "".join(f"<{gx}:coord>{coord}</{gx}:coord>" for _, coord in rows)
    return f"<{gx}:Track>{whens}{coords}</{gx}:Track>"


class TestKml:
    @each("gx", ["gx", "zz"])
    def test_tracks(self, gx):
        one = track((NOON, "13.4 52.5 30"), (LATER, "13.5 52.6"), gx=gx)
        shows(kml(one, gx=gx), lon=[13.4, 13.5], lat=[52.5, 52.6], seconds=[FIX, FIX + 600])
        multi = f"<{gx}:MultiTrack>{track((LATER, '1 1'), gx=gx)}{track((NOON, '2 2'), gx=gx)}</{gx}:MultiTrack>"
        found = shows(kml(multi, gx=gx), lon=[2.0, 1.0])  # one timeline, and this is stated
        assert {"joined", "out_of_order"} <= {note["code"] for note in found.report.notes}
        before = kml(track((NOON, "1 1"), gx=gx), f"<TimeStamp><when>{NOON}</when></TimeStamp>{POINT}", gx=gx)
        found = shows(before, lon=[1.0])  # tracks go before placemarks
        assert [note["count"] for note in found.report.notes if note["code"] == "left_out"] == [1]

    def test_placemarks(self):
        shows(kml(SPAN + POINT), seconds=[FIX, FIX + 600])  # an arrival and a departure
        shows(kml(SPAN + LINE), lon=[13.4, 13.6], dropped={"no_time": 1})
        shows(kml(LINE), lon=[13.4, 13.5, 13.6], seconds=None)
        area = "<Polygon><outerBoundaryIs><LinearRing><coordinates>1,1 2,2 3,3 1,1</coordinates></LinearRing>"
        shows(kml(area + "</outerBoundaryIs></Polygon>", LINE), dropped={"unsupported_geometry": 1}, points=3)
        rows = track((NOON, "13.4 52.5"), (LATER, "east 52.6"), (LATER, "13"), (LATER, "400 1"))
        shows(kml(rows), dropped={"not_a_number": 1, "missing": 1, "out_of_range": 1})

    def test_a_file_cut_off_names_the_place(self):
        for end in (b"</Placemark>", b""):
            refused(kml(track((NOON, "13.4 52.5")))[:-30] + end, "bad_xml", "line 1")

    def test_a_kmz_is_its_kml_and_not_its_images(self):
        packed = zipped(**{"doc.kml": KML, "files__icon.png": b"\x89PNG\r\n\x1a\n"})
        shows(packed, "trip.kmz", points=2, dropped={}, outcome="accept")


def test_a_doctype_is_refused():
    refused(kml(LINE).replace(b"<kml", b'<!DOCTYPE kml [<!ENTITY x "y">]><kml', 1), "xml_doctype", format="kml")
    text = '<?xml version="1.0" encoding="{}"?><!DOCTYPE gpx>' + GPX.decode()
    for encoding in ("utf-8", "utf-16", "iso-8859-1", "cp1252"):
        refused(text.format(encoding).encode(encoding), "xml_doctype", name="x.gpx", format="gpx")


def test_tcx():
    shows(TCX, lon=[13.4], lat=[52.5], seconds=[FIX], rows={"missing": [1]})
    with pytest.raises(FormatError, match="SVG image"):
        read_bytes(b"<svg></svg>")
    refused(b"<svg></svg>", "not_tcx", format="tcx")


class TestGpx:
    @each("encoding", ["utf-16", "iso-8859-1", "utf-8"])
    def test_encodings(self, encoding):
        text = f'<?xml version="1.0" encoding="{encoding}"?>' + GPX.decode().replace(
            "<trkseg>", "<name>é</name><trkseg>"
        )
        assert len(read_bytes(text.encode(encoding))) == 2

    def test_only_its_own_time_counts(self):
        other = b"<extensions><time>1999-01-01T00:00:00Z</time><trkpt/></extensions><time>"
        shows(GPX.replace(b"<time>", other, 1), seconds=[1718447400.0, 1718447460.0])

    def test_damage(self):
        assert refused(GPX[: GPX.index(b"<trkpt") + 9], "bad_xml", "line 1").row == 1
        refused(GPX.replace(b"</trkpt>", b"</trkseg>", 1), "bad_xml", name="x.gpx")
        assert refusal(FormatError, read_bytes, b"<gpx>" + b"<a>" * 200_000).code


class TestCutOff:
    """What is readable of a file that ends too early is kept, with a warning."""

    @each("at", [7, 20, 60, 100])
    def test_gpx(self, at):
        point = b'<trkpt lat="52.5" lon="13.4"><time>2024-06-15T10:%02d:00Z</time></trkpt>\n'
        whole = b"<gpx><trk><trkseg>" + b"".join(point % i for i in range(30)) + b"</trkseg></trk></gpx>"
        part = whole[: whole.index(b"<trkpt", len(whole) // 2) + at]
        shows(part, "x.gpx", points=part.count(b"</trkpt>"), warnings=["cut_off"])

    def test_a_real_gpx_at_any_place(self, shared):
        data = (shared / "data/trajectories/gpx/run.gpx").read_bytes()
        for end in range(20_000, len(data) - 50, 4999):
            reading = read_bytes(data[:end], "x.gpx")
            assert len(reading) == data[:end].count(b"</trkpt>")

    def test_tcx_and_fit(self):
        shows(TCX[: TCX.rindex(b"<Trackpoint>") + 20], "x.tcx", points=1, warnings=["cut_off"])
        shows(FIT[:-10], "x.fit", points=2, warnings=["cut_off"])
