"""JSON records: an array of objects, an object that holds such an array, or one object on each line (JSON lines).

The members of inner objects are columns too, called by their last name where no other has it.
"""

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.jsontools import JsonReader, begins_like_json, parsed_line, text_of
from privacy_engine.formats.option_choices import NAMED_COLUMN
from privacy_engine.formats.options import COLUMNS, TIMED, ReadOptions
from privacy_engine.formats.position_columns import has_positions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source
from privacy_engine.formats.text_rows import SAMPLE, series_of_rows
from privacy_engine.formats.well_known_text import geometry_cells
from privacy_engine.formats.xmltools import plain_head

_DEEPEST = 4
_MOST_COLUMNS = 500
_GEOJSON = ("geometry", "coordinates", "features", "geometries")
Flat = dict[str, str | None]
_LIST = re.compile(r"(?:\A[\s\ufeff]*|:\s*)\[\s*\{")
_DECODER = json.JSONDecoder(parse_float=str)  # the text of a number is exact
_PLACE = re.compile(rf"({NAMED_COLUMN})?#([1-9][0-9]*)")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]')
LINES = "lines"
LONGEST_RECORD = 1 << 20


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of a file of records; lines that are no JSON objects are dropped by number."""
    report.unit = "record"
    coming = records(source, options, report)
    first = list(itertools.islice(coming, SAMPLE))
    columns = _columns([flat for _, record in first if (flat := flattened(record))])
    if options.applied:  # columns are named by their paths, whatever other records have
        stated = (value.removeprefix(NAMED_COLUMN) for value in vars(options).values() if isinstance(value, str))
        columns = {path: path for path in dict.fromkeys((*stated, *columns))}
    if not columns:
        raise FormatError("The JSON holds no records: no object has a member.", code="no_rows")

    def rows() -> Iterator[tuple[int, list[str | None]]]:
        for number, record in reported(itertools.chain(first, coming), ROWS):
            flat = flattened(record)
            yield number, [flat.get(path) for path in columns]

    series = series_of_rows(list(columns.values()), rows(), options, report)
    for option, value in report.decided.items():  # places depend on which members the first records have
        if isinstance(value, str) and (match := _PLACE.fullmatch(value)):
            report.decide(option, f"{match[1] or ''}{list(columns)[int(match[2]) - 1]}")
    return series


def _columns(flats: list[Flat]) -> dict[str, str]:
    """The path of each column and its name: the last part of the path where no other column has the same."""
    paths = list(dict.fromkeys(path for flat in flats for path in flat))[:_MOST_COLUMNS]
    last = Counter(path.rpartition(".")[2] for path in paths)
    return {path: name if last[name := path.rpartition(".")[2]] == 1 else path for path in paths}


def flattened(record: Any, before: str = "", deep: int = 1) -> Flat:
    """The scalar members of an object and of those inside it as text, by their paths.

    >>> flattened({"user": "a", "coords": {"lat": 1.5}})
    {'user': 'a', 'coords.lat': '1.5'}
    """
    flat: Flat = {}
    for key, value in record.items() if isinstance(record, dict) else ():
        path = f"{before}{key}"[:200]
        if isinstance(value, dict) and deep < _DEEPEST:
            flat |= flattened(value, f"{path}.", deep + 1)
        elif not isinstance(value, (dict, list)):
            flat[path] = _text(value)
    return flat


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return str(value) if isinstance(value, (int, float)) else "?"
    except ValueError:  # a whole number of more than 4300 digits
        return "?"


def records(source: Source, options: ReadOptions, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a file with their numbers, in turn; what is none in their place is counted in the report.

    Raises
    ------
    FormatError
        The JSON is damaged, or holds no list of records.
    """
    where = options.records or _first_record(plain_head(source.head))[0]
    if where is None:
        raise _no_list()
    report.decide("records", where)
    if where == LINES:
        return _of_lines(source, options, report)
    return _of_array(source, where, options, report)


def _no_list() -> FormatError:
    return FormatError("This JSON holds no list of records.", code="no_rows", rule="a list of objects")


def _of_lines(source: Source, options: ReadOptions, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    text = text_of(source, options, report, lines=True)
    for number, line in enumerate(text, start=1):
        record = parsed_line(line) if (line := line.strip()) else None
        if isinstance(record, dict):
            yield number, record
        elif line:
            report.rows_read += 1
            report.drop("bad_json", 1, [number])


def _of_array(source: Source, where: str, options: ReadOptions, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    try:
        reader = JsonReader(text_of(source, options, report), longest=LONGEST_RECORD, decoder=_DECODER)
        if not all(reader.enter(_unescaped(part)) for part in where.split("/")[1:]) or reader.next() != "[":
            raise _no_list()
        reader.take("[")
        for number, record in enumerate(reader.elements(), start=1):
            if isinstance(record, dict):
                yield number, record
            else:
                report.rows_read += 1
                report.drop("bad_json", 1, [number])
    except (ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        message = f"The JSON is damaged after record {number}. Is the file complete?"
        raise FormatError(message, code="bad_json", row=number + 1) from error


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def _pointer(before: str) -> str:
    """The JSON pointer of what follows the first characters of a document.

    >>> _pointer('{"a": 1, "b/c": [{}, ')
    '#/b~1c/1'
    """
    parts: list[str | int] = []
    text = ""
    for mark in _TOKEN.findall(before):
        if mark in "{[":
            parts.append("" if mark == "{" else 0)
        elif mark in "}]":
            parts = parts[:-1]
        elif mark == ":" and parts:
            parts[-1] = json.loads(text)
        elif mark == "," and parts and isinstance(parts[-1], int):
            parts[-1] += 1
        text = mark
    return "/".join(["#", *(str(part).replace("~", "~0").replace("/", "~1") for part in parts)])


def _lines_begin(head: bytes) -> bool:
    """Whether the first line is an object of its own."""
    line, end, rest = head.lstrip().partition(b"\n")
    if not line.startswith(b"{") or (end and rest.strip() and not rest.lstrip().startswith(b"{")):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _first_record(head: bytes) -> tuple[str | None, Flat]:
    """Where the array of the records is, as the option states it, and the first of them; None for no records.

    It is the first list of objects with positions, else the first.
    """
    lists = list(itertools.islice(_lists(head.decode("utf-8", "replace")), 20))
    one_line = not head.strip().partition(b"\n")[2]
    if _lines_begin(head) and not (one_line and lists):
        return LINES, flattened(json.loads(head.lstrip().partition(b"\n")[0]))
    located = [entry for entry in lists if _is_located(entry[1]) or entry[1].get("_type") == "location"]
    for before, flat in located + lists:
        with suppress(ValueError):
            return _pointer(before), flat
    return None, {}


def _lists(head: str) -> Iterator[tuple[str, Flat]]:
    """What comes before each list of objects in the first characters, with its first object."""
    for match in _LIST.finditer(head):
        try:
            record, _ = _DECODER.raw_decode(head, match.end() - 1)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield head[: head.index("[", match.start())], _with_geometry(record)


def _with_geometry(record: dict[str, Any]) -> Flat:
    """A record flattened, with the members that only GeoJSON has."""
    return flattened(record) | {key: "" for key in _GEOJSON if key in record}


def _is_located(flat: Flat) -> bool:
    names = list(_columns([flat]).values())
    return has_positions(names) or geometry_cells(names, [[cell or "" for cell in flat.values()]]) is not None


def sniff(head: bytes) -> bool:
    """Whether the first record of a list, or of the first line, has a longitude and a latitude, or a geometry as text;
    of an array of flat objects also without."""
    head = plain_head(head)
    if not begins_like_json(head):
        return False
    where, flat = _first_record(head)
    if where is None or _is_geojson(flat):
        return False
    alone = where in (LINES, "#")
    return _is_located(flat) or (alone and len(flat) > 1 and all("." not in key for key in flat))


def _is_geojson(flat: Flat) -> bool:
    kind = flat.get("type") or ""
    named = any(key.split(".")[0] in _GEOJSON or key.endswith(".coordinates") for key in flat)
    return named or kind in ("Feature", "FeatureCollection", "GeometryCollection")


JSON_RECORDS = register(
    Format(
        "json",
        "JSON records",
        ("json", "jsonl", "ndjson"),
        sniff,
        read,
        rank=21,
        keeps="times, series, landmarks",
        options=(
            "encoding",
            "records",
            "decimal",
            "lon",
            "lat",
            "geometry",
            "clock",
            "end",
            "id",
            "landmark",
            "ends",
            *TIMED,
        ),
        columns=COLUMNS,
        person="a member of the records, as a column of a CSV table",
        source="https://jsonlines.org",
    )
)
