"""GeoJSON: lines with a list of times, points with a time under any of its usual names, Overland's wrapper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.column import canonical
from privacy_engine.formats.columns import LANDMARK
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.jsontools import begins_like_json, parsed
from privacy_engine.formats.landmark_column import marks_of
from privacy_engine.formats.line_times import CUT, LineTimes, fourth_is_time, uncut
from privacy_engine.formats.moving_points import in_system, is_moving, lines
from privacy_engine.formats.numbers import GOOD, MISSING, NOT_A_NUMBER, NOT_FINITE
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.people import COLUMN
from privacy_engine.formats.points import Points, distinct
from privacy_engine.formats.properties import Named, all_properties, named
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.time_columns import TIME
from privacy_engine.formats.times import times

_LISTS = ("coordTimes", "times", "datetimes", "timestamps", "coordinateTimes", "time")
_NAMED_TIMES = (*TIME, "timestamp_iso", "date_recorded")
PERSON_TEXT = "a property of the features, as a column of a CSV table"
_LINES = ("LineString", "MultiPoint")


@dataclass
class _Rows:
    named: Named
    mark_name: str = ""
    lon: list[float] = field(default_factory=list)
    lat: list[float] = field(default_factory=list)
    reason: list[int] = field(default_factory=list)
    time: list[str | None] = field(default_factory=list)
    mark: list[str | None] = field(default_factory=list)
    marked: str = ""
    feature: list[int] = field(default_factory=list)
    code: list[int] = field(default_factory=list)
    names: dict[tuple[str, str], int] = field(default_factory=dict)
    nulls: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    lines: int = 0
    times: LineTimes = field(default_factory=LineTimes)

    def add(self, position: Any, time: Any, mark: Any, feature: int, code: int) -> None:
        """One position as a row; what is wrong with it is settled with all others later."""
        reason, lon, lat = GOOD, np.nan, np.nan
        if not isinstance(position, list) or len(position) < 2:
            reason = MISSING
        elif not all(type(value) in (int, float) for value in position[:2]):
            reason = MISSING if None in position[:2] else NOT_A_NUMBER
        else:
            try:
                lon, lat = float(position[0]), float(position[1])
            except OverflowError:
                reason = NOT_FINITE
            else:
                reason = GOOD if np.isfinite(lon) and np.isfinite(lat) else NOT_FINITE
        self.lon.append(lon)
        self.lat.append(lat)
        self.reason.append(reason)
        self.time.append(None if time is None or isinstance(time, (bool, list, dict)) else str(time)[:60])
        self.mark.append(_text(mark))
        self.feature.append(feature)
        self.code.append(code)

    def leave_out(self, places: set[int]) -> None:
        """Leave out the rows at these places."""
        columns: list[list[Any]] = [self.lon, self.lat, self.reason, self.time, self.mark, self.feature, self.code]
        for column in columns if places else []:
            column[:] = [value for i, value in enumerate(column) if i not in places]


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of a GeoJSON file: one for each value of a property that names one, else one timeline."""
    report.unit = "feature"
    document = parsed(source.read(), options, report)
    features = _features(document)
    return read_features(features, range(1, len(features) + 1), in_system(document, features, options), report)


def read_features(
    features: Sequence[Any], numbers: Sequence[int], options: ReadOptions, report: Report
) -> list[Trajectory]:
    """The series of features, which bear ``numbers`` in the file."""
    rows = _Rows(named(features, options, report), _mark_name(features, options, report))
    lines = () if options.time == "#0" else _all_lines(features)
    rows.times.fourth = fourth_is_time(list(lines), options, report)
    for number, feature in zip(numbers, reported(features, ROWS), strict=True):
        _read_feature(feature, number, rows)
    report.drop("null_geometry", len(rows.nulls), rows.nulls[:20])
    report.drop("unsupported_geometry", len(rows.others), rows.others[:20])
    if not rows.lon:
        raise FormatError("The GeoJSON holds no points or lines.", code="no_points")
    joined = rows.times.joined(options, report)
    if options.time != "#0":
        rows.leave_out(set(joined))
        rows.times.note(report)
    if rows.lines > 1 and len(rows.names) < 2:
        report.note("joined", f"{rows.lines} lines were joined into one timeline.", level="info", count=rows.lines)
    return build(_points(rows, options), options, report)


def _features(document: Any) -> list[Any]:
    """The features of a document: of a collection, of a wrapper, or the document itself."""
    if isinstance(document, dict):
        if (batch := batch_of(document)) is not None:
            return batch
        if isinstance(document.get("type"), str) and ("geometry" in document or "coordinates" in document):
            return [document]
        if document.get("type") == "GeometryCollection":
            return [document]
    if (
        isinstance(document, list)
        and document
        and all(isinstance(feature, dict) and "geometry" in feature for feature in document)
    ):
        return document
    raise FormatError("This JSON is no GeoJSON: it has no features and no geometry.", code="not_geojson")


def batch_of(document: dict[str, Any]) -> list[Any] | None:
    """The features of a collection, or of Overland's wrapper; None of what is neither."""
    lists = (document.get(key) for key in ("features", "locations"))
    return next((list(features) for features in lists if isinstance(features, list)), None)


def _read_feature(feature: Any, number: int, rows: _Rows) -> None:
    if not isinstance(feature, dict):
        rows.others.append(number)
        return
    properties = feature.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    if is_moving(feature):
        _read_moving(feature, properties, number, rows)
        return
    geometry = feature.get("geometry") if feature.get("type") == "Feature" or "geometry" in feature else feature
    if geometry is None:
        rows.nulls.append(number)
        return
    code = rows.names.setdefault(rows.named.of(properties), len(rows.names))
    _read_geometry(geometry, properties, number, code, rows)


def _read_moving(feature: dict[str, Any], properties: dict[str, Any], number: int, rows: _Rows) -> None:
    code = rows.names.setdefault(rows.named.of(properties), len(rows.names))
    for line in lines(feature, number):
        if line is None:
            rows.others.append(number)
        else:
            rows.lines += 1
            _add_line(*line, _marks(properties, rows), number, code, rows)


def _read_geometry(geometry: Any, properties: dict[str, Any], number: int, code: int, rows: _Rows) -> None:
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    coordinates = geometry.get("coordinates") if isinstance(geometry, dict) else None
    if kind == "GeometryCollection" and isinstance(geometry.get("geometries"), list):
        for inner in geometry["geometries"]:
            if isinstance(inner, dict) and inner.get("type") == "GeometryCollection":
                rows.others.append(number)
            else:
                _read_geometry(inner, properties, number, code, rows)
    elif kind == "Point":
        listed = _listed(properties)
        mark = _marks(properties, rows)
        rows.add(
            coordinates,
            listed[0] if listed else _named(properties),
            mark[0] if isinstance(mark, list) and mark else mark,
            number,
            code,
        )
    elif kind in _LINES and isinstance(coordinates, list):
        rows.lines += kind == "LineString"
        listed = _listed(properties) or rows.times.of(coordinates, properties, code, len(rows.lon))
        _add_line(coordinates, listed, _marks(properties, rows), number, code, rows)
    elif kind == "MultiLineString" and isinstance(coordinates, list):
        listed, marked = _listed(properties), _marks(properties, rows)
        if properties.get(CUT) is True and all(isinstance(part, list) for part in (*coordinates, *listed)):
            coordinates, listed = [uncut(coordinates)], uncut(listed)
        at = 0
        for i, line in enumerate(coordinates):
            line = line if isinstance(line, list) else []
            rows.lines += 1
            mark = _part(marked, i, at, len(line)) if isinstance(marked, list) else marked
            _add_line(
                line, _part(listed, i, at, len(line)) or rows.times.of(line, {}, code, 0), mark, number, code, rows
            )
            at += len(line)
    else:
        rows.others.append(number)


def _part(listed: list[Any], i: int, at: int, n: int) -> list[Any]:
    """The values of a list for the i-th line, whose n positions begin at ``at``: it may hold a list for each line."""
    if any(isinstance(value, list) for value in listed):
        part = listed[i] if i < len(listed) else []
        return part if isinstance(part, list) else []
    return listed[at : at + n]


def _add_line(coordinates: list[Any], listed: list[Any], mark: Any, number: int, code: int, rows: _Rows) -> None:
    marks = mark if isinstance(mark, list) else [mark] * len(coordinates)
    for i, position in enumerate(reported(coordinates, ROWS)):
        time, marked = (column[i] if i < len(column) else None for column in (listed, marks))
        rows.add(position, time, marked, number, code)


def _mark_name(features: Sequence[Any], options: ReadOptions, report: Report) -> str:
    """The property that states whether a position is a landmark, as it is compared; empty for none."""
    name = "" if options.landmark == "#0" else canonical(options.landmark or "")
    if options.landmark is None:
        known = {canonical(key) for properties in all_properties(features) for key in properties}
        name = next((name for name in LANDMARK if name in known), "")
    if not name:
        report.decide("landmark", "#0")
    return name


def _marks(properties: dict[str, Any], rows: _Rows) -> Any:
    """The values of a feature for its positions: a list with a value for each, or a value for all."""
    keys = (key for key in properties if rows.mark_name and canonical(key) == rows.mark_name)
    key = next(keys, None)
    if key is None:
        return None
    rows.marked = rows.marked or key
    return properties[key]


def _all_lines(features: Sequence[Any]) -> Iterator[list[Any]]:
    """The lines of features whose times no list states."""
    for feature in reported(features, ROWS):
        geometry = feature.get("geometry", feature) if isinstance(feature, dict) else None
        properties = feature.get("properties") if isinstance(feature, dict) else None
        if isinstance(geometry, dict) and not (isinstance(properties, dict) and _listed(properties)):
            for inner in geometry["geometries"] if isinstance(geometry.get("geometries"), list) else [geometry]:
                yield from _lines_of(inner)


def _lines_of(geometry: Any) -> Iterator[list[Any]]:
    kind, places = (geometry.get(key) if isinstance(geometry, dict) else None for key in ("type", "coordinates"))
    if kind in _LINES and isinstance(places, list):
        yield places
    elif kind == "MultiLineString" and isinstance(places, list):
        yield from (line for line in places if isinstance(line, list))


def _text(value: Any) -> str | None:
    """A value of the JSON as a cell of a table would hold it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None else str(value)[:60] if isinstance(value, (str, int)) else "?"


def _listed(properties: dict[str, Any]) -> list[Any]:
    """The list of times of a line."""
    inner = properties.get("coordinateProperties")
    for holder in (properties, inner if isinstance(inner, dict) else {}):
        for key in _LISTS:
            if isinstance(holder.get(key), list):
                return list(holder[key])
    return []


def _named(properties: dict[str, Any]) -> Any:
    """The time of a point, under the most usual of the names it has."""
    plain = {canonical(key): value for key, value in properties.items() if isinstance(value, (str, int, float))}
    return next((plain[name] for name in _NAMED_TIMES if name in plain), None)


def _points(rows: _Rows, options: ReadOptions) -> Points:
    features = np.array(rows.feature, dtype=np.int64)
    when = None if options.time == "#0" else times(pa.array(rows.time, pa.string()), options)
    points = Points(np.array(rows.lon, dtype=np.float64), np.array(rows.lat, dtype=np.float64), when)
    points.reasons = np.array(rows.reason, dtype=np.uint8)
    points.rows = lambda index: features[index]
    points.unread(rows.time)
    if rows.marked:
        points.marks = marks_of(pa.array(rows.mark, pa.string()), rows.marked, options)
    elif options.landmark not in (None, "#0") and not options.applied:
        raise FormatError(
            f"No feature has a property {str(options.landmark)[:40]!r}.",
            code="unknown_column",
            field="landmark",
            rule="a property of the features",
            value=options.landmark,
        )
    points.whose = rows.named.whose
    code = np.array(rows.code, dtype=np.int64)
    names, of_series = distinct([name for name, _ in rows.names])
    if names != [""]:
        points.names, points.codes = names, of_series[code]
    if points.whose.kind == COLUMN:
        points.person_names, of_person = distinct([person for _, person in rows.names])
        points.person_codes = of_person[code]
    return points


GEOJSON = register(
    Format(
        "geojson",
        "GeoJSON",
        ("geojson", "json"),
        begins_like_json,
        read,
        rank=22,
        keeps="times, series, landmarks",
        options=("encoding", "id", "landmark", "fourth", "ends", *TIMED),
        columns=("id", "person", "landmark"),
        person=PERSON_TEXT,
        source="https://www.rfc-editor.org/rfc/rfc7946",
    )
)
