"""No record decides about the rows of others: reading with the options of the first reading, over every format."""

import random
import zlib

import pytest

from privacy_engine.formats import formats
from tests.engine import record_binary, record_documents, record_tables  # noqa: F401 (they register)
from tests.engine import record_laws as laws
from tests.engine.record_files import GENERATORS

CASES = sorted(GENERATORS)
QUICK, THOROUGH = 24, 20_000 // len(CASES) + 1
LEAST_READ = 0.4
"""Of the generated files at least this share can be read at all."""


def test_every_format_and_kind_has_a_generator():
    assert {(one.name, kind) for one in formats() if not one.hidden for kind in one.kinds} <= set(CASES)


def generated(name, kind, number):
    rng = random.Random(zlib.crc32(f"{name} {kind}".encode()) + number)
    makers = GENERATORS[name, kind]
    return makers[number % len(makers)](rng), rng


@pytest.mark.parametrize("files", [QUICK, pytest.param(THOROUGH, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_record_changes_no_row_of_others(name, kind, files):
    read = 0
    for number in range(files):
        file, rng = generated(name, kind, number)
        try:
            first = laws.first_reading(file, rng)
        except laws.Refused:
            continue
        read += 1
        try:
            _check_twice(file, first)
            _check_without(file, first, rng)
            _check_moved(file, first, rng)
        except AssertionError as error:
            raise AssertionError(f"file {number} of {name}, {kind}: {error}") from error
    assert read >= LEAST_READ * files


def _check_twice(file, first):
    """Reading the same file with the decided options gives the same, and finds nothing out."""
    second = laws.again(file, file.records, first)
    assert second is not None, "the file cannot be read again"
    named = laws.codes(second)
    assert laws.rows_of(second) == laws.rows_of(first.reading), f"read otherwise the second time ({named})"
    decided, before = (one.report.as_dict()["decided"] for one in (second, first.reading))
    assert decided == before, f"decided {decided}, not {before}"
    assert second.report.guesses == [], second.report.guesses


def _check_without(file, first, rng):
    at = rng.randrange(len(file.records))
    record, other = file.records[at], file.other
    if laws.unknown(file, first):
        record, other = (one._replace(lats=(None,) * len(one.lats)) for one in (record, other))
    before, after = file.records[:at], file.records[at + 1 :]
    laws.check_left_out(first.reading, laws.again(file, [*before, *after], first), record)
    changed = laws.again(file, [*before, file.other, *after], first)
    if changed is not None:  # one damaged record may have a whole file refused, of which there are no rows then
        laws.check_changed(first.reading, changed, record, other)


def _check_moved(file, first, rng):
    """The rows are the same in another order of the records, where their order has no meaning."""
    if file.ordered:
        return
    moved = laws.again(file, rng.sample(file.records, len(file.records)), first)
    named = laws.codes(first.reading, moved)
    assert sorted(map(repr, laws.rows_of(moved, named))) == sorted(map(repr, laws.rows_of(first.reading, named))), (
        "moved"
    )
