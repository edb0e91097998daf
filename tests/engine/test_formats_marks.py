"""A landmark column: recognised, named, refused, and carried through sorting, splitting, cutting and joining."""

import io

import numpy as np

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats.arrow import pa, pq
from tests.cases import each, refusal
from tests.engine.format_samples import collection, feature, read_bytes, zipped

HOUR = 1718444200


def table(cells, name="landmark"):
    rows = [f"{HOUR + i},1,{i},{cell}" for i, cell in enumerate(cells)]
    return ("\n".join([f"time,lat,lon,{name}", *rows]) + "\n").encode()


def marked(reading):
    return [None if one.marked is None else one.marked.tolist() for one in reading.series]


def guessed(reading):
    return [guess["value"] for guess in reading.report.guesses if guess["option"] == "landmark"]


class TestTables:
    @each("name", ["landmark", "is_landmark", "Landmarks", "MARKED", "poi", "Sensitive", "Is landmark"])
    def test_is_recognised_by_its_name(self, name):
        reading = read_bytes(table(["true", "false"], name))
        assert marked(reading) == [[True, False]]
        assert guessed(reading) == [name]

    @each(
        "values",
        [
            ("true", "false"),
            ("TRUE", "False"),
            ("1", "0"),
            ("yes", "no"),
            (" Yes ", " NO "),
            ("1", ""),
            ("yes", "NULL"),
        ],
    )
    def test_usual_spellings_of_yes_and_no(self, values):
        assert marked(read_bytes(table([values[0], values[1], values[0]]))) == [[True, False, True]]

    def test_an_empty_column_marks_nothing(self):
        assert marked(read_bytes(table(["", ""]))) == [[False, False]]

    def test_a_file_without_it_has_no_marks(self):
        assert marked(read_bytes(table(["1", "0"], "speed"))) == [None]

    def test_is_named_by_the_owner_and_can_be_left_out(self):
        assert marked(read_bytes(table(["1", "0"], "home"), landmark="home")) == [[True, False]]
        assert marked(read_bytes(table(["1", "0"], "home"), landmark="#4")) == [[True, False]]
        assert marked(read_bytes(table(["1", "0"]), landmark="#0")) == [None]
        assert guessed(read_bytes(table(["1", "0"], "home"), landmark="home")) == []
        refused = refusal(FormatError, read_bytes, table(["1", "0"]), landmark="nowhere")
        assert (refused.code, refused.field) == ("unknown_column", "landmark")

    def test_two_of_one_name_need_a_choice(self):
        assert refusal(ChoiceNeeded, read_bytes, b"lat,lon,poi,poi\n1,2,1,0\n").parameter == "landmark"

    def test_rows_that_state_neither_are_dropped_and_counted(self):
        reading = read_bytes(table(["1", "maybe", "0", "2", "1"]))
        assert marked(reading) == [[True, False, True]]
        dropped = reading.report.as_dict()["dropped"]["bad_mark"]
        assert (dropped["count"], dropped["rows"]) == (2, [3, 5])
        assert reading.report.kept + 2 == reading.report.rows_read

    def test_a_guessed_column_of_other_things_is_left_alone(self):
        reading = read_bytes(table(["Louvre", "", "Café"], "poi"))
        assert (len(reading), marked(reading), reading.report.outcome) == (3, [None], "accept")
        assert [note["code"] for note in reading.report.notes] == ["not_marks"]

    def test_a_named_column_of_other_things_is_refused(self):
        refused = refusal(FormatError, read_bytes, table(["Louvre", "", "Café"], "poi"), landmark="poi")
        error = refused
        assert (error.code, error.field, error.row) == ("bad_marks", "landmark", 2)
        assert "first on line 2" in error.message

    def test_the_quick_and_the_careful_reader_agree(self):
        cells = np.random.default_rng(1).choice(["1", "0", "", "yes", "no", "x"], 300).tolist()
        quick = table([*cells, "1"])
        one, two = read_bytes(quick), read_bytes(quick[:-1] + b",too,long\n")
        assert marked(one) == marked(two)
        assert one.report.drops == two.report.drops

    def test_without_a_header_by_place(self):
        assert marked(read_bytes(b"1.5,2.5,1\n1.6,2.6,0\n", lat="#1", lon="#2", landmark="#3")) == [[True, False]]

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


class TestParquet:
    def read(self, column, name="landmark", **values):
        out = io.BytesIO()
        n = len(column)
        pq.write_table(pa.table({"lon": np.arange(n) / 10, "lat": np.ones(n), name: column}), out)
        return read_bytes(out.getvalue(), **values)

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
        assert marked(self.read(column)) == [[True, False, False]]

    def test_of_a_kind_that_states_nothing(self):
        column = pa.array([[1], [2]])
        assert marked(self.read(column)) == [None]
        assert refusal(FormatError, self.read, column, landmark="landmark").code == "bad_marks"


def gathered(*features, **values):
    return read_bytes(collection(*features), **values)


class TestGeojson:
    LINE = ((1.0, 1.0), (2.0, 1.0), (3.0, 1.0))

    @each(
        ("value", "expected"),
        [
            ([True, False, True], [True, False, True]),
            ([1, 0, 1.0], [True, False, True]),
            (["yes", None, "no"], [True, False, False]),
            ([True], [True, False, False]),
            (True, [True, True, True]),
        ],
    )
    def test_of_a_line(self, value, expected):
        assert marked(gathered(feature("LineString", self.LINE, is_landmark=value))) == [expected]

    def test_of_points_and_of_several_lines(self):
        points = [feature("Point", [i, 1], landmark=mark) for i, mark in enumerate([True, "no", 1])]
        assert marked(gathered(*points, feature("Point", [9, 1]))) == [[True, False, True, False]]
        lines = [[[1, 1], [2, 1]], [[3, 1]]]
        for value in ([1, 0, 1], [[1, 0], [1]]):
            assert marked(gathered(feature("MultiLineString", lines, landmark=value))) == [[True, False, True]]

    def test_named_left_out_and_absent(self):
        line = feature("LineString", self.LINE, Home=[1, 0, 0])
        assert marked(gathered(line)) == [None]
        assert marked(gathered(line, landmark="home")) == [[True, False, False]]
        assert marked(gathered(feature("LineString", self.LINE, landmark=True), landmark="#0")) == [None]
        refused = refusal(FormatError, gathered, line, landmark="work")
        assert (refused.code, refused.field) == ("unknown_column", "landmark")

    def test_structures_are_no_marks(self):
        assert marked(gathered(feature("LineString", self.LINE, poi=[{}, [], {}]))) == [None]


class TestArchives:
    def test_members_of_one_name_are_joined_with_their_marks(self):
        early = b"id,time,lat,lon,landmark\nu,100000000,1,1,1\nu,100000003,1,4,0\n"
        late = b"id,time,lat,lon,landmark\nu,100000001,1,2,0\nu,100000002,1,3,1\n"
        [one] = read_bytes(zipped(a=late, b=early)).series
        assert (one.lon.tolist(), one.marked.tolist()) == ([1, 2, 3, 4], [True, False, True, False])

    def test_members_without_a_column_have_nothing_marked_and_that_is_stated(self):
        reading = read_bytes(zipped(a=b"lat,lon,landmark\n1,1,1\n", b=b"lat,lon\n1,1\n"))
        assert marked(reading) == [[True], [False]]
        assert "unmarked_members" in [note["code"] for note in reading.report.warnings]
