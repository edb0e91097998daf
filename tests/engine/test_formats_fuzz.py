"""Any bytes are read or refused with a typed error."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.errors import EngineError
from privacy_engine.formats import formats
from tests.engine.damaged_files import TABLE_CHARS, damaged_example, refused
from tests.engine.format_samples import VALID, read_bytes
from tests.examples import examples


class TestAnything:
    """Whatever comes in, only EngineError comes out."""

    def survive(self, data: bytes, **values: object) -> None:
        reading = refused(lambda: read_bytes(data, **values))
        if not isinstance(reading, EngineError):
            json.dumps(reading.report.as_dict(), allow_nan=False)

    @settings(max_examples=examples(300))
    @given(st.binary(max_size=300))
    def test_any_bytes(self, data: bytes) -> None:
        self.survive(data)

    @settings(max_examples=examples(300))
    @given(st.text(TABLE_CHARS, max_size=200))
    def test_any_table(self, text: str) -> None:
        self.survive(b"time,lat,lon,id\n" + text.encode())
        self.survive(text.encode())

    @settings(max_examples=examples(400))
    @given(st.data())
    def test_damaged_files(self, data: st.DataObject) -> None:
        self.survive(damaged_example(data, VALID))

    @pytest.mark.parametrize("one", formats(), ids=lambda one: one.name)
    @settings(max_examples=examples(60))
    @given(st.sampled_from(VALID) | st.binary(max_size=60))
    def test_any_file_as_any_format(self, one: object, data: bytes) -> None:
        self.survive(data, format=getattr(one, "name", ""))

    @settings(max_examples=examples(150))
    @given(
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["type", "features", "geometry", "coordinates", "properties", "coordTimes", "time"]
                    ),
                    inner,
                )
            ),
            max_leaves=20,
        ),
        st.sampled_from(["Point", "LineString", "MultiLineString", "MultiPoint", "GeometryCollection"]),
    )
    def test_any_json(self, value: object, kind: str) -> None:
        for document in (
            value,
            {"type": kind, "coordinates": value, "geometries": value},
            {"features": [value, value]},
        ):
            self.survive(json.dumps(document).encode())
            feature = {"type": "Feature", "geometry": {"type": kind, "coordinates": value}, "properties": value}
            self.survive(json.dumps({"features": [feature]}).encode())
