"""JSON: GeoJSON and sequences of it, Google's location history, records as other tools write them, OwnTracks."""

import io
import json
import tracemalloc

import pytest

from privacy_engine.errors import FormatError
from tests.cases import each
from tests.engine.format_samples import feature, read_bytes, refused, seconds, shows
from tests.engine.frame_sample import FIX, fixes, matches_frame
from tests.later import pandas as pd

FEATURE = feature("Point", [1, 2], time=1718452800)
HERE = {"latitudeE7": 525200000, "longitudeE7": 134050000}


def of(document, name="x", **facts):
    return shows(json.dumps(document).encode(), name, **facts)


class TestGeoJson:
    def test_times(self):
        times = [["2024-06-15T10:30:00Z", "2024-06-15T10:31:00Z"], ["2024-06-15T10:32:00Z"]]
        line = feature("MultiLineString", [[[1, 1], [2, 2]], [[3, 3]]], coordTimes=times)
        of(line, seconds=[1718447400.0, 1718447460.0, 1718447520.0])
        for name in ("time", "timestamp", "datetime", "created_at", "recordedAt", "tst"):
            of(feature("Point", [1, 2], **{name: 1718447400}), seconds=[1718447400.0])

    def test_an_old_crs_is_followed(self):
        crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}
        found = of({"type": "Point", "coordinates": [12947950, 4865090], "crs": crs})
        assert found.series[0].lon[0] == pytest.approx(116.31, abs=0.01)

    @each("position", ["[NaN, 1]", "[1e999, 1]", '["1", 1]', "[true, 1]", "[null, 1]", "[1]", "{}"])
    def test_positions_that_are_none(self, position):
        refused(f'{{"type": "Point", "coordinates": {position}}}'.encode(), "no_points")


class TestGeoJsonSequences:
    @each("before", ["", "\x1e", "\ufeff"])
    @each("end", ["\n", "\r\n", "\n\n"])
    def test_one_feature_on_each_line(self, before, end):
        lines = [before + json.dumps(FEATURE), before.strip("\ufeff") + json.dumps(FEATURE)]
        reading = read_bytes(end.join(lines).encode() + end.encode())
        assert (reading.report.format, len(reading)) == ("geojsonseq", 2)

    def test_rows_are_lines(self):
        one = json.dumps(FEATURE)
        shows("\n".join([one, one, "{oops", one]).encode(), rows={"bad_json": [3]}, points=3)
        lines = "\n".join([one, "", one, json.dumps(FEATURE | {"geometry": None})]).encode()
        shows(lines, given={"format": "geojsonseq"}, rows={"null_geometry": [4]})
        of(FEATURE, format="geojson")


class TestGoogle:
    def test_records(self):
        for when in ({"timestamp": "2024-06-15T12:00:00Z"}, {"timestampMs": "1718452800000"}):
            of({"locations": [HERE | when]}, format="takeout", lon=[13.405], lat=[52.52], seconds=[FIX])
        west = {"latitudeE7": 2**32 - 338688000, "longitudeE7": 2**32 - 66227296, "timestamp": "2024-06-15T12:00:00Z"}
        of({"locations": [west]}, "Records.json", lon=[-6.6227296], lat=[-33.8688], notes={"e7_overflow": 2})

    def test_a_visit_is_an_arrival_and_a_departure(self):
        duration = {"startTimestamp": "2024-06-15T12:00:00Z", "endTimestamp": "2024-06-15T13:00:00Z"}
        of({"timelineObjects": [{"placeVisit": {"location": HERE, "duration": duration}}]}, seconds=[FIX, FIX + 3600])

    def test_a_journey_is_its_ends_and_the_path_that_has_times(self):
        segment = {
            "startLocation": HERE,
            "endLocation": HERE,
            "duration": {"startTimestampMs": "1718452800000", "endTimestampMs": "1718456400000"},
            "simplifiedRawPath": {"points": [{"latE7": 1, "lngE7": 2, "timestampMs": "1718454600000"}]},
            "waypointPath": {"waypoints": [{"latE7": 3, "lngE7": 4}]},
        }
        found = of({"timelineObjects": [{"activitySegment": segment}]}, seconds=[FIX, FIX + 1800, FIX + 3600])
        assert [note["count"] for note in found.report.notes if note["code"] == "left_out"] == [1]

    @each("degrees", ["geo:52.52,13.405", "52.52°, 13.405°"])
    def test_the_timeline_of_a_phone(self, degrees):
        entry = {"startTime": "2024-06-15T14:00:00.000+02:00", "endTime": "2024-06-15T15:00:00.000+02:00"}
        visit = {"visit": {"topCandidate": {"placeLocation": {"latLng": degrees} if "°" in degrees else degrees}}}
        path = {"timelinePath": [{"point": degrees, "durationMinutesOffsetFromStartTime": "30"}]}
        of([entry | visit], lon=[13.405] * 2, lat=[52.52] * 2, seconds=[FIX, FIX + 3600])
        of({"semanticSegments": [entry | path]}, lon=[13.405], lat=[52.52], seconds=[FIX + 1800])

    def test_raw_signals_are_a_series_of_their_own(self):
        signal = {"position": {"LatLng": "52.52°, 13.405°", "timestamp": "2024-06-15T12:00:00Z"}}
        segment = {"startTime": "2024-06-15T12:00:00Z", "timelinePath": [{"point": "geo:1,2", "time": "1718452800"}]}
        document = {"semanticSegments": [segment], "rawSignals": [signal]}
        of(document, series=[("Timeline", 1), ("Timeline raw signals", 1)])

    def test_what_holds_no_positions(self):
        for key in ("timelineEdits", "deviceSettings"):
            refused(json.dumps({key: []}).encode(), "other_kind", "Google Takeout")
        for entry in (None, 1, [], {"timestamp": "2024-06-15T12:00:00Z"}, HERE, HERE | {"timestamp": {}}):
            refused(json.dumps({"locations": [entry, {"latitudeE7": None}]}).encode(), "no_points")


class TestRecords:
    @each("lines", [True, False])
    @each("dates", ["iso", "epoch"])
    def test_records_that_pandas_writes(self, lines, dates):
        frame = (
            fixes() if dates == "iso" else fixes().assign(time=[FIX * 1000, FIX * 1000 + 60_000, FIX * 1000 + 120_000])
        )
        text = frame.to_json(orient="records", lines=lines, date_format="iso")
        again = pd.read_json(io.StringIO(text), orient="records", lines=lines)
        assert again["lon"].tolist() == fixes()["lon"].tolist()
        matches_frame(text.encode(), "x.jsonl" if lines else "x.json", "json")
        matches_frame(b"\xef\xbb\xbf" + text.encode(), "x.json", "json")
        matches_frame(text.encode("utf-16"), "x.json", "json")

    def test_records_inside_an_object_and_members_inside_records(self):
        inner = [
            {"coords": {"latitude": lat, "longitude": lon}, "user": user, "at": when.isoformat()}
            for user, when, lon, lat in fixes().itertuples(index=False)
        ]
        document = {"devices": [{"name": "phone"}], "result": {"points": inner}}
        matches_frame(json.dumps(document).encode(), "x.json", "json")

    def test_other_names_by_options_and_in_the_error(self):
        data = json.dumps([{"u": 13.4, "v": 52.5}, {"u": 13.5, "v": 52.6}]).encode()
        shows(data, given={"lon": "u", "lat": "v"}, lon=[13.4, 13.5])
        refused(data, "no_position_columns", "The columns are: u, v.")

    def test_damage_is_named_by_its_record(self):
        lines = b'{"lat": 1, "lon": 2}\n{"lat": 1, "lon"\n[]\n{"lat": 1, "lon": 3}\n'
        report = shows(lines, "x.jsonl", rows={"bad_json": [2, 3]}, dropped={"bad_json": 2}).report
        assert report.rows_read == 4
        with pytest.raises(FormatError, match="after record 1") as error:
            read_bytes(b'[{"lat": 1, "lon": 2}, {"lat": 1, "lon": 2.0.0}]', "x.json", format="json")
        assert error.value.row == 2

    @each("number", ["9" * 400, "1e400", "-1e999"])
    def test_huge_numbers_are_no_positions(self, number):
        found = shows(b'[{"lat": 1, "lon": 2}, {"lat": 1, "lon": %s}]' % number.encode(), "x.json", points=1)
        assert sum(found.report.dropped.values()) == 1

    @each("inside", [b"[" * 20_000 + b"]" * 20_000, b"1" * 5000])
    def test_what_json_cannot_hold_is_refused_by_record(self, inside):
        data = b'[{"lat": 1, "lon": 2}, {"lat": 1, "lon": 2, "x": ' + inside + b"}]"
        with pytest.raises(FormatError, match="after record 1"):
            read_bytes(data, "x.json")

    def test_memory_is_that_of_the_columns_and_not_of_the_document(self):
        record = b'{"lat": 52.5, "lon": 13.4, "time": %d, "notes": "' + b"x" * 400 + b'"}'
        data = b"[" + b",".join(record % (FIX + i) for i in range(40_000)) + b"]"
        tracemalloc.start()
        assert len(read_bytes(data, "x.json")) == 40_000
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < len(data) / 2


@each("wrapper", ["object", "array", "lines"])
def test_answers_of_owntracks(wrapper):
    entry = {"_type": "location", "lat": 52.5, "lon": 13.4, "tst": FIX, "topic": "owntracks/me/phone", "tid": "ab"}
    entries = [entry, {"_type": "lwt", "tst": FIX}, entry | {"tst": FIX + 5, "topic": "owntracks/you/p"}]
    text = json.dumps({"count": 3, "status": 200, "data": entries} if wrapper == "object" else entries)
    text = "\n".join(map(json.dumps, entries)) if wrapper == "lines" else text
    people = [("me/phone", "me"), ("you/p", "you")]
    found = shows(text.encode(), "locations.json", format="owntracks", people=people, dropped={"not_a_position": 1})
    assert [seconds(one) for one in found.series] == [[FIX], [FIX + 5]]
