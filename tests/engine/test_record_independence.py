"""No record decides about the rows of others: reading with the options of the first reading, over every format."""

import random
import zlib
from datetime import date

import pytest

from privacy_engine.formats import formats
from tests.cases import each
from tests.engine import record_binary, record_documents, record_tables  # noqa: F401 (they register)
from tests.engine import record_laws as laws
from tests.engine.format_samples import collection, fit_file, line_feature, read_bytes, seconds
from tests.engine.record_files import GENERATORS
from tests.engine.test_formats_logs import gga, nmea, rmc

CASES = sorted(GENERATORS)
QUICK, THOROUGH = 12, 20_000 // len(CASES) + 1
"""Files of each; quick are the first dozen on one day, the second on the next."""
LEAST_READ = 0.4
"""Of the generated files at least this share can be read at all."""


def test_every_format_and_kind_has_a_generator():
    assert {(one.name, kind) for one in formats() if not one.hidden for kind in one.kinds} <= set(CASES)


def generated(name, kind, number):
    rng = random.Random(zlib.crc32(f"{name} {kind}".encode()) + number)
    makers = GENERATORS[name, kind]
    return makers[number % len(makers)](rng), rng


@pytest.mark.parametrize("files", [QUICK, pytest.param(THOROUGH, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_record_changes_no_row_of_others(name, kind, files):
    read = 0
    first_number = QUICK * (date.today().toordinal() % 2) if files == QUICK else 0
    for number in range(first_number, first_number + files):
        file, rng = generated(name, kind, number)
        try:
            first = laws.first_reading(file, rng)
        except laws.Refused:
            continue
        read += 1
        try:
            _check_twice(file, first)
            _check_without(file, first, rng)
            _check_moved(file, first, rng)
        except AssertionError as error:
            raise AssertionError(f"file {number} of {name}, {kind}: {error}") from error
    assert read >= LEAST_READ * files


def _check_twice(file, first):
    """Reading the same file with the decided options gives the same, and finds nothing out."""
    second = laws.again(file, file.records, first)
    assert second is not None, "the file cannot be read again"
    named = laws.codes(second)
    assert laws.rows_of(second) == laws.rows_of(first.reading), f"read otherwise the second time ({named})"
    decided, before = (one.report.as_dict()["decided"] for one in (second, first.reading))
    assert decided == before, f"decided {decided}, not {before}"
    assert second.report.guesses == [], second.report.guesses


def _check_without(file, first, rng):
    at = rng.randrange(len(file.records))
    record, other = file.records[at], file.other
    if laws.unknown(file, first):
        record, other = (one._replace(lats=(None,) * len(one.lats)) for one in (record, other))
    before, after = file.records[:at], file.records[at + 1 :]
    laws.check(first.reading, laws.again(file, [*before, *after], first), record.lats)
    changed = laws.again(file, [*before, file.other, *after], first)
    if changed is not None:  # one damaged record may have a whole file refused, of which there are no rows then
        laws.check(first.reading, changed, record.lats, other.lats)


def _check_moved(file, first, rng):
    """The rows are the same in another order of the records, where their order has no meaning."""
    if file.ordered:
        return
    moved = laws.again(file, rng.sample(file.records, len(file.records)), first)
    named = laws.codes(first.reading, moved)
    again, before = (sorted(map(repr, laws.rows_of(one, named))) for one in (moved, first.reading))
    assert again == before, "moved"


CLOCK = [f"2024-06-15T12:0{i}:00Z" for i in range(6)]
NOON_S = 1718452800.0


def read_again(data, first):
    """The file read with what the first reading decided."""
    return read_bytes(data, **first.report.as_dict()["decided"])


def features(*segments):
    times = ({"traj_id": 1, "prev_t": CLOCK[i], "t": CLOCK[i + 1]} for *_, i in segments)
    lines = zip(segments, times, strict=True)
    return collection(*(line_feature(start, end, **more) for (start, end, _), more in lines))


def rows(*segments):
    lines = (f'1,"LINESTRING ({a[0]} {a[1]}, {b[0]} {b[1]})",{CLOCK[i]},{CLOCK[i + 1]}' for a, b, i in segments)
    return "\n".join(["traj_id,geom,prev_t,t", *lines]).encode()


class TestLines:
    """Starts of lines that repeat the end of another."""

    SPOTS = [[1.0, 10.0], [1.1, 10.1], [1.2, 10.2], [1.3, 10.3]]
    MOVED = [1.10001, 10.1]

    @each("written", [rows, features])
    def test_a_start_moved_by_a_metre_leaves_the_number_of_events(self, written):
        of = [(self.SPOTS[i], self.SPOTS[i + 1], i) for i in range(3)]
        first = read_bytes(written(*of))
        assert len(first) == 4
        assert "joined_ends" in laws.codes(first)
        moved = read_again(written(of[0], (self.MOVED, *of[1][1:]), of[2]), first)
        assert laws.rows_of(moved) == laws.rows_of(first)
        assert len(read_again(written(of[0], (of[1][0], self.MOVED, 1), of[2]), first)) == 4

    def test_lines_that_contradict_each_other_keep_their_positions_and_are_named(self):
        of = [(self.SPOTS[0], self.SPOTS[1], 0), (self.MOVED, self.SPOTS[2], 1), (self.SPOTS[2], self.SPOTS[3], 2)]
        reading = read_bytes(rows(*of))
        assert len(reading) == 5
        assert "joined_places" in laws.codes(reading)


class TestLogs:
    """Times that follow from the sentences before."""

    def test_a_fix_each_day_at_the_same_time_is_a_fix(self):
        reading = read_bytes(nmea(rmc("120000", "150624"), rmc("120000", "160624"), rmc("120000", "170624")))
        assert seconds(reading.series[0]) == [NOON_S, NOON_S + 86400, NOON_S + 2 * 86400]
        assert "times_follow" not in laws.codes(reading)

    def test_what_is_not_on_the_earth_does_not_stand_for_later_sentences_of_its_instant(self):
        for position, lon, options in (
            ("5231.2000,N,18100.0000,W", [13.405], {}), ("9131.2000,N,01324.3000,E", [13.405], {"swap": "no"}),
            ("5231.2000,N,18100.0000,E", [13.405], {"lon_range": "180"}), ("5231.2000,N,18100.0000,E", [-179.0], {}),
            ("1324.3000,N,09131.2000,E", [52.52], {"swap": "yes"}),
        ):  # fmt: skip
            reading = read_bytes(nmea(rmc("120000", "150624", position), rmc("120000", "150624")), **options)
            assert reading.series[0].lon.tolist() == lon, position

    def test_a_date_between_does_not_move_a_fix_that_has_its_own(self):
        reading = read_bytes(nmea(rmc("120000", "150624"), "GPZDA,120000,20,06,2024,00,00"))
        assert seconds(reading.series[0]) == [NOON_S]

    def test_sentences_without_a_date_are_named(self):
        assert "times_follow" in laws.codes(read_bytes(nmea(rmc("120000", "150624"), gga("120001"))))

    def test_times_of_a_flight_are_named(self):
        flight = b"ALXNQKFFLIGHT:3\r\nHFDTE160722\r\n" + b"B1931294350420N08026585WA0043800463\r\n" * 2
        assert "times_follow" in laws.codes(read_bytes(flight))

    @each("compressed", [True, False])
    def test_records_with_a_part_of_a_time_are_named(self, compressed):
        assert ("times_follow" in laws.codes(read_bytes(fit_file(compressed=compressed)))) == compressed
