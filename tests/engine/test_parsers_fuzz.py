"""What holds for every format: described, on its page; any bytes and damaged files give typed errors only."""

import contextlib
import errno
import gzip
import inspect
import io
import json
import os
import sys

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from privacy_engine.cleaning import clean, parse_cleaning
from privacy_engine.core.optional import MissingPackage
from privacy_engine.data import Trajectory
from privacy_engine.errors import EngineError, FormatError, ParameterError
from privacy_engine.formats import KINDS, formats, options, read
from privacy_engine.formats.arrow import translated
from privacy_engine.formats.options import PLACED
from tests.cases import each, refusal
from tests.engine.damaged_files import NAMES, SEEDS, TABLE_CHARS, damaged, survive
from tests.engine.failing_files import FILES, MORE, codes
from tests.engine.format_samples import CSV, GPX, read_bytes, zipped
from tests.examples import examples

EXAMPLES = int(os.environ.get("CAIRN_FUZZ", examples(60)))
LONG = pytest.mark.timeout(7200 if EXAMPLES > 1000 else 180)
_CALM = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
DAMAGED = {"gzip": gzip.compress(CSV), "zip": zipped(a=CSV, b=GPX)} | {name: SEEDS[name] for name in NAMES}
KEYS = ("type", "features", "geometry", "coordinates", "properties", "coordTimes", "time")
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=20,
)


def test_every_format_has_a_seed_and_every_code_its_file():
    assert set(SEEDS) == set(NAMES)
    for name, data in SEEDS.items():
        survive(data)
        survive(data, format=name)
    found = codes()
    assert len(found) > 55
    assert {code: place for code, place in found.items() if code not in FILES} == {}
    assert [code for code in FILES if code not in found] == []


@LONG
@pytest.mark.parametrize("name", DAMAGED)
@_CALM
@given(seed=st.integers(0, 2**63), chosen=st.booleans())
@example(seed=5527, chosen=False)  # a ZIP archive with a member whose name is empty
def test_damaged_files_of_each_format(name, seed, chosen):
    survive(damaged(DAMAGED[name], seed), **({"format": name} if chosen and name in NAMES else {}))


@LONG
@pytest.mark.parametrize("name", [one.name for one in formats()])
@_CALM
@given(data=st.binary(max_size=200) | st.sampled_from(list(DAMAGED.values())))
def test_anything_as_each_format(name, data):
    survive(data, format=name)


@LONG
@_CALM
@given(seed=st.integers(0, 2**63), name=st.sampled_from(NAMES), kinds=st.sampled_from([KINDS, KINDS[1:2], KINDS[2:]]))
def test_damaged_files_as_each_kind(seed, name, kinds):
    survive(damaged(SEEDS[name], seed), kinds=kinds)


@settings(max_examples=examples(300))
@given(st.binary(max_size=300), st.text(TABLE_CHARS, max_size=200))
def test_any_bytes_and_any_table(data, text):
    survive(data)
    survive(b"time,lat,lon,id\n" + text.encode())
    survive(text.encode())
    survive(text.encode(), lon="#1", lat="#2")


@settings(max_examples=examples(150))
@given(json_values, st.sampled_from(["Point", "LineString", "MultiLineString", "MultiPoint", "GeometryCollection"]))
def test_any_json(value, kind):
    feature = {"type": "Feature", "geometry": {"type": kind, "coordinates": value}, "properties": value}
    bare = {"type": kind, "coordinates": value, "geometries": value}
    for document in (value, bare, {"features": [value, value]}, {"features": [feature]}):
        survive(json.dumps(document).encode())


CASES = [*FILES.items(), *MORE]


@each(("code", "file"), CASES, ids=[f"{code}-{file.name}" for code, file in CASES])
def test_the_file_is_refused_with_its_code_and_a_text(code, file):
    with pytest.raises(EngineError) as refused:
        clean(
            read(io.BytesIO(file.data), name=file.name, kinds=[file.kind], **file.options).series,
            parse_cleaning(file.cleaning),
        )
    error = refused.value
    assert (error.code, error.message[-1] in ".?)…" or error.field != "file") == (code, True), error.message
    assert error.__cause__ is not error
    json.dumps(error.as_dict(), allow_nan=False)


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyogrio", None)
    with pytest.raises(MissingPackage, match="pip install pyogrio, or the extra vector of cairn-privacy; a FlatGeobuf"):
        read(io.BytesIO(SEEDS["flatgeobuf"]), name="walk.fgb")


@each("error", [pa.ArrowMemoryError("no memory"), OSError(errno.ENOSPC, "full")])
def test_what_the_machine_lacks_is_no_damage_of_the_file(error):
    with pytest.raises(type(error)) as raised, translated(lambda: FormatError("damaged", code="bad_parquet")):
        raise error
    assert raised.value is error


SHOWN = [one for one in formats() if not one.hidden]
VALUES = {
    "delimiter": ";", "decimal": ",", "lon": "#2", "lat": "#1", "time": "#0", "id": "#0", "landmark": "#1",
    "sheet": "Fixes", "date_order": "mdy", "time_zone": "Asia/Tokyo", "time_unit": "ms", "count": "#3",
    "encoding": "UTF-8", "header": "1", "columns": "3", "clock": "#0", "place": "#1", "geometry": "#1",
    "separator": ":", "fourth": "none", "ends": "time", "parts": "trkpt", "records": "#/data",
    "end": "none", "thousands": ",", "withheld": "0", "leave_out": "none",
}  # fmt: skip
USED_BY_ALL = {"format", "automatic", *PLACED}


@each("one", SHOWN, ids=lambda one: one.name)
class TestEveryFormat:
    def test_is_described(self, one):
        assert all((one.title, one.extensions, one.keeps, one.person))
        assert one.source.startswith("https://")
        assert set(one.options) <= options().keys() - USED_BY_ALL
        assert Trajectory.kind in one.kinds
        assert set(one.kinds) <= set(KINDS)
        assert (inspect.getdoc(one.sniff) or "").startswith("Whether ")
        assert inspect.getdoc(one.read)
        assert inspect.getdoc(inspect.getmodule(one.read))

    @each("name", sorted(options().keys() - USED_BY_ALL))
    def test_an_option_that_it_does_not_name_is_refused(self, one, name):
        if name in one.options:
            value = VALUES[name] if name in one.columns or options()[name].kind != "column" else "#0"
            with contextlib.suppress(FormatError):  # the file may not be what the option states
                read_bytes(SEEDS[one.name], format=one.name, **{name: value})
            return
        error = refusal(ParameterError, read_bytes, SEEDS[one.name], format=one.name, **{name: VALUES[name]})
        assert (error.field, error.value, one.title in error.rule) == (name, VALUES[name], True)

    @each("name", sorted(name for name, one in options().items() if one.kind == "column"))
    def test_a_column_is_refused_where_there_are_none_to_name(self, one, name):
        if name not in one.options or name in one.columns:
            return
        error = refusal(ParameterError, read_bytes, SEEDS[one.name], format=one.name, **{name: "nothing"})
        assert ("#0" in error.message, error.field, error.value) == (True, name, "nothing")

    def test_states_who_its_people_are(self, one):
        found = read_bytes(SEEDS[one.name], format=one.name)
        assert found.report.people["message"]
        assert found.report.people["count"] == len({series.person for series in found.series})
        for stated in ("one", "series", "file"):
            again = read_bytes(SEEDS[one.name], name="seed.x", format=one.name, person=stated)
            persons = {"one": [""], "series": [series.name for series in found.series], "file": ["seed"]}[stated]
            assert [series.person for series in again.series] == persons * (len(again.series) // len(persons))
            about = {"count": len(set(persons)), "by": stated, "column": "", "said": True, "message": ""}
            assert again.report.people == about
            assert not [guess for guess in again.report.guesses if guess["option"] == "person"]

    def test_a_person_that_it_cannot_find_is_refused(self, one):
        for stated, value in (("folder", "folder"), ("column:missing", "missing")):
            error = refusal(EngineError, read_bytes, SEEDS[one.name], format=one.name, person=stated)
            assert (error.field, bool(error.rule)) == ("person", True)
            assert error.value in (stated, value)

    def test_without_times_and_of_other_kinds(self, one):
        if "time" in one.options:
            found = read_bytes(SEEDS[one.name], format=one.name, time="#0")
            assert all(series.time_s is None for series in found.series)
        for kind in set(KINDS) - set(one.kinds):
            with pytest.raises(EngineError, match="holds positions, not"):
                read_bytes(SEEDS[one.name], kinds=(kind,))
