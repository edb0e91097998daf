"""Whose the series of a file are: stated, guessed with a reason, or one person's."""

import io
import unicodedata
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats import preview
from privacy_engine.landmarks import parse_short
from tests.cases import each, refusal
from tests.engine.format_samples import (
    CSV,
    GPX,
    OWNTRACKS,
    PLT,
    PORTO,
    SHAPES,
    TDRIVE,
    collection,
    feature,
    line_feature,
    read_bytes,
    zipped,
)
from tests.examples import examples

CALM = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
KML = (
    '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>{}</Document>'
    "</kml>"
)
PLACEMARK = (
    "<Placemark><name>{0}</name><gx:Track><when>2024-06-15T12:0{1}:00Z</when><gx:coord>13.{1} 52.5 30</gx:coord>"
    '</gx:Track><ExtendedData><Data name="who"><value>{2}</value></Data></ExtendedData></Placemark>'
)
TRACKS = (
    b'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">'
    b'<trk><name>anna</name><trkseg><trkpt lat="52.5" lon="13.4"><name>not this</name></trkpt></trkseg></trk>'
    b'<trk><name>bob</name><trkseg><trkpt lat="52.6" lon="13.4"/></trkseg></trk>'
    b'<trk><name>anna</name><trkseg><trkpt lat="52.7" lon="13.4"/></trkseg></trk></gpx>'
)
PREVIEWED = ("1,a,2024-06-15T10:00:00Z,1,1", "2,b,2024-06-15T10:00:00Z,1,1")


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


def archive(**members):
    """A ZIP whose members' names are any text."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    return out.getvalue()


def day(i):
    """A GPX of that day."""
    return GPX.replace(b"06-15", b"06-%02d" % (15 + i))


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

    def test_an_id_of_pieces_that_never_overlap_is_one_person(self):
        reading = read_bytes(features("id", [1, 1, 2, 2]))
        assert whose(reading) == [("1", ""), ("2", "")]

    def test_lines_of_names(self):
        def lines(first, second):
            instants = (
                (name, [f"2024-06-15T{t}:00Z" for t in of.split()]) for name, of in (("anna", first), ("bob", second))
            )
            made = (line_feature([13.4, 52.5], [13.5, 52.5], name=name, coordTimes=times) for name, times in instants)
            return read_bytes(collection(*made))

        assert whose(lines("10:00 11:00", "10:30 11:30")) == [("anna", "anna"), ("bob", "bob")]
        assert whose(lines("10:00 11:00", "11:00 12:00")) == [("anna", ""), ("bob", "")]

    def test_points_that_are_numbered_or_named_each_are_one_timeline(self):
        assert (
            whose(read_bytes(features("id", [1, 2, 3])))
            == whose(read_bytes(features("name", ["x", "y", "z"])))
            == [("", "")]
        )

    def test_a_property_that_few_features_have_names_nothing(self):
        assert whose(read_bytes(features("device", [None, None, "a"]))) == [("", "")]
        assert whose(read_bytes(features("device", ["b", None, "a"]))) == [("b", ""), ("", ""), ("a", "")]

    def test_a_property_of_its_own(self):
        data = features("track", ["m", "m", "n"]).replace(b'"track"', b'"owner": "anna", "track"')
        assert whose(read_bytes(data, person="column:Owner")) == [("m", "anna"), ("n", "anna")]
        refused = refusal(FormatError, read_bytes, data, person="column:missing")
        assert (refused.field, refused.rule, refused.value) == ("person", "a property of the features", "missing")

    def test_the_series_may_be_named(self):
        data = features("leg", ["m", "m", "n"])
        assert whose(read_bytes(data)) == [("", "")]
        assert whose(read_bytes(data, id="leg")) == [("m", ""), ("n", "")]
        assert whose(read_bytes(data, id="leg", person="series")) == [("m", "m"), ("n", "n")]
        assert whose(read_bytes(features("user", ["a", "b"]), id="#0")) == [("", "")]


class TestTables:
    def test_a_column_of_users(self):
        found = read_bytes(table("a,1,1,1", "b,1,1,1"), time_unit="s")
        assert whose(found) == [("a", "a"), ("b", "b")]
        assert found.report.people == {
            "count": 2,
            "by": "column",
            "column": "user",
            "said": False,
            "message": "'user' names a person.",
        }

    @each("head", ["trip_id", "track_fid", "traj_id", "segment", "trajectory_id"])
    def test_pieces_are_not_people(self, head):
        rows = [f"{trip},2024-06-15T10:0{i}:00Z,1,1" for i, trip in enumerate("ababab")]
        assert whose(read_bytes(table(*rows, head=f"{head},time,lat,lon"))) == [("a", ""), ("b", "")]

    def test_trips_of_users_that_each_count_from_one(self):
        rows = ["1,a,2024-06-15T10:00:00Z,1,1", "1,b,2024-06-15T10:00:00Z,2,2", "2,a,2024-06-15T11:00:00Z,1,1"]
        found = read_bytes(table(*rows, head="trip_id,user,time,lat,lon"), id="trip_id")
        assert whose(found) == [("a 1", "a"), ("b 1", "b"), ("a 2", "a")]
        assert [len(one) for one in found.series] == [1, 1, 1]

    def test_rows_without_a_person_could_be_anybodys(self):
        data = table("a,1,1,1", ",2,1,1", "b,3,1,1")
        guessed = read_bytes(data, time_unit="s")
        assert {one.person for one in guessed.series} == {""}
        assert sum(len(one) for one in guessed.series) == 3
        [note] = [note for note in guessed.report.warnings if note["code"] == "unnamed_person"]
        assert note["count"] == 1
        assert "column:user" in note["message"]
        stated = read_bytes(data, person="column:user", time_unit="s")
        assert whose(stated) == [("a", "a"), ("b", "b")]
        assert stated.report.dropped == {"no_person": 1}
        assert stated.report.drops["no_person"].rows == [3]

    def test_a_column_that_is_empty_throughout_is_refused(self):
        with pytest.raises(FormatError, match="names no person") as refused:
            read_bytes(table(",1,1,1", ",2,1,1"), person="column:user", time_unit="s")
        assert (refused.value.field, refused.value.value) == ("person", "user")
        assert whose(read_bytes(table(",1,1,1", ",2,1,1"), time_unit="s")) == [("", "")]

    def test_a_column_that_is_not_there_is_refused(self):
        with pytest.raises(FormatError, match="no column 'missing'") as refused:
            read_bytes(CSV, person="column:missing")
        assert refused.value.field == "person"

    @each("stated", ["folder", "unknown", "column:", "column:#0", "ONE"])
    def test_what_cannot_be_is_refused(self, stated):
        refused = refusal(ParameterError, read_bytes, CSV, person=stated)
        assert (refused.field, refused.value) == ("person", stated)
        assert refused.rule

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
        rows = [f"{who},{trip},{1718452800 + i},{i / 100},{i / 100}" for i, (who, trip) in enumerate(owners)]
        data = table(*rows, head="who,trip,time,lat,lon")
        found = read_bytes(data, id="trip", person="column:who", time_unit="s", swap="no")
        truth = {i / 100: who for i, (who, _) in enumerate(owners)}
        assert sum(len(one) for one in found.series) == len(owners)
        assert len({one.name for one in found.series}) == len(found.series) == len(set(owners))
        assert all(truth[lat] == one.person for one in found.series for lat in one.lat.tolist())


class TestFormats:
    def test_each_names_its_people(self):
        assert whose(read_bytes(TDRIVE)) == [("1", "1")]
        assert whose(read_bytes(PORTO)) == [("20", "20")]
        assert whose(read_bytes(PORTO, id="TRIP_ID")) == [("1", "20")]
        assert whose(read_bytes(PORTO.replace(b"TAXI_ID", b"X"))) == [("1", "")]
        assert whose(read_bytes(OWNTRACKS)) == [("me/phone", "me")]
        assert whose(read_bytes(OWNTRACKS.replace(b'"topic":"owntracks/me/phone"', b'"tid":"7"'))) == [("", "7")]
        assert {person for _, person in whose(read_bytes(SHAPES))} == {""}
        assert whose(read_bytes(PLT)) == whose(read_bytes(GPX)) == [("", "")]

    def test_elements_of_gpx_and_kml(self):
        assert [(one.person, len(one)) for one in read_bytes(TRACKS, person="column:name").series] == [
            ("anna", 2),
            ("bob", 1),
        ]
        assert whose(read_bytes(TRACKS)) == [("", "")]
        kml = KML.format(PLACEMARK.format("n1", 1, "anna") + PLACEMARK.format("n2", 2, "bob")).encode()
        assert [one.person for one in read_bytes(kml, person="column:name").series] == ["n1", "n2"]
        assert [one.person for one in read_bytes(kml, person="column:who").series] == ["anna", "bob"]
        for data in (TRACKS, kml):
            with pytest.raises(FormatError, match="names no person"):
                read_bytes(data, person="column:nothing")

    def test_a_file_is_a_person_called_as_the_file(self):
        assert whose(read_bytes(TDRIVE, "cab 7.txt", person="file")) == [("1", "cab 7")]

    def test_the_preview_states_so_too(self):
        found = preview(io.BytesIO(table(*PREVIEWED, head="trip,user,time,lat,lon")), id="trip")
        assert [column.role for column in found.columns] == ["id", "person", "time", "lat", "lon"]
        assert [guess["value"] for guess in found.guesses if guess["option"] == "person"] == ["column:user"]


class TestArchives:
    def people(self, data, **options):
        return [one.person for one in read_bytes(data, "x.zip", **options).series]

    def test_folders_that_are_called_as_people(self):
        data = zipped(**{"person-1__day1.gpx": day(0), "person-1__day2.gpx": day(1), "person-2__day1.gpx": day(0)})
        found = read_bytes(data, "x.zip")
        assert whose(found) == [("day1", "person-1"), ("day2", "person-1"), ("day1 (2)", "person-2")]
        assert found.report.people["by"] == "folder"
        assert [guess["value"] for guess in found.report.guesses] == ["folder"]

    @each("names", [("a.gpx", "b.gpx"), ("2023/a.gpx", "2024/a.gpx"), ("walks/a.gpx", "runs/a.gpx")])
    def test_anything_else_may_be_one_persons(self, names):
        data = archive(**{name: day(i) for i, name in enumerate(names)})
        assert self.people(data) == ["", ""]
        [guess] = read_bytes(data, "x.zip").report.guesses
        assert (guess["option"], guess["value"]) == ("person", "one")
        assert len(set(self.people(data, person="file"))) == 2
        assert len(set(self.people(data, person="series"))) == 2

    def test_geolife(self):
        data = zipped(**{f"Data__{who}__Trajectory__{i}.plt": PLT for who in ("000", "001") for i in (1, 2)})
        assert whose(read_bytes(data, "x.zip")) == [("000", "000"), ("001", "001")]
        assert whose(read_bytes(data, "x.zip", person="folder")) == [("000", "000"), ("001", "001")]
        one = zipped(**{f"Data__000__Trajectory__{i}.plt": PLT for i in (1, 2)})
        assert whose(read_bytes(one, "x.zip")) == [("000", "")]
        assert whose(read_bytes(one, "x.zip", person="folder")) == [("000", "000")]

    def test_the_first_folder_that_is_not_shared_counts(self):
        data = archive(**{"all/anna/2023/a.gpx": day(0), "all/anna/2024/b.gpx": day(1), "all/bob/a.gpx": day(2)})
        assert self.people(data, person="folder") == ["anna", "anna", "bob"]

    def test_one_folder_is_one_person(self):
        data = archive(**{"anna/a.gpx": day(0), "anna/b.gpx": day(1)})
        assert self.people(data, person="folder") == ["anna", "anna"]

    @each("twin", ["PERSON-1", "Person-1", "person-1\u200b", "./person-1", "ｐｅｒｓｏｎ-1", "person-1 "])
    def test_folders_that_a_file_system_may_take_for_one_are_one(self, twin):
        data = archive(**{"person-1/a.gpx": day(0), f"{twin}/b.gpx": day(1), "person-2/c.gpx": day(2)})
        for options in ({}, {"person": "folder"}):
            found = read_bytes(data, "x.zip", **options)
            persons = {one.name: one.person for one in found.series}
            assert persons["a"] == persons["b"] != persons["c"]

    def test_accents_in_two_ways_of_writing(self):
        name = "René"
        two = {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}
        assert len(two) == 2
        data = archive(**{f"{one}/{i}.gpx": day(i) for i, one in enumerate(sorted(two))}, **{"x/y.gpx": day(3)})
        assert len(set(self.people(data, person="folder"))) == 2

    def test_a_name_that_leads_outside_is_never_read(self):
        data = archive(**{"person-1/a.gpx": day(0), "person-1/../person-2/b.gpx": day(1), "person-2/c.gpx": day(2)})
        found = read_bytes(data, "x.zip")
        assert whose(found) == [("a", "person-1"), ("c", "person-2")]
        assert found.report.dropped == {"unsafe_member": 1}

    def test_a_file_in_no_folder_is_refused_where_folders_are_people(self):
        for data in (archive(**{"a.gpx": day(0)}), archive(**{"a.gpx": day(0), "bob/b.gpx": day(1)})):
            with pytest.raises(FormatError, match="lies in no folder") as refused:
                read_bytes(data, "x.zip", person="folder")
            assert (refused.value.field, refused.value.value) == ("person", "folder")

    def test_columns_of_members_come_first(self):
        rows = table("anna,2024-06-15T10:00:00Z,1,1", "bob,2024-06-15T10:00:00Z,1,1")
        data = archive(**{"person-1/a.csv": rows, "person-2/b.csv": rows})
        assert whose(read_bytes(data, "x.zip")) == [("anna", "anna"), ("bob", "bob")]
        assert {name for name, _ in whose(read_bytes(data, "x.zip", person="folder"))} == {
            "person-1 anna",
            "person-1 bob",
            "person-2 anna",
            "person-2 bob",
        }

    def test_members_without_people_beside_some_with_them_make_all_one(self):
        assert set(self.people(archive(**{"a.csv": CSV, "b.gpx": day(0)}))) == {""}

    def test_an_option_that_no_member_can_use_is_refused(self):
        data = archive(**{"a.csv": CSV, "b.gpx": day(0)})
        assert len(read_bytes(data, "x.zip", delimiter=",").series) == 2
        refused = refusal(ParameterError, read_bytes, archive(**{"a.gpx": day(0)}), "x.zip", delimiter=",")
        assert (refused.field, refused.value) == ("delimiter", ",")
        with pytest.raises(ParameterError) as refused:
            read_bytes(archive(**{"a.csv": CSV, "b.plt": PLT}), "x.zip", person="column:user")
        assert refused.value.field == "person"

    @CALM
    @given(st.dictionaries(st.text(max_size=12), st.integers(0, 2), min_size=1, max_size=5))
    def test_any_names_are_read_or_refused(self, names):
        data = archive(**{f"{folder}/{i}.gpx": day(i) for folder, i in names.items() if "\0" not in folder})
        for options in ({}, {"person": "folder"}, {"person": "file"}, {"person": "series"}, {"person": "one"}):
            try:
                found = read_bytes(data, "x.zip", **options)
            except (FormatError, ParameterError):
                continue
            assert all(isinstance(one, Trajectory) for one in found.series)
            assert found.report.people["count"] == len({one.person for one in found.series})
