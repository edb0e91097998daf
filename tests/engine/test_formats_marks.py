"""A landmark column: recognised, named, refused, and carried through sorting, splitting and cutting."""

import io

import numpy as np

from privacy_engine.formats.arrow import pa, pq
from tests.cases import each
from tests.engine.format_samples import collection, feature, read_bytes, refused, shows

HOUR = 1718444200


def table(cells, name="landmark"):
    rows = [f"{HOUR + i},1,{i},{cell}" for i, cell in enumerate(cells)]
    return ("\n".join([f"time,lat,lon,{name}", *rows]) + "\n").encode()


def guessed(reading):
    return [guess["value"] for guess in reading.report.guesses if guess["option"] == "landmark"]


class TestTables:
    @each("name", ["landmark", "is_landmark", "Landmarks", "MARKED", "poi", "Sensitive", "Is landmark"])
    def test_is_recognised_by_its_name(self, name):
        assert guessed(shows(table(["true", "false"], name), marked=[[True, False]])) == [name]

    @each(
        ("yes", "no"),
        [("TRUE", "False"), ("1", "0"), ("yes", "no"), (" Yes ", " NO "), ("1", ""), ("yes", "NULL")],
    )
    def test_usual_spellings_of_yes_and_no(self, yes, no):
        shows(table([yes, no, yes]), marked=[[True, False, True]])

    def test_is_named_by_the_owner_and_can_be_left_out(self):
        shows(table(["", ""]), marked=[[False, False]])
        shows(table(["1", "0"], "speed"), marked=[None])
        shows(table(["1", "0"], "home"), given={"landmark": "#4"}, marked=[[True, False]])
        shows(table(["1", "0"]), given={"landmark": "#0"}, marked=[None])
        assert guessed(shows(table(["1", "0"], "home"), given={"landmark": "home"}, marked=[[True, False]])) == []
        assert refused(table(["1", "0"]), "unknown_column", landmark="nowhere").field == "landmark"
        assert refused(b"lat,lon,poi,poi\n1,2,1,0\n", "choice-needed").parameter == "landmark"
        stated = {"lat": "#1", "lon": "#2", "landmark": "#3"}
        shows(b"1.5,2.5,1\n1.6,2.6,0\n", given=stated, marked=[[True, False]])

    def test_rows_that_state_neither_are_dropped_and_counted(self):
        cells = table(["1", "maybe", "0", "2", "1"])
        found = shows(cells, marked=[[True, False, True]], rows={"bad_mark": [3, 5]}, dropped={"bad_mark": 2})
        assert found.report.kept + 2 == found.report.rows_read

    def test_a_column_of_other_things_is_left_alone_where_guessed_and_refused_where_named(self):
        data = table(["Louvre", "", "Café"], "poi")
        shows(data, points=3, marked=[None], outcome="accept", notes={"not_marks": 2})
        error = refused(data, "bad_marks", "first on line 2", landmark="poi")
        assert (error.field, error.row) == ("landmark", 2)

    def test_the_quick_and_the_careful_reader_agree(self):
        cells = np.random.default_rng(1).choice(["1", "0", "", "yes", "no", "x"], 300).tolist()
        quick = table([*cells, "1"])
        one = read_bytes(quick)
        two = shows(quick[:-1] + b",too,long\n", marked=[one.series[0].marked.tolist()])
        assert one.report.drops == two.report.drops

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
    def file(self, column):
        out, n = io.BytesIO(), len(column)
        pq.write_table(pa.table({"lon": np.arange(n) / 10, "lat": np.ones(n), "landmark": column}), out)
        return out.getvalue()

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
            ([{}, [], {}], None),
        ],
    )
    def test_of_a_line(self, value, expected):
        gathered(feature("LineString", self.LINE, is_landmark=value), marks=expected)

    def test_of_points_and_of_several_lines(self):
        points = [feature("Point", [i, 1], landmark=mark) for i, mark in enumerate([True, "no", 1])]
        gathered(*points, feature("Point", [9, 1]), marks=[True, False, True, False])
        lines = [[[1, 1], [2, 1]], [[3, 1]]]
        for value in ([1, 0, 1], [[1, 0], [1]]):
            gathered(feature("MultiLineString", lines, landmark=value), marks=[True, False, True])

    def test_named_left_out_and_absent(self):
        line = feature("LineString", self.LINE, Home=[1, 0, 0])
        gathered(line, marks=None)
        gathered(line, marks=[True, False, False], landmark="home")
        gathered(feature("LineString", self.LINE, landmark=True), marks=None, landmark="#0")
        assert refused(collection(line), "unknown_column", landmark="work").field == "landmark"
