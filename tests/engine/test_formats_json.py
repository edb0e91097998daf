"""JSON: GeoJSON, sequences of it, moving features, Google's location history, records, OwnTracks."""

import io
import json

import pytest

from privacy_engine.errors import FormatError
from tests.cases import each, refusal
from tests.engine.format_samples import feature, read_bytes, refused, seconds, shows
from tests.engine.frame_sample import FIX, fixes, matches_frame
from tests.engine.memory import peak_bytes
from tests.later import geopandas, movingpandas
from tests.later import pandas as pd

TIMED_POINT = feature("Point", [1, 2], time=1718452800)
HERE = {"latitudeE7": 525200000, "longitudeE7": 134050000}


def of(document, name="x", **facts):
    return shows(json.dumps(document).encode(), name, **facts)


class TestGeoJson:
    def test_times_and_an_old_crs(self):
        times = [["2024-06-15T10:30:00Z", "2024-06-15T10:31:00Z"], ["2024-06-15T10:32:00Z"]]
        line = feature("MultiLineString", [[[1, 1], [2, 2]], [[3, 3]]], coordTimes=times)
        of(line, seconds=[1718447400.0, 1718447460.0, 1718447520.0])
        for name in ("time", "timestamp", "datetime", "created_at", "recordedAt", "tst"):
            of(feature("Point", [1, 2], **{name: 1718447400}), seconds=[1718447400.0])
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
        lines = [before + json.dumps(TIMED_POINT), before.strip("\ufeff") + json.dumps(TIMED_POINT)]
        reading = read_bytes(end.join(lines).encode() + end.encode())
        assert (reading.report.format, len(reading)) == ("geojsonseq", 2)

    def test_separators_of_records_and_lines_in_texts_end_no_line(self):
        named = "\x1e" + json.dumps(feature("Point", [1, 2], name="a\u2028b\x85c"), ensure_ascii=False) + "\n"
        reading = read_bytes((named * 2 + "\x1e{oops\n").encode())
        assert (len(reading), reading.report.drops["bad_json"].rows) == (2, [3])

    def test_rows_are_lines(self):
        one = json.dumps(TIMED_POINT)
        shows("\n".join([one, one, "{oops", one]).encode(), rows={"bad_json": [3]}, points=3)
        lines = "\n".join([one, "", one, json.dumps(TIMED_POINT | {"geometry": None})]).encode()
        shows(lines, given={"format": "geojsonseq"}, rows={"null_geometry": [4]})
        of(TIMED_POINT, format="geojson")


class TestGoogle:
    def test_bytes_that_are_no_text_are_noted_once(self):
        row = {**HERE, "timestamp": "2024-06-15T10:30:00Z", "source": "x" * 200_000}
        whole = json.dumps({"locations": [row, row, row]}).encode()
        for data, noted in ((whole, 0), (whole.replace(b"xxx", b"\xff"), 1)):
            codes = [note["code"] for note in read_bytes(data).report.notes]
            assert codes.count("replaced") == noted

    def test_records_visits_and_raw_signals(self):
        for when in ({"timestamp": "2024-06-15T12:00:00Z"}, {"timestampMs": "1718452800000"}):
            of({"locations": [HERE | when]}, format="takeout", lon=[13.405], lat=[52.52], seconds=[FIX])
        west = {"latitudeE7": 2**32 - 338688000, "longitudeE7": 2**32 - 66227296, "timestamp": "2024-06-15T12:00:00Z"}
        of({"locations": [west]}, "Records.json", lon=[-6.6227296], lat=[-33.8688], notes={"e7_overflow": 2})
        duration = {"startTimestamp": "2024-06-15T12:00:00Z", "endTimestamp": "2024-06-15T13:00:00Z"}
        of({"timelineObjects": [{"placeVisit": {"location": HERE, "duration": duration}}]}, seconds=[FIX, FIX + 3600])
        signal = {"position": {"LatLng": "52.52°, 13.405°", "timestamp": "2024-06-15T12:00:00Z"}}
        segment = {"startTime": "2024-06-15T12:00:00Z", "timelinePath": [{"point": "geo:1,2", "time": "1718452800"}]}
        document = {"semanticSegments": [segment], "rawSignals": [signal]}
        of(document, series=[("Timeline", 1), ("Timeline raw signals", 1)])

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

    def test_other_names_by_options_and_damage_by_its_record(self):
        data = json.dumps([{"u": 13.4, "v": 52.5}, {"u": 13.5, "v": 52.6}]).encode()
        shows(data, given={"lon": "u", "lat": "v"}, lon=[13.4, 13.5])
        refused(data, "no_position_columns", "The columns are: u, v.")
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

    @pytest.mark.slow
    def test_memory_is_that_of_the_columns_and_not_of_the_document(self):
        record = b'{"lat": 52.5, "lon": 13.4, "time": %d, "notes": "' + b"x" * 400 + b'"}'
        data = b"[" + b",".join(record % (FIX + i) for i in range(40_000)) + b"]"
        assert peak_bytes(lambda: shows(data, "x.json", points=40_000)) < len(data) / 2


@each("wrapper", ["object", "array", "lines"])
def test_answers_of_owntracks(wrapper):
    entry = {"_type": "location", "lat": 52.5, "lon": 13.4, "tst": FIX, "topic": "owntracks/me/phone", "tid": "ab"}
    entries = [entry, {"_type": "lwt", "tst": FIX}, entry | {"tst": FIX + 5, "topic": "owntracks/you/p"}]
    text = json.dumps({"count": 3, "status": 200, "data": entries} if wrapper == "object" else entries)
    text = "\n".join(map(json.dumps, entries)) if wrapper == "lines" else text
    people = [("me/phone", "me"), ("you/p", "you")]
    found = shows(text.encode(), "locations.json", format="owntracks", people=people, dropped={"not_a_position": 1})
    assert [seconds(one) for one in found.series] == [[FIX], [FIX + 5]]


INSTANTS = ["2024-06-15T12:00:00Z", "2024-06-15T12:01:00Z", "2024-06-15T12:02:00Z"]
POSITIONS = [[13.4, 52.5], [13.5, 52.6, 30.0], [13.6, 52.7]]
POINT = {"type": "MovingPoint", "datetimes": INSTANTS, "coordinates": POSITIONS}
FEATURE = {"type": "Feature", "properties": {"name": "run"}, "temporalGeometry": POINT}
LON = [13.4, 13.5, 13.6]
TIMES = [FIX, FIX + 60, FIX + 120]


def found(document, **facts):
    return shows(json.dumps(document).encode(), "x.json", format="mfjson", **facts)


def together(*features, **members):
    return {"type": "FeatureCollection", "features": list(features), **members}


def named(name):
    return {"type": "Name", "properties": {"name": name}}


def frame():
    table = pd.DataFrame(
        {"traj_id": [1, 1, 2], "t": pd.to_datetime([one[:-1] for one in INSTANTS]), "speed": [1, 2, 3]}
    )
    points = geopandas.points_from_xy([13.4, 13.5, 13.6], [52.5, 52.6, 52.7], crs="EPSG:4326")
    return geopandas.GeoDataFrame(table, geometry=points)


@pytest.mark.filterwarnings("ignore")  # MovingPandas' own
class TestWriters:
    @pytest.mark.parametrize("encoder", ["text", "iso", "milliseconds"])
    def test_collections_that_movingpandas_writes_and_reads(self, encoder, tmp_path):
        encoders = {"iso": lambda t: t.isoformat() + "Z", "milliseconds": lambda t: int(t.timestamp() * 1000)}
        document = movingpandas.io.gdf_to_mf_json(
            frame(), "traj_id", "t", temporal_columns=["speed"], interpolation="Linear",
            crs=named("urn:ogc:def:crs:OGC:1.3:CRS84"), trs=named("urn:ogc:data:time:iso8601"),
            datetime_encoder=encoders.get(encoder), datetime_to_str=encoder == "text",
        )  # fmt: skip
        zone = {"time_zone": "UTC"} if encoder == "text" else {}
        reading = found(document, given=zone, people=[("1", ""), ("2", "")], seconds=TIMES)
        assert len(reading.series[0]) == 2
        if encoder == "milliseconds":  # which MovingPandas takes for nanoseconds
            return
        one = movingpandas.read_mf_dict(document["features"][0], traj_id_property="traj_id")
        assert one.df.geometry.x.tolist() == reading.series[0].lon.tolist()
        assert [at.timestamp() for at in one.df.index.tz_localize("UTC")] == seconds(reading.series[0])

    def test_points_and_sequences_of_mobilitydb(self):
        alone = {"type": "MovingPoint", "crs": named("EPSG:4326"), "interpolation": "Linear"}
        sequences = [
            {"coordinates": POSITIONS[:2], "datetimes": ["2024-06-15T12:00:00+00", "2024-06-15T14:01:00+02:00"]},
            {"coordinates": POSITIONS[2:], "datetimes": INSTANTS[2:], "lower_inc": True, "upper_inc": True},
        ]
        found(alone | {"sequences": sequences}, names=["1"], lon=LON, seconds=TIMES)
        discrete = {**POINT, "type": "MovingGeomPoint", "interpolations": ["Discrete"]}
        found(discrete, names=["1"], lon=LON, seconds=TIMES)


class TestForms:
    def test_names_instants_and_other_geometries(self):
        bare = {key: value for key, value in FEATURE.items() if key != "properties"}
        people = [("ship", "ship"), ("7", "7")]  # they move at the same time
        found(together(bare | {"id": "ship"}, bare | {"id": 7}), people=people)
        found(together(bare, bare), names=["1", "2"])
        found(FEATURE, names=["run"])
        for unit in (1, 1000, 1_000_000):
            found({**POINT, "datetimes": [at * unit for at in TIMES]}, seconds=TIMES)
        static = FEATURE | {"geometry": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}}
        found(static, lon=LON)
        found(together(static, notes="x" * 70_000), lon=LON)
        other = FEATURE | {"temporalGeometry": {"type": "MovingPolygon", "datetimes": [], "coordinates": []}}
        found(together(FEATURE, other), rows={"unsupported_geometry": [2]}, dropped={"unsupported_geometry": 1})

    def test_a_collection_is_joined_in_a_feature_and_apart_alone(self):
        rest = {**POINT, "datetimes": INSTANTS[1:], "coordinates": POSITIONS[1:]}
        prisms = [
            {**POINT, "datetimes": INSTANTS[:1], "coordinates": POSITIONS[:1]},
            {"type": "MovingGeometryCollection", "prisms": [rest]},
        ]
        collection = {"type": "MovingGeometryCollection", "prisms": prisms}
        found(FEATURE | {"temporalGeometry": collection}, names=["run"], lon=LON, seconds=TIMES)
        found(collection, series=[("1", 1), ("2", 2)], lon=LON, seconds=TIMES)
        found({"type": "TemporalGeometrySequence", "geometrySequence": prisms}, names=["1", "2"])

    @each(
        "system",
        [
            named("urn:ogc:def:crs:EPSG::3857"),
            {"type": "Link", "properties": {"href": "http://www.opengis.net/def/crs/EPSG/0/3857"}},
            "EPSG:3857",
        ],
    )
    def test_a_coordinate_system_wherever_it_is_named(self, system):
        point, own = {**POINT, "coordinates": [[1491681.18, 6891041.72]] * 3}, {"crs": system}
        for document in (
            together(FEATURE | {"temporalGeometry": point | own}),
            together(FEATURE | {"temporalGeometry": point} | own),
            together(FEATURE | {"temporalGeometry": point}, **own),
        ):
            assert found(document).series[0].lon == pytest.approx([13.4] * 3, abs=1e-6)

    @each("name", ["urn:ogc:def:crs:OGC:1.3:CRS84", "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "OGC:CRS84h"])
    def test_degrees_under_all_their_names(self, name):
        found(FEATURE | {"crs": named(name)}, lon=LON)


class TestRefusals:
    @each(
        ("change", "rule", "value"),
        [
            ({"datetimes": INSTANTS[:2]}, "must hold as many values as coordinates (3)", 2),
            ({"datetimes": None}, "must be a list", None),
            ({"datetimes": "2024"}, "must be a list", "2024"),
            ({"coordinates": {}}, "must be a list", {}),
        ],
    )
    def test_lists_that_do_not_fit(self, change, rule, value):
        [field] = change
        error = refusal(FormatError, found, together(FEATURE, FEATURE | {"temporalGeometry": POINT | change}))
        assert f"temporalGeometry.{field} of feature 2 must" in error.message
        stated = (error.code, error.field, error.rule, error.value, error.row)
        assert stated == ("bad_moving_point", field, rule, value, 2)

    @each(
        ("member", "field", "value"),
        [
            ({"crs": named("EPSG:999999")}, "crs", "EPSG:999999"),
            ({"crs": {"type": "Name", "properties": {}}}, "crs", "{'type': 'Name', 'properties': {}}"),
            ({"trs": named("geological ages")}, "trs", "geological ages"),
        ],
    )
    def test_reference_systems_that_are_not_known(self, member, field, value):
        error = refusal(FormatError, found, FEATURE | member)
        assert (error.code, error.field, error.value) == ("unsupported_crs", field, value)
        assert error.rule

    def test_two_systems_in_one_document_and_collections_in_collections(self):
        two = [FEATURE | {"crs": named(system)} for system in ("EPSG:3857", "EPSG:25833")]
        error = refusal(FormatError, found, together(*two))
        assert ("must be in one" in error.message, error.field) == (True, "crs")
        assert error.value == "EPSG:3857, EPSG:25833"
        deep: object = POINT
        for _ in range(300):
            deep = {"type": "MovingGeometryCollection", "prisms": [deep]}
        assert refusal(FormatError, found, FEATURE | {"temporalGeometry": deep}).code == "no_points"
