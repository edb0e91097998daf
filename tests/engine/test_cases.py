"""Files of public bug reports (../shared/cases): each is read as a person would expect, is refused, or needs a choice.

The EXPECTED of a directory states that as text; here is what must hold of each file, one of several outcomes. A case
that waits for work is a strict expected failure, so that it must be turned on with the work.
"""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import pytest

from privacy_engine import formats
from privacy_engine.errors import ChoiceNeeded, FormatError


@dataclass(frozen=True)
class Read:
    """What is read, as far as it is stated: one list for each series; times as in ISO 8601; ``rows`` are check-ins'.

    ``reported`` are codes of notes, options of guesses or parts of their messages; none of ``unreported`` may be one.
    """

    times: list | None = None
    lat: list | None = None
    lon: list | None = None
    people: int | None = None
    dropped: dict | None = None
    counts: list | None = None
    rows: list | None = None
    kind: str = "trajectory"
    reported: tuple = ()
    unreported: tuple = ()

    def holds(self, found):
        report, series = found.report, found.series
        entries = [(one.get("code", one.get("option")), one["message"]) for one in (*report.notes, *report.guesses)]

        def is_reported(what):
            return any(what == code or what in message for code, message in entries)

        seen = {
            "kind": found.kind,
            "times": [[round(t, 3) for t in one.time_s.tolist()] for one in series if one.time_s is not None],
            "lat": [one.lat.round(6).tolist() for one in series],
            "lon": [one.lon.round(6).tolist() for one in series],
            "people": report.people.get("count"),
            "dropped": report.dropped,
            "counts": found.other.counts.tolist() if found.kind == "stream" else None,
            "rows": rows_of(found.other) if found.kind == "checkins" else None,
        }
        wanted = {name: getattr(self, name) for name in seen if getattr(self, name) is not None}
        if self.times is not None:
            wanted["times"] = [[seconds(text) for text in one] for one in self.times]
        different = {name: seen[name] for name, value in wanted.items() if seen[name] != value}
        different |= {what: entries for what in self.reported if not is_reported(what)}
        return different | {what: entries for what in self.unreported if is_reported(what)}


@dataclass(frozen=True)
class Choice:
    """The owner must choose this option."""

    option: str

    def holds(self, error):
        needed = isinstance(error, ChoiceNeeded) and error.parameter == self.option
        return {} if needed else {"choice": repr(error)}


@dataclass(frozen=True)
class Refused:
    """The file is refused, with this in the message."""

    text: str

    def holds(self, error):
        refused = isinstance(error, FormatError) and self.text in str(error)
        return {} if refused else {"refused": repr(error)}


def seconds(text):
    return round(datetime.fromisoformat(text).timestamp(), 3)


def rows_of(checkins):
    columns = (checkins.user.tolist(), checkins.time_s.tolist(), checkins.place.tolist())
    return sorted((checkins.users[user], t, checkins.places[place]) for user, t, place in zip(*columns, strict=True))


def at(day, *clocks):
    """Instants of a day in UTC."""
    return [f"{day}T{clock}Z" for clock in clocks]


MAY = "2024-05-01"
THREE = at(MAY, "10:00:00", "10:01:00", "10:02:00")
STAYS = [at(MAY, "06:00:00", "07:30:00"), at(MAY, "06:30:00")]
STAYS_WITH_ENDS = [at(MAY, "06:00:00", "07:00:00", "07:30:00", "08:00:00"), at(MAY, "06:30:00", "08:00:00")]
ZONED = Read(times=[at("2024-07-31", "02:00:00", "02:01:00")])

CASES = {
    "01-gpx-offset/a.gpx": [
        Read(
            times=[[*at("2018-03-19", "22:49:10", "22:50:10", "22:51:10.137")]],
            lat=[[47.1, 47.2, 47.3]],
            unreported=("time_zone",),
        )
    ],
    "03-gpx-naive/a.gpx": [Read(times=[at("2018-04-04", "10:36:53", "10:41:07")], reported=("time_zone",))],
    "05-gpx-fraction/a.gpx": [Read(times=[at("2024-09-08", "10:00:00.050", "10:00:00.500", "10:00:01")])],
    "09-kml-span-even/a.kml": [
        Read(times=[at("2019-05-01", "12:00:00", "13:00:00", "14:00:00")], reported=("interpolated",))
    ],
    "10-kml-span-point/a.kml": [
        Read(times=[[*at("2019-04-30", "20:35:42"), *at("2019-05-01", "10:00:22", "11:00:00", "12:00:00")]])
    ],
    "11-csv-zone-name/a.csv": [Read(times=[at("2019-02-23", "02:00:16", "02:01:16")])],
    "12-csv-slash-dates/a.csv": [Read(times=[[*at("2018-05-30", "10:00:00"), *at("2018-05-31", "10:00:00")]])],
    "12-csv-slash-dates/b.csv": [Read(times=[[f"2018-{day}T00:00:00Z" for day in ("05-30", "05-31", "06-01")]])],
    "14-csv-date-and-localtime/a.csv": [
        Read(
            times=[[*at("2022-02-10", "10:00:00", "10:00:05"), *at("2022-02-11", "10:00:05")]], reported=("time_zone",)
        ),
        Choice("time_zone"),
    ],
    "15-tsv-dmy-ambiguous/a.txt": [Choice("date_order")],
    "17-movebank-empty-id/a.csv": [
        Read(lat=[[33.1], [33.1, 33.2], [33.1]], reported=("unnamed_person",)),
        Read(lat=[[33.1], [33.1]], dropped={"no_person": 2}),
    ],
    "18-csv-unpadded/a.csv": [
        Read(times=[at("2024-01-02", "07:00:57", "07:01:57", "17:02:07")], dropped={"bad_time": 1})
    ],
    "20-gpslogger-csv-semicolon/a.csv": [
        Read(times=[at("2021-10-03", "10:00:00", "10:00:10")], lat=[[51.5, 51.6]], lon=[[-0.12, -0.12]])
    ],
    "22-traccar-mysql/a.csv": [
        Read(
            times=[["2017-01-15T08:43:47Z", "2017-01-16T10:11:20Z"], ["2017-01-15T11:01:49Z"]],
            lat=[[-19.945384, -20.197277], [-19.966398]],
            people=2,
        )
    ],
    "23-traccar-api-json/a.json": [Read(times=[THREE[:2], at(MAY, "10:00:30")], people=2)],
    "24-r-write-table/a.txt": [
        Read(
            times=[["2012-01-01T00:00:00Z", "2012-01-02T00:00:00Z"]] * 2,
            lon=[[-83.67805, -83.34108], [-81.52966, -81.55895]],
            lat=[[-6.739897, -6.598395], [-2.567828, -2.329897]],
        )
    ],
    "25-csv-dms-primes/a.csv": [Read(lat=[[45.5, 45.51]], lon=[[-9.25, -9.25]])],
    "25-csv-dms-primes/b.csv": [Read(lat=[[45.5, 45.51]], lon=[[-9.25, -9.25]])],
    "27-counts-gap-dup/a.csv": [Choice("count")],
    "28-counts-bad-header/a.csv": [Read(kind="stream", counts=[[1, 2, 3], [4, 5, 6]], reported=("'a'",))],
    "28-counts-bad-header/b.csv": [Read(kind="stream", counts=[[1, 2], [3, 4]])],
    "29-timeline-same-times/a.json": [Read(times=[at(MAY, "08:14:00") * 5], lat=[[47.1, 47.11, 47.12, 47.13, 47.14]])],
    "30-null-island-run/a.csv": [
        Read(dropped={"no_position": 8}),
    ],
    "31-rec-csv-topic/a.rec": [
        Read(times=[at("2017-07-19", "09:21:49", "09:22:49", "09:23:49")], lat=[[47.1, 47.11, 47.12]])
    ],
    "33-rec-no-type/a.rec": [Read(times=[at("2022-01-08", "16:45:23")], lat=[[51.5]])],
    "33-rec-no-type/b.rec": [Read(times=[at("2022-01-08", "16:45:23", "16:46:23")], lat=[[51.5, 51.6]])],
    "35-jhu-wide/a.csv": [Read(kind="stream", counts=[[2, 2], [3, 1], [5, 2], [7, 2]]), Refused("turn")],
    "36-citibike-trips/a.csv": [
        Refused("the reading options lon and lat"),
        Choice("lat"),
        Read(lat=[[40.7, 40.75], [40.71, 40.76]], lon=[[-74.0, -73.99], [-74.0, -73.98]]),
    ],
    "37-weeplaces/a.csv": [
        Read(
            kind="checkins",
            rows=[
                ("anna", seconds("2010-10-23T20:44:29Z"), "noodle-bar"),
                ("fred", seconds("2010-10-22T23:44:29Z"), "gramercy-tavern"),
                ("fred", seconds("2010-10-23T23:44:29Z"), "noodle-bar"),
            ],
        )
    ],
    "39-polarsteps/a.json": [
        Read(times=[at("2023-11-14", "22:13:20.250", "22:14:20.250", "22:15:20.250")], lat=[[47.1, 47.2, 47.3]])
    ],
    "41-counts-thousands/a.csv": [Read(kind="stream", counts=[[1234, 2345], [1334, 2445], [998, 2100]])],
    "42-trackintel-staypoints/a.csv": [Read(times=STAYS, people=2), Read(times=STAYS_WITH_ENDS, people=2)],
    "43-aivdm/a.nmea": [Refused("AIS")],
    "45-mixed-zone-offsets/a.csv": [Read(times=[at("2024-03-31", "00:59:00", "01:00:00", "01:01:00")])],
    "53-strava-bulk/a.zip": [
        Read(
            times=[THREE[:2], at("2024-05-02", "10:00:00", "10:01:00")],
            lat=[[47.1, 47.2]] * 2,
            people=1,
            dropped={"unreadable_member": 3},  # two tables without positions, an image
        )
    ],
    **{f"54-geojson-3lineprops/{one}.geojson": [Read(times=[THREE], lon=[[8.1, 8.2, 8.3]])] for one in "abc"},
    "56-overland-batch-lines/a.json": [Read(times=[[*THREE, *at(MAY, "11:00:00", "11:01:00", "11:02:00")]], people=1)],
    "58-tz-abbrev-header/a.csv": [ZONED, Choice("time_zone")],
    "58-tz-abbrev-header/b.csv": [Choice("time_zone")],
    "58-tz-abbrev-header/c.csv": [ZONED],
    "62-gowalla-zero/a.txt": [
        Read(
            kind="checkins",
            rows=[
                ("0", seconds("2010-10-19T23:55:27Z"), "22847"),
                ("1", seconds("2010-10-17T23:42:03Z"), "316637"),
            ],
            dropped={"no_position": 1, "missing": 1},
        )
    ],
}


@pytest.mark.parametrize("path", CASES)
def test_a_file_of_a_bug_report_is_read_refused_or_needs_a_choice(path, shared):
    try:
        found = formats.read(shared / "cases" / path, kinds=formats.KINDS)
    except (ChoiceNeeded, FormatError) as error:
        found = error
    expected = [one for one in CASES[path] if isinstance(one, Read) == isinstance(found, formats.Reading)]
    assert expected, f"none of {CASES[path]}: {found!r}"
    differences = [one.holds(found) for one in expected]
    assert {} in differences, differences
    if isinstance(found, formats.Reading):
        assert all(a <= b for one in found.series if one.time_s is not None for a, b in pairwise(one.time_s.tolist()))


def test_every_file_of_every_case_is_here(shared):
    files = {str(one.relative_to(shared / "cases")) for one in (shared / "cases").glob("*/*")}
    assert {one for one in files if not one.endswith("EXPECTED")} == set(CASES)
