"""``docs/formats.md`` is what the registry of formats says, and the registry says enough of each format."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

from privacy_engine.data import KINDS, Trajectory
from privacy_engine.errors import EngineError
from privacy_engine.formats import Format, formats, options
from privacy_engine.formats.options import PLACED
from privacy_engine.formats.page import page
from tests.engine import reading
from tests.engine.parsers import SEEDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
SHOWN = [one for one in formats() if not one.hidden]
VALUES = {"delimiter": ";", "decimal": ",", "lon": "#2", "lat": "#1", "time": "#0", "id": "#0", "landmark": "#1"}
VALUES |= {"date_order": "mdy", "time_zone": "Asia/Tokyo", "time_unit": "ms"}


def test_the_page_is_that_of_the_registry() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "docs/formats.md is out of date: `make formats` writes it anew"


@pytest.mark.parametrize("one", SHOWN, ids=lambda one: one.name)
class TestEveryFormat:
    def test_is_described(self, one: Format) -> None:
        assert one.title
        assert one.extensions
        assert one.keeps
        assert one.source.startswith("https://")
        assert set(one.options) <= options().keys() - {"format", *PLACED}
        assert Trajectory.kind in one.kinds
        assert set(one.kinds) <= set(KINDS)
        assert (inspect.getdoc(one.sniff) or "").startswith("Whether ")
        assert inspect.getdoc(one.read)
        assert inspect.getdoc(inspect.getmodule(one.read))

    def test_an_option_that_it_does_not_name_changes_nothing(self, one: Format) -> None:
        plain = reading.of(SEEDS[one.name], format=one.name)
        for name in options().keys() - {"format", *PLACED, *one.options}:
            found = reading.of(SEEDS[one.name], format=one.name, **{name: VALUES[name]})
            assert found.report.as_dict() == plain.report.as_dict(), name
            for mine, theirs in zip(found.series, plain.series, strict=True):
                assert all(np.array_equal(getattr(mine, key), getattr(theirs, key)) for key in ("lon", "lat"))

    def test_without_times_where_it_names_the_option(self, one: Format) -> None:
        found = reading.of(SEEDS[one.name], format=one.name, time="#0") if "time" in one.options else None
        assert found is None or all(series.time_s is None for series in found.series)

    def test_holds_the_kinds_that_it_names(self, one: Format) -> None:
        for kind in set(KINDS) - set(one.kinds):
            with pytest.raises(EngineError, match="holds positions, not"):
                reading.of(SEEDS[one.name], kinds=(kind,))
