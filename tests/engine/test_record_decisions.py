"""What one record once decided for others, format by format; see ``test_record_independence.py`` for the law."""

from tests.cases import each
from tests.engine.format_samples import collection, fit_file, read_bytes, seconds
from tests.engine.record_laws import rows_of
from tests.engine.test_formats_logs import gga, nmea, rmc

CLOCK = [f"2024-06-15T12:0{i}:00Z" for i in range(6)]
NOON_S = 1718452800.0


def again(data, first, name="x"):
    """The file read with what the first reading decided."""
    return read_bytes(data, name, **first.report.as_dict()["decided"])


def codes(reading):
    return {note["code"] for note in reading.report.notes}


def segment(start, end, i):
    geometry = {"type": "LineString", "coordinates": [start, end]}
    properties = {"traj_id": 1, "prev_t": CLOCK[i], "t": CLOCK[i + 1]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def rows(*segments):
    lines = [
        f'1,"LINESTRING ({start[0]} {start[1]}, {end[0]} {end[1]})",{CLOCK[i]},{CLOCK[i + 1]}'
        for start, end, i in segments
    ]
    return "\n".join(["traj_id,geom,prev_t,t", *lines]).encode()


class TestLines:
    """Starts of lines that repeat the end of another."""

    SPOTS = [[1.0, 10.0], [1.1, 10.1], [1.2, 10.2], [1.3, 10.3]]
    MOVED = [1.10001, 10.1]

    @each("written", [rows, lambda *all_of: collection(*(segment(*one) for one in all_of))])
    def test_a_start_moved_by_a_metre_leaves_the_number_of_events(self, written):
        of = [(self.SPOTS[i], self.SPOTS[i + 1], i) for i in range(3)]
        first = read_bytes(written(*of))
        assert len(first) == 4
        assert "joined_ends" in codes(first)
        moved = again(written(of[0], (self.MOVED, *of[1][1:]), of[2]), first)
        assert rows_of(moved) == rows_of(first)
        assert len(again(written(of[0], (of[1][0], self.MOVED, 1), of[2]), first)) == 4

    def test_lines_that_contradict_each_other_keep_their_positions_and_are_named(self):
        of = [(self.SPOTS[0], self.SPOTS[1], 0), (self.MOVED, self.SPOTS[2], 1), (self.SPOTS[2], self.SPOTS[3], 2)]
        reading = read_bytes(rows(*of))
        assert len(reading) == 5
        assert "joined_places" in codes(reading)


class TestLogs:
    """Times that follow from the sentences before."""

    def test_a_fix_each_day_at_the_same_time_is_a_fix(self):
        reading = read_bytes(nmea(rmc("120000", "150624"), rmc("120000", "160624"), rmc("120000", "170624")))
        assert seconds(reading.series[0]) == [NOON_S, NOON_S + 86400, NOON_S + 2 * 86400]
        assert "times_follow" not in codes(reading)

    def test_a_date_between_does_not_move_a_fix_that_has_its_own(self):
        reading = read_bytes(nmea(rmc("120000", "150624"), "GPZDA,120000,20,06,2024,00,00"))
        assert seconds(reading.series[0]) == [NOON_S]

    def test_sentences_without_a_date_are_named(self):
        assert "times_follow" in codes(read_bytes(nmea(rmc("120000", "150624"), gga("120001"))))

    def test_times_of_a_flight_are_named(self):
        flight = b"ALXNQKFFLIGHT:3\r\nHFDTE160722\r\n" + b"B1931294350420N08026585WA0043800463\r\n" * 2
        assert "times_follow" in codes(read_bytes(flight))

    @each("compressed", [True, False])
    def test_records_with_a_part_of_a_time_are_named(self, compressed):
        assert ("times_follow" in codes(read_bytes(fit_file(compressed=compressed)))) == compressed
