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
from tests.engine import format_samples
from tests.engine.damaged_files import SEEDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
SHOWN = [one for one in formats() if not one.hidden]
VALUES = {"delimiter": ";", "decimal": ",", "lon": "#2", "lat": "#1", "time": "#0", "id": "#0", "landmark": "#1"}
VALUES |= {"sheet": "Fixes", "date_order": "mdy", "time_zone": "Asia/Tokyo", "time_unit": "ms", "count": "#3"}
VALUES |= {
    "encoding": "UTF-8",
    "header": "1",
    "columns": "3",
    "clock": "#0",
    "place": "#1",
    "geometry": "#1",
    "separator": ":",
}
VALUES |= {"fourth": "none", "ends": "time", "parts": "trkpt", "records": "#/data"}
USED_BY_ALL = {"format", "automatic", *PLACED}


def test_the_page_is_that_of_the_registry():
    assert PAGE.read_text(encoding="utf-8") == page() + written(), (
        "docs/formats.md is out of date: `make formats` writes it again"
    )


@each("one", SHOWN, ids=lambda one: one.name)
class TestEveryFormat:
    def test_is_described(self, one):
        assert one.title
        assert one.extensions
        assert one.keeps
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
                format_samples.read_bytes(SEEDS[one.name], format=one.name, **{name: value})
            return
        with pytest.raises(ParameterError) as refused:
            format_samples.read_bytes(SEEDS[one.name], format=one.name, **{name: VALUES[name]})
        assert (refused.value.field, refused.value.value) == (name, VALUES[name])
        assert one.title in refused.value.rule

    @each("name", sorted(name for name, one in options().items() if one.kind == "column"))
    def test_a_column_is_refused_where_there_are_none_to_name(self, one, name):
        if name not in one.options or name in one.columns:
            return
        with pytest.raises(ParameterError, match="#0") as refused:
            format_samples.read_bytes(SEEDS[one.name], format=one.name, **{name: "nothing"})
        assert (refused.value.field, refused.value.value) == (name, "nothing")

    def test_states_who_its_people_are(self, one):
        assert one.person
        found = format_samples.read_bytes(SEEDS[one.name], format=one.name)
        assert found.report.people["message"]
        assert found.report.people["count"] == len({series.person for series in found.series})
        for stated in ("one", "series", "file"):
            again = format_samples.read_bytes(SEEDS[one.name], name="seed.x", format=one.name, person=stated)
            persons = {"one": [""], "series": [series.name for series in found.series], "file": ["seed"]}[stated]
            assert [series.person for series in again.series] == persons * (len(again.series) // len(persons))
            assert again.report.people == {"count": len(set(persons)), "by": stated, "column": "", "said": True} | {
                "message": ""
            }
            assert not [guess for guess in again.report.guesses if guess["option"] == "person"]

    def test_a_person_that_it_cannot_find_is_refused(self, one):
        for stated in ("folder", "column:missing"):
            refused = refusal(EngineError, format_samples.read_bytes, SEEDS[one.name], format=one.name, person=stated)
            assert refused.field == "person"
            assert refused.rule
            assert refused.value in (stated, "missing")

    def test_without_times_where_it_names_the_option(self, one):
        found = (
            format_samples.read_bytes(SEEDS[one.name], format=one.name, time="#0") if "time" in one.options else None
        )
        assert found is None or all(series.time_s is None for series in found.series)

    def test_holds_the_kinds_that_it_names(self, one):
        for kind in set(KINDS) - set(one.kinds):
            with pytest.raises(EngineError, match="holds positions, not"):
                format_samples.read_bytes(SEEDS[one.name], kinds=(kind,))
