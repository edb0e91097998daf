"""GeoJSON text sequences (RFC 8142) and newline-delimited GeoJSON: a feature, or a batch of them, on each line."""

import re

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import lines_of
from privacy_engine.formats.geojson import PERSON_TEXT, batch_of, read_features
from privacy_engine.formats.jsontools import parsed_line
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import plain_head

MAX_LINE = 16_000_000
_SEPARATOR = "\x1e"
_START = rb'\s*\{(?=[^\n]{0,2000}"type"\s*:\s*"(?:Feature|Point|LineString|Multi\w+)")[^\n]*\}[ \t\r]*'
_SEQUENCE = re.compile(rb"\s*\x1e\s*\{|" + _START + rb"\n\s*\{[^\n]{0,2000}\"type\"\s*:")


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of a sequence of features; lines that are no JSON are dropped by number."""
    lines = lines_of(source.read(), report, options)
    features, numbers, bad = [], [], []
    for number, line in enumerate(reported(lines, ROWS), start=1):
        line = line.strip(_SEPARATOR + " \t")
        if not line:
            continue
        feature = parsed_line(line) if len(line) <= MAX_LINE else None
        if isinstance(feature, dict):
            batch = batch_of(feature) or [feature]
            features += batch
            numbers += [number] * len(batch)
        else:
            bad.append(number)
    report.drop("bad_json", len(bad), bad[:20])
    if not features:
        raise FormatError("No line of the file holds a feature.", code="bad_json", row=bad[0] if bad else None)
    return read_features(features, numbers, options, report)


def sniff(head: bytes) -> bool:
    """Whether the text begins with a record separator, or with two features on two lines."""
    return _SEQUENCE.match(plain_head(head)) is not None


GEOJSONSEQ = register(
    Format(
        "geojsonseq",
        "GeoJSON sequence",
        ("geojsonl", "geojsons", "ndjson", "jsonl", "json"),
        sniff,
        read,
        rank=18,
        keeps="times, series, landmarks",
        options=("encoding", "id", "landmark", "fourth", "ends", *TIMED),
        columns=("id", "person", "landmark"),
        person=PERSON_TEXT,
        source="https://www.rfc-editor.org/rfc/rfc8142",
    )
)
