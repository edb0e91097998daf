"""Porto taxi trips (ECML/PKDD 2015): a start time and a JSON polyline for each trip, one position every 15 seconds."""

import io
import re

import numpy as np

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.column import canonical
from privacy_engine.formats.columns import place_of
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import as_utf8
from privacy_engine.formats.jsontools import parsed_line
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.people import COLUMN, Whose
from privacy_engine.formats.quoting import rows_of
from privacy_engine.formats.report import Report
from privacy_engine.formats.rows import Rows
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.times import Times, times
from privacy_engine.formats.xmltools import plain_head

STEP_S = 15.0
DOCUMENTED = "Porto's description states that positions are 15 seconds apart, from the trip's Unix timestamp on."
_HEADER = re.compile(rb'[^\n]{0,400}(?:^|[,;"])polyline(?:$|[,;"\r\n])', re.IGNORECASE)


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The taxis of a file of trips (the trips, where no column names the taxi; option id=TRIP_ID)."""
    data = as_utf8(source.read_lines(), report, options).decode("utf-8", "replace")
    table = rows_of(io.StringIO(data, newline=""), ";" if ";" in data.split("\n", 1)[0] else ",")
    rows, starts, steps = Rows(), list[str](), list[int]()
    persons, of_person = list[int](), dict[str, int]()
    bad: dict[str, list[int]] = {"short_row": [], "bad_polyline": [], "missing": []}
    gaps = 0
    _, header = next(table, (1, []))
    places = _places(header, options)
    for line, cells in reported(table, ROWS // 16):
        if not any(cells):
            continue
        reason, polyline = _polyline(cells, places)
        if reason:
            bad[reason].append(line)
            continue
        name, person = (cells[places[role]].strip() if role in places else "" for role in ("id", "person"))
        gaps += "missing_data" in places and cells[places["missing_data"]].strip().lower() == "true"
        for step, position in enumerate(polyline):
            lon, lat = position[:2] if isinstance(position, list) and len(position) > 1 else (None, None)
            rows.add(lon, lat, None, line, name)
            persons.append(of_person.setdefault(person, len(of_person)))
            starts.append(cells[places["timestamp"]])
            steps.append(step)
    _report(rows, bad, gaps, report)
    points = rows.points(options)
    points.times = None if options.time == "#0" else _times(starts, steps, options)
    if "person" in places:
        points.whose = Whose(COLUMN, header[places["person"]].strip())
        points.person_codes, points.person_names = np.array(persons, dtype=np.int64), list(of_person)
    return build(points, options, report)


def _report(rows: Rows, bad: dict[str, list[int]], gaps: int, report: Report) -> None:
    for reason, lines in bad.items():
        report.rows_read += len(lines)
        report.drop(reason, len(lines), lines[:20])
    if not rows:
        raise FormatError("No polyline of the file can be read.", code="no_points", rule="bad_polyline")
    report.note("documented", DOCUMENTED, level="info")
    if gaps:
        message = "Trips state that positions are missing in them; what comes after a gap is dated too early."
        report.note("missing_data", message, count=gaps)


def _places(header: list[str], options: ReadOptions) -> dict[str, int]:
    plain = [canonical(name) for name in header]
    wanted = {"polyline": ["polyline"], "timestamp": ["timestamp"], "missing_data": ["missing_data"]}
    wanted["id"] = [canonical(options.id)] if options.id else ["taxi_id", "trip_id"]
    named = options.person_column
    wanted["person"] = (
        [canonical(named)] if named else ["taxi_id"] if options.person is None and options.id != "#0" else []
    )
    places = {}
    for role, names in wanted.items():
        column = next((name for name in names if name in plain), None)
        chosen = {"id": options.id, "person": named}.get(role)
        if column is not None:
            places[role] = plain.index(column)
        elif chosen not in (None, "#0"):
            places[role] = place_of(role, header, str(chosen))
        elif role in ("polyline", "timestamp"):
            message = f"A table of trips needs a column {role.upper()}."
            raise FormatError(message, code="no_position_columns", row=1, column=role, rule=f"a {role} column")
    return places


def _polyline(cells: list[str], places: dict[str, int]) -> tuple[str, list[object]]:
    """Why the trip has no positions, or an empty text; and the positions."""
    if len(cells) <= max(places.values()):
        return "short_row", []
    polyline = parsed_line(cells[places["polyline"]])
    if not isinstance(polyline, list):
        return "bad_polyline", []
    return ("" if polyline else "missing"), polyline


def _times(starts: list[str], steps: list[int], options: ReadOptions) -> Times:
    instants = times(pa.array(starts, pa.string()), options)
    instants.seconds = np.asarray(instants.seconds + np.array(steps, dtype=np.float64) * STEP_S)
    return instants


def sniff(head: bytes) -> bool:
    """Whether the first line has a column called polyline."""
    return _HEADER.match(plain_head(head).split(b"\n", 1)[0]) is not None


PORTO = register(
    Format(
        "porto",
        "Porto taxi trips",
        ("csv",),
        sniff,
        read,
        rank=33,
        keeps="times, series (each taxi's id)",
        options=("encoding", "id", *TIMED),
        columns=("id", "person"),
        person="each taxi, by its TAXI_ID; else everything is one person's: a TRIP_ID names no person",
        source="https://www.kaggle.com/c/pkdd-15-predict-taxi-service-trajectory-i/data",
    )
)
