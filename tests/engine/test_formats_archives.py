"""Files inside files: which members are read, whose their series are, and where reading stops."""

import gzip
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats import Limits, read
from tests.cases import each, refusal
from tests.engine.format_samples import CSV, GPX, NMEA, PLT, read_bytes, refused, shows, zipped
from tests.engine.test_formats_people import CALM, table, whose

FOLDER = {"person": "folder"}


def day(i):
    """A GPX of that day."""
    return GPX.replace(b"06-15", b"06-%02d" % (15 + i))


class TestContainers:
    def test_names_of_series_one_level_of_gzip_and_caps(self):
        shows(zipped(a=CSV, b=CSV.replace(b"10:3", b"11:3")), "x.zip", series=[("u1", 10)])
        packed = zipped(**{"x__run.gpx": GPX, "y__run.gpx": GPX, "notes.txt": b"hello"})
        shows(packed, "x.zip", series=[("run", 2), ("run (2)", 2)], dropped={"unreadable_member": 1})
        shows(zipped(**{"a.plt": PLT, "b.plt": PLT}), "x.zip", series=[("", 2)])
        shows(b"time,lat,lon\n1718452800,1,2\n" + NMEA.splitlines()[1], "x.csv", format="csv")
        once = gzip.compress(CSV)
        shows(once, "x.csv.gz", points=5)
        nested = zipped(**{"x.zip.gz": gzip.compress(zipped(a=CSV))})
        for data in (gzip.compress(once), nested, zipped(a=gzip.compress(gzip.compress(GPX)))):
            refused(data, "nested_archive")
        refused(CSV, "too_large", limits=Limits(total=100))
        refused(zipped(a=CSV, b=CSV), "too_large", limits=Limits(total=len(CSV) + 10))
        refused(zipped(a=gzip.compress(b"lat,lon\n" + b"1,2\n" * 10_000_000)), "compression_ratio", name="x.zip")

    def test_a_header_with_a_wrong_size(self):
        """Number 19 of the hostile inputs: the directory states 1000 bytes, the member holds 5 MB."""
        big = bytearray(zipped(**{"a.csv": b"lat,lon\n" + b"1,2\n" * 1_250_000}))
        size = (5_000_008).to_bytes(4, "little")
        while (at := big.find(size)) >= 0:
            big[at : at + 4] = (1000).to_bytes(4, "little")
        assert refusal(FormatError, read_bytes, bytes(big)).code in ("damaged_archive", "compression_ratio")

    def test_a_stream_that_cannot_seek(self):
        class Pipe(io.BytesIO):
            def seekable(self):
                return False

        assert len(read(Pipe(gzip.compress(CSV)), name="x.csv.gz")) == 5

    def test_members_of_one_name_are_joined_with_their_marks(self):
        early = b"id,time,lat,lon,landmark\nu,100000000,1,1,1\nu,100000003,1,4,0\n"
        late = b"id,time,lat,lon,landmark\nu,100000001,1,2,0\nu,100000002,1,3,1\n"
        shows(zipped(a=late, b=early), lon=[1, 2, 3, 4], marked=[[True, False, True, False]])
        some = zipped(a=b"lat,lon,landmark\n1,1,1\n", b=b"lat,lon\n1,1\n")
        found = shows(some, marked=[[True], [False]])
        assert "unmarked_members" in [note["code"] for note in found.report.warnings]


class TestPeople:
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
        data = zipped(**{name: day(i) for i, name in enumerate(names)})
        assert self.people(data) == ["", ""]
        [guess] = read_bytes(data, "x.zip").report.guesses
        assert (guess["option"], guess["value"]) == ("person", "one")
        assert len(set(self.people(data, person="file"))) == 2
        assert len(set(self.people(data, person="series"))) == 2

    def test_geolife(self):
        two = zipped(**{f"Data__{who}__Trajectory__{i}.plt": PLT for who in ("000", "001") for i in (1, 2)})
        one = zipped(**{f"Data__000__Trajectory__{i}.plt": PLT for i in (1, 2)})
        shows(one, "x.zip", given={"first_n": 1}, series=[("000", 1)])
        for stated in ({}, FOLDER):
            shows(two, "x.zip", given=stated, people=[("000", "000"), ("001", "001")])
            shows(one, "x.zip", given=stated, people=[("000", "000" if stated else "")])

    def test_folders_of_folders_accents_and_names_that_lead_outside(self):
        data = zipped(**{"all/anna/2023/a.gpx": day(0), "all/anna/2024/b.gpx": day(1), "all/bob/a.gpx": day(2)})
        assert self.people(data, **FOLDER) == ["anna", "anna", "bob"]
        assert self.people(zipped(**{"anna/a.gpx": day(0), "anna/b.gpx": day(1)}), **FOLDER) == ["anna", "anna"]
        two = [unicodedata.normalize(form, "René") for form in ("NFC", "NFD")]
        assert two[0] != two[1]
        data = zipped(**{f"{one}/{i}.gpx": day(i) for i, one in enumerate(two)}, **{"x/y.gpx": day(3)})
        assert len(set(self.people(data, **FOLDER))) == 2
        data = zipped(**{"person-1/a.gpx": day(0), "person-1/../person-2/b.gpx": day(1), "person-2/c.gpx": day(2)})
        shows(data, "x.zip", people=[("a", "person-1"), ("c", "person-2")], dropped={"unsafe_member": 1})

    @each("twin", ["PERSON-1", "Person-1", "person-1\u200b", "./person-1", "ｐｅｒｓｏｎ-1", "person-1 "])
    def test_folders_that_a_file_system_may_take_for_one_are_one(self, twin):
        data = zipped(**{"person-1/a.gpx": day(0), f"{twin}/b.gpx": day(1), "person-2/c.gpx": day(2)})
        for options in ({}, {"person": "folder"}):
            found = read_bytes(data, "x.zip", **options)
            persons = {one.name: one.person for one in found.series}
            assert persons["a"] == persons["b"] != persons["c"]

    def test_a_file_in_no_folder_is_refused_where_folders_are_people(self):
        for more in ({}, {"bob/b.gpx": day(1)}):
            data = zipped(**{"a.gpx": day(0)}, **more)
            error = refused(data, "no_folder", "lies in no folder", "x.zip", **FOLDER)
            assert (error.field, error.value) == ("person", "folder")

    def test_columns_of_members_come_first(self):
        rows = table("anna,2024-06-15T10:00:00Z,1,1", "bob,2024-06-15T10:00:00Z,1,1")
        data = zipped(**{"person-1/a.csv": rows, "person-2/b.csv": rows})
        shows(data, "x.zip", people=[("anna", "anna"), ("bob", "bob")])
        named = {f"person-{i} {name}" for i in (1, 2) for name in ("anna", "bob")}
        assert {one.name for one in read_bytes(data, "x.zip", **FOLDER).series} == named
        assert set(self.people(zipped(**{"a.csv": CSV, "b.gpx": day(0)}))) == {""}

    def test_an_option_that_no_member_can_use_is_refused(self):
        data = zipped(**{"a.csv": CSV, "b.gpx": day(0)})
        assert len(read_bytes(data, "x.zip", delimiter=",").series) == 2
        refused = refusal(ParameterError, read_bytes, zipped(**{"a.gpx": day(0)}), "x.zip", delimiter=",")
        assert (refused.field, refused.value) == ("delimiter", ",")
        with pytest.raises(ParameterError) as refused:
            read_bytes(zipped(**{"a.csv": CSV, "b.plt": PLT}), "x.zip", person="column:user")
        assert refused.value.field == "person"

    @CALM
    @given(st.dictionaries(st.text(max_size=12), st.integers(0, 2), min_size=1, max_size=5))
    def test_any_names_are_read_or_refused(self, names):
        data = zipped(**{f"{folder}/{i}.gpx": day(i) for folder, i in names.items() if "\0" not in folder})
        for options in ({}, {"person": "folder"}, {"person": "file"}, {"person": "series"}, {"person": "one"}):
            try:
                found = read_bytes(data, "x.zip", **options)
            except (FormatError, ParameterError):
                continue
            assert all(isinstance(one, Trajectory) for one in found.series)
            assert found.report.people["count"] == len({one.person for one in found.series})
