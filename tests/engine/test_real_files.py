"""Every real file reads as its provenance states: format, series, points, drops, place and time.

The table is ``real_files.csv``. Boxes and counts were compared with regular expressions over the files themselves.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from privacy_engine.data import CheckIns, CountStream
from privacy_engine.errors import FormatError
from privacy_engine.formats import KINDS, read
from tests.cases import each, refusal
from tests.engine.format_samples import reported
from tests.engine.recorded import whole

REFUSED = "refused: "
with Path(__file__).with_name("real_files.csv").open(newline="") as _file:
    TABLE = {row.pop("file"): row for row in csv.DictReader(_file)}
OF_KIND = {
    kind: [file for file, row in TABLE.items() if row["outcome"] == kind] for kind in (CountStream.kind, CheckIns.kind)
}
UNREAD = [file for file, row in TABLE.items() if row["outcome"].startswith(REFUSED)]
TRACKS = [file for file in TABLE if file not in (*OF_KIND[CountStream.kind], *OF_KIND[CheckIns.kind], *UNREAD)]


@pytest.fixture(scope="session")
def data(shared):
    return shared / "data"


def pairs(text):
    return dict(pair.split("=") for pair in text.split())


def instant(text):
    return float(np.datetime64(text, "us").astype(np.int64)) / 1e6


def test_every_row_has_its_file(data):
    assert [file for file in TABLE if not (data / file).is_file()] == []


@each("file", TRACKS)
def test_what_is_kept(data, file):
    row = TABLE[file]
    reading = read(data / file, kinds=KINDS, **pairs(row["options"]))
    report = reading.report
    whole({"file": file, "report": reported(reading) | {"members": []}})
    assert report.format == row["outcome"]
    assert (len(reading.series), len(reading)) == (int(row["series"]), int(row["points"]))
    assert report.dropped == {reason: int(count) for reason, count in pairs(row["dropped"]).items()}
    if report.format not in ("geojson", "kml"):  # there a row that is no point is counted as a feature
        assert report.kept + sum(report.dropped.values()) == report.rows_read
    lon, lat = (np.concatenate([getattr(one, axis) for one in reading.series]) for axis in ("lon", "lat"))
    box = [float(row[side]) for side in ("west", "south", "east", "north")]
    assert [lon.min(), lat.min(), lon.max(), lat.max()] == pytest.approx(box, abs=1e-5)
    times = [one.time_s for one in reading.series if one.time_s is not None]
    assert len(times) == (len(reading.series) if row["first"] else 0)
    if times:
        seconds = np.concatenate(times)
        span = [instant(row[end]) for end in ("first", "last")]
        assert [seconds.min(), seconds.max()] == pytest.approx(span, abs=6e-4)
    assert json.dumps(report.as_dict(), allow_nan=False)


@each("file", OF_KIND[CountStream.kind])
@each("kinds", [KINDS, [CountStream.kind]])
def test_what_is_counted(data, file, kinds):
    row = TABLE[file]
    reading = read(data / file, kinds=kinds)
    stream = reading.other
    assert isinstance(stream, CountStream)
    assert stream.counts.shape == (int(row["points"]), int(row["series"]))
    assert reading.report.dropped == {}
    if stream.time_s is not None:
        assert [stream.time_s[0], stream.time_s[-1]] == [instant(row[end]) for end in ("first", "last")]
    else:
        assert row["first"] == ""


@each("file", OF_KIND[CheckIns.kind])
@each("kinds", [KINDS, [CheckIns.kind]])
def test_who_was_where(data, file, kinds):
    row = TABLE[file]
    found = read(data / file, kinds=kinds).other
    assert isinstance(found, CheckIns)
    assert (len(found), len(found.users), len(found.places)) == (int(row["points"]), int(row["series"]), 21509)
    box = [float(row[side]) for side in ("west", "south", "east", "north")]
    assert [found.lon.min(), found.lat.min(), found.lon.max(), found.lat.max()] == pytest.approx(box, abs=1e-5)
    assert [found.time_s.min(), found.time_s.max()] == [instant(row[end]) for end in ("first", "last")]


@each("file", UNREAD)
def test_refusals_have_a_message(data, file):
    refused = refusal(FormatError, read, data / file, kinds=KINDS)
    assert REFUSED + refused.code == TABLE[file]["outcome"]
    assert refused.message.endswith((".", "…", ")"))
    assert json.dumps(refused.as_dict(), allow_nan=False)
