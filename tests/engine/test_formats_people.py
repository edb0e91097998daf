"""Whose the series of a file are, and which of their events are landmarks: stated, or guessed with a reason."""

import io

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats import preview
from privacy_engine.formats.arrow import pa
from privacy_engine.landmarks import parse_short
from tests.cases import each, refusal
from tests.engine import format_samples as samples
from tests.engine.failing_files import parquet
from tests.engine.format_samples import collection, feature, line_feature, read_bytes, refused, shows
from tests.examples import examples

CALM = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
PLACEMARK = (
    "<Placemark><name>{0}</name><gx:Track><when>2024-06-15T12:0{1}:00Z</when><gx:coord>13.{1} 52.5 30</gx:coord>"
    '</gx:Track><ExtendedData><Data name="who"><value>{2}</value></Data></ExtendedData></Placemark>'
)
TRACKS = (
    b'<gpx version="1.1" xmlns="http://www.topografix.com/samples.GPX/1/1">'
    b'<trk><name>anna</name><trkseg><trkpt lat="52.5" lon="13.4"><name>not this</name></trkpt></trkseg></trk>'
    b'<trk><name>bob</name><trkseg><trkpt lat="52.6" lon="13.4"/></trkseg></trk>'
    b'<trk><name>anna</name><trkseg><trkpt lat="52.7" lon="13.4"/></trkseg></trk></gpx>'
)


def whose(reading):
    return [(one.name, one.person) for one in reading.series]


def table(*rows, head="user,time,lat,lon"):
    return "\n".join([head, *rows, ""]).encode()


def features(key, values, *, minutes=1):
    """Points a minute apart, each with a property."""
    times = (f"2024-06-15T{10 + i // 60:02d}:{i * minutes % 60:02d}:00Z" for i in range(len(values)))
    made = (
        feature("Point", [13.4 + i / 1000, 52.5], time=time, **({} if value is None else {key: value}))
        for i, (time, value) in enumerate(zip(times, values, strict=True))
    )
    return collection(*made)


class TestGeoJson:
    @each("key", ["user", "user_id", "id", "name", "trajectory_id", "track_fid"])
    def test_a_property_splits_as_a_column_does(self, key):
        """Two users were one timeline that jumped between them, and neither had a stay point."""
        there = [(13.40, 52.50), (13.60, 52.60)]
        rows, made = [], []
        for i in range(40):
            who = i % 2
            lon, lat = there[who]
            time = f"2024-06-15T10:{i:02d}:00Z"
            rows.append(f"{'ab'[who]},{time},{lat},{lon}")
            made.append(feature("Point", [lon, lat], time=time, **{key: "ab"[who]}))
        reading = read_bytes(collection(*made))
        assert [(one.name, len(one)) for one in reading.series] == [("a", 20), ("b", 20)]
        stays = parse_short("stay-points:200m:30min").mark(reading.series)
        assert [one.count for one in stays] == [20, 20]
        from_table = read_bytes(table(*rows, head=f"{key},time,lat,lon"))
        assert whose(from_table) == whose(reading)

    @each(
        ("key", "people"), [("user", 2), ("user_id", 2), ("id", 2), ("name", 1), ("trajectory_id", 1), ("track_fid", 1)]
    )
    def test_only_what_names_a_person_makes_people(self, key, people):
        reading = read_bytes(features(key, ["a", "b"] * 3))
        assert reading.report.people["count"] == len({one.person for one in reading.series}) == people
        [guess] = [guess for guess in reading.report.guesses if guess["option"] == "person"]
        assert (guess["value"], key in guess["message"]) == (f"column:{key}" if people == 2 else "one", True)

    def test_lines_of_names(self):
        def lines(first, second):
            instants = (
                (name, [f"2024-06-15T{t}:00Z" for t in of.split()]) for name, of in (("anna", first), ("bob", second))
            )
            made = (line_feature([13.4, 52.5], [13.5, 52.5], name=name, coordTimes=times) for name, times in instants)
            return read_bytes(collection(*made))

        assert whose(lines("10:00 11:00", "10:30 11:30")) == [("anna", "anna"), ("bob", "bob")]
        assert whose(lines("10:00 11:00", "11:00 12:00")) == [("anna", ""), ("bob", "")]

    def test_points_of_one_person(self):
        shows(features("id", [1, 1, 2, 2]), people=[("1", ""), ("2", "")])  # pieces that never overlap
        for key, values in (("id", [1, 2, 3]), ("name", ["x", "y", "z"]), ("device", [None, None, "a"])):
            shows(features(key, values), people=[("", "")])
        shows(features("device", ["b", None, "a"]), people=[("b", ""), ("", ""), ("a", "")])

    def test_a_property_of_its_own_and_series_that_are_named(self):
        data = features("track", ["m", "m", "n"]).replace(b'"track"', b'"owner": "anna", "track"')
        shows(data, given={"person": "column:Owner"}, people=[("m", "anna"), ("n", "anna")])
        error = refusal(FormatError, read_bytes, data, person="column:missing")
        assert (error.field, error.rule, error.value) == ("person", "a property of the features", "missing")
        data = features("leg", ["m", "m", "n"])
        shows(data, people=[("", "")])
        shows(data, given={"id": "leg"}, people=[("m", ""), ("n", "")])
        shows(data, given={"id": "leg", "person": "series"}, people=[("m", "m"), ("n", "n")])
        shows(features("user", ["a", "b"]), given={"id": "#0"}, people=[("", "")])


class TestTables:
    def test_columns_that_name_users_or_no_one(self):
        found = shows(table("a,1,1,1", "b,1,1,1"), given={"time_unit": "s"}, people=[("a", "a"), ("b", "b")])
        stated = {"count": 2, "by": "column", "column": "user", "said": False, "message": "'user' names a person."}
        assert found.report.people == stated
        unnamed = table(",1,1,1", ",2,1,1")
        error = refused(unnamed, "no_person", "names no person", person="column:user", time_unit="s")
        assert (error.field, error.value) == ("person", "user")
        shows(unnamed, given={"time_unit": "s"}, people=[("", "")])
        assert refused(samples.CSV, "unknown_column", "no column 'missing'", person="column:missing").field == "person"

    def test_pieces_are_not_people(self):
        rows = [f"{trip},2024-06-15T10:0{i}:00Z,1,1" for i, trip in enumerate("ababab")]
        for head in ("trip_id", "track_fid", "traj_id", "segment", "trajectory_id"):
            shows(table(*rows, head=f"{head},time,lat,lon"), people=[("a", ""), ("b", "")])
        rows = ["1,a,2024-06-15T10:00:00Z,1,1", "1,b,2024-06-15T10:00:00Z,2,2", "2,a,2024-06-15T11:00:00Z,1,1"]
        data, trips = table(*rows, head="trip_id,user,time,lat,lon"), [("a 1", "a"), ("b 1", "b"), ("a 2", "a")]
        found = shows(data, given={"id": "trip_id"}, people=trips)  # each user counts from one
        assert [len(one) for one in found.series] == [1, 1, 1]

    def test_rows_without_a_person_could_be_anybodys(self):
        data = table("a,1,1,1", ",2,1,1", "b,3,1,1")
        guessed = shows(data, given={"time_unit": "s"}, points=3)
        assert {one.person for one in guessed.series} == {""}
        [note] = [note for note in guessed.report.warnings if note["code"] == "unnamed_person"]
        assert (note["count"], "column:user" in note["message"]) == (1, True)
        stated = {"person": "column:user", "time_unit": "s"}
        shows(data, given=stated, people=[("a", "a"), ("b", "b")], dropped={"no_person": 1}, rows={"no_person": [3]})

    @each("stated", ["folder", "unknown", "column:", "column:#0", "ONE"])
    def test_what_cannot_be_is_refused(self, stated):
        error = refusal(ParameterError, read_bytes, samples.CSV, person=stated)
        assert (error.field, error.value, bool(error.rule)) == ("person", stated, True)

    def test_a_long_table_has_the_same_people_as_a_short_one(self):
        users = np.arange(90_000) % 3
        rows = [f"{'abc'[who]},{1718452800 + i},52.5{i % 10},13.4" for i, who in enumerate(users.tolist())]
        long = read_bytes(table(*rows), time_unit="s")  # read in blocks
        assert whose(long) == [("a", "a"), ("b", "b"), ("c", "c")]
        rows[80_000] = "," + rows[80_000].split(",", 1)[1]
        assert {one.person for one in read_bytes(table(*rows), time_unit="s").series} == {""}
        assert read_bytes(table(*rows), time_unit="s", person="column:user").report.dropped == {"no_person": 1}
        ids = [row.replace("a,", "1,", 1) for row in rows if row[:2] != "b,"]
        assert whose(read_bytes(table(*ids, head="id,time,lat,lon"), time_unit="s", person="series"))[0] == ("1", "1")

    @CALM
    @given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("12")), min_size=1, max_size=30))
    def test_every_row_is_its_persons(self, owners):
        places = [(i + 1) / 100 for i in range(len(owners))]
        rows = [f"{who},{trip},{1718452800 + i},{places[i]},{places[i]}" for i, (who, trip) in enumerate(owners)]
        data = table(*rows, head="who,trip,time,lat,lon")
        found = read_bytes(data, id="trip", person="column:who", time_unit="s", swap="no")
        truth = {(i + 1) / 100: who for i, (who, _) in enumerate(owners)}
        assert sum(len(one) for one in found.series) == len(owners)
        assert len({one.name for one in found.series}) == len(found.series) == len(set(owners))
        assert all(truth[lat] == one.person for one in found.series for lat in one.lat.tolist())


class TestFormats:
    def test_each_names_its_people_and_the_preview_too(self):
        shows(samples.TDRIVE, people=[("1", "1")])
        shows(samples.TDRIVE, "cab 7.txt", given={"person": "file"}, people=[("1", "cab 7")])
        shows(samples.PORTO, people=[("20", "20")])
        shows(samples.PORTO, given={"id": "TRIP_ID"}, people=[("1", "20")])
        shows(samples.PORTO.replace(b"TAXI_ID", b"X"), people=[("1", "")])
        shows(samples.OWNTRACKS, people=[("me/phone", "me")])
        shows(samples.OWNTRACKS.replace(b'"topic":"owntracks/me/phone"', b'"tid":"7"'), people=[("", "7")])
        shows(samples.SHAPES, people=[("a", ""), ("b", "")])
        shows(samples.PLT, people=[("", "")])
        shows(samples.GPX, people=[("", "")])
        rows = ("1,a,2024-06-15T10:00:00Z,1,1", "2,b,2024-06-15T10:00:00Z,1,1")
        found = preview(io.BytesIO(table(*rows, head="trip,user,time,lat,lon")), id="trip")
        assert [column.role for column in found.columns] == ["id", "person", "time", "lat", "lon"]
        assert [guess["value"] for guess in found.report["guesses"] if guess["option"] == "person"] == ["column:user"]

    def test_elements_of_gpx_and_kml(self):
        found = shows(TRACKS, given={"person": "column:name"})
        assert [(one.person, len(one)) for one in found.series] == [("anna", 2), ("bob", 1)]
        shows(TRACKS, people=[("", "")])
        placemarks = PLACEMARK.format("n1", 1, "anna") + PLACEMARK.format("n2", 2, "bob")
        kml = samples.KML[: samples.KML.index(b"<Placemark>")] + placemarks.encode() + b"</kml>"
        for column, people in (("name", ["n1", "n2"]), ("who", ["anna", "bob"])):
            assert [one.person for one in read_bytes(kml, person=f"column:{column}").series] == people
        for data in (TRACKS, kml):
            refused(data, "no_person", "names no person", person="column:nothing")


HOUR = 1718444200


def marked_table(cells, name="landmark"):
    rows = [f"{HOUR + i},1,{i},{cell}" for i, cell in enumerate(cells)]
    return ("\n".join([f"time,lat,lon,{name}", *rows]) + "\n").encode()


def guessed(reading):
    return [guess["value"] for guess in reading.report.guesses if guess["option"] == "landmark"]


class TestMarksOfTables:
    @each("name", ["landmark", "is_landmark", "Landmarks", "MARKED", "poi", "Sensitive", "Is landmark"])
    def test_is_recognised_by_its_name(self, name):
        assert guessed(shows(marked_table(["true", "false"], name), marked=[[True, False]])) == [name]

    @each(("yes", "no"), [("TRUE", "False"), ("1", "0"), ("yes", "no"), (" Yes ", " NO "), ("1", ""), ("yes", "NULL")])
    def test_usual_spellings_of_yes_and_no(self, yes, no):
        shows(marked_table([yes, no, yes]), marked=[[True, False, True]])

    def test_is_named_by_the_owner_and_can_be_left_out(self):
        shows(marked_table(["", ""]), marked=[[False, False]])
        shows(marked_table(["1", "0"], "speed"), marked=[None])
        shows(marked_table(["1", "0"], "home"), given={"landmark": "#4"}, marked=[[True, False]])
        shows(marked_table(["1", "0"]), given={"landmark": "#0"}, marked=[None])
        assert (
            guessed(shows(marked_table(["1", "0"], "home"), given={"landmark": "home"}, marked=[[True, False]])) == []
        )
        assert refused(marked_table(["1", "0"]), "unknown_column", landmark="nowhere").field == "landmark"
        assert refused(b"lat,lon,poi,poi\n1,2,1,0\n", "choice-needed").parameter == "landmark"
        stated = {"lat": "#1", "lon": "#2", "landmark": "#3"}
        shows(b"1.5,2.5,1\n1.6,2.6,0\n", given=stated, marked=[[True, False]])

    def test_cells_that_state_neither_are_dropped_left_alone_or_refused(self):
        cells = marked_table(["1", "maybe", "0", "2", "1"])
        found = shows(cells, marked=[[True, False, True]], rows={"bad_mark": [3, 5]}, dropped={"bad_mark": 2})
        assert found.report.kept + 2 == found.report.rows_read
        data = marked_table(["Louvre", "", "Café"], "poi")
        shows(data, points=3, marked=[None], outcome="accept", notes={"not_marks": 2})
        error = refused(data, "bad_marks", "first on line 2", landmark="poi")
        assert (error.field, error.row) == ("landmark", 2)

    def test_follow_their_events_through_sorting_splitting_dropping_and_cutting(self):
        rng = np.random.default_rng(5)
        n = 300
        seconds, who, yes = rng.permutation(n), rng.integers(0, 4, n), rng.random(n) < 0.3
        lat = [("x" if rng.random() < 0.1 else "1") for _ in range(n)]
        rows = [f"u{w},{HOUR + s},{y},{s / 1000},{int(m)}" for w, s, y, m in zip(who, seconds, lat, yes, strict=True)]
        data = ("id,time,lat,lon,landmark\n" + "\n".join(rows) + "\n").encode()
        truth = dict(zip((seconds / 1000).tolist(), yes.tolist(), strict=True))
        for first_n in (None, 20):
            reading = read_bytes(data, first_n=first_n)
            assert len(reading.series) == 4
            for one in reading.series:
                assert one.marked is not None
                assert one.marked.tolist() == [truth[lon] for lon in one.lon.tolist()]


class TestMarksOfParquet:
    def file(self, column):
        return parquet(lon=np.arange(len(column)) / 10, lat=np.ones(len(column)), landmark=column)

    @each(
        "column",
        [
            pa.array([True, False, None]),
            pa.array([1, 0, None]),
            pa.array([1.0, 0.0, None]),
            pa.array(["yes", "no", ""]),
            pa.array(["yes", "no", None]).dictionary_encode(),
            pa.array(["TRUE", "False", ""], pa.large_string()),
        ],
    )
    def test_of_every_kind(self, column):
        shows(self.file(column), marked=[[True, False, False]])

    def test_of_a_kind_that_states_nothing(self):
        data = self.file(pa.array([[1], [2]]))
        shows(data, marked=[None])
        refused(data, "bad_marks", landmark="landmark")


def gathered(*features, marks, **stated):
    shows(collection(*features), given=stated, marked=[marks])


class TestMarksOfGeojson:
    LINE = ((1.0, 1.0), (2.0, 1.0), (3.0, 1.0))

    @each(
        ("value", "expected"),
        [
            *(([True, False, True], [True, False, True]), ([1, 0, 1.0], [True, False, True])),
            *((["yes", None, "no"], [True, False, False]), ([True], [True, False, False]), (True, [True, True, True])),
            ([{}, [], {}], None),
        ],
    )
    def test_of_a_line(self, value, expected):
        gathered(feature("LineString", self.LINE, is_landmark=value), marks=expected)

    def test_of_points_and_several_lines_named_left_out_and_absent(self):
        points = [feature("Point", [i, 1], landmark=mark) for i, mark in enumerate([True, "no", 1])]
        gathered(*points, feature("Point", [9, 1]), marks=[True, False, True, False])
        lines = [[[1, 1], [2, 1]], [[3, 1]]]
        for value in ([1, 0, 1], [[1, 0], [1]]):
            gathered(feature("MultiLineString", lines, landmark=value), marks=[True, False, True])
        line = feature("LineString", self.LINE, Home=[1, 0, 0])
        gathered(line, marks=None)
        gathered(line, marks=[True, False, False], landmark="home")
        gathered(feature("LineString", self.LINE, landmark=True), marks=None, landmark="#0")
        assert refused(collection(line), "unknown_column", landmark="work").field == "landmark"
