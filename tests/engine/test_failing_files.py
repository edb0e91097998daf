"""Every error code that reading and cleaning can give is given by a file, with a text; a code without a file fails."""

import errno
import io
import json
import sys

import pyarrow as pa
import pytest

from privacy_engine.cleaning import clean, parse_cleaning
from privacy_engine.errors import EngineError, FormatError
from privacy_engine.formats import read
from privacy_engine.formats.arrow import translated
from privacy_engine.optional import MissingPackage
from tests.cases import each
from tests.engine.damaged_files import SEEDS
from tests.engine.failing_files import FILES, MORE, codes

CASES = [*FILES.items(), *MORE]


def test_every_code_of_the_sources_has_its_file():
    found = codes()
    assert len(found) > 55
    assert {code: place for code, place in found.items() if code not in FILES} == {}
    assert [code for code in FILES if code not in found] == []


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
