"""GeoPackage: tables of features in an SQLite file, which is opened in memory and trusted in nothing.

No function, view, trigger or virtual table of the file runs: an authoriser permits reading plain tables only.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats import crs
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.attributes import beside, points_of
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.people import COLUMN, SERIES, Whose, settle
from privacy_engine.formats.points import Points
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import cut, split
from privacy_engine.formats.source import Source
from privacy_engine.formats.wkb import positions

MAX_ROWS = 5_000_000
MAX_STEPS = 2_000  # of 100,000 instructions each
_LONGEST_VALUE = 32_000_000
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
_LAYERS = (
    "SELECT g.table_name, g.column_name, s.organization, s.organization_coordsys_id FROM gpkg_geometry_columns AS g"
    " LEFT JOIN gpkg_spatial_ref_sys AS s ON s.srs_id = g.srs_id"
)
_TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of the feature tables; where some have times, of those alone."""
    report.unit = "row"
    data = source.read()
    try:
        with _opened(data) as database:
            del data
            tables = _layers(database)
            chosen = own_options([table for table, *_ in tables], options)
            layers = []
            for layer in tables:
                if layer[0] in chosen:
                    with own_decisions(layer[0], len(tables), report):
                        layers.append(_layer(database, layer, chosen[layer[0]], report))
                else:
                    report.decided.setdefault("members", {})[layer[0]] = None
    except (sqlite3.Error, OverflowError, MemoryError, UnicodeError) as error:  # the last: names that are no text
        raise FormatError("The GeoPackage is damaged, or too much work to read.", code="bad_geopackage") from error
    return joined(layers, options, report)


def own_options(names: Sequence[str], options: ReadOptions) -> dict[str, ReadOptions]:
    """The options of each layer that is read, by its name: of several the ones of its own before those of all."""
    if len(names) == 1:
        return {names[0]: options}
    left = {name for name, own in (options.members or {}).items() if own is None}
    return {name: options.of_member(name) for name in names if name not in left}


@contextmanager
def own_decisions(name: str, layers: int, report: Report) -> Iterator[None]:
    """What is decided meanwhile is decided for the layer ``name``, where the file has several."""
    if layers == 1 and "members" not in report.decided:
        yield
        return
    of_all, report.decided = report.decided, {}
    try:
        yield
    finally:
        own, report.decided = report.decided, of_all
        members = report.decided.setdefault("members", {})
        members[name] = {**(members.get(name) or {}), **own}


@contextmanager
def _opened(data: bytes) -> Iterator[sqlite3.Connection]:
    if not hasattr(sqlite3.Connection, "deserialize"):
        raise FormatError("This server's SQLite cannot open files in memory.", code="unsupported_format")
    if data[18:20] == b"\2\2":  # a write-ahead log would be looked for on disk
        data = data[:18] + b"\1\1" + data[20:]
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data)
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "temp_store = MEMORY"):
            database.execute(f"PRAGMA {pragma}")
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        database.text_factory = lambda raw: raw.decode("utf-8", "replace")
        database.set_authorizer(_allowed)
        left = iter(range(MAX_STEPS))
        database.set_progress_handler(lambda: next(left, None) is None, 100_000)
        yield database


def _allowed(action: int, first: str | None, *_: str | None) -> int:
    reading = action in _READING or (action == sqlite3.SQLITE_PRAGMA and first == "table_info")
    return sqlite3.SQLITE_OK if reading else sqlite3.SQLITE_DENY


def _layers(database: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Table, geometry column and coordinate system of each layer that is a plain table."""
    made = database.execute(_TABLES).fetchall()
    tables = {name for name, sql in made if isinstance(sql, str) and sql.upper().startswith("CREATE TABLE")}
    if "gpkg_geometry_columns" not in tables:
        raise FormatError("This is an SQLite database, but no GeoPackage.", code="other_kind")
    layers = []
    for table, column, organization, code in database.execute(_LAYERS).fetchall():
        if table in tables and isinstance(column, str):
            layers.append((str(table), column, f"{organization}:{code}" if organization else ""))
    if not layers:
        raise FormatError("The GeoPackage holds no table of features.", code="no_points")
    return layers


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _selected(database: sqlite3.Connection, columns: list[str], table: str, limit: int) -> sqlite3.Cursor:
    what = ", ".join(map(_quoted, columns))
    return database.execute(f"SELECT {what} FROM {_quoted(table)} LIMIT {limit}")  # noqa: S608  # nosec B608


def _layer(
    database: sqlite3.Connection, layer: tuple[str, str, str], options: ReadOptions, report: Report
) -> tuple[str, Points, ReadOptions]:
    table, geometry, system = layer
    # generated columns, which are computed by reading them, are not in this list
    names = [item[1] for item in database.execute(f"PRAGMA table_info({_quoted(table)})")]
    if geometry not in names:
        raise FormatError("The GeoPackage names a geometry column that is not there.", code="bad_geopackage")
    sample = [
        ["" if isinstance(cell, bytes) or cell is None else str(cell) for cell in row]
        for row in _selected(database, names, table, 60)
    ]
    roles = beside(names, sample, options, report, geometry)
    wanted = [geometry, *dict.fromkeys(roles.values())]
    rows = reported(_selected(database, wanted, table, MAX_ROWS + 1), ROWS)
    columns = list(zip(*rows, strict=True)) or [()] * len(wanted)
    if len(columns[0]) > MAX_ROWS:
        raise FormatError(f"The table has more than {MAX_ROWS} rows.", code="too_large", rule=f"at most {MAX_ROWS}")
    geometries = positions([cell if isinstance(cell, bytes) else None for cell in columns[0]], geopackage=True)
    arrays = {name: _array(cells) for name, cells in zip(wanted[1:], reported(columns[1:]), strict=True)}
    return table, points_of(geometries, roles, arrays.__getitem__, options, report), crs.in_system(system, options)


def _array(cells: tuple[Any, ...]) -> Any:
    """Cells as an Arrow column: whole numbers where all are, else text."""
    if all(isinstance(cell, int) and abs(cell) < 2**62 for cell in cells if cell is not None):
        return pa.array(cells, pa.int64())
    texts = [None if cell is None else "?" if isinstance(cell, bytes) else str(cell)[:1000] for cell in cells]
    return pa.array(texts, pa.string())


def joined(layers: list[tuple[str, Points, ReadOptions]], options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of several tables, each with the options of its coordinate system; where some have times, of those."""
    timed = [layer for layer in layers if layer[1].times is not None]
    if timed and len(timed) < len(layers):
        left = ", ".join(name[:30] for name, points, _ in layers if points.times is None)
        report.note("left_out", f"Tables without times were left out: {left[:200]}.", level="info")
    chosen = layers if options.applied else timed or layers
    for name, *_ in layers if len(chosen) < len(layers) else []:
        report.decided["members"][name] = (
            report.decided["members"][name] if name in [layer[0] for layer in chosen] else None
        )
    series, nothing = [], FormatError("The file holds no positions.", code="no_points")
    for name, points, in_system in chosen:
        if len(chosen) > 1:
            _named_after(name, points)
        try:
            with own_decisions(name, len(layers), report):
                series += split(points, in_system, report)
        except FormatError as error:
            if error.code != "no_points":
                raise
            nothing = error
    if not series:
        raise nothing
    owners = [points.whose for _, points, _ in chosen]
    same = len({whose.kind for whose in owners}) == 1
    return cut(settle(series, owners[0] if same else Whose(), options, report), options)


def _named_after(table: str, points: Points) -> None:
    """Series of several tables bear their table's name; a person is the same in all of them."""
    if points.whose.kind == SERIES:
        points.person_codes, points.person_names = points.codes, points.names
        points.whose = Whose(COLUMN, points.whose.column)
    points.names = [f"{table} {name}".strip() for name in points.names]


def sniff(head: bytes) -> bool:
    """Whether the file is an SQLite database; only GeoPackages among them are read."""
    return head.startswith(b"SQLite format 3\0")


GEOPACKAGE = register(
    Format(
        "geopackage",
        "GeoPackage",
        ("gpkg",),
        sniff,
        read,
        rank=11,
        keeps="times, series, landmarks, coordinate system",
        options=("clock", "end", "id", "landmark", "ends", *TIMED),
        columns=("time", "id", "person", "landmark"),
        person="a column, as of a CSV table; a name is the same person in all tables",
        source="https://www.geopackage.org/spec/",
    )
)
