"""OwnTracks: recorder files (.rec), a time, a kind and a JSON object on each line, and the JSON that its API answers.

The location's own time counts, not that at which it was written down.
"""

import re
from collections.abc import Iterator
from typing import Any

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import lines_of
from privacy_engine.formats.json_records import records
from privacy_engine.formats.jsontools import begins_like_json, parsed_line
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.people import COLUMN, Whose
from privacy_engine.formats.points import distinct
from privacy_engine.formats.report import Report
from privacy_engine.formats.rows import Rows
from privacy_engine.formats.series import build, nothing_left
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import plain_head

_LINE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z)\s+\S+\s+(\{.*)")
_LONGEST = 10_000
_START = re.compile(rb"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z\s+\S{1,40}\s+\{")

_LOCATION = re.compile(rb'"_type"\s*:\s*"location"')


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The devices of a recorder file, named after their topics; crossings and settings are no fixes."""
    rows, persons = Rows(), list[str]()
    dropped: dict[str, list[int]] = {"short_row": [], "not_a_position": []}
    for number, entry, written in reported(_entries(source, options, report), ROWS):
        if entry is None:
            dropped["short_row"].append(number)
        elif entry.get("_type", "location" if "lat" in entry else "") == "location":
            rows.add(entry.get("lon"), entry.get("lat"), _time(entry, written), number, _device(entry))
            persons.append(_person(entry, options))
        else:
            dropped["not_a_position"].append(number)
    for reason, numbers in dropped.items():
        report.rows_read += len(numbers)
        report.drop(reason, len(numbers), numbers[:20])
    if not rows:
        raise nothing_left(report)
    points = rows.points(options)
    if options.id == "#0" and options.person_column is None:  # one series, so one person's
        return build(points, options, report)
    points.whose = Whose(COLUMN, options.person_column or "topic")
    points.person_names, points.person_codes = distinct(persons)
    return build(points, options, report)


def _entries(
    source: Source, options: ReadOptions, report: Report
) -> Iterator[tuple[int, dict[str, Any] | None, str | None]]:
    """Each entry with its number and the time at which it was written, None for a line that is none."""
    if options.records or (not options.applied and begins_like_json(source.head)):
        for number, record in records(source, options, report):
            yield number, record, None
        return
    lines = lines_of(source.read_lines(), report, options)
    start, held = 0, ""  # of an entry whose object goes on in the lines after it
    for number, line in enumerate(lines, start=1):
        goes_on = held and not _LINE.match(line) and len(held) < _LONGEST
        if held and not goes_on:
            yield start, None, None
        start, text = (start, held + line) if goes_on else (number, line)
        match = _LINE.fullmatch(text.strip())
        entry = parsed_line(match[2]) if match else None
        held = text if match and not isinstance(entry, dict) else ""
        if match is not None and isinstance(entry, dict):
            yield start, entry, match[1]
        elif text.strip() and not held:
            yield start, None, None
    if held:
        yield start, None, None


def _person(entry: dict[str, Any], options: ReadOptions) -> str:
    """The user of ``owntracks/user/device``, else the tracker's id; or what the owner names."""
    named = options.person_column
    if named in (None, "topic"):
        return _device(entry).split("/")[0] or _text(entry.get("tid"))
    return _text(entry.get(named))


def _text(value: Any) -> str:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value).strip()[:200] if whole or isinstance(value, str) else ""


def _time(entry: dict[str, Any], written: str | None) -> str | None:
    """When the position was taken, which may be long before the line was written."""
    taken = entry.get("tst")
    if isinstance(taken, int) and abs(taken) > 1e18:
        return "?"
    return str(taken)[:60] if isinstance(taken, (int, float)) and not isinstance(taken, bool) else written


def _device(entry: dict[str, Any]) -> str:
    """``owntracks/user/device`` names a device."""
    topic = entry.get("topic")
    return "/".join(topic.split("/")[1:3])[:200] if isinstance(topic, str) else ""


def sniff(head: bytes) -> bool:
    """Whether the first line is a time, a name and an object, or the file is JSON with an OwnTracks location in it."""
    text = plain_head(head)
    return _START.match(text[:8192]) is not None or (begins_like_json(text) and _LOCATION.search(text) is not None)


OWNTRACKS = register(
    Format(
        "owntracks",
        "OwnTracks recorder file or API answer",
        ("rec", "json"),
        sniff,
        read,
        rank=16,
        keeps="times, series (each device's topic)",
        options=("encoding", "records", "id", *TIMED),
        columns=("person",),
        person="each user, by the topic owntracks/user/device, else each tracker by its tid; or what is named of a "
        "location's JSON",
        source="https://owntracks.org/booklet/tech/json/",
    )
)
