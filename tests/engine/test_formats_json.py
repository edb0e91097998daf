"""JSON of more than one shape: sequences of features, and the shapes of Google's location history."""

import json

import pytest

from privacy_engine.errors import FormatError
from tests.cases import each, refusal
from tests.engine.format_samples import read_bytes, seconds

FEATURE = {"type": "Feature", "properties": {"time": 1718452800}, "geometry": {"type": "Point", "coordinates": [1, 2]}}
NOON_S = 1718452800.0
HERE = {"latitudeE7": 525200000, "longitudeE7": 134050000}


class TestGeoJsonSequences:
    @each("before", ["", "\x1e", "\ufeff"])
    @each("end", ["\n", "\r\n", "\n\n"])
    def test_one_feature_on_each_line(self, before, end):
        lines = [before + json.dumps(FEATURE), before.strip("\ufeff") + json.dumps(FEATURE)]
        reading = read_bytes(end.join(lines).encode() + end.encode())
        assert (reading.report.format, len(reading)) == ("geojsonseq", 2)

    def test_a_damaged_line_is_dropped_by_its_number(self):
        reading = read_bytes("\n".join([json.dumps(FEATURE)] * 2 + ["{oops", json.dumps(FEATURE)]).encode())
        assert reading.report.as_dict()["dropped"]["bad_json"]["rows"] == [3]
        assert len(reading) == 3

    def test_separators_of_records_and_lines_in_texts_end_no_line(self):
        named = "\x1e" + json.dumps(FEATURE | {"properties": {"name": "a\u2028b\x85c"}}, ensure_ascii=False) + "\n"
        reading = read_bytes((named * 2 + "\x1e{oops\n").encode())
        assert (len(reading), reading.report.drops["bad_json"].rows) == (2, [3])

    def test_rows_are_lines(self):
        bad = json.dumps(FEATURE | {"geometry": None})
        reading = read_bytes(
            "\n".join([json.dumps(FEATURE), "", json.dumps(FEATURE), bad]).encode(), format="geojsonseq"
        )
        assert reading.report.as_dict()["dropped"]["null_geometry"]["rows"] == [4]

    def test_one_feature_alone_is_geojson(self):
        assert read_bytes(json.dumps(FEATURE).encode() + b"\n").report.format == "geojson"


class TestGoogle:
    def read(self, document):
        reading = read_bytes(json.dumps(document).encode())
        assert reading.report.format == "takeout"
        one = reading.series[0]
        return list(zip(one.lon.tolist(), one.lat.tolist(), seconds(one), strict=True))

    @each("when", [{"timestamp": "2024-06-15T12:00:00Z"}, {"timestampMs": "1718452800000"}])
    def test_records(self, when):
        assert self.read({"locations": [HERE | when]}) == [(13.405, 52.52, NOON_S)]

    def test_a_visit_is_an_arrival_and_a_departure(self):
        duration = {"startTimestamp": "2024-06-15T12:00:00Z", "endTimestamp": "2024-06-15T13:00:00Z"}
        rows = self.read({"timelineObjects": [{"placeVisit": {"location": HERE, "duration": duration}}]})
        assert [row[2] for row in rows] == [NOON_S, NOON_S + 3600]

    def test_a_journey_is_its_ends_and_the_path_that_has_times(self):
        segment = {
            "startLocation": HERE,
            "endLocation": HERE,
            "duration": {"startTimestampMs": "1718452800000", "endTimestampMs": "1718456400000"},
            "simplifiedRawPath": {"points": [{"latE7": 1, "lngE7": 2, "timestampMs": "1718454600000"}]},
            "waypointPath": {"waypoints": [{"latE7": 3, "lngE7": 4}]},
        }
        reading = read_bytes(json.dumps({"timelineObjects": [{"activitySegment": segment}]}).encode())
        assert [at - NOON_S for at in seconds(reading.series[0])] == [0, 1800, 3600]
        assert [note["count"] for note in reading.report.notes if note["code"] == "left_out"] == [1]

    @each("degrees", ["geo:52.52,13.405", "52.52°, 13.405°"])
    def test_the_timeline_of_a_phone(self, degrees):
        entry = {"startTime": "2024-06-15T14:00:00.000+02:00", "endTime": "2024-06-15T15:00:00.000+02:00"}
        visit = {"visit": {"topCandidate": {"placeLocation": {"latLng": degrees} if "°" in degrees else degrees}}}
        path = {"timelinePath": [{"point": degrees, "durationMinutesOffsetFromStartTime": "30"}]}
        rows = self.read([entry | visit]) + self.read({"semanticSegments": [entry | path]})
        assert rows == [(13.405, 52.52, at) for at in (NOON_S, NOON_S + 3600, NOON_S + 1800)]

    def test_raw_signals_are_a_series_of_their_own(self):
        signal = {"position": {"LatLng": "52.52°, 13.405°", "timestamp": "2024-06-15T12:00:00Z"}}
        segment = {"startTime": "2024-06-15T12:00:00Z", "timelinePath": [{"point": "geo:1,2", "time": "1718452800"}]}
        reading = read_bytes(json.dumps({"semanticSegments": [segment], "rawSignals": [signal]}).encode())
        assert reading.report.series == [("Timeline", 1), ("Timeline raw signals", 1)]

    @each("key", ["timelineEdits", "deviceSettings"])
    def test_other_files_of_the_archive_are_refused_by_name(self, key):
        with pytest.raises(FormatError, match="Google Takeout") as refused:
            read_bytes(json.dumps({key: []}).encode())
        assert refused.value.code == "other_kind"

    @each("entry", [None, 1, [], {"timestamp": "2024-06-15T12:00:00Z"}, HERE, HERE | {"timestamp": {}}])
    def test_entries_that_are_no_positions(self, entry):
        refused = refusal(FormatError, read_bytes, json.dumps({"locations": [entry, {"latitudeE7": None}]}).encode())
        assert refused.code == "no_points"
