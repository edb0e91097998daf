"""Events counted on a grid: what is counted, by how much a person can change it, and what is stated of that."""

import io
import json
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import formats
from privacy_engine.accounting.promise import Context
from privacy_engine.aggregation import WRITERS, AggregationSpec, Events, aggregate, events_of, size_of
from privacy_engine.data import CheckIns, CountStream, Trajectory
from privacy_engine.data.counted import Counted
from privacy_engine.data.grid import Grid
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.releases.label import privacy_label
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import each, refusal

BOX = (0.0, 0.0, 0.04, 0.03)
FIXED = {"cell_m": 1112.0, "step": "1h", "box": BOX, "start": "1970-01-01T00:00", "end": "1970-01-01T04:59"}
"""Three rows of four cells, five steps."""


def spec(unit="person", **more):
    return AggregationSpec.parse(FIXED | {"unit": unit} | more)


def events(rows):
    """Events of (person, series, minute, row, column), in the middle of cells of :data:`FIXED`."""
    person, series, minute, row, column = (np.array(one, dtype=np.int64) for one in zip(*rows, strict=True))
    return Events(person, series, minute * 60.0, (column + 0.5) / 100, (row + 0.5) / 100)


EVENT = st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 299), st.integers(0, 2), st.integers(0, 3))
EVENTS = st.lists(EVENT, min_size=1, max_size=40)
MOST = st.integers(1, 4)
PICK = st.sampled_from(["first", "frequent"])


class TestCounts:
    def test_an_edge_belongs_to_the_step_that_begins_and_after_the_last_is_outside(self):
        rows = [(0, 0, 59, 0, 0), (0, 0, 60, 0, 0), (0, 0, 299, 0, 0), (0, 0, 300, 0, 0), (0, 0, 359, 2, 3)]
        found = aggregate(events(rows), spec("event"))
        assert (found.stream.counts.sum(axis=1).tolist(), found.size.outside) == ([1, 1, 0, 0, 1], 2)

    @given(EVENTS)
    def test_every_event_is_counted_once(self, rows):
        stream = aggregate(events(rows), spec("event")).stream
        expected = Counter((minute // 60, row * 4 + column) for _, _, minute, row, column in rows)
        assert stream.counts.shape == (5, 12)
        assert {tuple(at): stream.counts[tuple(at)] for at in np.argwhere(stream.counts)} == expected

    @given(EVENTS, MOST)
    def test_a_person_counts_in_the_first_cells_of_a_step(self, rows, most):
        """A plain loop over the events in the order of time; of equal times the cell with the smaller number."""
        found = defaultdict(list)
        for person, _, minute, row, column in sorted(rows, key=lambda one: (one[2], one[3] * 4 + one[4])):
            cells, cell = found[person, minute // 60], row * 4 + column
            if cell not in cells and len(cells) < most:
                cells.append(cell)
        expected = Counter((step, cell) for (_, step), cells in found.items() for cell in cells)
        stream = aggregate(events(rows), spec(most=most)).stream
        assert {tuple(at): stream.counts[tuple(at)] for at in np.argwhere(stream.counts)} == expected

    @given(EVENTS, MOST)
    def test_a_series_counts_in_its_most_frequent_cells(self, rows, most):
        found = defaultdict(Counter)
        for _, series, minute, row, column in rows:
            found[series, minute // 60][row * 4 + column] += 1
        chosen = {key: sorted(cells, key=lambda cell: (-cells[cell], cell))[:most] for key, cells in found.items()}
        expected = Counter((step, cell) for (_, step), cells in chosen.items() for cell in cells)
        stream = aggregate(events(rows), spec("series", most=most, pick="frequent")).stream
        assert {tuple(at): stream.counts[tuple(at)] for at in np.argwhere(stream.counts)} == expected

    @given(EVENTS, MOST, PICK)
    def test_the_size_is_that_of_the_stream(self, rows, most, pick):
        given, how = events([*rows, (0, 0, 400, 0, 0)]), spec(most=most, pick=pick)
        found = aggregate(given, how)
        assert size_of(given, how) == found.size
        assert found.size[:3] == (3, 4, 5)
        assert found.size.zero == pytest.approx(float((found.stream.counts == 0).mean()))
        assert found.size.outside == 1
        visits = len({(person, minute // 60, row, column) for person, _, minute, row, column in rows})
        assert found.stream.counts.sum() + found.size.cut == visits


class TestSensitivity:
    """The theorem: a unit that is present or absent changes a row by at most m in sum, one that changes by 2 m."""

    @given(EVENTS, MOST, PICK, st.integers(0, 2), st.integers(0, 4))
    def test_a_person_who_is_absent_from_a_step_changes_its_counts_by_at_most_m(self, rows, most, pick, person, step):
        rest = [one for one in rows if not (one[0] == person and one[2] // 60 == step)]
        if not rest:
            return
        before, after = (aggregate(events(each), spec(most=most, pick=pick)).stream.counts for each in (rows, rest))
        assert np.abs(before - after)[step].sum() <= most
        assert np.array_equal(np.delete(before, step, 0), np.delete(after, step, 0))

    @given(EVENTS, EVENTS, MOST, PICK)
    def test_a_person_who_changes_changes_the_counts_by_at_most_twice_m(self, rows, other, most, pick):
        changed = [one for one in rows if one[0] != 0] + [(0, *one[1:]) for one in other]
        how = spec(most=most, pick=pick, neighbours="change")
        before, after = (aggregate(events(each), how).stream for each in (rows, changed))
        assert np.abs(before.counts - after.counts).sum(axis=1).max() <= before.counted.sensitivity == 2 * most

    @given(EVENTS, EVENT, MOST, PICK, st.sampled_from(["event", "person"]))
    def test_one_more_event_changes_the_counts_as_the_ledger_assumes(self, rows, more, most, pick, unit):
        how = spec(unit, most=1 if unit == "event" else most, pick=pick)
        before, after = (aggregate(events(each), how).stream for each in (rows, [*rows, more]))
        assert np.abs(before.counts - after.counts).sum() <= before.counted.event_sensitivity

    def test_the_bounds_are_reached(self):
        """One person, three cells of which two count; an earlier event moves one of the two."""
        rows = [(0, 0, 10, 0, 0), (0, 0, 20, 0, 1), (0, 0, 30, 0, 2)]
        counts = aggregate(events(rows), spec(most=2)).stream.counts
        assert counts.sum() == 2
        moved = aggregate(events([(0, 0, 5, 2, 3), *rows]), spec(most=2)).stream.counts
        assert np.abs(counts - moved).sum() == 2

    def test_is_what_the_stream_carries(self):
        for unit, most, neighbours, sensitivity in (
            ("event", 1, "presence", 1),
            ("event", 1, "change", 2),
            ("person", 3, "presence", 3),
            ("series", 4, "change", 8),
        ):
            found = aggregate(events([(0, 0, 0, 0, 0)]), spec(unit, most=most, neighbours=neighbours)).stream.counted
            assert found.sensitivity == sensitivity
            assert f"Sensitivity {sensitivity}: " in found.sensitivity_text


class TestGrid:
    @given(st.floats(-60, 60), st.floats(-170, 170), st.floats(0.01, 1), st.floats(0.01, 1), st.floats(1000, 9000))
    def test_a_given_box_is_divided_into_cells_of_at_most_the_size(self, south, west, high, wide, cell_m):
        box = (west, south, west + wide, south + high)
        given = Events(*(np.zeros(1, dtype=np.int64),) * 2, np.zeros(1), np.array([west]), np.array([south]))
        stream = aggregate(given, AggregationSpec(cell_m=cell_m, step="1h", unit="event", box=box)).stream
        grid, metre = stream.counted.grid, 6371008.8 * np.pi / 180
        assert (grid.west, grid.south, grid.east, grid.north) == box
        assert high / grid.rows * metre <= cell_m * (1 + 1e-6)
        assert wide / grid.columns * metre * np.cos(np.radians(south + high / 2)) <= cell_m * (1 + 1e-6)
        assert stream.counts[0, 0] == 1

    def test_positions_are_in_the_cells_whose_boxes_hold_them(self):
        grid = Grid(*BOX, 4, 3)
        rng = np.random.default_rng(1)
        lon, lat = rng.uniform(0, 0.04, 500), rng.uniform(0, 0.03, 500)
        west, south, east, north = grid.boxes()[grid.cells(lon, lat)].T
        assert ((west <= lon) & (lon <= east) & (south <= lat) & (lat <= north)).all()
        assert grid.cells([0.04, 0.0401, -1e-9], [0.03, 0.01, 0.01]).tolist() == [11, -1, -1]

    def test_a_box_of_the_data_has_whole_cells_around_them_and_is_stated(self):
        stream = aggregate(events([(0, 0, 0, 0, 0), (0, 0, 1, 2, 3)]), spec("event", box=None)).stream
        grid = stream.counted.grid
        assert (stream.counts.sum(), grid.west <= 0.005, grid.east >= 0.035) == (2, True, True)
        assert "the box of the grid, which was taken from the data" in stream.counted.not_covered
        assert "the first and the last timestamp" not in str(stream.counted.not_covered)
        across = Events(*(np.zeros(2, dtype=np.int64),) * 2, np.zeros(2), np.array([-179.0, 179.0]), np.zeros(2))
        with pytest.raises(ParameterError, match="box must be given where the data reach over more than 180 degrees"):
            aggregate(across, spec(box=None))


class TestSteps:
    def test_days_are_those_of_the_time_zone(self):
        """The night of 31 March 2024 in Paris: the day has 23 hours."""
        instants = np.array(["2024-03-30T22:59", "2024-03-30T23:00", "2024-03-31T21:59", "2024-03-31T22:00"], "M8[s]")
        given = Events(*(np.arange(4),) * 2, instants.astype(np.int64) * 1.0, np.full(4, 0.005), np.full(4, 0.005))
        how = AggregationSpec(cell_m=1112.0, step="1d", unit="event", box=BOX, time_zone="Europe/Paris")
        stream = aggregate(given, how).stream
        assert stream.labels == ("2024-03-30", "2024-03-31", "2024-04-01")
        assert stream.counts.sum(axis=1).tolist() == [1, 2, 1]
        assert np.diff(stream.time_s).tolist() == [24 * 3600, 23 * 3600]

    @each(
        ("step", "labels"),
        [
            ("1h", ("1970-01-01T00:00:00Z", "1970-01-01T01:00:00Z")),
            ("90min", ("1970-01-01T00:00:00Z",)),
            *((week, ("1969-12-29",)) for week in ("week", "7d")),
            ("14d", ("1969-12-22",)),
            ("2d", ("1970-01-01",)),
            ("30 min", ("1970-01-01T00:30:00Z", "1970-01-01T01:00:00Z")),
        ],
    )
    def test_steps_are_labelled_by_their_beginning(self, step, labels):
        stream = aggregate(events([(0, 0, 30, 0, 0), (0, 0, 80, 0, 0)]), spec(step=step, start=None, end=None)).stream
        assert (stream.labels, stream.counted.times_from_data) == (labels, True)


class TestInput:
    def test_people_are_those_of_the_data(self):
        series = [
            Trajectory([0.005, 0.005], [0.005, 0.015], [0.0, 60.0], name, person=person)
            for name, person in (("a", "x"), ("b", "x"), ("c", "y"))
        ]
        for unit, first in (("person", 2), ("series", 3), ("event", 3)):
            assert aggregate(events_of(series), spec(unit, most=1)).stream.counts[0, 0] == first
        checkins = CheckIns([0, 0, 1], ["x", "y"], [0.0, 60.0, 0.0], None, (), [0.005] * 3, [0.005, 0.015, 0.005])
        assert aggregate(events_of(checkins), spec(most=2)).stream.counts[0, [0, 4]].tolist() == [2, 1]

    def test_fail_where_there_is_nothing_to_count(self):
        for data, field in (
            ([Trajectory([0.0], [0.0])], "time_s"),
            ([Trajectory([], [], [])], "events"),
            ([], "events"),
            (CheckIns([0], ["x"], [0.0], [0], ["p"]), "lon"),
        ):
            assert refusal(DataError, events_of, data).field == field

    def test_fail_naming_field_rule_and_value(self):
        two = events([(0, 0, 0, 0, 0), (0, 0, 1, 0, 0)])
        for changes, field, rule in (
            ({"cell_m": 0}, "cell_m", "greater than 0"),
            ({"cell_m": 1.0}, "cell_m", "at most 20,000 cells"),
            ({"step": "3s", "end": "1970-01-31", "cell_m": 112.0}, "step", "at most 20,000,000 counts"),
            ({"step": "1s", "end": "1970-03-01", "cell_m": 9000}, "step", "at most 1,000,000 steps"),
            ({"step": "fortnight"}, "step", "a length such as"),
            ({"step": "0h"}, "step", "a length such as"),
            ({"unit": "user"}, "unit", "one of"),
            ({"unit": "event", "most": 2}, "most", "must be 1 where every event counts"),
            ({"most": 51}, "most", "at most 50"),
            ({"most": 26, "neighbours": "change"}, "neighbours", "must be presence"),
            ({"box": [0, 0, 1]}, "box", ""),
            ({"box": [170.0, 0, -170.0, 1]}, "box", "antimeridian"),
            ({"box": [0, 1, 1, 0]}, "box", "south less than north"),
            ({"box": [0, 0, 1, float("nan")]}, "box", ""),
            ({"start": "yesterday"}, "start", "a date or time"),
            ({"end": "1969-12-31"}, "end", "must not be before start"),
            ({"time_zone": "Mars"}, "time_zone", "a time zone"),
            ({"start": "2030-01-01", "end": None}, "start", "before the end of the data"),
        ):
            refused = refusal(ParameterError, lambda given_: aggregate(two, spec(**given_)), changes)
            assert refused.field.startswith(field)
            assert rule in refused.rule or rule in refused.message


class TestClaim:
    PERSON = Counted(Grid(*BOX, 4, 3), "person", 2)

    @each("cls", [cls for cls in mechanisms.of("stream") if cls.publishable])
    def test_the_guarantee_names_the_unit_in_its_sentence(self, cls):
        mechanism = cls(epsilon=1.0, window=10, sensitivity=2)
        counted = Counted(Grid(*BOX, 4, 3), "person", 2, box_from_data=True)
        first = mechanism.guarantee(Context.of_counts(counted)).statement.split(". ")[0]
        assert "which covers all events of one person at these timestamps" in first
        assert "(a person counts in at most 2 cells of a timestamp)" in first
        assert "not covered: the box of the grid, which was taken from the data" in first
        assert "covers" not in mechanism.guarantee().statement

    def test_one_event_is_charged_as_often_as_it_can_change_counts(self):
        for unit, most, sensitivity, charges in (("event", 1, 1, 1), ("person", 1, 1, 2), ("person", 1, 2, 1)):
            assert Counted(Grid(*BOX, 1, 1), unit, most).event_charges(sensitivity) == charges
        assert Counted(Grid(*BOX, 1, 1), "person", 3).event_charges(3) == 1

    def test_the_description_survives_the_table_and_is_in_the_label(self):
        stream = CountStream(np.zeros((1, 12)), self.PERSON.grid.names(), ["1"], None, "time", self.PERSON)
        kind = datatypes["stream"]
        assert kind.from_table(kind.to_table(stream)).counted == self.PERSON
        assert kind.facts(stream).counted == self.PERSON.as_dict()
        described = {"mechanism": {"name": "stream-uniform", "epsilon": 1.0, "window": 10, "sensitivity": 2}}
        label = privacy_label(ReleaseSpec.parse(described), Context.of_counts(self.PERSON), private=True)
        assert Counted.from_dict(label["counted"]) == self.PERSON
        assert "one person" in label["text"]
        with pytest.raises(DataError, match="a grid with a cell for each name"):
            CountStream(np.zeros((1, 1)), ["a"], ["1"], None, "time", self.PERSON)

    def test_fail_where_the_description_is_none(self):
        square = {"west": 0.0, "south": 0.0, "east": 1.0, "north": 1.0, "columns": 1, "rows": 1}
        wrong = [
            {"grid": square | changed} for changed in ({"west": 1.0, "east": 0.0}, {"columns": 0}, {"rows": 10**6})
        ]
        wrong += [{"unit": "user"}, {"most": 0}, {"most": 1.5}, {"most": True}, {"unit": "event", "most": 2}]
        for changes in wrong:
            with pytest.raises(DataError):
                Counted.from_dict(self.PERSON.as_dict() | changes)

    def test_a_parquet_file_states_how_its_counts_were_made(self):
        stream = aggregate(events([(0, 0, 0, 0, 0), (1, 1, 70, 2, 3)]), spec(most=2)).stream
        for ending, counted in ((".parquet", stream.counted), (".csv", None)):
            out = io.BytesIO()
            WRITERS[ending](stream, out)
            read = formats.read(io.BytesIO(out.getvalue()), kinds=("stream",)).other
            assert np.array_equal(read.counts, stream.counts)
            assert (read.names, read.labels, read.counted) == (stream.names, stream.labels, counted)

    @each("description", [b"{", b"[]", b"1", b'{"grid": 1}', json.dumps(PERSON.as_dict() | {"most": -1}).encode()])
    def test_a_damaged_description_is_left_out_with_a_note(self, description):
        out = io.BytesIO()
        columns = {"day": ["2024-01-01"], **{name: [1] for name in self.PERSON.grid.names()}}
        pq.write_table(pa.table(columns).replace_schema_metadata({"counted": description}), out)
        found = formats.read(io.BytesIO(out.getvalue()), kinds=("stream",))
        assert found.other.counted is None
        assert [note["level"] for note in found.report.notes if note["code"] == "counted"] == ["warning"]
