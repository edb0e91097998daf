"""``docs/formats.md`` is what the registry of formats states, and the registry states enough of each format."""

import contextlib
import inspect
from pathlib import Path

import pytest

from privacy_engine.data import KINDS, Trajectory
from privacy_engine.errors import EngineError, FormatError, ParameterError
from privacy_engine.exports.reference_page import written
from privacy_engine.formats import formats, options
from privacy_engine.formats.options import PLACED
from privacy_engine.formats.reference_page import page
from tests.cases import each, refusal
from tests.engine.damaged_files import SEEDS
from tests.engine.format_samples import read_bytes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
SHOWN = [one for one in formats() if not one.hidden]
VALUES = {
    "delimiter": ";", "decimal": ",", "lon": "#2", "lat": "#1", "time": "#0", "id": "#0", "landmark": "#1",
    "sheet": "Fixes", "date_order": "mdy", "time_zone": "Asia/Tokyo", "time_unit": "ms", "count": "#3",
    "encoding": "UTF-8", "header": "1", "columns": "3", "clock": "#0", "place": "#1", "geometry": "#1",
    "separator": ":", "fourth": "none", "ends": "time", "parts": "trkpt", "records": "#/data",
}  # fmt: skip
USED_BY_ALL = {"format", "automatic", *PLACED}


def test_the_page_is_that_of_the_registry():
    assert PAGE.read_text() == page() + written(), "docs/formats.md is out of date: `make formats` writes it again"


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
