"""GPX, KML, KMZ and TCX: which positions and times count, what is refused; files cut off; runs of plain points."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats import gpx, read
from privacy_engine.formats.report import Report
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
        shows(kml(SPAN + LINE), lon=[13.4, 13.5, 13.6], seconds=[FIX, FIX + 300, FIX + 600], warnings=["interpolated"])
        shows(kml(LINE), lon=[13.4, 13.5, 13.6], seconds=None)
        area = "<Polygon><outerBoundaryIs><LinearRing><coordinates>1,1 2,2 3,3 1,1</coordinates></LinearRing>"
        shows(kml(area + "</outerBoundaryIs></Polygon>", LINE), dropped={"unsupported_geometry": 1}, points=3)
        rows = track((NOON, "13.4 52.5"), (LATER, "east 52.6"), (LATER, "13"), (LATER, "400 1"))
        shows(kml(rows), dropped={"not_a_number": 1, "missing": 1, "out_of_range": 1})

    def test_files_cut_off_and_kmz(self):
        for end in (b"</Placemark>", b""):
            refused(kml(track((NOON, "13.4 52.5")))[:-30] + end, "bad_xml", "line 1")
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

    def test_only_its_own_time_counts_and_damage_is_refused(self):
        other = b"<extensions><time>1999-01-01T00:00:00Z</time><trkpt/></extensions><time>"
        shows(GPX.replace(b"<time>", other, 1), seconds=[1718447400.0, 1718447460.0])
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


PLAIN = '<trkpt lat="48.{0}" lon="2.35">\n <ele>35.2</ele><time>2024-05-14T07:00:{0}Z</time><sat>7</sat></trkpt>'
FORMS = (
    *(PLAIN, PLAIN, PLAIN, '<trkpt lon="2.{0}" lat="48.1"><time>2024-05-14T08:00:{0}Z</time></trkpt>\r\n'),
    '<trkpt lat="48.{0}" lon="2.35"><time>2024-05-14T09:00:{0}Z</time><time>1999-01-01T00:00:00Z</time></trkpt>',
    '<trkpt lat="48.{0}" lon="2.35"><ele>1</ele></trkpt>',
    "<trkpt lat='48.{0}' lon='2.35'><time>2024-05-14T10:00:{0}Z</time></trkpt>",
    '<g:trkpt lat="48.{0}" lon="2.35"><time>2024-05-14T10:00:{0}Z</time></g:trkpt>',
    '<trkpt lat="48.{0}" lon="2.35"><time>2024-05-14&#84;11:00:{0}Z</time></trkpt>',
    '<trkpt lat="91.{0}" lon="2.35"><time>2024-05-14T07:00:{0}Z</time></trkpt>',
    *('<trkpt lat="" lon="2.{0}"><time></time></trkpt>', '<wpt lat="1" lon="2"><name>Al</name></wpt>'),
    "</trkseg></trk><trk><name>Bo</name><trkseg>",
)
AROUND = (
    "{}", "<!-- {} -->", "<![CDATA[{}]]>", "<?note {}?>", "<extensions>{}</extensions>",
    '<trkpt lat="1" lon="2">{}</trkpt>', "<name>A {} B</name>", "<link text='{}'/>", '<wpt lat="1" lon="2">{}</wpt>',
    '<x xmlns="http://example.com/">{}</x>', "<ele>{}</time>", "<!DOCTYPE {}>", "{}<trkpt", "{}\x0c",
)  # fmt: skip
DOCUMENT = (
    '<gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="http://example.com/g" creator="{}">'
    "<trk><name>Al</name><trkseg>{}</trkseg></trk></gpx>"
)


def reading(text, options):
    try:
        found = read(io.BytesIO(text.encode()), **options)
    except FormatError as error:
        return error.code, str(error)
    arrays = [
        (one.name, one.person, one.lon.tolist(), one.lat.tolist(), np.array(one.time_s).tolist())
        for one in found.series
    ]
    return arrays, found.report.as_dict()


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    parts=st.lists(
        st.tuples(st.sampled_from((AROUND[0],) * 8 + AROUND), st.lists(st.sampled_from(FORMS), min_size=1, max_size=6)),
        max_size=5,
    ),
    creator=st.sampled_from(["Cairn", "other"]),
    person=st.sampled_from([None, "column:name"]),
)
def test_reads_what_the_parser_alone_reads(parts, creator, person):
    """Results, notes and errors, for documents that are well-formed and others."""
    count = iter(range(10, 60))
    body = "".join(around.format("".join(form.format(next(count)) for form in forms)) for around, forms in parts)
    text, options = DOCUMENT.format(creator, body), {"format": "gpx"} | ({"person": person} if person else {})
    fast = reading(text, options)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(gpx, "runs", lambda data: ())
        assert reading(text, options) == fast


def test_plain_points_are_not_passed_to_the_parser(monkeypatch):
    calls = []
    start = gpx._Handlers.start
    monkeypatch.setattr(gpx._Handlers, "start", lambda *given: (calls.append(given[1]), start(*given)))
    text = DOCUMENT.format("", "\n".join(PLAIN.format(second) for second in range(10, 60)))
    (series,) = read(io.BytesIO(text.encode())).series
    assert np.allclose(series.lat, [float(f"48.{second}") for second in range(10, 60)])
    assert len(calls) == 4 + 4


def test_of_long_runs_nothing_is_lost():
    body = "".join(f'<trkpt lat="{i / 1e4}" lon="0"><time>2024-05-14T07:00:00Z</time></trkpt>' for i in range(45_000))
    document = gpx._parse(DOCUMENT.format("", body).encode(), None, Report())
    lat, _, time, track = document.points["trkpt"].columns()
    assert lat.to_pylist() == [f"{i / 1e4}" for i in range(45_000)]
    assert set(track.to_pylist()) == {0}
    assert set(time.to_pylist()) == {"2024-05-14T07:00:00Z"}
