"""Runs of plain GPX points that are not passed to the parser: the same reading as with the parser alone."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats import gpx, read
from privacy_engine.formats.gpx_runs import runs
from privacy_engine.formats.report import Report
from tests.cases import each

PLAIN = '<trkpt lat="48.{0}" lon="2.35">\n <ele>35.2</ele><time>2024-05-14T07:00:{0}Z</time><sat>7</sat></trkpt>'
FORMS = (
    PLAIN,
    PLAIN,
    PLAIN,
    '<trkpt lon="2.{0}" lat="48.1"><time>2024-05-14T08:00:{0}Z</time></trkpt>\r\n',
    '<trkpt lat="48.{0}" lon="2.35"><time>2024-05-14T09:00:{0}Z</time><time>1999-01-01T00:00:00Z</time></trkpt>',
    '<trkpt lat="48.{0}" lon="2.35"><ele>1</ele></trkpt>',
    "<trkpt lat='48.{0}' lon='2.35'><time>2024-05-14T10:00:{0}Z</time></trkpt>",
    '<g:trkpt lat="48.{0}" lon="2.35"><time>2024-05-14T10:00:{0}Z</time></g:trkpt>',
    '<trkpt lat="48.{0}" lon="2.35"><time>2024-05-14&#84;11:00:{0}Z</time></trkpt>',
    '<trkpt lat="91.{0}" lon="2.35"><time>2024-05-14T07:00:{0}Z</time></trkpt>',
    '<trkpt lat="" lon="2.{0}"><time></time></trkpt>',
    '<wpt lat="1" lon="2"><name>Al</name></wpt>',
    "</trkseg></trk><trk><name>Bo</name><trkseg>",
)
AROUND = (
    "{}",
    "<!-- {} -->",
    "<![CDATA[{}]]>",
    "<?note {}?>",
    "<extensions>{}</extensions>",
    '<trkpt lat="1" lon="2">{}</trkpt>',
    "<name>A {} B</name>",
    "<link text='{}'/>",
    '<wpt lat="1" lon="2">{}</wpt>',
    '<x xmlns="http://example.com/">{}</x>',
    "<ele>{}</time>",
    "<!DOCTYPE {}>",
    "{}<trkpt",
    "{}\x0c",
)
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


@each("order", ["lat lon", "lon lat"])
def test_runs_have_places_and_texts(order):
    values = {"lat": "1.5", "lon": "-2e1"}
    places = " ".join(f'{name}="{values[name]}"' for name in order.split())
    point = f"<trkpt {places}><time>2024-05-14T07:00:00Z</time></trkpt>"
    data = f"<gpx>{point} {point}{point}<a/>{point}</gpx>".encode()
    (one,) = runs(data)
    assert one.columns() == (("1.5",) * 2, ("-2e1",) * 2, ("2024-05-14T07:00:00Z",) * 2)
    assert data[one.start : one.end].decode() == f"{point} {point}{point}"
    assert data[one.start : one.first_end].decode() == point


def test_of_long_runs_nothing_is_lost():
    body = "".join(f'<trkpt lat="{i / 1e4}" lon="0"><time>2024-05-14T07:00:00Z</time></trkpt>' for i in range(45_000))
    document = gpx._parse(DOCUMENT.format("", body).encode(), None, Report())
    lat, _, time, track = document.points["trkpt"].columns()
    assert lat.to_pylist() == [f"{i / 1e4}" for i in range(45_000)]
    assert set(track.to_pylist()) == {0}
    assert set(time.to_pylist()) == {"2024-05-14T07:00:00Z"}
