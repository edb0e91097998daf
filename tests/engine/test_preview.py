"""A preview reports the same as the reading of the whole file."""

import gzip
import io
import time
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from privacy_engine.errors import ChoiceNeeded, EngineError, FormatError, ParameterError
from privacy_engine.formats import KINDS, head_sample, preview, read
from tests.cases import each, refusal
from tests.engine.damaged_files import in_json, refused
from tests.engine.failing_files import parquet
from tests.engine.format_samples import CSV, GPX, PLT, PORTO, SHAPES, TDRIVE, read_bytes, zipped
from tests.engine.recorded import whole
from tests.engine.test_large_files import same
from tests.examples import examples

CALM = settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
ROLES = ("lon", "lat", "time", "id", "landmark")
NAMES = {
    "lon": ["lon", "Longitude", "x", "long", "b"],
    "lat": ["lat", "Latitude", "y", "Breitengrad", "a"],
    "time": ["time", "when", "Date/Time (UTC)", "date", "c"],
    "id": ["user", "vehicle id", "id", "d"],
    "landmark": ["landmark", "poi", "e"],
    "": ["speed", "note", "h"],
}
TIMES = {
    "iso": lambda i: f"2024-06-15T10:{i // 60:02d}:{i % 60:02d}Z",
    "naive": lambda i: f"2024-06-15 10:{i // 60:02d}:{i % 60:02d}",
    "dmy": lambda i: f"{13 + i % 10}/06/2024 10:00",
    "s": lambda i: str(1718452800 + i),
    "ms": lambda i: str(1718452800000 + i),
}


def seen(data, name="x", **values):
    found = preview(io.BytesIO(data), name=name, **values)
    whole(found)
    return found


def roles(found):
    return {column.role: column.name for column in found.columns if column.role}


COUNTS = b"date,north,south\n" + b"".join(b"2024-01-%02d,%d,%d\n" % (i + 1, i, 2 * i) for i in range(20))
VISITS = b"member,venue,month,x,y\n" + b"".join(
    b"m%d,v%d,2024-0%d,2.%d,48.5\n" % (i % 3, i, i % 9 + 1, i) for i in range(9)
)


@each("data, kind, names", [
    (COUNTS, "stream", {"time": "date", "counts": "south"}),
    (VISITS, "checkins", {"id": "member", "place": "venue", "time": "month", "lon": "x", "lat": "y"}),
    (CSV, "trajectory", {"id": "user", "time": "time", "lat": "lat", "lon": "lon"}),
])  # fmt: skip
def test_a_table_of_another_kind_has_the_roles_of_that_kind(data, kind, names):
    for kinds in (KINDS, (kind,)):
        found = seen(data, kinds=kinds)
        assert (found.kind, roles(found), found.problem) == (kind, names, None)
        again = read_bytes(data, kinds=(kind,), **found.mapping)
        assert len(again) == len(read_bytes(data, kinds=(kind,))) > 0
    assert seen(zipped(**{"a.csv": data}), kinds=(kind,)).kind == kind
    assert seen(data).kind == "trajectory", "without kinds a table of positions"


def read_alike(data, found):
    """The preview has no problem, and its mapping gives what is read without it."""
    assert found.problem is None
    same(read_bytes(data).series, read_bytes(data, **found.mapping).series)


@st.composite
def tables(draw):
    """A table in some dialect, its columns in any order, some of them with names that have no meaning."""
    comma = draw(st.booleans())
    mark = draw(st.sampled_from([";", "\t", "|"] if comma else [",", ";", "\t", "|"]))
    kinds = draw(st.permutations(["lon", "lat", *draw(st.sets(st.sampled_from(["time", "id", "landmark", ""])))]))
    names = [draw(st.sampled_from(NAMES[kind][: None if draw(st.booleans()) else 2])) for kind in kinds]
    clock = draw(st.sampled_from(sorted(TIMES)))
    quoted = draw(st.booleans())

    def cell(kind, i):
        text = {
            "lon": f"{2 + i / 1000:.4f}",
            "lat": f"{48 + i / 1000:.4f}",
            "time": TIMES[clock](i),
            "id": f"u{i % 3}",
            "landmark": ("yes", "no", "")[i % 3],
            "": f"{i} km/h",
        }[kind]
        text = text.replace(".", ",") if comma and kind in ("lon", "lat") else text
        return f'"{text}"' if quoted else text

    rows = [[cell(kind, i) for kind in kinds] for i in range(draw(st.integers(1, 40)))]
    lines = ["# exported"] * draw(st.integers(0, 2)) + [mark.join(row) for row in [names, *rows]]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return (end.join(lines) + end).encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))


class TestAnyTable:
    @CALM
    @given(tables())
    def test_read_with_the_mapping_that_is_reported_gives_the_same(self, table):
        found = seen(table)
        assert 1 <= len(found.rows) <= 6 + 3
        assert {len(row.cells) for row in found.rows} == {len(found.columns)}
        if found.problem is not None:
            assert refusal(FormatError, read_bytes, table).as_dict() == found.problem.as_dict()
            return
        lats = [row.cells[int(found.mapping["lat"][1:]) - 1] for row in found.rows[:6]]
        assert lats == [f"{48 + i / 1000:.4f}".replace(".", found.decimal) for i in range(len(lats))]
        read_alike(table, found)
        again = seen(table, **found.mapping)
        assert (again.columns, again.rows, again.problem) == (found.columns, found.rows, None)

    @CALM
    @given(tables())
    def test_coordinates_that_change_places_do_so_in_both(self, table):
        found = seen(table)
        assume(found.problem is None)
        turned = found.mapping | {"lon": found.mapping["lat"], "lat": found.mapping["lon"], "swap": "no"}
        again = seen(table, **turned)
        assert (roles(again)["lon"], roles(again)["lat"]) == (roles(found)["lat"], roles(found)["lon"])
        for one, two in zip(read_bytes(table, swap="no").series, read_bytes(table, **turned).series, strict=True):
            assert np.array_equal(one.lon, two.lat)
            assert np.array_equal(one.lat, two.lon)

    @CALM
    @given(tables(), st.data())
    def test_whatever_the_owner_states_is_stated_back(self, table, data):
        places = [column.place for column in seen(table).columns]
        reported = data.draw(st.dictionaries(st.sampled_from(ROLES), st.sampled_from(places), max_size=5))
        assume(len(set(reported.values())) == len(reported))
        found = seen(table, **reported)
        assert reported.items() <= found.mapping.items()
        if found.problem is None:
            same(read_bytes(table, **reported).series, read_bytes(table, **found.mapping).series)
            return
        assert refusal(FormatError, read_bytes, table, **reported).as_dict() == found.problem.as_dict()


class TestUnhelpful:
    TABLE = b"a;b;c\n1718452800;52,5;13,4\n1718452801;52,6;13,5\n"

    def test_names_are_settled_one_by_one(self):
        found = seen(self.TABLE)
        assert found.problem.code == "no_position_columns"
        assert roles(seen(self.TABLE, lat="#2")) == {"lat": "b"}
        found = seen(self.TABLE, lat="#2", lon="#3", time="#1")
        assert (found.problem, found.decimal) == (None, ",")
        assert roles(found) == {"time": "a", "lat": "b", "lon": "c"}

    def test_places_stand_for_names_and_what_is_not_there_is_refused(self):
        found = seen(b"1718452800,52.5,13.4\n1718452801,52.5,13.4\n")
        assert isinstance(found.problem, ChoiceNeeded)
        assert (found.header, [column.place for column in found.columns]) == (False, ["#1", "#2", "#3"])
        found = seen(CSV, lon="nowhere")
        assert (found.problem.code, found.problem.field, len(found.columns)) == ("unknown_column", "lon", 4)
        for values in ({"nothing": "x"}, {"delimiter": "x"}, {"format": "exe"}):
            with pytest.raises(ParameterError):
                seen(CSV, **values)


class TestKinds:
    def test_parquet_and_formats_without_columns_to_choose(self):
        at = pa.array([0, 1000], pa.timestamp("ms", "UTC"))
        data = parquet(t=at, y=[48.0, 48.5], q=[2.0, 2.5], parts=[[1], [2]])
        assert [column.name for column in seen(data).columns] == ["t", "y", "q", "parts"]
        found = seen(data, lon="#3")
        assert (found.problem, roles(found)) == (None, {"time": "t", "lat": "y", "lon": "q"})
        assert found.rows[1].cells[1:] == ["48.5", "2.5", "(data)"]
        same(read_bytes(data, lon="q").series, read_bytes(data, **found.mapping).series)
        for data, names in ((PLT, "lat lon time clock"), (TDRIVE, "id time lon lat"), (SHAPES, "id lat lon")):
            found = seen(data)
            assert (list(roles(found)), found.editable) == (names.split(), False)
        for data in (GPX, PORTO):
            found = seen(data)
            assert (found.columns, found.rows, found.mapping, found.problem) == ([], [], {}, None)

    def test_archives_and_cells(self):
        found = seen(zipped(a=GPX, b=CSV))
        assert (found.member, len(found.columns)) == ("b", 4)
        assert seen(zipped(a=GPX)).columns == []
        assert roles(seen(gzip.compress(CSV))) == roles(seen(CSV))
        table = b'note,time,lat,lon\n"one\ntwo",2024-06-15T10:00:00Z,48,2\n'
        assert [row.cells for row in seen(table).rows] == [["one two", "2024-06-15T10:00:00Z", "48", "2"]]
        table = f"time,lat,lon,note\n2024-06-15T10:00:00Z,48,2,\u202e{'x' * 500}\n".encode()
        cell = seen(table).rows[0].cells[3]
        assert (len(cell), cell[0], cell[-1]) == (60, "x", "…")

    def test_columns(self):
        rows = b"".join(b"2024-06-15T10:3%d:00Z,48.%d,2,cafe\n" % (i, i) for i in range(3))
        table = b"time,lat,lon,poi\n" + rows
        found = seen(table)
        assert ("landmark" in roles(found), found.columns[3].sentence) == (False, "")
        assert roles(seen(table.replace(b"cafe", b"yes")))["landmark"] == "poi"
        table = b"date,time,lat,lon\n2024-06-15,10:00:00,48,2\n2024-06-15,10:01:00,48.1,2\n"
        assert roles(seen(table)) == {"time": "date", "clock": "time", "lat": "lat", "lon": "lon"}
        read_alike(table, seen(table))
        names = [f"n{i}" for i in range(300)] + ["time", "lat", "lon"]
        table = f"{','.join(names)}\n{','.join(['0'] * 300)},2024-06-15T10:00:00Z,48,2\n".encode()
        found = seen(table)  # the first, and those that are read
        assert (len(found.columns), found.more_columns, len(found.rows[0].cells)) == (103, 200, 103)
        read_alike(table, found)


@pytest.mark.slow
def test_real_files_are_read_the_same_with_the_mapping_that_is_reported(shared):
    folders = ("csv_ais", "csv_other", "parquet", "gz")
    reported = 0
    for path in (path for name in folders for path in (shared / "data" / "trajectories" / name).iterdir()):
        try:
            found, whole = preview(path), read(path)
        except FormatError:
            continue
        if found.columns:
            same(whole.series, read(path, **found.mapping).series)
            reported += 1
    assert reported > 10


class TestBounds:
    def test_only_the_head_is_read(self):
        class Counted(io.BytesIO):
            read_bytes = 0

            def read(self, size=-1):
                piece = super().read(size)
                self.read_bytes += len(piece)
                return piece

        file = Counted(b"time,lat,lon\n" + b"2024-06-15T10:00:00Z,48.5,2.5\n" * 300_000)
        found = preview(file, name="x.csv")
        assert (found.whole, found.problem, len(found.rows)) == (False, None, 6)
        assert file.read_bytes < 2 * head_sample.BYTES

    @each("encoding", ["utf-8", "utf-16", "utf-32", "utf-16-be", "latin-1"])
    def test_a_head_ends_with_a_whole_line(self, encoding):
        text = "zeit;breitengrad;längengrad\n" + "15.06.2024 10:00:00;48,5;2,5\n" * 40_000
        mark = "\ufeff" if encoding == "utf-16-be" else ""
        found = seen((mark + text).encode(encoding), date_order="dmy")
        assert (found.problem, found.whole) == (None, False)
        assert roles(found)["lon"] == "längengrad"

    def test_every_hostile_file_ends_in_bounded_time_and_memory(self, shared):
        files = [path for path in (shared / "hostile").iterdir() if path.suffix not in (".md", ".json")]
        assert len(files) > 40
        for path in files:
            tracemalloc.start()
            began = time.perf_counter()
            found = refused(lambda path=path: preview(path))
            if not isinstance(found, EngineError):
                in_json(found)
            took, (_, peak) = time.perf_counter() - began, tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 40_000_000, path.name
            assert took < 10, path.name
