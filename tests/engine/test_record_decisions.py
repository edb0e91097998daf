"""What one record once decided for others, format by format; see ``test_record_independence.py`` for the law."""

import json

from tests.cases import each
from tests.engine.format_samples import CSV, collection, fit_file, read_bytes, seconds, zipped
from tests.engine.record_laws import rows_of
from tests.engine.test_formats_logs import gga, nmea, rmc

CLOCK = [f"2024-06-15T12:0{i}:00Z" for i in range(6)]
NOON_S = 1718452800.0


def again(data, first, name="x"):
    """The file read with what the first reading decided."""
    return read_bytes(data, name, **first.report.as_dict()["decided"])


def places(reading):
    return [(lon, lat) for one in reading.series for lon, lat in zip(one.lon.tolist(), one.lat.tolist(), strict=True)]


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

    def test_the_order_of_the_lines_is_nothing(self):
        of = [(self.SPOTS[i], self.SPOTS[i + 1], i) for i in range(3)]
        assert rows_of(read_bytes(rows(*of[::-1]))) == rows_of(read_bytes(rows(*of)))

    def test_a_point_among_lines_leaves_them_their_ends(self):
        data = rows((self.SPOTS[0], self.SPOTS[1], 0))
        reading = read_bytes(data + f"\n1,POINT (5 15),{CLOCK[4]},{CLOCK[5]}".encode())
        assert seconds(reading.series[0]) == [NOON_S, NOON_S + 60, NOON_S + 300]

    def test_one_vertex_does_not_take_the_times_of_a_trip(self):
        def trip(second):
            line = [[1.0, 10.0, 0, NOON_S], [1.1, 10.1, 0, second], [1.2, 10.2, 0, NOON_S + 120]]
            return collection({"type": "Feature", "geometry": {"type": "LineString", "coordinates": line}})

        first = read_bytes(trip(NOON_S + 60))
        assert len(first) == 3
        left = again(trip(30.0), first)
        assert set(seconds(left.series[0])) >= {NOON_S, NOON_S + 120}


class TestKinds:
    """Which kind of positions of a file is read."""

    def test_gpx(self):
        points = "".join(f'<wpt lat="{i}" lon="1"><time>{CLOCK[i]}</time></wpt>' for i in range(3))
        track = f'<trk><trkseg><trkpt lat="50" lon="1"><time>{CLOCK[3]}</time></trkpt></trkseg></trk>'
        gpx = '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">{}</gpx>'
        first = read_bytes(gpx.format(points).encode())
        assert rows_of(again(gpx.format(points + track).encode(), first)) == rows_of(first)
        assert "left_out" in codes(read_bytes(gpx.format(points + track).encode()))

    def test_kml(self):
        mark = "<Placemark>{}<Point><coordinates>{},50</coordinates></Point></Placemark>"
        kml = '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>{}</Document></kml>'
        untimed = "".join(mark.format("", i) for i in range(3))
        timed = mark.format(f"<TimeStamp><when>{CLOCK[0]}</when></TimeStamp>", 9)
        first = read_bytes(kml.format(untimed).encode())
        assert rows_of(again(kml.format(untimed + timed).encode(), first)) == rows_of(first)

    def test_google_entries_in_degrees_beside_one_in_ten_millionths(self):
        def phone(*of):
            visits = [
                {"startTime": CLOCK[i], "visit": {"topCandidate": {"placeLocation": one}}} for i, one in enumerate(of)
            ]
            return json.dumps({"semanticSegments": visits}).encode()

        geo, e7 = ["geo:10,1", "geo:11,1"], {"latitudeE7": 120000000, "longitudeE7": 10000000}
        first = read_bytes(phone(*geo, e7))
        assert places(first)[:2] == places(again(phone(*geo), first)) == [(1.0, 10.0), (1.0, 11.0)]

    def test_owntracks_without_a_topic_is_the_tracker_s(self):
        entry = {"_type": "location", "lat": 1.0, "tst": NOON_S, "tid": "ab"}
        topic = {"topic": "owntracks/me/phone"}
        entries = [entry | {"lon": i} | (topic if i < 2 else {}) for i in range(3)]
        first = read_bytes(json.dumps({"data": entries}).encode())
        assert {one.person for one in first.series} == {"me", "ab"}
        assert rows_of(again(json.dumps({"data": entries[1:]}).encode(), first)) == rows_of(first)[1:]

    def test_members_of_records_are_found_by_their_path(self):
        fixes = [{"coords": {"lat": 10.0 + i, "lon": 1.0}, "time": CLOCK[i]} for i in range(4)]
        first = read_bytes(json.dumps(fixes).encode())
        other = fixes[0] | {"home": {"lat": 5.0, "lon": 5.0}}
        assert rows_of(again(json.dumps([other, *fixes[1:]]).encode(), first)) == rows_of(first)


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


class TestTables:
    """Rows of tables with a layout of their own."""

    PLT = b"Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n"

    def test_a_row_of_a_plt_that_is_not_padded_is_read_where_it_comes_first(self):
        odd = b"39.9,116.3,0,492,39744.1,2008-10-23,2:53:04\n"
        usual = odd.replace(b"2:53:04", b"12:53:04")
        assert len(read_bytes(self.PLT + odd + usual)) == len(read_bytes(self.PLT + usual + odd)) == 2

    def test_an_archive_of_one_table_reads_the_same_again(self):
        data = zipped(**{"a.csv": CSV})
        first = read_bytes(data)
        assert rows_of(again(data, first)) == rows_of(first)
